/** Data > Create a collection: from a file to a working search, without a line of YAML. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Locator } from 'playwright-core'
import { openChromium } from '#tests/support/chromium'
import { adminEmail, signIn, visitConsole, waitForFocus } from '#tests/support/console-visit'
import { inspectViews } from '#tests/support/pages-inspect'
import { type StartedServer, startServer } from '#tests/support/started-server'

/** The bound of the issue, from the page of the collections on. */
const clicksMax = 8
const genres = ['Novel', 'Poetry', 'History', 'Science']
const rows = Array.from({ length: 500 }, (_, index) => {
  const cells = [
    9_780_000_000_000 + index,
    `The ${index} rivers of the north`,
    genres[index % 4],
    100 + index,
    `19${10 + (index % 90)}-03-01`,
    'A story of the people who live by the river, and of what they do when it is cold',
  ]
  return cells.map(cell => (String(cell).includes(',') ? `"${cell}"` : cell)).join(';')
})
const csv = ['isbn;title;genre;pages;published;about', ...rows].join('\n')

const shop = '# Our shop\nworkspace: shop\ntitle: A shop # for now\n'

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

test(`500 books become a faceted search with at most ${clicksMax} clicks, and the file keeps its comments`, async t => {
  await server.applyWorkspace(`${shop}apis:\n  about: { title: About us, endpoints: {} }\n`)
  const visit = await visitConsole(browser, server)
  const { page } = visit
  let clicks = 0
  const click = async (target: Locator) => {
    clicks += 1
    await target.click()
  }
  await page.goto(`${server.authUrl}/console/`)
  await signIn(page, adminEmail)
  await page.getByRole('heading', { level: 1, name: 'A shop' }).waitFor()
  const start = performance.now()
  await click(page.getByRole('link', { name: 'Data', exact: true }))
  await click(page.getByRole('link', { name: 'Create a collection' }))
  await page.getByText('Drop a file here').waitFor()
  await inspectViews(page, 'create-collection', undefined)
  clicks += 1
  const choose = (name: string, text: string) =>
    page.locator('input[type=file]').setInputFiles({ name, mimeType: '', buffer: Buffer.from(text) })
  await choose('books.xlsx', 'PK\u0003\u0004')
  await page.getByText('is a spreadsheet').waitFor()
  await choose('books.csv', 'title\n')
  await page.getByText('the file has no documents').waitFor()
  await choose('books.csv', csv)
  await page.getByText('looked at all 500 documents').waitFor()
  await waitForFocus(page.getByLabel('Name'))
  assert.equal(await page.getByLabel('Id').inputValue(), 'isbn')
  assert.equal(await page.getByLabel('Type of genre').inputValue(), 'keyword')
  await page.getByText('Poetry (5)').waitFor()
  await inspectViews(page, 'create-collection-proposal', undefined)
  await page.getByLabel('Name').fill('all books')
  await page.getByText('Letters A-Z').waitFor()
  await page.getByLabel('Name').fill('books')
  await click(page.getByRole('button', { name: 'Create and import' }))
  await page.getByText('500 documents accepted').waitFor()
  await page.keyboard.press('Tab')
  await waitForFocus(page.getByRole('link', { name: 'Try it: Books' }))
  await inspectViews(page, 'create-collection-done', undefined)
  await page.getByLabel('Search Books').waitFor()
  await click(page.getByRole('link', { name: 'Try it: Books' }))
  await page.getByRole('heading', { level: 1, name: 'Books' }).waitFor()
  t.diagnostic(`${clicks} clicks, ${Math.round(performance.now() - start)} ms`)
  assert.ok(clicks <= clicksMax)
  await page.getByLabel('Search for').fill('rivers')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByText('500 results').waitFor()
  await page.getByText('Poetry (125)').waitFor()

  const source = await server.exportWorkspace('shop')
  assert.match(source, /# Our shop\nworkspace: shop\ntitle: A shop # for now/)
  await visit.open('/w/shop/create-collection')
  await choose('books.csv', csv)
  await page.getByText('already has books').waitFor()
  await page.getByRole('button', { name: 'Create and import' }).click()
  await waitForFocus(page.getByLabel('Name'))
})

test('a type that does not fit says so at once, and ids, dates and places are made from what the file has', async () => {
  await server.applyWorkspace('workspace: cinema\ntitle: Cinema\n')
  const visit = await visitConsole(browser, server)
  const { page } = visit
  await page.goto(`${server.authUrl}/console/w/cinema/create-collection`)
  await signIn(page, adminEmail)
  const films = Array.from(
    { length: 60 },
    (_, index) =>
      `Film ${index % 50};${1 + (index % 28)}.06.19${10 + index};${index % 10},5;${40 + index / 10};${index}.25`,
  )
  await page.locator('input[type=file]').setInputFiles({
    name: 'films.csv',
    mimeType: '',
    buffer: Buffer.from(['Title;Release;Rating;Latitude;Longitude', ...films].join('\n')),
  })
  await page.getByText('looked at all 60 documents').waitFor()
  assert.equal(await page.getByLabel('Id').inputValue(), '{hash}')
  await page.getByText('Read as dd.MM.yyyy').waitFor()
  await page.getByText('from Latitude and Longitude').waitFor()
  const type = page.getByLabel('Type of Release')
  await type.selectOption('number')
  await page.getByText('60 of 60 values are no numbers like 1000.5').waitFor()
  await inspectViews(page, 'create-collection-misfit', undefined)
  await type.selectOption('date')
  await page.getByText('Read as dd.MM.yyyy').waitFor()
  await page.getByText('of 60 values are no').waitFor({ state: 'detached' })
  await page.getByLabel('Id').selectOption('{row}')
  await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Our films')
  await page.getByRole('button', { name: 'Create and import' }).click()
  await page.getByText('60 documents accepted').waitFor()
  await page.getByLabel('Search Our films').fill('film 7')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Our films' }).waitFor()
  await page.getByText('Film 7').first().waitFor()
  const source = await server.exportWorkspace('cinema')
  assert.match(source, /Release: \{ type: date, formats: \[ ?dd\.MM\.yyyy ?\] \}/)
  assert.match(source, /Rating: \{ type: number, decimal: "?,"? \}/)
})

test('a text with several values is proposed as a list, which can be switched off and on, and the title is that of the collection', async () => {
  await server.applyWorkspace('workspace: gifts\ntitle: Gifts\n')
  const visit = await visitConsole(browser, server)
  const { page } = visit
  await page.goto(`${server.authUrl}/console/w/gifts/create-collection`)
  await signIn(page, adminEmail)
  const labels = ['gift;new', 'new;sale', 'sale', 'gift']
  const gifts = Array.from(
    { length: 60 },
    (_, index) =>
      `G-${index},Gift ${index} of paper,"${labels[index % 4]}",${10 + index}.50,https://picsum.photos/id/${index}/90`,
  )
  await page.locator('input[type=file]').setInputFiles({
    name: 'gifts.csv',
    mimeType: '',
    buffer: Buffer.from(['SKU,Name,Labels,Price,Foto', ...gifts].join('\n')),
  })
  await page.getByText('looked at all 60 documents').waitFor()
  await page.getByText('Several values, separated by ;').waitFor()
  await page.getByText('sale (10)').waitFor()
  await page.getByText('Price 10.50').waitFor()
  assert.ok(!(await page.getByLabel('Use Foto').isChecked()))
  await page.getByText('Only shown as a picture, which needs no field').waitFor()
  await page.getByRole('button', { name: 'Show pictures' }).waitFor()
  await page.getByRole('button', { name: 'One value in Labels' }).click()
  assert.equal(await page.getByLabel('Type of Labels').inputValue(), 'text')
  await page.getByRole('button', { name: 'Split Labels at ;' }).click()
  assert.equal(await page.getByLabel('Type of Labels').inputValue(), 'keyword')
  await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Gifts (final)')
  await page.getByRole('button', { name: 'Create and import' }).click()
  await page.getByText('60 documents accepted').waitFor()
  await page.getByRole('heading', { level: 1, name: 'Gifts (final)' }).waitFor()
  await page.getByRole('heading', { name: 'The first documents' }).waitFor()
  await page.getByText('Gift 0 of paper').waitFor()
  await inspectViews(page, 'create-collection-lists', undefined)
  await page.getByRole('link', { name: 'See all 60 documents' }).click()
  await page.getByRole('heading', { level: 1, name: 'Gifts (final)' }).waitFor()
  await visit.open('/w/gifts/data')
  await page.getByRole('link', { name: 'Gifts (final)' }).waitFor()
  await visit.open('/w/gifts/data/gifts/fields')
  await page.getByText('several values, separated by ;').waitFor()
  assert.match(await server.exportWorkspace('gifts'), /Labels: \{ type: keyword, listSeparator: "?;"? \}/)
})

test('a collection that somebody else adds while one is created stays, with its documents', async () => {
  const add = (collections: string) =>
    server.applyWorkspace(`workspace: museum\ntitle: Museum\ncollections: { ${collections} }\n`)
  await add('')
  const visit = await visitConsole(browser, server)
  const { page } = visit
  await page.goto(`${server.authUrl}/console/w/museum/create-collection`)
  await signIn(page, adminEmail)
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'books.csv', mimeType: '', buffer: Buffer.from(csv) })
  await page.getByText('looked at all 500 documents').waitFor()
  await page.route(
    '**/workspaces/museum/file',
    async route => {
      const response = await route.fetch()
      await add('maps: { fields: { title: { type: text } } }')
      await server.importDocuments('museum', 'maps', [{ id: 'm1', title: 'River' }])
      await route.fulfill({ response })
    },
    { times: 1 },
  )
  await page.getByLabel('Name').fill('books')
  await page.getByRole('button', { name: 'Create and import' }).click()
  await page.getByText('500 documents accepted').waitFor()
  const { items } = await server.call('listCollections', { params: { workspace: 'museum' } })
  const counts = items.map(({ collection, documents }) => [collection, documents])
  assert.deepEqual(Object.fromEntries(counts), { maps: 1, books: 500 })
  await page.context().close()
})
