/** Importing files, reporting rejected lines, and switching generations, in real Chromium. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { openChromium } from '#tests/support/chromium'
import { type Visit, visitSignedIn } from '#tests/support/console-visit'
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
  const { items } = await server.call('listAudit', { params: { workspace: 'library' }, query: { count: 10 } })
  assert.deepEqual(items.find(({ action }) => action === 'importDocuments')?.detail, {
    accepted: imported,
    broken: true,
  })
  await end()
})

test('a replacement of a collection whose file has wrong values leads to the former documents', async () => {
  const { page, end } = await visitSignedIn(browser, server, '/w/library/data/books/import')
  const totalBefore = await total()
  await page.getByLabel('Replace the whole collection').check()
  const lines = [
    { id: 'right', pages: 1 },
    { id: 'wrong1', pages: 'few' },
    { id: 'wrong2', pages: 'many' },
  ]
  await importFile(page, 'wrong.ndjson', lines.map(line => JSON.stringify(line)).join('\n'))
  await page.getByRole('row', { name: 'After up to 3 documents of wrong.ndjson' }).waitFor()
  await page.getByRole('button', { name: 'Replace all documents' }).click()
  await page.getByText('Also found: "many".').waitFor()
  await page.getByRole('link', { name: 'go back to them in Generations' }).click()
  await page.getByRole('table', { name: 'Generations' }).waitFor()
  await server.call('rollBackGeneration', { params: { workspace: 'library', collection: 'books' } })
  assert.equal(await total(), totalBefore)
  await end()
})

test('a canceled replacement of a collection keeps no document', async () => {
  const visit = await visitSignedIn(browser, server, '/w/library/data/books/import')
  const { page, end } = visit
  await slowDown(visit)
  const totalBefore = await total()
  await page.getByLabel('Replace the whole collection').check()
  await importFile(page, 'many.ndjson', manyDocuments)
  await page.getByRole('row', { name: 'After up to 400,000 documents of many.ndjson' }).waitFor()
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

test('leaving a new collection while its file is imported asks first', async () => {
  const visit = await visitSignedIn(browser, server, '/w/library/create-collection')
  const { page, end } = visit
  await choose(page, 'many.ndjson', manyDocuments)
  await page.getByRole('button', { name: 'Create and import' }).waitFor()
  await slowDown(visit)
  await page.getByRole('button', { name: 'Create and import' }).click()
  await page.getByText(/% uploaded$/).waitFor()
  const reloading = page.waitForEvent('dialog')
  const reload = page.evaluate('location.reload()').catch(() => {})
  const dialog = await reloading
  assert.equal(dialog.type(), 'beforeunload')
  await dialog.dismiss()
  await reload
  await page.getByRole('link', { name: 'Overview' }).click()
  await page
    .getByRole('dialog', { name: 'Leave while the import runs?' })
    .getByRole('button', { name: 'Cancel the import and leave' })
    .click()
  await page.getByRole('heading', { level: 1, name: 'The library' }).waitFor()
  await end()
})
