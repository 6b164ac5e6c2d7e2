/**
 * Details of the console's pages in the fake DOM: secrets that stay until they are saved, ids, titles, states, and text that is not cut
 * off.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inspectViews, showInBrowser } from '#tests/support/console-dom/inspect'
import { visitSignedIn } from '#tests/support/console-dom/visit'
import { bookShop, bookShopBooks } from '#tests/support/console-examples'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
before(async () => {
  server = await startServer()
  await server.applyWorkspace(bookShop)
  await server.importDocuments('shop', 'books', bookShopBooks.map(book => JSON.stringify(book)).join('\n'))
})
after(async () => {
  await server?.stop()
})

/** Labels of buttons whose text overflows its box and is cut off. */
const findCutLabels = async (): Promise<string[]> =>
  (await showInBrowser()).evaluate<string[]>(`[...document.querySelectorAll('.mantine-Button-label')]
    .filter(label => {
      const box = label.getBoundingClientRect()
      const texts = document.createTreeWalker(label, NodeFilter.SHOW_TEXT)
      while (texts.nextNode()) {
        // Text for screen readers only is not visible.
        if (getComputedStyle(texts.currentNode.parentElement).position === 'absolute') continue
        const text = document.createRange()
        text.selectNodeContents(texts.currentNode)
        const letters = text.getBoundingClientRect()
        if (letters.top < box.top - 0.5 || letters.bottom > box.bottom + 0.5) return true
      }
      return false
    })
    .map(label => label.textContent)`)

test('the console lists and opens documents whose id is in a field with another name', async () => {
  const { page, end } = await visitSignedIn(server, '/w/shop/data/books')
  await page.getByRole('button', { name: '978-3', exact: true }).click()
  await page.getByRole('dialog').getByText('"isbn": "978-3"').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('tab', { name: 'Import' }).click()
  await page.getByText('A document replaces the one with the same isbn.').waitFor()
  await end()
})

test('the result of an import disappears when its generation is no longer live, and the next file adds documents again', async () => {
  const { page, end } = await visitSignedIn(server, '/w/shop/data/books/import')
  const replaces = page.getByLabel('Replace the whole collection')
  const one = Buffer.from('{"isbn":"1","title":"One"}\n')
  await replaces.check()
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'one.ndjson', mimeType: 'application/octet-stream', buffer: one })
  await page.getByRole('button', { name: 'Import one.ndjson' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Replace all documents' }).click()
  const outcome = page.getByText('1 document accepted.')
  await outcome.waitFor()
  assert.equal(await replaces.isChecked(), false)
  await page.getByRole('tab', { name: 'Generations' }).click()
  await page.getByRole('button', { name: 'Switch to generation 1' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Switch to generation 1' }).click()
  await page.getByText(/^9 documents\. /).waitFor()
  await page.getByRole('tab', { name: 'Import' }).click()
  await replaces.waitFor()
  assert.equal(await outcome.count(), 0)
  await end()
})

test('facets, results and filters show titles of fields, and only a facet with more values offers to show them', async () => {
  const { page, end } = await visitSignedIn(server, '/w/shop/apis/shop?stack=e%2Fall')
  await page.getByText('9 results', { exact: true }).waitFor()
  await page.getByRole('heading', { name: 'Written by' }).waitFor()
  await page.getByRole('heading', { name: 'Kind of book' }).waitFor()
  const first = page.getByRole('listitem').filter({ hasText: 'Book number 0' })
  assert.deepEqual(await first.locator('dt').allTextContents(), [
    'Written by',
    'Kind of book',
    'Price in euros',
  ])
  assert.equal(await page.getByRole('button', { name: 'More of Kind of book' }).count(), 0)
  const author9 = page.getByText('Author 9 (1)')
  assert.equal(await author9.count(), 0)
  await page.getByRole('button', { name: 'More of Written by' }).click()
  await author9.waitFor()
  assert.equal(await page.getByRole('button', { name: /^More of/ }).count(), 0)
  await author9.click()
  await page.getByRole('button', { name: 'Remove the filter Written by: Author 9' }).waitFor()
  await page.getByText('1 result', { exact: true }).waitFor()
  assert.deepEqual(await findCutLabels(), [])
  await inspectViews(page, 'field-titles', undefined)
  await end()
})

const tickets = `
workspace: tickets
title: Tickets
groups:
  open-house: { filter: { soldOut: [false] } }
memberDefaults: { filter: {} }
collections:
  events:
    title: Events
    fields:
      name: { type: text }
      about: { type: text }
      soldOut: { type: boolean, title: Sold out }
      place.city: { type: keyword, title: City }
  halls: { title: Halls, fields: { name: { type: text } } }
  artists: { title: Artists, fields: { name: { type: text } } }
apis:
  events:
    endpoints:
      search: { kind: match, collection: events }
      soldOut: { kind: facet, field: soldOut, title: Sold out }
`
const paragraph = `<p>${'A long evening. '.repeat(20)}<a href="https://example.org/mill" title="the ${'old '.repeat(40)}mill">Meet at the mill</a>, by the river.</p>`

test('true and false are yes and no in facets, filters and groups, and snippets of HTML have no parts of tags', async () => {
  await server.applyWorkspace(tickets)
  const events = [
    { id: '1', name: 'Concert', about: paragraph, soldOut: true, place: { city: 'Delft' } },
    { id: '2', name: 'Market', about: 'Fruit', soldOut: false },
  ]
  await server.importDocuments('tickets', 'events', events)
  const { page, open, end } = await visitSignedIn(server, '/w/tickets/apis/events')
  await page.getByLabel('Search for').fill('mill')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.getByText('yes (1)').click()
  await page.getByRole('button', { name: 'Remove the filter Sold out: yes' }).waitFor()
  const card = page.getByRole('listitem').filter({ hasText: 'Concert' })
  await card.getByText(/Meet at the/).waitFor()
  assert.doesNotMatch((await card.textContent()) ?? '', /[<>]|href/)

  // A column of a field inside an object has its values.
  await open('/w/tickets/data/events')
  await page.getByRole('cell', { name: 'Delft' }).waitFor()
  await page.getByRole('button', { name: 'City' }).waitFor()

  await open('/w/tickets/settings/groups')
  const group = page.getByRole('row').filter({ hasText: 'open-house' })
  await group.getByText('Sold out is no').waitFor()
  await group.getByText('Nothing of Halls and Artists is shown: they have no field Sold out.').waitFor()
  await page.getByRole('button', { name: 'Edit open-house' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('checkbox', { name: 'no', exact: true }).uncheck()
  await dialog.getByRole('checkbox', { name: 'yes', exact: true }).check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await group.getByText('Sold out is yes').waitFor()
  await end()
})
