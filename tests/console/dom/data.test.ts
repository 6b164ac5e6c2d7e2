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

test('NDJSON and CSV imports report rejected lines, and a staged generation is promoted and rolled back', async () => {
  const { page, expectRefused, end } = await visitSignedIn(server, '/w/library/data')
  await page.getByRole('link', { name: 'books' }).click()
  await page.getByRole('heading', { level: 1, name: 'Books' }).waitFor()
  await page.getByRole('tab', { name: 'Import' }).click()
  await choose(page, 'books.xlsx', 'PK\u0003\u0004')
  await page.getByRole('alert').getByText('is a spreadsheet').waitFor()
  await importFile(page, 'more.ndjson', '{"id":"n1","title":"New"}\n{"title":"no id"}\n{"id":"n2"\n')
  await page.getByText('1 document accepted, 2 lines rejected').waitFor()
  await page.getByText('line 2:').waitFor()
  await page.getByText('line 3:').waitFor()
  await inspectViews(page, 'import-errors', undefined)
  await importFile(page, 'more.csv', 'id,title,pages\nc1,Comma,12\nc2,Another,13\n')
  await page.getByText('2 documents accepted.').waitFor()
  assert.equal(await total(), 203)

  await page.getByLabel('All or nothing').check()
  await expectRefused([400], async () => {
    await importFile(page, 'bad.ndjson', '{"id":"c1","title":"Comma"}\n{}\n')
    await page
      .getByRole('alert')
      .getByRole('listitem')
      .getByText(/^line 2: /)
      .waitFor()
    const alertText = (await page.getByRole('alert').textContent()) ?? ''
    assert.equal(alertText.split('line 2: ').length, 2, `said once: ${alertText}`)
  })
  assert.equal(await total(), 203)
  await page.getByRole('button', { name: 'Import without these rows' }).click()
  await page.getByText('1 document accepted, 1 line rejected').waitFor()
  assert.equal(await total(), 203)
  await page.getByLabel('Replace the whole collection').check()
  await page.getByLabel('Stage only').check()
  await importFile(page, 'all.ndjson', '{"id":"only"}\n')
  await page.getByText('1 document accepted.').waitFor()
  assert.equal(await total(), 203)
  await inspectViews(page, 'staged', undefined)
  await page.getByRole('link', { name: 'Promote the new generation' }).click()
  await page.getByRole('button', { name: 'Promote generation 2' }).click()
  const promoting = page.getByRole('dialog', { name: 'Promote generation 2?' })
  await promoting.getByText('Endpoints that search books use generation 2 immediately.').waitFor()
  await promoting.getByRole('row', { name: 'Now 203 documents generation 1' }).waitFor()
  await promoting.getByRole('row', { name: 'After 1 document generation 2' }).waitFor()
  await inspectViews(page, 'promote', undefined)
  await promoting.getByRole('button', { name: 'Cancel' }).click()
  await promoting.waitFor({ state: 'detached' })
  assert.equal(await total(), 203)
  await page.getByRole('button', { name: 'Promote generation 2' }).click()
  await promoting.getByRole('button', { name: 'Promote' }).click()
  await page.getByText(/^1 document\. /).waitFor()
  assert.equal(await total(), 1)
  await page.getByRole('button', { name: 'Switch to generation 1' }).click()
  const rollingBack = page.getByRole('dialog', { name: 'Switch to generation 1 of books?' })
  await rollingBack.getByRole('row', { name: 'Now 1 document generation 2' }).waitFor()
  await rollingBack.getByRole('row', { name: 'After 203 documents generation 1' }).waitFor()
  await rollingBack.getByRole('button', { name: 'Switch to generation 1' }).click()
  await rollingBack.waitFor({ state: 'detached' })
  await page.getByText(/^203 documents\. /).waitFor()
  assert.equal(await total(), 203)
  // The dialog names the generation that a rollback makes live.
  await page.getByRole('button', { name: 'Switch to generation 2' }).waitFor()
  await end()
})

