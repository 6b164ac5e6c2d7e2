import '@mantine/core/styles.css'
import './ui/style.css'
import { MantineProvider } from '@mantine/core'
import { ApiError } from '@querent/client'
import { twoFactorLevel } from '@querent/contract/authentication-levels'
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { nonce } from '#api/addresses.ts'
import { currentLocation, followOtherTabs, signIn } from '#api/session.ts'
import { createConsoleRouter } from './routes.tsx'
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
      // Only an unreachable server is worth a retry: a rejected request is rejected again.
      retry: (failures, error) => error.name === 'UnreachableError' && failures < 2,
    },
  },
})
const router = createConsoleRouter(cache)
// For the style elements of components below Mantine.
setNonce(nonce)

followOtherTabs()

const root = document.getElementById('root')
if (!root) throw new Error('index.html has an element with the id root')
createRoot(root).render(
  <StrictMode>
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
  </StrictMode>,
)
