/** Importing files, reporting rejected lines, and switching generations, in the fake DOM. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { inspectViews } from '#tests/support/console-dom/inspect'
import type { Page } from '#tests/support/console-dom/page'
import { visitSignedIn } from '#tests/support/console-dom/visit'
import { password } from '#tests/support/console-visit'
import { type Library, makeLibrary } from '#tests/support/library'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let library: Library
before(async () => {
  server = await startServer()
  library = await makeLibrary(server)
})
after(() => server?.stop())

/** Chooses a file, without importing it yet. */
const choose = (page: Page, name: string, content: string | Buffer) =>
  page
    .locator('input[type=file]')
    .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) })
const startImport = (page: Page, name: string) => page.getByRole('button', { name: `Import ${name}` }).click()
const importFile = async (page: Page, name: string, content: string | Buffer) => {
  await choose(page, name, content)
  await startImport(page, name)
}
const total = async () => {
  const reply = await library.get('library/e/all/count')
  return ((await reply.json()) as { total: number }).total
}

test('a data provider finds the collections and imports, but sees no content of them', async () => {
  const dora = 'dora@example.org'
  await server.run(['users', 'create', dora, '--password-stdin'], { input: `${password}\n` })
  await server.run(['members', 'add', 'library', dora, '--role', 'data-provider'])
  const totalBefore = await total()
  const { page, end } = await visitSignedIn(server, '/w/library', dora)
  assert.equal(await page.getByText('querent import').count(), 0)
  await page.getByRole('link', { name: 'Data', exact: true }).click()
  await page.getByRole('row', { name: /^books hidden / }).waitFor()
  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByRole('link', { name: 'Import into books' }).click()
  await importFile(page, 'hers.ndjson', '{"id":"hers","title":"Hers"}\n')
  await page.getByText('1 document accepted.').waitFor()
  assert.equal(await total(), totalBefore + 1)
  assert.deepEqual(await page.getByRole('tab').allTextContents(), ['Import'])
  await page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'Data' }).click()
  await page.getByRole('link', { name: 'books' }).click()
  await page.getByRole('tabpanel').locator('input[type=file]').waitFor({ state: 'attached' })
  await inspectViews(page, 'data-provider', undefined)
  await page.getByLabel('Replace the whole collection').check()
  await importFile(page, 'hers.ndjson', '{"id":"hers","title":"Hers"}\n')
  const confirmation = page.getByRole('dialog', { name: 'Replace all documents of books?' })
  await confirmation.getByRole('row', { name: 'After 1 document of hers.ndjson a new generation' }).waitFor()
  assert.equal(await confirmation.getByRole('row', { name: /^Now/ }).count(), 0)
  await confirmation.getByRole('button', { name: 'Cancel' }).click()
  await end()
})

test('the console counts the documents of a file in each format before a replacement, and estimates large files', async () => {
  const { page, end } = await visitSignedIn(server, '/w/library/data/books/import')
  await page.getByLabel('Replace the whole collection').check()
  const confirmation = page.getByRole('dialog', { name: 'Replace all documents of books?' })
  const counts = async (documents: string) => {
    await confirmation.getByRole('row', { name: `After ${documents} of`, exact: false }).waitFor()
    await confirmation.getByRole('button', { name: 'Cancel' }).click()
    await confirmation.waitFor({ state: 'detached' })
  }
  await importFile(page, 'a.json', ' [ {"id":"a, \\"b\\" ]","at":[1,{"x":[]}]},\n{"id":"c","at":[2,3]} ]\n')
  await counts('2 documents')
  await importFile(page, 'none.json', '[ ]')
  await counts('0 documents')
  await importFile(page, 'lines.jsonl', '{"id":"a"}\r\n\r\n  \n{"id":"b"}\n{"id":"c"}')
  await counts('3 documents')
  const line = `${JSON.stringify({ id: 'x'.repeat(1014) })}\n`
  await importFile(page, 'large.ndjson', line.repeat(40 * 1024))
  await counts('about 40,960 documents')
  await end()
})

