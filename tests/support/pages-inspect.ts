/** What every page is checked for in a real browser, and the pictures of it in the documentation. */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

/** `QUERENT_SCREENSHOTS=1` writes them anew. */
const wantsScreenshots = process.env.QUERENT_SCREENSHOTS !== undefined
const images = join(import.meta.dirname, '..', '..', 'docs', 'images')

const pagesWithScreenshots = new Set([
  'login',
  'login-wrong',
  'login-throttled',
  'forgotten',
  'reset-weak',
  'reset-done',
  'invitation-new',
  'invitation-other',
  'invitation-joined',
  'consent',
  'no-member',
  'wrong-account',
  'logout',
  'logged-out',
  'expired',
  'error',
  'start',
])

const widths = [360, 1280] as const
const schemes = ['light', 'dark'] as const
/** The narrowest that must need no sideways scrolling (WCAG 2.2, 1.4.10). */
const narrowest = 320
/** WCAG 2.2, 2.5.5 (AAA): a thumb hits it. */
const targetPixelsMin = 44

/** Run in the page, so text: the types of this program know no document. */
const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
/** Colours on their way to others are judged by nobody. */
const transitionsEnded = `Promise.all(document.getAnimations()
  .filter(it => it instanceof CSSTransition)
  .map(({ finished }) => finished.catch(() => {})))`
/** What is pressed, links in running text aside. */
const smallTargets = `[...document.querySelectorAll('button, input:not([type=hidden]), a.button, p > a:only-child')]
  .filter(it => it.parentElement.textContent.trim() === it.textContent.trim() || it.tagName !== 'A')
  .filter(it => it.getBoundingClientRect().height < ${targetPixelsMin})
  .map(it => it.outerHTML)`

/**
 * The page as it stands, at both widths, light and dark: axe finds nothing, and nothing reaches over the edge. `folder` is where its
 * pictures go, below docs/images; undefined: it has none. Those of the console show what is in the window.
 */
export const inspectViews = async (page: Page, name: string, folder: string | undefined): Promise<void> => {
  await page.evaluate(axe.source)
  for (const width of widths)
    for (const colorScheme of schemes) {
      await page.setViewportSize({ width, height: 640 })
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      // The console takes the scheme up by script.
      await page
        .locator(`html:not([data-mantine-color-scheme]), html[data-mantine-color-scheme=${colorScheme}]`)
        .waitFor({ state: 'attached' })
      await page.evaluate(transitionsEnded)
      const viewName = `${name} at ${width} px, ${colorScheme}`
      const { violations } = await page.evaluate<AxeResults>(
        "axe.run(document, { resultTypes: ['violations'] })",
      )
      assert.deepEqual(
        violations.map(({ id, help, nodes }) => ({ id, help, html: nodes.map(node => node.html) })),
        [],
        viewName,
      )
      assert.ok((await page.evaluate<number>(overflow)) <= 0, `${viewName} reaches over the edge`)
      if (!wantsScreenshots || folder === undefined) continue
      mkdirSync(join(images, folder), { recursive: true })
      await page.screenshot({
        path: join(images, folder, `${name}-${width}-${colorScheme}.png`),
        fullPage: folder === 'pages',
      })
    }
}

/** {@link inspectViews} of the pages around signing in; and everything that is pressed can be hit. */
export const inspect = async (page: Page, name: string): Promise<void> => {
  await inspectViews(page, name, pagesWithScreenshots.has(name) ? 'pages' : undefined)
  await page.setViewportSize({ width: narrowest, height: 600 })
  assert.ok((await page.evaluate<number>(overflow)) <= 0, `${name} reaches over the edge at ${narrowest} px`)
  assert.deepEqual(await page.evaluate<string[]>(smallTargets), [], `${name}: too small to hit`)
}
