/** Checks of every page in a real browser, and its pictures in the documentation. */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

/** `QUERENT_SCREENSHOTS=1` writes them again. */
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
  'second-factor',
  'factors',
  'factors-app',
  'recovery-codes',
])

const widest = 1280
const narrow = 360
const widths = [narrow, widest] as const
const schemes = ['light', 'dark'] as const
/** The smallest width that must need no horizontal scrolling (WCAG 2.2, 1.4.10). */
const narrowest = 320
/** The minimum size of touch targets (WCAG 2.2, 2.5.5, AAA). */
const targetPixelsMin = 44

/** Text, because it runs in the page: the types of this program include no DOM. */
const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
/**
 * Elements with a running color transition are not judged, so it jumps to its end. The end of one may start another in an element that
 * inherits from it.
 */
const endTransitions = `(async () => {
  for (;;) {
    const transitions = document.getAnimations().filter(it => it instanceof CSSTransition)
    if (transitions.length === 0) return
    for (const transition of transitions) transition.finish()
    await new Promise(resolve => requestAnimationFrame(resolve))
  }
})()`
/** A dialog that is shown, but not rendered again with the id of its title yet. */
export const unnamedDialog = '[role=dialog]:not([aria-labelledby]):not([aria-label])'
/** Touch targets, except links in running text. */
const smallTargets = `[...document.querySelectorAll('button, input:not([type=hidden]), a.button, p > a:only-child')]
  .filter(it => it.parentElement.textContent.trim() === it.textContent.trim() || it.tagName !== 'A')
  .filter(it => it.checkVisibility() && it.getBoundingClientRect().height < ${targetPixelsMin})
  .map(it => it.outerHTML)`

interface View {
  width: number
  colorScheme: (typeof schemes)[number]
  /** Whether all rules of axe apply, or only that of contrast. */
  isFull: boolean
}

const everyView: readonly View[] = widths.flatMap(width =>
  schemes.map(colorScheme => ({ width, colorScheme, isFull: colorScheme === 'light' })),
)
/** A color is the same at both widths, so each color scheme is seen at one of them. The page keeps the last view: journeys go on in it. */
const fewViews: readonly View[] = [
  { width: narrow, colorScheme: 'dark', isFull: false },
  { width: widest, colorScheme: 'light', isFull: true },
]

const inspectEach = async (
  page: Page,
  name: string,
  folder: string | undefined,
  views: readonly View[],
): Promise<void> => {
  // Reading its half megabyte takes as long as one of the checks.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe.source)
  for (const { width, colorScheme, isFull } of views) {
    await page.setViewportSize({ width, height: 640 })
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // The console applies the color scheme by script.
    await page
      .locator(`html:not([data-mantine-color-scheme]), html[data-mantine-color-scheme=${colorScheme}]`)
      .waitFor({ state: 'attached' })
    await page.evaluate(endTransitions)
    await page.locator(unnamedDialog).waitFor({ state: 'detached' })
    const viewName = `${name} at ${width} px, ${colorScheme}`
    const rules = isFull ? {} : { runOnly: ['color-contrast'] }
    const options = { resultTypes: ['violations'], ...rules }
    const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(options)})`)
    assert.deepEqual(
      violations.map(({ id, help, nodes }) => ({ id, help, html: nodes.map(node => node.html) })),
      [],
      viewName,
    )
    assert.ok((await page.evaluate<number>(overflow)) <= 0, `${viewName} reaches over the edge`)
    if (!wantsScreenshots || folder === undefined || colorScheme === 'dark') continue
    mkdirSync(join(images, folder), { recursive: true })
    await page.screenshot({
      path: join(images, folder, `${name}-${width}-${colorScheme}.png`),
      fullPage: folder === 'pages',
    })
  }
}

/**
 * Checks the current page in light at the large width with all rules of axe, and in dark at the small one for contrast: axe finds nothing,
 * and nothing overflows. `folder` receives its pictures in light at both widths, below docs/images; undefined means no pictures. Pictures
 * of the console show the visible window.
 */
export const inspectViews = (page: Page, name: string, folder: string | undefined): Promise<void> =>
  inspectEach(page, name, folder, wantsScreenshots ? everyView : fewViews)

/** {@link inspectViews}, with the rule of contrast only. */
export const inspectContrast = (page: Page, name: string): Promise<void> =>
  inspectEach(
    page,
    name,
    undefined,
    fewViews.map(view => ({ ...view, isFull: false })),
  )

/** {@link inspectViews}, with both color schemes at both widths, and all rules of axe in light. For pages as a whole. */
export const inspectEveryView = (page: Page, name: string, folder: string | undefined): Promise<void> =>
  inspectEach(page, name, folder, everyView)

/** Checks that the smallest width needs no horizontal scrolling. */
export const inspectNarrowest = async (page: Page, name: string): Promise<void> => {
  await page.setViewportSize({ width: narrowest, height: 600 })
  await page.evaluate(endTransitions)
  assert.ok((await page.evaluate<number>(overflow)) <= 0, `${name} reaches over the edge at ${narrowest} px`)
}

/** {@link inspectEveryView} for the sign-in pages, with a check that every target is large enough. */
export const inspect = async (page: Page, name: string): Promise<void> => {
  await inspectEveryView(page, name, pagesWithScreenshots.has(name) ? 'pages' : undefined)
  await inspectNarrowest(page, name)
  assert.deepEqual(await page.evaluate<string[]>(smallTargets), [], `${name}: too small to hit`)
}
