import { t } from '#i18n/translate.ts'

/**
 * Names the reason why a page or a dialog cannot be imported. Without a network, the person waits for it. Otherwise the server was updated,
 * and has other files: the router loads the page again if it failed, and `Failure` offers that for a dialog or a tab.
 */
export const explainFailedImports = (): void => {
  window.addEventListener('vite:preloadError', ({ payload }) => {
    if (navigator.onLine) {
      payload.name = outdatedName
      return
    }
    payload.name = unreachableName
    payload.message = t('This part of the console is not loaded yet.')
  })
}

/** The name of UnreachableError of the client, whose class would be none of an error of the browser. */
const unreachableName = 'UnreachableError'

const outdatedName = 'OutdatedConsoleError'

/** Whether the server has a newer console than this page. */
export const isOutdated = (error: unknown): boolean => error instanceof Error && error.name === outdatedName

/** Whether there was no reply, so that a second attempt may succeed. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof Error && error.name === unreachableName
