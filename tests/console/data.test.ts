/** Importing files, reporting rejected lines, and switching generations, in real Chromium. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { openChromium } from '#tests/support/chromium'
import { password, readDownload, type Visit, visitSignedIn } from '#tests/support/console-visit'
import { type Library, makeLibrary } from '#tests/support/library'
import { inspectViews } from '#tests/support/pages-inspect'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let library: Library
let browser: Browser
before(async () => {
  server = await startServer()
  library = await makeLibrary(server)
  browser = await openChromium()
})
after(async () => {
  await browser?.close()
  await server?.stop()
})

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
  const { page, expectRefused, end } = await visitSignedIn(browser, server, '/w/library/data')
  await page.getByRole('link', { name: 'books' }).click()
  await page.getByRole('heading', { level: 1, name: 'books' }).waitFor()
  await page.getByRole('tab', { name: 'Import' }).click()
  await choose(page, 'books.txt', 'x')
  await page.getByRole('alert').getByText('.ndjson, .jsonl, .json or .csv').waitFor()
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
    await importFile(page, 'bad.ndjson', '{"id":"n3"}\n{}\n')
    await page
      .getByRole('alert')
      .getByRole('listitem')
      .getByText(/^line 2: /)
      .waitFor()
    const alertText = (await page.getByRole('alert').textContent()) ?? ''
    assert.equal(alertText.split('line 2: ').length, 2, `said once: ${alertText}`)
  })
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
  const { page, end } = await visitSignedIn(browser, server, '/w/library/data/books/import')
  await page.getByLabel('Replace the whole collection').check()
  await importFile(page, 'new.csv', 'id,title\nr1,"One\nand a half"\nr2,Two\n')
  const confirmation = page.getByRole('dialog', { name: 'Replace all documents of books?' })
  await confirmation.getByText('use a new generation once the import is complete').waitFor()
  await confirmation.getByRole('row', { name: 'Now 203 documents generation 1' }).waitFor()
  await confirmation.getByRole('row', { name: 'After 2 documents of new.csv a new generation' }).waitFor()
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

test('the same file can be chosen again after it was corrected, or after a cancel', async () => {
  const { page, expectRefused, end } = await visitSignedIn(browser, server, '/w/library/data/books/import')
  const folder = await mkdtemp(join(tmpdir(), 'querent-test-'))
  try {
    const file = join(folder, 'again.ndjson')
    // The browser fires no change event for a file on disk that the field already holds.
    const field = page.locator('input[type=file]')
    await page.getByLabel('All or nothing').check()
    await writeFile(file, '{"id":"again"}\n{}\n')
    await expectRefused([400], async () => {
      await field.setInputFiles(file)
      await startImport(page, 'again.ndjson')
      await page
        .getByRole('alert')
        .getByText(/^line 2: /)
        .waitFor()
    })
    await writeFile(file, '{"id":"again"}\n')
    await field.setInputFiles(file)
    await startImport(page, 'again.ndjson')
    await page.getByText('1 document accepted.').waitFor()
    await page.getByLabel('Replace the whole collection').check()
    const confirmation = page.getByRole('dialog', { name: 'Replace all documents of books?' })
    for (const _ of ['chosen', 'chosen again']) {
      await field.setInputFiles(file)
      await startImport(page, 'again.ndjson')
      await confirmation.getByRole('button', { name: 'Cancel' }).click()
      await confirmation.waitFor({ state: 'detached' })
    }
  } finally {
    await rm(folder, { recursive: true })
  }
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
  const { page, end } = await visitSignedIn(browser, server, '/w/library', dora)
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
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByLabel('Replace the whole collection').check()
  await importFile(page, 'hers.ndjson', '{"id":"hers","title":"Hers"}\n')
  const confirmation = page.getByRole('dialog', { name: 'Replace all documents of books?' })
  await confirmation.getByRole('row', { name: 'After 1 document of hers.ndjson a new generation' }).waitFor()
  assert.equal(await confirmation.getByRole('row', { name: /^Now/ }).count(), 0)
  await confirmation.getByRole('button', { name: 'Cancel' }).click()
  await end()
})

test('the console counts the documents of a file in each format before a replacement, and estimates large files', async () => {
  const { page, end } = await visitSignedIn(browser, server, '/w/library/data/books/import')
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
  const folder = await mkdtemp(join(tmpdir(), 'querent-test-'))
  try {
    const file = join(folder, 'large.ndjson')
    const line = `${JSON.stringify({ id: 'x'.repeat(1014) })}\n`
    await writeFile(file, line.repeat(40 * 1024))
    await page.locator('input[type=file]').setInputFiles(file)
    await startImport(page, 'large.ndjson')
    await counts('about 40,960 documents')
  } finally {
    await rm(folder, { recursive: true })
  }
  await end()
})

/** Slow enough to inspect an import while it runs. */
const slowDown = async ({ page, context }: Visit) => {
  const session = await context.newCDPSession(page)
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: 64 * 1024,
  })
}
/** Takes minutes at that pace, so no test waits for the end. */
const manyDocuments = Array.from(
  { length: 400_000 },
  (_, index) => `{"id":"many${index}","pages":${index}}\n`,
).join('')