test('a file is shown before it is imported: delimiter, id column, undeclared columns; also compressed', async () => {
  const { page, end } = await visitSignedIn(server, '/w/library/data/books/import')
  const totalBefore = await total()
  await choose(page, 'spreadsheet.csv', '\ufeffisbn;title;language\n9-1;"One; two";dutch\n9-2;Three;\n')
  await page.getByText('The column “isbn” is imported as the id.').waitFor()
  assert.equal(await page.getByLabel('Delimiter').inputValue(), ';')
  await page.getByRole('cell', { name: 'One; two' }).waitFor()
  await page.getByText('Stored and returned, but not searched: language.').waitFor()
  await page.getByRole('link', { name: 'Declare them' }).waitFor()
  await inspectViews(page, 'import-preview', undefined)
  assert.equal(await total(), totalBefore, 'nothing is sent before')
  await page.getByLabel('Column of the id').selectOption('title')
  await page.getByLabel('Column of the id').selectOption('isbn')
  await startImport(page, 'spreadsheet.csv')
  await page.getByText('2 documents accepted.').waitFor()
  await page.getByRole('tab', { name: 'Documents' }).click()
  await page.getByRole('searchbox').fill('9-1')
  await page.getByRole('cell', { name: 'One; two' }).waitFor()

  await page.getByRole('tab', { name: 'Import' }).click()
  await choose(page, 'tabs.tsv', 'id\ttitle\nt1\tTabs, and commas\n')
  await page.getByRole('cell', { name: 'Tabs, and commas' }).waitFor()
  await page.getByLabel('Delimiter').selectOption(',')
  await page.getByText('The file has no column “id”').waitFor()
  await page.getByLabel('Delimiter').selectOption({ label: 'Tab' })
  await page.getByRole('cell', { name: 'Tabs, and commas' }).waitFor()
  await startImport(page, 'tabs.tsv')
  await page.getByText('1 document accepted.').waitFor()
  await choose(page, 'packed.csv.gz', gzipSync('id,title\nz1,Packed\nz2,Packed too\n'))
  await page.getByRole('cell', { name: 'Packed too' }).waitFor()
  await startImport(page, 'packed.csv.gz')
  await page.getByText('2 documents accepted.').waitFor()
  assert.equal(await total(), totalBefore + 5)
  await end()
})

test('the console warns of documents that replaced others of the same file', async () => {
  const { page, end } = await visitSignedIn(server, '/w/library/data/books/import')
  await importFile(page, 'counties.csv', 'id,title\nr1,One\nr1,Two\nr2,Three\n')
  await page.getByText('3 read, 2 documents, 1 replaced one with the same id.').waitFor()
  await end()
})

test('rejected lines are saved as a file with their reasons', async () => {
  const { page, expectRefused, end } = await visitSignedIn(server, '/w/library/data/books/import')
  const readSaved = async () => {
    const saving = page.waitForDownload()
    await page.getByRole('button', { name: 'Save the rejected lines' }).click()
    const file = await saving
    return { name: file.suggestedFilename(), text: await file.text() }
  }
  await importFile(page, 'some.csv', 'id,title,pages\ns1,Good,12\ns2,=1+1,many\n')
  await page.getByText('1 document accepted, 1 line rejected.').waitFor()
  const saved = await readSaved()
  assert.equal(saved.name, 'some.csv-rejected.csv')
  const [header, line] = saved.text.split('\r\n')
  assert.equal(header, 'line,reason,content')
  assert.match(line ?? '', /^3,".*found ""many"", allowed: a number.*","s2,=1\+1,many"$/)
  await expectRefused([400], async () => {
    await importFile(page, 'none.ndjson', '{"title":"no id"}\n')
    await page.getByRole('alert').waitFor()
  })
  assert.match((await readSaved()).text, /\r\n1,.*id is missing.*no id/)
  await end()
})
