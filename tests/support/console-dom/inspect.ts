/**
 * Checks in Chromium how a page of the fake DOM looks: its markup with the console's style sheets, at both widths, light and dark. No script
 * runs there, so a view costs a fraction of a visit.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after } from 'node:test'
import type { Browser, Page as BrowserPage } from 'playwright-core'
import { window } from '#console/test-dom'
import { waitUntil } from '#server/test-wait'
import { openChromium, stepMsMax } from '#tests/support/chromium'
import {
  inspectContrast as inspectContrastInBrowser,
  inspectViews as inspectInBrowser,
  inspectNarrowest as inspectNarrowestInBrowser,
  unnamedDialog,
} from '#tests/support/pages-inspect'
import type { Page } from './page.ts'

const require = createRequire(new URL('../../../packages/console/package.json', import.meta.url))
const readStyles = (name: string) => readFileSync(require.resolve(name), 'utf8')
const readConsoleStyles = (path: string) =>
  readFileSync(new URL(`../../../packages/console/src/${path}`, import.meta.url), 'utf8')
/** In the order of the page. The last rule shows the end of each transition at once. */
const styles = [
  readStyles('@mantine/core/styles.css'),
  readConsoleStyles('ui/style.css'),
  readStyles('@mantine/dropzone/styles.css'),
  readConsoleStyles('pages/sign-in/sign-in-settings.css'),
  '*, ::before, ::after { transition: none !important }',
].join('\n')

/** As Mantine does. */
const followColorScheme = `const dark = matchMedia('(prefers-color-scheme: dark)')
  const follow = () => document.documentElement.setAttribute('data-mantine-color-scheme', dark.matches ? 'dark' : 'light')
  dark.addEventListener('change', follow)
  follow()`

let browserPage: Promise<{ browser: Browser; page: BrowserPage }> | undefined
const openBrowserPage = async () => {
  const browser = await openChromium()
  const page = await browser.newPage()
  page.setDefaultTimeout(stepMsMax)
  await page.setContent(
    `<!doctype html><html><head><title></title><style>${styles}</style><script>${followColorScheme}</script></head><body></body></html>`,
  )
  return { browser, page }
}
after(async () => {
  await (await browserPage)?.browser.close()
})

/** The page, with what was typed and chosen. */
const serialize = () => {
  const { document } = window
  for (const field of document.querySelectorAll('input')) {
    if (field.type !== 'file') field.setAttribute('value', field.value)
    field.toggleAttribute('checked', field.checked)
  }
  for (const field of document.querySelectorAll('textarea')) field.textContent = field.value
  for (const option of document.querySelectorAll('option'))
    option.toggleAttribute('selected', option.selected)
  return { lang: document.documentElement.lang, title: document.title, body: document.body.outerHTML }
}

/** Text, because it runs in the page: the types of this program include no DOM. */
const show = `({ lang, title, body }) => {
  document.documentElement.lang = lang
  document.title = title
  const parsed = new DOMParser().parseFromString(body, 'text/html')
  document.body.replaceWith(document.adoptNode(parsed.body))
  scrollTo(0, 0)
}`

/** Shows the page as it is now in Chromium, without scripts, for checks that need a layout. */
export const showInBrowser = async (): Promise<BrowserPage> => {
  browserPage ??= openBrowserPage()
  const { page } = await browserPage
  // Here, because the copy never changes.
  await waitUntil(
    () => window.document.querySelector(unnamedDialog) === null || undefined,
    () => 'a dialog gets a name',
  )
  await page.evaluate(`(${show})(${JSON.stringify(serialize())})`)
  return page
}

/** Checks the page as it is now: see `pages-inspect.ts`. */
export const inspectViews = async (_page: Page, name: string, folder: string | undefined): Promise<void> =>
  inspectInBrowser(await showInBrowser(), name, folder)

/** Checks only contrast and overflow, for another view of what {@link inspectViews} or tests/console/pages.test.ts (at night) checks with all rules. */
export const inspectContrast = async (_page: Page, name: string): Promise<void> =>
  inspectContrastInBrowser(await showInBrowser(), name)

/** Checks that the page as it is now needs no horizontal scrolling at the smallest width. */
export const inspectNarrowest = async (_page: Page, name: string): Promise<void> =>
  inspectNarrowestInBrowser(await showInBrowser(), name)
