/** Judging, pinning and tuning results in "Try it", in real Chromium. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser, Locator, Page } from 'playwright-core'
import { openChromium } from '#tests/support/chromium'
import { kettleShop, kettles } from '#tests/support/console-examples'
import { dragItem, visitSignedIn, waitForFocus } from '#tests/support/console-visit'
import { inspectViews } from '#tests/support/pages-inspect'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let browser: Browser
let folder: string
before(async () => {
  server = await startServer()
  folder = await mkdtemp(join(tmpdir(), 'querent-shop-'))
  await writeFile(join(folder, 'shop.yaml'), kettleShop)
  await server.applyFile(join(folder, 'shop.yaml'))
  await server.importDocuments('shop', 'things', kettles.map(it => JSON.stringify(it)).join('\n'))
  browser = await openChromium()
})
after(async () => {
  await browser?.close()
  await server?.stop()
  await rm(folder, { recursive: true })
})

const path = '/w/shop/apis/shop?stack=e%2Fsearch%2Fp%2Fquery%2Fkettle'
const exportFile = () => server.exportWorkspace('shop')
const headings = (page: Page) =>
  page.getByRole('main').getByRole('listitem').getByRole('heading').allTextContents()
/** Names of the rows that can be moved, in their order. */
const rowNames = async (page: Page) => {
  const buttons = await page.getByRole('list', { name: 'Results' }).locator('button[data-step=up]').all()
  const labels = await Promise.all(buttons.map(button => button.getAttribute('aria-label')))
  return labels.map(label => label?.replace(/^Move (.*) up$/, '$1'))
}
const waitForFirst = (page: Page, name: string) =>
  page
    .locator('main li h2')
    .first()
    .filter({ hasText: new RegExp(`^${name}$`) })
    .waitFor()

/** After this time without an effect, an arrow is pressed again. */
const arrowMs = 2_000

test('the Tab key reaches results and facets in the order in which they are seen', async () => {
  const file = kettleShop.replace('workspace: shop', 'workspace: racks')
  await server.applyWorkspace(`${file}      stock: { kind: facet, field: inStock, title: Stock }\n`)
  await server.importDocuments('racks', 'things', kettles)
  const { page, end } = await visitSignedIn(browser, server, path.replace('/w/shop', '/w/racks'))
  await page.getByText('3 results').waitFor()
  await page.locator('main li h2').first().waitFor()
  const facet = page.getByRole('main').getByRole('heading', { name: 'Stock', exact: true })
  await facet.waitFor()
  const isBefore = (first: Locator, next: Locator) =>
    next.elementHandle().then(node =>
      // Node.DOCUMENT_POSITION_FOLLOWING
      first.evaluate((element, other) => (element.compareDocumentPosition(other as never) & 4) > 0, node),
    )
  const heading = page.locator('main li h2').first()
  assert.ok(await isBefore(heading, facet))
  await page.setViewportSize({ width: 390, height: 800 })
  const button = page.getByRole('button', { name: 'Facets and statistics' })
  assert.ok(await isBefore(button, heading))
  assert.ok(await facet.isHidden())
  await button.click()
  await facet.waitFor()
  await end()
})

test('results are pinned and buried by button, keyboard and drag, saved as a rule after a look, and undone', async () => {
  const { page, end } = await visitSignedIn(browser, server, path)
  await page.getByText('3 results').waitFor()
  const saved = await headings(page)
  const fileBefore = await exportFile()
  await page.getByRole('button', { name: 'Pin and bury' }).click()
  await page.getByRole('button', { name: `Pin ${saved[2]}`, exact: true }).press('Enter')
  await waitForFocus(page.getByRole('button', { name: `Unpin ${saved[2]}`, exact: true }))
  assert.equal((await rowNames(page))[0], saved[2])
  await page.getByRole('button', { name: `Bury ${saved[0]}`, exact: true }).press('Enter')
  await waitForFocus(page.getByRole('button', { name: `Restore ${saved[0]}`, exact: true }))
  assert.deepEqual(await rowNames(page), [saved[2], saved[1], saved[0]])

  // The handle, by keyboard: the buried result is pinned above all.
  const handle = page.getByRole('button', { name: `Move ${saved[1]}`, exact: true })
  await handle.focus()
  await page.keyboard.press('Space')
  await page
    .getByRole('status')
    .getByText(/ is at 2 of 4/)
    .waitFor({ state: 'attached' })
  const isFirst = page.getByRole('status').getByText(/ is at 1 of 4/)
  // The list listens to arrows a moment after it says where the result is. At the top, another arrow does nothing.
  do await page.keyboard.press('ArrowUp')
  while (
    !(await isFirst.waitFor({ state: 'attached', timeout: arrowMs }).then(
      () => true,
      () => false,
    ))
  )
  await page.keyboard.press('Space')
  await page.getByText(/^Dropped /).waitFor({ state: 'attached' })
  assert.deepEqual(await rowNames(page), [saved[1], saved[2], saved[0]])

  // By drag, back to the second place.
  await dragItem(page, saved[1] ?? '', saved[2] ?? '', 2)
  await page
    .locator('[role=listitem] button[data-step=up]')
    .first()
    .and(page.getByRole('button', { name: `Move ${saved[2]} up`, exact: true }))
    .waitFor()
  await inspectViews(page, 'try-it-curate', undefined)
  await page.setViewportSize({ width: 1280, height: 800 })

  await page.getByRole('button', { name: 'Review changes' }).click()
  await page
    .getByRole('group', { name: 'What this changes' })
    .getByText(/^Pins .* for “kettle”$/)
    .first()
    .waitFor()
  assert.equal(await exportFile(), fileBefore)
  await page.keyboard.press('Tab')
  await waitForFocus(page.getByRole('button', { name: 'Save', exact: true }))
  await page.keyboard.press('Enter')
  await page.getByText('Saved in the workspace file').waitFor()
  const fileAfter = await exportFile()
  assert.match(fileAfter, /# Comments stay\./)
  assert.match(fileAfter, /query: kettle/)
  await page.getByRole('button', { name: 'Pin and bury' }).click()
  await waitForFirst(page, saved[2] ?? '')
  assert.deepEqual(await headings(page), [saved[2], saved[1], saved[0]])

  // A second change, and back.
  await page.getByRole('button', { name: 'Pin and bury' }).click()
  await page.getByRole('button', { name: `Unpin ${saved[2]}`, exact: true }).click()
  await page.getByRole('button', { name: 'Review changes' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone. The workspace file is as before.').waitFor()
  await page.getByRole('button', { name: `Unpin ${saved[2]}`, exact: true }).waitFor()
  assert.equal(await exportFile(), fileAfter)
  await end()
})
