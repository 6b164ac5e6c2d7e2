/** Forms for fields, synonyms, endpoints and curation: what they write is what the workspace file says. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { patienceMs } from '#server/test-wait'
import { openChromium } from '#tests/support/chromium'
import { commentedBooks, commentedShop } from '#tests/support/console-examples'
import { dragItem, visitSignedIn, waitForFocus } from '#tests/support/console-visit'
import { inspectViews } from '#tests/support/pages-inspect'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let browser: Browser
before(async () => {
  server = await startServer()
  browser = await openChromium()
})
after(async () => {
  await browser?.close()
  await server?.stop()
})
beforeEach(async () => {
  await server.applyWorkspace(commentedShop)
  await server.importDocuments('shop', 'books', commentedBooks, { replace: true })
})

const exported = () => server.exportWorkspace('shop')
const changed = (from: string, text: string): string => {
  assert.ok(commentedShop.includes(from), from)
  return commentedShop.replace(from, () => text)
}
const visitShop = (path: string) => visitSignedIn(browser, server, `/w/shop${path}`)
const dialogButton = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true })
const closed = (page: Page) => page.getByRole('dialog').waitFor({ state: 'detached' })

const rulesInOrder = async (): Promise<string[]> =>
  [...(await exported()).matchAll(/query: (\w+)/g)].map(([, query]) => query ?? '')

test('rules are added, moved by button, keyboard and drag, and deleted; their comments move with them', async t => {
  const { page, end } = await visitShop('/apis/shop/curation')
  await page.getByRole('button', { name: 'Add rule' }).click()
  await page.getByLabel('Text of the query').fill('winter')
  await page.getByLabel('Document', { exact: true }).fill('2')
  await page.keyboard.press('Enter')
  await page.getByLabel('Document', { exact: true }).fill('1')
  assert.ok(await dialogButton(page, 'Move 2 down').isDisabled())
  await page.getByLabel('Last in the results').fill('3')
  await inspectViews(page, 'rule-dialog', undefined)
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).last().click()
  await closed(page)
  const last = '      - { when: { query: autumn }, endpoint: search, pin: ["3"] }\n'
  const winter = '      - { when: { query: winter }, endpoint: search, pin: ["2", "1"], bury: ["3"] }\n'
  assert.equal(await exported(), changed(last, last + winter))

  const order = async (...expected: string[]) => {
    await t.waitFor(async () => assert.deepEqual(await rulesInOrder(), expected), { timeout: patienceMs })
    await page.getByRole('button', { name: `Edit “${expected[0]}”` }).waitFor()
  }
  await page.getByRole('button', { name: 'Move “spring” down' }).click()
  await order('summer', 'spring', 'autumn', 'winter')
  await waitForFocus(page.getByRole('button', { name: 'Move “spring” down' }))
  assert.ok((await exported()).includes('      # Summer campaign\n      - { when: { query: summer }'))

  await page.getByRole('button', { name: 'Move “winter”', exact: true }).focus()
  await page.keyboard.press('Space')
  await page.getByText('“winter” is at 4 of 4.').waitFor()
  await page.keyboard.press('ArrowUp')
  await page.getByText('“winter” is at 3 of 4.').waitFor()
  await page.keyboard.press('Space')
  await order('summer', 'spring', 'winter', 'autumn')

  await dragItem(page, '“autumn”', '“summer”', 1)
  await order('autumn', 'summer', 'spring', 'winter')

  await page.getByRole('button', { name: 'Delete “summer”' }).click()
  await dialogButton(page, 'Delete').click()
  await closed(page)
  assert.doesNotMatch(await exported(), /ummer/)
  await end()
})

test('a form links to its place in the workspace file', async t => {
  const { page, end } = await visitShop('/apis/shop/endpoints')
  await page.getByRole('button', { name: 'Edit all' }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Show in the workspace file' }).click()
  await page.getByRole('heading', { level: 1, name: 'Workspace file' }).waitFor()
  const line = "getSelection().anchorNode?.parentElement?.closest('.cm-line')?.textContent"
  const isThere = async () => assert.match(await page.evaluate<string>(line), /^ +all: /)
  await t.waitFor(isThere, { timeout: patienceMs })
  await end()
})

test('a form is filled in by keyboard alone', async () => {
  const { page, end } = await visitShop('/data/books/fields')
  await page.getByRole('button', { name: 'Add field' }).press('Enter')
  await waitForFocus(page.getByLabel('Name'))
  // Without a name, the form stays.
  await page.keyboard.press('Enter')
  await waitForFocus(page.getByLabel('Name'))
  await page.keyboard.type('about')
  await page.keyboard.press('Enter')
  await page.getByText('All documents of books are indexed again').waitFor()
  await waitForFocus(page.getByRole('group', { name: 'What this changes' }))
  // The list of changes has links.
  const add = dialogButton(page, 'Add').and(page.locator(':focus'))
  for (let tabs = 0; (await add.count()) === 0 && tabs < 8; tabs++) await page.keyboard.press('Tab')
  await waitForFocus(dialogButton(page, 'Add'))
  await page.keyboard.press('Enter')
  await closed(page)
  await waitForFocus(page.getByRole('button', { name: 'Add field' }))
  assert.match(await exported(), /about: \{ type: text \}/)
  await page.getByRole('button', { name: 'Delete about' }).press('Enter')
  await page.getByText('All documents of books are indexed again').waitFor()
  await waitForFocus(page.getByRole('group', { name: 'What this changes' }))
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await waitForFocus(dialogButton(page, 'Delete'))
  await page.keyboard.press('Enter')
  await closed(page)
  // The button of the row is gone, so the focus is at the start of the page.
  await waitForFocus(page.locator('#content'))
  assert.doesNotMatch(await exported(), /about/)
  await end()
})
