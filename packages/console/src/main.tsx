import '@mantine/core/styles.css'
import './ui/style.css'
import { MantineProvider } from '@mantine/core'
import { ApiError } from '@querent/client'
import { twoFactorLevel } from '@querent/contract/authentication-levels'
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { setNonce } from 'get-nonce'
import { StrictMode, useLayoutEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { nonce } from '#api/addresses.ts'
import { currentLocation, followOtherTabs, signIn } from '#api/session.ts'
import { createConsoleRouter } from './routes.tsx'
import { explainFailedImports } from './ui/failed-import.ts'
import { resolveVariables, theme } from './ui/theme.ts'

/** A workspace requires more factors than the person signed in with: the sign-in asks for the second one. */
const onError = (error: Error): void => {
  if (error instanceof ApiError && error.code === 'insufficient-user-authentication')
    void signIn(currentLocation(), { level: twoFactorLevel })
}
const cache = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // A server on this machine answers without a network too; others fail, and the page says so instead of waiting.
      networkMode: 'always',
      refetchOnReconnect: true,
      // Only an unreachable server is worth a retry: a rejected request is rejected again.
      retry: (failures, error) => error.name === 'UnreachableError' && failures < 2,
    },
    mutations: { networkMode: 'always' },
  },
})
const router = createConsoleRouter(cache)
// For the style elements of components below Mantine.
setNonce(nonce)

followOtherTabs()
explainFailedImports()

const root = document.getElementById('root')
if (!root) throw new Error('index.html has an element with the id root')
const App = () => {
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

// Until the first page can be shown, the frame of index.html stays.
void router.load().finally(() =>
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  ),
)