test('an import shows documents, pace and time left, and a canceled import reports how many documents are kept', async () => {
  const visit = await visitSignedIn(browser, server, '/w/library/data/books/import')
  const { page, end } = visit
  await slowDown(visit)
  const totalBefore = await total()
  await importFile(page, 'many.ndjson', manyDocuments)
  await page.getByRole('progressbar', { name: 'Uploaded' }).waitFor()
  await page.getByText(/^\d+ % uploaded$/).waitFor()
  await page.getByText(/^[1-9][\d,]* documents done, [1-9][\d,]* a second, (\d+ min )?\d+ s left$/).waitFor()
  await inspectViews(page, 'import-runs', undefined)
  await page.getByRole('button', { name: 'Cancel' }).click()
  const cancelMessage = page.getByRole('status').getByText(/^Canceled, [\d,]+ documents were imported\.$/)
  await cancelMessage.waitFor()
  const imported = Number((await cancelMessage.textContent())?.replace(/\D/g, ''))
  assert.ok(imported > 0)
  assert.equal(await total(), totalBefore + imported)
  await page.getByText(`${(totalBefore + imported).toLocaleString('en')} documents. `).waitFor()
  await end()
})

test('a canceled replacement of a collection keeps no document', async () => {
  const visit = await visitSignedIn(browser, server, '/w/library/data/books/import')
  const { page, end } = visit
  await slowDown(visit)
  const totalBefore = await total()
  await page.getByLabel('Replace the whole collection').check()
  await importFile(page, 'many.ndjson', manyDocuments)
  await page.getByRole('row', { name: 'After 400,000 documents of many.ndjson' }).waitFor()
  await page.getByRole('button', { name: 'Replace all documents' }).click()
  await page.getByText(/^[1-9][\d,]* documents done, /).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('Canceled, no documents were imported: the collection is unchanged.').waitFor()
  assert.equal(await total(), totalBefore)
  await end()
})

test('leaving the page or closing the tab during an import asks first, and leaving cancels the import', async () => {
  const visit = await visitSignedIn(browser, server, '/w/library/data/books/import')
  const { page, end } = visit
  await slowDown(visit)
  const totalBefore = await total()
  await page.getByLabel('All or nothing').check()
  await importFile(page, 'many.ndjson', manyDocuments)
  await page.getByText(/^[1-9][\d,]* documents done, /).waitFor()
  const closing = page.waitForEvent('dialog')
  await page.close({ runBeforeUnload: true })
  const dialog = await closing
  assert.equal(dialog.type(), 'beforeunload')
  await dialog.dismiss()
  const leaving = page.getByRole('dialog', { name: 'Leave while the import runs?' })
  await page.getByRole('link', { name: 'Overview' }).click()
  await leaving.getByText('keeps no documents').waitFor()
  await inspectViews(page, 'import-leave', undefined)
  await page.setViewportSize({ width: 1280, height: 800 })
  await leaving.getByRole('button', { name: 'Stay' }).click()
  await leaving.waitFor({ state: 'detached' })
  // Another tab of the collection does not end it.
  await page.getByRole('tab', { name: 'Generations' }).click()
  await page.getByRole('table', { name: 'Generations' }).waitFor()
  await page.getByRole('tab', { name: 'Import' }).click()
  await page.getByText(/% uploaded$/).waitFor()
  await page.getByRole('link', { name: 'Overview' }).click()
  await leaving.getByRole('button', { name: 'Cancel the import and leave' }).click()
  await page.getByRole('heading', { level: 1, name: 'The library' }).waitFor()
  await page.getByRole('link', { name: 'Data', exact: true }).click()
  await page.getByRole('link', { name: 'books' }).click()
  await page.getByText(`${totalBefore.toLocaleString('en')} documents. `).waitFor()
  assert.equal(await total(), totalBefore)
  await end()
})

test('a file is shown before it is imported: delimiter, id column, undeclared columns; also compressed', async () => {
  const { page, end } = await visitSignedIn(browser, server, '/w/library/data/books/import')
  const totalBefore = await total()
  await choose(page, 'spreadsheet.csv', '\ufeffisbn;title;language\n9-1;"One; two";dutch\n9-2;Three;\n')
  await page.getByText('The column “isbn” is imported as the id.').waitFor()
  assert.equal(await page.getByLabel('Delimiter').inputValue(), ';')
  await page.getByRole('cell', { name: 'One; two' }).waitFor()
  await page.getByText('Stored and returned, but not searched: language.').waitFor()
  await page.getByRole('link', { name: 'Declare them' }).waitFor()
  await inspectViews(page, 'import-preview', undefined)
  await page.setViewportSize({ width: 1280, height: 800 })
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

test('rejected lines are saved as a file with their reasons', async () => {
  const { page, expectRefused, end } = await visitSignedIn(browser, server, '/w/library/data/books/import')
  const readSaved = async () => {
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save the rejected lines' }).click()
    const file = await saving
    return { name: file.suggestedFilename(), text: await readDownload(file) }
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
