/** Long names and narrow windows in real Chromium: nothing is cut off, and the buttons stay in sight. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Locator } from 'playwright-core'
import { openChromium } from '#tests/support/chromium'
import { type Visit, visitSignedIn, waitUntilSettled } from '#tests/support/console-visit'
import { makeLibrary } from '#tests/support/library'
import { inspectViews } from '#tests/support/pages-inspect'
import { type StartedServer, startServer } from '#tests/support/started-server'

const longTitle = 'The archive of the museum of natural history and science'
const longAddress = 'a-person-with-a-very-long-address@department-of-literature.research.example.org'
const phone = { width: 360, height: 740 }
const desktop = { width: 1280, height: 800 }

let server: StartedServer
let browser: Browser
let visit: Visit
before(async () => {
  server = await startServer()
  const library = await makeLibrary(server)
  await server.applyWorkspace(`workspace: museum\ntitle: ${longTitle}\n`)
  await server.run(['members', 'invite', 'library', longAddress, '--role', 'user'])
  await library.get('library/e/search/p/wrong/x/results')
  browser = await openChromium()
  visit = await visitSignedIn(browser, server, '/w/library')
})
after(async () => {
  await browser?.close()
  await server?.stop()
})

/** Runs in the page: whether an element is wider than its box. */
const overflows = (locator: Locator): Promise<boolean> =>
  locator.evaluate<boolean, { scrollWidth: number; clientWidth: number }>(
    ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
  )

test('a menu with a long title of a workspace fits on a phone', async () => {
  const { page, open } = visit
  await page.setViewportSize(phone)
  await open('/w/library')
  await page.getByRole('button', { name: 'The library' }).click()
  await page.getByRole('menuitem', { name: longTitle }).waitFor()
  assert.equal(await overflows(page.locator('html')), false)
})

test('a long title of a workspace in the header of a phone ends before its chevron', async () => {
  const { page, open } = visit
  await page.setViewportSize(phone)
  await open('/w/museum')
  const button = page.getByRole('button', { name: longTitle })
  const [outer, chevron] = [await button.boundingBox(), await button.locator('svg').boundingBox()]
  assert.ok(outer && chevron && chevron.x + chevron.width <= outer.x + outer.width, JSON.stringify(chevron))
})

test('a dialog breaks a long address', async () => {
  const { page, open } = visit
  await page.setViewportSize(phone)
  await open('/w/library/settings/team-members')
  await page.getByRole('button', { name: /^New link/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'New link', exact: true }).click()
  await dialog.getByText('Copy the link now').waitFor()
  assert.equal(await overflows(dialog), false)
})

test('the buttons of a dialog stay in sight while its form scrolls', async () => {
  const { page, open } = visit
  await page.setViewportSize(phone)
  await open('/w/library/apis/library/endpoints')
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  const add = page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true })
  await add.waitFor()
  const box = await add.boundingBox()
  assert.ok(box && box.y + box.height <= phone.height, JSON.stringify(box))
  assert.ok(box.height >= 44, 'a finger hits it')
  await inspectViews(page, 'add-endpoint', undefined)
})

test('the buttons of a row stay in sight next to a long address', async () => {
  const { page, open } = visit
  await page.setViewportSize(desktop)
  await open('/w/library/settings/team-members')
  const box = await page
    .getByRole('button', { name: `Revoke the invitation of ${longAddress}` })
    .boundingBox()
  assert.ok(box && box.x + box.width <= desktop.width, JSON.stringify(box))
})

test('tables in half the width of the page show all their columns', async () => {
  const { page, open } = visit
  await page.setViewportSize(desktop)
  await open('/w/library/usage')
  await page.getByRole('button', { name: 'Show table: Searches' }).click()
  const tables = page.locator('main .data-table')
  await page.getByRole('region', { name: 'Failed queries' }).waitFor()
  await waitUntilSettled(page)
  for (const table of await tables.all()) assert.equal(await overflows(table), false)
})

test('no page wrote an error to the browser console', () => visit.end())
