/** The console as one element: its cache, its router, and the providers around them. */

import { MantineProvider } from '@mantine/core'
import { ApiError } from '@querent/client'
import { twoFactorLevel } from '@querent/contract/authentication-levels'
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useLayoutEffect } from 'react'
import { nonce } from '#api/addresses.ts'
import { isDialogOpen } from '#api/open-dialog.ts'
import { currentLocation, signIn } from '#api/session.ts'
import { createConsoleRouter } from './routes.tsx'
import { resolveVariables, theme } from './ui/theme.ts'

/** A workspace requires more factors than the person signed in with: the sign-in asks for the second one. */
const onError = (error: Error): void => {
  if (error instanceof ApiError && error.code === 'insufficient-user-authentication')
    void signIn(currentLocation(), { level: twoFactorLevel })
}

const createCache = () =>
  new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        // A server on this machine answers without a network too; others fail, and the page says so instead of waiting.
        networkMode: 'always',
        refetchOnReconnect: true,
        // The row that a dialog edits stays below it.
        refetchOnWindowFocus: () => !isDialogOpen(),
        // Only an unreachable server is worth a retry: a rejected request is rejected again.
        retry: (failures, error) => error.name === 'UnreachableError' && failures < 2,
      },
      mutations: { networkMode: 'always' },
    },
  })

/** Creates the cache and the router for the current address. {@link App} shows the first page at once after `router.load()`. */
export const createConsole = () => {
  const cache = createCache()
  return { cache, router: createConsoleRouter(cache) }
}

export const App = ({ cache, router }: ReturnType<typeof createConsole>) => {
  useLayoutEffect(() => document.getElementById('first-frame')?.remove(), [])
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={resolveVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={cache}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  )
}
