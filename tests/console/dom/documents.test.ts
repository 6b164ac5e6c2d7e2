/** Finding, reading, changing, deleting and exporting the documents of a collection, in the fake DOM. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inspectViews } from '#tests/support/console-dom/inspect'
import { visitSignedIn, waitForFocus, waitUntilSettled } from '#tests/support/console-dom/visit'
import { password } from '#tests/support/console-visit'
import { books, type Library, makeLibrary } from '#tests/support/library'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let library: Library
before(async () => {
  server = await startServer()
  library = await makeLibrary(server)
})
after(async () => {
  await server?.stop()
})

const total = async () => {
  const reply = await library.get('library/e/all/count')
  return ((await reply.json()) as { total: number }).total
}
const documents = '/w/library/data/books'
const writeBook = (document: Record<string, unknown>) =>
  server.importDocuments('library', 'books', JSON.stringify(document))
const countBooks = (isWanted: (book: (typeof books)[number]) => boolean) => books.filter(isWanted).length

test('documents are found by words, by id and by values of fields, and their number is shown', async () => {
  const { page, open, end } = await visitSignedIn(server, documents)
  await page.getByRole('status').getByText('1–20 of 200').waitFor()
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByText('21–40 of 200').waitFor()
  await page.getByRole('button', { name: 'Previous' }).click()
  await page.getByText('1–20 of 200').waitFor()

  const search = page.getByRole('searchbox', { name: 'Search documents' })
  await search.fill('silent river')
  const silentRivers = countBooks(({ title }) => /silent/i.test(title) && /river/i.test(title))
  await page.getByText(`1–${Math.min(20, silentRivers)} of ${silentRivers}`).waitFor()
  await search.fill('b123')
  await page.getByText('1–1 of 1').waitFor()
  await page.getByRole('button', { name: 'b123' }).waitFor()
  await search.fill('nothing has this word')
  await page.getByRole('heading', { name: 'No documents found' }).waitFor()
  await search.fill('')
  await page.getByText('1–20 of 200').waitFor()

  await page.getByRole('button', { name: 'Add filter' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add filter' })
  const dramas = countBooks(({ genre }) => genre.includes('drama'))
  await inspectViews(page, 'documents-add-filter', undefined)
  await dialog.getByRole('combobox', { name: 'Value' }).click()
  await page.getByRole('option', { name: `drama · ${dramas} documents` }).click()
  await page.getByText(`1–20 of ${dramas}`).waitFor()
  await inspectViews(page, 'documents-filtered', undefined)
  // The address holds what is shown.
  await page.reload()
  await page.getByText(`1–20 of ${dramas}`).waitFor()
  await page.getByRole('button', { name: 'Remove the filter Kind of book: drama' }).click()
  await page.getByRole('button', { name: 'Add filter' }).click()
  await dialog.getByLabel('Field').selectOption('inPrint')
  await dialog.getByLabel('Value').selectOption({ label: 'yes' })
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText(`1–20 of ${countBooks(({ inPrint }) => inPrint)}`).waitFor()
  await page.getByRole('button', { name: 'Remove the filter inPrint: yes' }).click()
  await page.getByText('1–20 of 200').waitFor()
  await page.getByRole('button', { name: 'Add filter' }).click()
  await dialog.getByLabel('Field').selectOption('pages')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.getByText('Type at least one end of the range').waitFor()
  await dialog.getByLabel('From', { exact: true }).fill('200')
  await dialog.getByLabel('To', { exact: true }).fill('many')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.getByText(/^found "many"/).waitFor()
  await dialog.getByLabel('To', { exact: true }).fill('300')
  await inspectViews(page, 'documents-add-range', undefined)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText(`of ${countBooks(({ pages: count }) => count >= 200 && count <= 300)}`).waitFor()
  await page.getByRole('button', { name: 'Remove the filter pages: 200 – 300' }).click()
  await page.getByText('1–20 of 200').waitFor()
  await open(`${documents}?where=%7B%22genre%22%3A%22comedy%22%7D&search=river`)
  const comedies = countBooks(({ title, genre }) => genre.includes('comedy') && /river/i.test(title))
  await page.getByText(`of ${comedies}`).waitFor()
  await end()
})

test('documents are shown as a table with chosen columns or as a list, and the browser remembers it', async () => {
  const { page, open, end } = await visitSignedIn(server, documents)
  await page.getByRole('columnheader', { name: 'pages' }).waitFor()
  await page.getByRole('button', { name: 'Columns' }).click()
  const dialog = page.getByRole('dialog', { name: 'Columns' })
  await dialog.getByLabel('pages').uncheck()
  await dialog.getByLabel('published').check()
  await inspectViews(page, 'documents-columns', undefined)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('columnheader', { name: 'published' }).waitFor()
  assert.equal(await page.getByRole('columnheader', { name: 'pages' }).count(), 0)
  await page.getByText('List', { exact: true }).click()
  await page.getByRole('table').waitFor({ state: 'detached' })
  await inspectViews(page, 'documents-list', undefined)
  await page.reload()
  await page.getByRole('button', { name: 'The silent river' }).first().waitFor()
  // A list has no headings, so it sorts by a choice of its own.
  await page.getByLabel('Sort by').selectOption({ label: 'id, descending' })
  await page.waitForURL(/sort=-id/)
  await page.getByText('b199').waitFor()
  await page.getByLabel('Sort by').selectOption({ label: 'not sorted' })
  await page.getByText('Table', { exact: true }).click()
  await page.getByRole('columnheader', { name: 'published' }).waitFor()

  // A heading sorts what is found, and what is selected can be exported, deleted and put back.
  await page.getByRole('searchbox', { name: 'Search documents' }).fill('silent river')
  const foundBooks = books
    .filter(({ title }) => title === 'The silent river')
    .toSorted((one, next) => one.published.localeCompare(next.published))
  await page.getByText(`1–${foundBooks.length} of ${foundBooks.length}`).waitFor()
  const sorting = page.getByRole('columnheader').getByRole('button', { name: 'published' })
  await sorting.click()
  await page.waitForURL(/sort=published/)
  const listed = () =>
    page
      .getByRole('cell')
      .getByRole('button', { name: /^b\d+$/ })
      .allTextContents()
  // The title opens its document too.
  await page.getByRole('cell').getByRole('button', { name: 'The silent river' }).first().waitFor()
  await waitUntilSettled(page)
  assert.deepEqual(
    await listed(),
    foundBooks.map(({ id }) => id),
  )
  await sorting.click()
  await page.waitForURL(/sort=-published/)
  await page.getByLabel('Select all documents of the page').check()
  await page.getByLabel(`Select ${foundBooks[0]?.id}`).uncheck()
  const count = foundBooks.length - 1
  await page.getByText(`${count} selected`).waitFor()
  await inspectViews(page, 'documents-selected', undefined)
  const saving = page.waitForDownload()
  await page.getByRole('button', { name: 'Export the selection' }).click()
  const lines = (await (await saving).text()).trim().split('\n')
  assert.deepEqual(
    lines.map(line => JSON.parse(line).id),
    foundBooks
      .slice(1)
      .map(({ id }) => id)
      .toReversed(),
  )
  await page.getByRole('button', { name: 'Delete the selection' }).click()
  const confirmation = page.getByRole('dialog', { name: `Delete ${count} documents?` })
  await confirmation.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText(`${count} documents deleted.`).waitFor()
  assert.equal(await total(), 200 - count)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText(`1–${foundBooks.length} of ${foundBooks.length}`).waitFor()
  assert.equal(await total(), 200)

  // One entry for all of them, though the console deletes one after the other.
  await waitUntilSettled(page)
  await open('/w/library/settings/audit-log')
  const row = page.getByRole('row').filter({ hasText: 'Documents deleted' })
  await row.getByText(`Deleted: ${count}`).waitFor()
  await row.getByText(foundBooks[1]?.id ?? '').waitFor()
  assert.equal(await row.count(), 1)
  const restored = page.getByRole('row').filter({ hasText: 'Document saved' }).first()
  await restored.getByRole('link', { name: 'The silent river' }).first().waitFor()
  await row.getByRole('link', { name: 'Books' }).click()
  await page.waitForURL('**/data/books')
  await end()
})

