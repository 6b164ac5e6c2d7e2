import { t } from '#i18n/translate.ts'

/**
 * Describes the failed import of a page or a dialog without a network. Otherwise the router loads the page again, which helps after an
 * update of the server, but leaves an offline person with the browser's own error page.
 */
export const explainFailedImports = (): void => {
  window.addEventListener('vite:preloadError', ({ payload }) => {
    if (navigator.onLine) return
    payload.name = unreachableName
    payload.message = t('This part of the console is not loaded yet.')
  })
}

/** The name of UnreachableError of the client, whose class would be none of an error of the browser. */
const unreachableName = 'UnreachableError'

/** Whether there was no reply, so that a second attempt may succeed. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof Error && error.name === unreachableName
