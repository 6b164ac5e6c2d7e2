/** For tests: shows the console in `#root` of the current document, as main.tsx does. */
import { setNonce } from 'get-nonce'
import { createRoot } from 'react-dom/client'
import { nonce } from '#api/addresses.ts'
import { followOtherTabs } from '#api/session.ts'
import { App, createConsole } from './app.tsx'
import { explainFailedImports } from './ui/failed-import.ts'

export const mount = (): { unmount(): void } => {
  const { cache, router } = createConsole()
  setNonce(nonce)
  followOtherTabs()
  explainFailedImports()
  const root = createRoot(document.getElementById('root') ?? document.body)
  let isOpen = true
  // It never ends if the page leaves for the sign-in.
  void router.load().finally(() => isOpen && root.render(<App cache={cache} router={router} />))
  return {
    unmount() {
      isOpen = false
      root.unmount()
      router.history.destroy()
      cache.clear()
    },
  }
}

/** Addresses of the pages, with `$name` for what differs. */
export const listAddresses = (): string[] => Object.keys(createConsole().router.routesByPath)