test('a document is read, edited with checks, added and deleted, by keyboard too', async () => {
  const { page, expectRefused, end } = await visitSignedIn(server, documents)
  const opener = page.getByRole('button', { name: 'b001', exact: true })
  await opener.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('"title": "The golden mirror"').waitFor()
  await inspectViews(page, 'document', undefined)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await waitForFocus(opener)
  await opener.press('Enter')
  await dialog.getByRole('button', { name: 'Edit' }).click()
  const editing = page.getByRole('dialog', { name: 'Edit b001' })
  await inspectViews(page, 'document-form', undefined)
  await editing.getByRole('tab', { name: 'JSON' }).click()
  const json = editing.getByLabel('Document as JSON')
  await json.fill('{"title": ')
  await page.locator('textarea[aria-invalid=true]').waitFor()
  await editing.getByText('Line 1, column 11: the text ends here, and a value is missing.').waitFor()
  await inspectViews(page, 'document-edit', undefined)
  await json.fill('{"title": "The golden lamp", "pages": "many"}')
  await expectRefused([400], async () => {
    await editing.getByRole('button', { name: 'Save' }).click()
    await editing.getByRole('alert').getByText('"pages": found "many"').waitFor()
  })
  await json.fill('{"id": "other", "title": "The golden lamp"}')
  await expectRefused([400], async () => {
    await editing.getByRole('button', { name: 'Save' }).click()
    await editing.getByRole('alert').getByText('"id": found "other"').waitFor()
  })
  await json.fill('{"title": "The golden lamp", "genre": ["essay"]}')
  // One change: the server would refuse a second one, with the same tag.
  await editing.getByRole('button', { name: 'Save' }).dblclick()
  await editing.waitFor({ state: 'detached' })
  await dialog.getByText('"title": "The golden lamp"').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('cell', { name: 'The golden lamp' }).waitFor()

  await page.getByRole('button', { name: 'Add document' }).click()
  const adding = page.getByRole('dialog', { name: 'Add document' })
  await adding.getByRole('textbox', { name: /^id/ }).fill('b002')
  await expectRefused([412], async () => {
    await adding.getByRole('button', { name: 'Add', exact: true }).click()
    await adding.getByRole('alert').getByText('b002').waitFor()
  })
  await adding.getByRole('tab', { name: 'JSON' }).click()
  await adding.getByLabel('Document as JSON').fill('{"id": "a/b c?", "title": "A strange id"}')
  await adding.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('dialog', { name: 'A strange id' }).getByText('"id": "a/b c?"').waitFor()
  assert.equal(await total(), 201)
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  const confirmation = page.getByRole('dialog', { name: 'Delete a/b c??' })
  await confirmation.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('1–20 of 200').waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await waitForFocus(page.getByRole('main'))
  assert.equal(await total(), 200)
  // Undo puts it back.
  await page.getByText('a/b c? is deleted.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('1–20 of 201').waitFor()
  await page.getByRole('button', { name: 'a/b c?', exact: true }).click()
  await dialog.getByRole('button', { name: 'Next document' }).click()
  await page.getByRole('dialog', { name: 'The silent river' }).waitFor()
  const link = dialog.getByRole('link', { name: 'Try Library' })
  assert.match((await link.getAttribute('href')) ?? '', /apis\/library\?stack=.*silent/)
  await dialog.getByRole('button', { name: 'Previous document' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await confirmation.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('1–20 of 200').waitFor()
  await end()
})

test('a form edits the declared fields of a document, keeps the rest, and never overwrites a change of somebody else', async () => {
  await writeBook({ id: 'form', title: 'Before', genre: ['comedy'], pages: 12, shelf: { row: 3 } })
  const { page, expectRefused, end } = await visitSignedIn(server, `${documents}?document=form`)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Edit' }).click()
  const editing = page.getByRole('dialog', { name: 'Edit form' })
  await editing.getByText('Only in the tab JSON: shelf').waitFor()
  await editing.getByRole('textbox', { name: 'title' }).fill('After')
  await editing.getByRole('button', { name: 'Add a value to Kind of book' }).click()
  await editing.getByLabel('Kind of book, value 2').fill('drama')
  await editing.getByRole('textbox', { name: 'pages' }).fill('a dozen')
  await editing.getByRole('textbox', { name: 'published' }).fill('tomorrow')
  await editing.getByText('Write a date, such as 2026-01-31.').waitFor()
  await editing.getByRole('textbox', { name: 'published' }).fill('')
  // The form checks numbers: the input is marked, has the focus, and nothing is sent.
  await editing.getByRole('button', { name: 'Save' }).click()
  await editing.getByText('Write a number, such as 12.5.').waitFor()
  const pages = editing.getByRole('textbox', { name: 'pages' })
  assert.equal(await pages.getAttribute('aria-invalid'), 'true')
  await editing.getByRole('textbox', { name: 'pages' }).fill('13')
  // Somebody else is faster.
  await writeBook({ id: 'form', title: 'Of somebody else' })
  await expectRefused([412], async () => {
    await editing.getByRole('button', { name: 'Save' }).click()
    await editing.getByRole('alert').getByText('Somebody else has changed this').waitFor()
  })
  assert.equal(await editing.getByRole('textbox', { name: 'title' }).inputValue(), 'After')
  // The history of the workspace file has no documents.
  assert.equal(await editing.getByRole('link', { name: 'History' }).count(), 0)
  await editing.getByText('“Show the change” closes this form').waitFor()
  await editing.getByRole('button', { name: 'Show the change' }).click()
  await dialog.getByText('"title": "Of somebody else"').waitFor()

  await dialog.getByRole('button', { name: 'Edit' }).click()
  // A fault that only the server knows is marked at its input too.
  const genre = editing.getByRole('textbox', { name: 'Kind of book' })
  await expectRefused([400], async () => {
    await genre.fill('x'.repeat(40_000))
    await editing.getByRole('button', { name: 'Save' }).click()
    await editing.getByText(/^found "xxx/).waitFor()
  })
  assert.equal(await genre.getAttribute('aria-invalid'), 'true')
  await genre.fill('')
  await editing.getByRole('textbox', { name: 'title' }).fill('Together')
  await editing.getByRole('button', { name: 'Save' }).click()
  await editing.waitFor({ state: 'detached' })
  await dialog.getByText('"title": "Together"').waitFor()
  await writeBook({ id: 'form', title: 'Changed again' })
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expectRefused([412], async () => {
    const confirmation = page.getByRole('dialog', { name: 'Delete form?' })
    await confirmation.getByRole('button', { name: 'Delete', exact: true }).click()
    await confirmation.getByRole('alert').getByText('Somebody else has changed this').waitFor()
    await confirmation.getByRole('button', { name: 'Show the change' }).click()
  })
  await dialog.getByText('"title": "Changed again"').waitFor()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page
    .getByRole('dialog', { name: 'Delete form?' })
    .getByRole('button', { name: 'Delete', exact: true })
    .click()
  await page.getByText('1–20 of 200').waitFor()
  await end()
})

test('the form of a document has no copies of fields, and inputs for plain values without a field', async () => {
  await server.applyWorkspace(`
workspace: chairs
collections:
  chairs:
    title: Chairs (final)
    fields:
      name: { type: text }
      brand: { type: keyword }
      brand-text: { type: text, source: brand }
      tax: { type: number, decimal: '.' }
apis:
  chairs: { access: public, endpoints: { all: { kind: all, collection: chairs } } }
`)
  const chair = {
    id: 'c1',
    name: 'Chair',
    brand: 'Nordvik',
    tax: '19%',
    photo: 'https://img.example/1.jpg',
    tags: ['red', 'oak'],
    seats: 2,
    size: { cm: 80 },
  }
  await server.importDocuments('chairs', 'chairs', JSON.stringify(chair))
  const { page, end } = await visitSignedIn(server, '/w/chairs/data/chairs?document=c1')
  await page.getByRole('heading', { level: 1, name: 'Chairs (final)' }).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Edit' }).click()
  const editing = page.getByRole('dialog', { name: 'Edit c1' })
  await editing.getByText('Only in the tab JSON: size').waitFor()
  assert.equal(await editing.getByLabel('brand-text').count(), 0)
  assert.equal(await editing.getByRole('textbox', { name: 'photo' }).inputValue(), chair.photo)
  await editing.getByRole('textbox', { name: 'photo' }).fill('')
  // A number is what an import of the field takes.
  const tax = editing.getByRole('textbox', { name: 'tax' })
  assert.equal(await tax.getAttribute('aria-invalid'), null)
  await tax.fill('low')
  await editing.getByText('Write a number, such as 12.5.').waitFor()
  await tax.fill('7 %')
  await editing.getByLabel('tags, value 2').fill('ash')
  await editing.getByRole('textbox', { name: 'seats' }).fill('3')
  await editing.getByRole('button', { name: 'Save' }).click()
  await editing.waitFor({ state: 'detached' })
  const text = (await page.getByRole('dialog').textContent()) ?? ''
  assert.match(text.replaceAll(/\s+/g, ' '), /"tags": \[ "red", "ash" \], "seats": 3, "size": \{ "cm": 80 \}/)
  assert.match(text, /"tax": "7 %"/)
  assert.doesNotMatch(text, /photo/)
  await end()
})

test('the form of a document edits values inside objects where they are, and Escape asks before it drops them', async () => {
  await server.applyWorkspace(`
workspace: stages
collections:
  events:
    fields:
      name: { type: text }
      venue.city: { type: keyword }
      town: { type: text, source: venue.city }
      street: { type: text, source: venue.street }
      place: { type: geo, from: { lat: venue.lat, lon: venue.lon } }
      cast.name: { type: keyword }
apis:
  events: { access: public, endpoints: { all: { kind: all, collection: events } } }
`)
  const event = {
    id: 'e1',
    name: 'Concert',
    venue: { name: 'Hall', city: 'Hamburg', lat: 53.54, lon: 9.98 },
    cast: [{ name: 'Ada' }],
  }
  await server.importDocuments('stages', 'events', JSON.stringify(event))
  const { page, end } = await visitSignedIn(server, '/w/stages/data/events?document=e1')
  await page.getByRole('dialog').getByRole('button', { name: 'Edit' }).click()
  const editing = page.getByRole('dialog', { name: 'Edit e1' })
  const city = editing.getByRole('textbox', { name: 'venue.city' })
  await city.waitFor()
  assert.equal(await city.inputValue(), 'Hamburg')
  assert.equal(await editing.getByLabel('Latitude').inputValue(), '53.54')
  assert.deepEqual(
    [await editing.getByLabel('town').count(), await editing.getByLabel('cast.name').count()],
    [0, 0],
  )
  await editing.getByText('Only in the tab JSON: venue.name, cast').waitFor()
  await city.fill('Utrecht')
  await page.keyboard.press('Escape')
  await page
    .getByRole('dialog', { name: 'Close without saving?' })
    .getByRole('button', { name: 'Stay' })
    .click()
  assert.equal(await city.inputValue(), 'Utrecht')
  await editing.getByRole('textbox', { name: 'street' }).fill('Oudegracht 1')
  await editing.getByLabel('Latitude').fill('52.09')
  await editing.getByRole('button', { name: 'Save' }).click()
  await editing.waitFor({ state: 'detached' })
  await page.getByRole('dialog').getByText('Saved.').waitFor()
  const text = ((await page.getByRole('dialog').textContent()) ?? '').replaceAll(/\s+/g, ' ')
  const venue = '{ "name": "Hall", "city": "Utrecht", "lat": 52.09, "lon": 9.98, "street": "Oudegracht 1" }'
  assert.ok(text.includes(`"venue": ${venue}, "cast": [ { "name": "Ada" } ]`), text)
  await end()
})

test('found documents are exported as NDJSON, and deleted after their number was shown', async () => {
  const { page, end } = await visitSignedIn(server, `${documents}?where=%7B%22genre%22%3A%22comedy%22%7D`)
  const comedies = countBooks(({ genre }) => genre.includes('comedy'))
  await page.getByText(`1–20 of ${comedies}`).waitFor()
  const saving = page.waitForDownload()
  await page.getByRole('button', { name: 'Export' }).click()
  const file = await saving
  assert.equal(file.suggestedFilename(), 'books.ndjson')
  const lines = (await file.text()).trim().split('\n')
  assert.equal(lines.length, comedies)
  assert.ok(lines.every(line => JSON.parse(line).genre.includes('comedy')))

  const totalBefore = await total()
  await page.getByRole('button', { name: `Delete all ${comedies}` }).click()
  const confirmation = page.getByRole('dialog', { name: `Delete ${comedies} documents?` })
  await confirmation.getByText('Kind of book: comedy').waitFor()
  await inspectViews(page, 'documents-delete', undefined)
  assert.equal(await total(), totalBefore, 'counting deletes nothing')
  await confirmation.getByLabel('Type books to confirm').fill('books')
  await confirmation.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'No documents found' }).waitFor()
  await page.getByText(`${comedies} documents deleted.`).waitFor()
  assert.equal(await total(), totalBefore - comedies)
  // The export is what an import takes.
  await server.importDocuments('library', 'books', lines.join('\n'))
  assert.equal(await total(), totalBefore)
  await end()
})

test('a data provider and a member with a row filter read no documents here, whatever the address asks for', async () => {
  const people = [
    ['dora@example.org', 'data-provider'],
    ['fay@example.org', 'user'],
  ] as const
  for (const [email, role] of people) {
    await server.call('createUser', { input: { email, password } })
    await server.call('setMember', { params: { workspace: 'library', email }, input: { roles: [role] } })
  }
  const admin = await visitSignedIn(server, '/w/library/settings/team-members')
  await admin.page.getByRole('button', { name: 'Edit fay@example.org' }).click()
  await admin.page.getByRole('button', { name: 'Add field' }).click()
  const values = admin.page.locator('input').and(admin.page.getByLabel('Values'))
  await values.fill('dramma')
  await admin.page.keyboard.press('Enter')
  await admin.page.getByText('No document has dramma').waitFor()
  await inspectViews(admin.page, 'row-filter-values', undefined)
  await values.press('Backspace')
  const dramas = countBooks(({ genre }) => genre.includes('drama'))
  await admin.page.getByRole('button', { name: `drama (${dramas})` }).click()
  await admin.page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await admin.page.getByRole('dialog').waitFor({ state: 'detached' })
  await admin.end()
  const address = `${documents}?search=river&where=%7B%22genre%22%3A%22comedy%22%7D&document=b000`
  const dora = await visitSignedIn(server, address, 'dora@example.org')
  await dora.page.locator('input[type=file]').waitFor({ state: 'attached' })
  assert.equal(await dora.page.getByText('The silent river').count(), 0)
  await dora.end()
  const fay = await visitSignedIn(server, address, 'fay@example.org')
  await fay.page.getByRole('heading', { name: 'No documents to show' }).waitFor()
  assert.equal(await fay.page.getByText('The silent river').count(), 0)
  await fay.end()
})

test('values inside objects fill their columns, sort, and name the document', async () => {
  await server.applyWorkspace(`
workspace: fair
title: Fair
collections:
  events:
    id: { field: id, uri: "https://fair.example/{id}" }
    class: [https://schema.org/Event]
    fields:
      name.en: { type: text }
      name.nl: { type: text }
      tags: { type: keyword }
      place: { type: geo, from: { lat: geo.latitude, lon: geo.longitude } }
`)
  const event = (id: string, en: string, nl: string) => ({
    id,
    tags: ['music'],
    name: { en, nl },
    geo: { latitude: 52.4, longitude: 4.9 },
  })
  await server.importDocuments('fair', 'events', [
    event('e1', 'Quilting', 'Quilten'),
    event('e2', 'Choir night', 'Kooravond'),
  ])
  const { page, end } = await visitSignedIn(server, '/w/fair/data/events')
  await page.getByRole('cell', { name: 'Kooravond' }).waitFor()
  await page.getByRole('cell', { name: 'Quilting' }).waitFor()
  // A place that two attributes make.
  await page.getByRole('cell', { name: '52.4, 4.9' }).first().waitFor()
  await page.getByRole('button', { name: 'name.en' }).click()
  await page.getByRole('row').nth(1).getByText('Choir night').waitFor()
  await page.getByText('List', { exact: true }).click()
  await page.getByRole('button', { name: 'Choir night' }).click()
  await page.getByRole('dialog', { name: 'Choir night' }).waitFor()
  await end()
})

test('dates and lists are shown as such in Documents and in Try it, in whatever form documents have them', async () => {
  await server.applyWorkspace(`
workspace: quakes
members: { ada@example.org: [administrator] }
collections:
  quakes:
    id: { field: code }
    fields:
      place: { type: text }
      time: { type: date, formats: [epoch-milliseconds] }
      types: { type: keyword, listSeparator: "," }
apis: { quakes: { endpoints: { all: { kind: all, collection: quakes } } } }
`)
  const quake = { code: 'q1', place: 'south of Fiji', time: 1_517_509_117_500, types: ',origin,phase-data,' }
  await server.importDocuments('quakes', 'quakes', JSON.stringify(quake))
  const { page, open, end } = await visitSignedIn(server, '/w/quakes/data/quakes')
  await page.getByRole('cell', { name: '1 Feb 2018, 18:18:37 UTC' }).waitFor()
  await page.getByRole('cell', { name: 'origin · phase-data' }).waitFor()
  await open('/w/quakes/apis/quakes?stack=e%2Fall')
  await page.getByText('1 Feb 2018, 18:18:37 UTC').waitFor()
  await page.getByText('origin · phase-data').waitFor()
  await end()
})