test('replacing all documents with a file asks first and shows the numbers of documents before and after', async () => {
  const { page, end } = await visitSignedIn(server, '/w/library/data/books/import')
  await page.getByLabel('Replace the whole collection').check()
  await importFile(page, 'new.csv', 'id,title\nr1,"One\nand a half"\nr2,Two\n')
  const confirmation = page.getByRole('dialog', { name: 'Replace all documents of books?' })
  await confirmation.getByText('use a new generation once the import is complete').waitFor()
  await confirmation.getByRole('row', { name: 'Now 203 documents generation 1' }).waitFor()
  await confirmation
    .getByRole('row', { name: 'After up to 2 documents of new.csv a new generation' })
    .waitFor()
  await inspectViews(page, 'replace', undefined)
  await confirmation.getByRole('button', { name: 'Cancel' }).click()
  await confirmation.waitFor({ state: 'detached' })
  assert.equal(await total(), 203, 'nothing was sent')
  await importFile(page, 'new.csv', 'id,title\nr1,"One\nand a half"\nr2,Two\n')
  await confirmation.getByRole('button', { name: 'Replace all documents' }).click()
  await page.getByText('2 documents accepted.').waitFor()
  await page.getByText(/^2 documents\. /).waitFor()
  assert.equal(await total(), 2)
  await end()
})

test('a data provider finds the collections and imports, but sees no content of them', async () => {
  const dora = 'dora@example.org'
  await server.call('createUser', { input: { email: dora, password } })
  await server.call('setMember', {
    params: { workspace: 'library', email: dora },
    input: { roles: ['data-provider'] },
  })
  const totalBefore = await total()
  const { page, end } = await visitSignedIn(server, '/w/library', dora)
  assert.equal(await page.getByText('querent import').count(), 0)
  await page.getByRole('link', { name: 'Data', exact: true }).click()
  await page.getByRole('row', { name: /^Books books hidden / }).waitFor()
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
  await confirmation
    .getByRole('row', { name: 'After up to 1 document of hers.ndjson a new generation' })
    .waitFor()
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
  await importFile(
    page,
    'a.json',
    ' [ {"id":"a, \\"b\\" ]","genre":[1,{"x":[]}]},\n{"id":"c","genre":[2,3]} ]\n',
  )
  await counts('up to 2 documents')
  await importFile(page, 'none.json', '[ ]')
  await counts('0 documents')
  await importFile(page, 'lines.jsonl', '{"id":"a"}\r\n\r\n  \n{"id":"b"}\n{"id":"c"}')
  await counts('up to 3 documents')
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
  await choose(page, 'orders.csv', 'id,foo,bar\n1,a,b\n')
  await page.getByText('Nothing in this file is a field of books.').waitFor()
  await page.getByRole('button', { name: 'Import anyway' }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
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
  await page.getByText('3 read, 2 documents, 1 replaced an earlier one with the same id.').waitFor()
  await page.getByText('Of documents with the same id, the last one stays: r1.').waitFor()
  await end()
})

test('equal errors are one row, and the content of a JSON file decides how it is read', async () => {
  const { page, expectRefused, end } = await visitSignedIn(server, '/w/library/data/books/import')
  await importFile(page, 'many.csv', 'id,title,pages\ne1,One,many\ne2,Two,few\ne3,Three,7\ne4,Four,-\n')
  await page.getByText('2 documents accepted, 2 lines rejected.').waitFor()
  await page.getByText(/^2 rows, first line 2: "pages": found "many", allowed: a number/).waitFor()
  await importFile(page, 'lines.json', '{"id":"e1","title":"One"}\n{"id":"e2","title":"Two"}\n')
  await page.getByText('2 documents accepted.').waitFor()
  await importFile(page, 'rows.json', '{\n"rows": [{"id":"e1","title":"One"}, {}, {}]\n}')
  await page.getByText(/^2 rows, first index 1: the id is missing/).waitFor()
  await importFile(page, 'old.csv', Buffer.from('id,title\ne5,Caf\xe9\n', 'latin1'))
  await page.getByText('The file was read as windows-1252.', { exact: false }).waitFor()
  await expectRefused([400], async () => {
    await importFile(page, 'none.json', '[{}, {}, {"title":"x"}]')
    await page.getByText(/^3 rows, first index 0: the id is missing/).waitFor()
  })
  await end()
})

test('all rejected documents are saved as a file that can be corrected and imported', async () => {
  const { page, end } = await visitSignedIn(server, '/w/library/data/books/import')
  const readSaved = async () => {
    const saving = page.waitForDownload()
    await page.getByRole('button', { name: 'Save the rejected documents' }).click()
    const file = await saving
    return { name: file.suggestedFilename(), text: await file.text() }
  }
  const manyLines = Array.from({ length: 150 }, (_, index) => `m${index},"Two\nlines",many\n`).join('')
  await importFile(page, 'some.csv', `id,title,pages\ns1,Good,12\n${manyLines}s2,Good,13\n`)
  await page.getByText('2 documents accepted, 150 lines rejected.').waitFor()
  assert.deepEqual(await readSaved(), { name: 'some-rejected.csv', text: `id,title,pages\n${manyLines}` })
  await importFile(page, 'rows.json', '[{"id":"s1"},\n{"id":"s3","pages":"many","n":1.50}]')
  await page.getByText('1 document accepted, 1 line rejected.').waitFor()
  assert.deepEqual(await readSaved(), {
    name: 'rows-rejected.ndjson',
    text: '{"id":"s3","pages":"many","n":1.50}\n',
  })
  const head = 'Books of May,,\n,,\nid,title,pages\n'
  await importFile(page, 'may.csv', `${head}s1,Good,12\nt1,Two,many\n`)
  await page.getByText(/^line 5: "pages": found "many"/).waitFor()
  assert.deepEqual(await readSaved(), { name: 'may-rejected.csv', text: `${head}t1,Two,many\n` })
  await end()
})

test('a file for a collection with generated ids keeps its columns, also aligned ones', async () => {
  await server.applyWorkspace(`
workspace: towns
collections:
  towns: { id: { generate: hash }, fields: { NAME: { type: text }, PEOPLE: { type: number } } }
`)
  const { page, end } = await visitSignedIn(server, '/w/towns/data/towns/import')
  await choose(page, 'towns.csv', 'NAME,PEOPLE\nOslo,700\nRome,2800\n')
  await page.getByRole('cell', { name: 'Oslo' }).waitFor()
  assert.equal(await page.getByText('is imported as the id').count(), 0)
  await startImport(page, 'towns.csv')
  await page.getByText('2 documents accepted.').waitFor()
  const rows = Array.from({ length: 20 }, (_, index) => {
    const name = `${'Abcdefgh'.slice(0, 3 + (index % 5))} Town${index}`
    return `${name.padEnd(20)}${500 + index}\n`
  })
  await choose(page, 'aligned.txt', `NAME                PEOPLE\n${rows.join('')}`)
  await page.getByRole('cell', { name: '503', exact: true }).waitFor()
  await startImport(page, 'aligned.txt')
  await page.getByText('20 documents accepted.').waitFor()
  await page.getByRole('tab', { name: 'Documents' }).click()
  await page.getByRole('searchbox').fill('Town13')
  await page.getByRole('cell', { name: '513', exact: true }).waitFor()
  await end()
})

test('a file of one column is imported as the command line imports it, with the commas in its values', async () => {
  await server.applyWorkspace(`
workspace: firms
collections:
  firms: { id: { generate: hash }, fields: { Company: { type: text } } }
`)
  const { page, end } = await visitSignedIn(server, '/w/firms/data/firms/import')
  const rows = Array.from({ length: 30 }, (_, index) => `Firm ${index}${index % 7 === 3 ? ', Ltd' : ''}\n`)
  await choose(page, 'firms.csv', `Company\n${rows.join('')}`)
  await page.getByRole('cell', { name: 'Firm 3, Ltd' }).waitFor()
  await startImport(page, 'firms.csv')
  await page.getByText('30 documents accepted.').waitFor()
  await end()
})

test('an import into a collection that numbers its rows replaces all of them, unless the person says otherwise', async () => {
  await server.applyWorkspace(`
workspace: rows
collections:
  rows: { id: { generate: row }, fields: { name: { type: text } } }
`)
  const { page, end } = await visitSignedIn(server, '/w/rows/data/rows/import')
  await page.getByText('Import the whole file each time').waitFor()
  for (const count of [2, 3]) {
    await importFile(page, 'rows.csv', `name,kind\n${'Same,a\n'.repeat(count)}`)
    await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click()
    await page.getByText(`${count} documents accepted.`).waitFor()
  }
  await end()
})

test('a JSON file that is cut off, or has a broken document, says so and where before anything is created', async () => {
  const { page, open, end } = await visitSignedIn(server, '/w/library/create-collection')
  await choose(page, 'empty.csv', '')
  const refusal = page.getByRole('alert')
  await refusal.getByText('This file cannot be imported').waitFor()
  await choose(page, 'cut.json', '[{"id": "c1", "title": "One"},\n {"id": "c2", "ti')
  await refusal
    .getByText('cut.json is not complete. Line 2, column 15: the text that begins here is not closed.')
    .waitFor()
  await choose(page, 'cut.json', '[{"id": "c1", "title": "One"},\n {"id": "c2"}')
  await refusal
    .getByText('cut.json is not complete. Line 2, column 14: the text ends here, and “,” or “]” is missing.')
    .waitFor()
  await choose(page, 'broken.json', '[{"id": "c1", "title": "One"},\n {"id": "c2",}]')
  await page
    .getByText('1 document cannot be read, and the import will leave it out: line 2: this is not JSON')
    .waitFor()
  await open('/w/library/data/books/import')
  await choose(page, 'cut.json', '[{"id": "c1", "title": "One"},\n {"id": "c2"}')
  await page.getByText('cut.json is not complete.').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Import cut.json' }).count(), 0)
  await choose(page, 'broken.json', '[{"id": "c1", "title": "One"},\n {"id": "c2",}]')
  await page.getByText('Line 2, column 14: “}” follows a comma: leave out the comma.').waitFor()
  await startImport(page, 'broken.json')
  await page.getByText('1 document accepted, 1 line rejected.').waitFor()
  await end()
})

test('an id that one document repeats and another lacks is offered with what the import does', async () => {
  const { page, end } = await visitSignedIn(server, '/w/towns/create-collection')
  const fairs = (faults: ReadonlyMap<number, number | undefined>, count: number) =>
    Array.from({ length: count }, (_, index) => {
      const id = faults.has(index) ? faults.get(index) : index
      return `${JSON.stringify({ id, title: `Market ${index % 9}`, visitors: index * 7919 })}\n`
    }).join('')
  await choose(page, 'few.ndjson', fairs(new Map([[12, 5]]), 20))
  await page.getByText('imported as a new one. id (19 of 20 are different).').waitFor()
  await page.getByLabel('Id', { exact: true }).selectOption('id')
  await page.getByText('1 document has the id of an earlier one, and will replace it: 5.').waitFor()
  await page.getByRole('button', { name: 'Choose another file' }).click()
  const faults = new Map([
    [12, 5],
    [13, undefined],
  ])
  await choose(page, 'fairs.ndjson', fairs(faults, 120))
  await page.getByLabel('Id', { exact: true }).selectOption('id')
  await page.getByText('will replace it: 5. 1 document has no id, and will be rejected.').waitFor()
  await inspectViews(page, 'create-collection-near-id', undefined)
  await page.getByRole('button', { name: 'Create and import' }).click()
  await page.getByText('1 replaced an earlier one with the same id, 1 line rejected.').waitFor()
  await page.getByText('line 14:').waitFor()
  await end()
})

test('a value that is no number is named with the form of numbers that the file is read in', async () => {
  const { page, end } = await visitSignedIn(server, '/w/towns/create-collection')
  const rows = Array.from(
    { length: 40 },
    (_, index) => `${index};Evening ${index % 9};${index % 4 ? `${index},50` : 'gratis'}\n`,
  )
  await choose(page, 'evenings.csv', `id;title;prijs\n${rows.join('')}`)
  await page.getByLabel('Type of prijs').selectOption('number')
  await page.getByText('10 of 40 values are no numbers like 1.000,5, and their').waitFor()
  await end()
})

test('ids that repeat late in the file of a new collection are told, and the server can make them instead', async () => {
  const { page, end } = await visitSignedIn(server, '/w/towns/create-collection')
  const rows = Array.from({ length: 22_000 }, (_, index) => `s${index % 21_000},Thing number ${index}\n`)
  await choose(page, 'things.csv', `sku,name\n${rows.join('')}`)
  await page.getByRole('button', { name: 'Create and import' }).click()
  await page
    .getByText('22,000 read, 21,000 documents, 1,000 replaced an earlier one with the same id.')
    .waitFor()
  await page.getByText('The first such ids: s0, s1, s2, s3, s4.').waitFor()
  await page.getByText('“sku” is the same in several documents of the file').waitFor()
  await page.getByRole('button', { name: 'Make ids from the content' }).click()
  await page.getByRole('button', { name: 'Change and import again' }).click()
  await page.getByText('22,000 documents accepted.').waitFor()
  await end()
})
