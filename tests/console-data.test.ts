/** Data in real Chromium: files are imported, what is bad in them is told by line, generations change over and back. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { openChromium } from './chromium.ts'
import { adminEmail, settled, signIn, visitConsole } from './console-visit.ts'
import { type Library, makeLibrary } from './library.ts'
import { inspectViews } from './pages-inspect.ts'
import { type StartedServer, startServer } from './started-server.ts'

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

const choose = (page: Page, name: string, text: string) =>
  page
    .locator('input[type=file]')
    .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) })
const total = async () => {
  const reply = await library.get('library/e/all/count')
  return ((await reply.json()) as { total: number }).total
}

test('NDJSON and CSV are imported; bad lines are told; a staged generation is promoted and rolled back', async () => {
  const { page, expectRefused, end } = await visitConsole(browser, server)
  await page.goto(`${server.authUrl}/console/w/library/data`)
  await signIn(page, adminEmail)
  await page.getByRole('link', { name: 'books' }).click()
  await page.getByRole('heading', { level: 1, name: 'books' }).waitFor()
  await page.getByText('b000').first().click()
  await page.getByText('"title": "The silent river"').waitFor()
  await inspectViews(page, 'document', undefined)

  await choose(page, 'books.txt', 'x')
  await page.getByRole('alert').getByText('.ndjson, .jsonl, .json or .csv').waitFor()
  await choose(page, 'more.ndjson', '{"id":"n1","title":"New"}\n{"title":"no id"}\n{"id":"n2"\n')
  await page.getByText('1 document accepted, 2 lines refused').waitFor()
  await page.getByText('line 2:').waitFor()
  await page.getByText('line 3:').waitFor()
  await inspectViews(page, 'import-errors', undefined)
  await choose(page, 'more.csv', 'id,title,pages\nc1,Comma,12\nc2,Another,13\n')
  await page.getByText('2 documents accepted.').waitFor()
  assert.equal(await total(), 203)

  await page.getByLabel('Keep nothing if a line is bad').check()
  await expectRefused([400], async () => {
    await choose(page, 'bad.ndjson', '{"id":"n3"}\n{}\n')
    await page
      .getByRole('alert')
      .getByRole('listitem')
      .getByText(/^line 2: /)
      .waitFor()
  })
  assert.equal(await total(), 203)
  await page.getByLabel('Replace the whole collection').check()
  await page.getByLabel('Do not promote it yet').check()
  await choose(page, 'all.ndjson', '{"id":"only"}\n')
  await page.getByText('1 document accepted.').waitFor()
  assert.equal(await total(), 203)
  await inspectViews(page, 'staged', undefined)
  await page
    .getByRole('button', { name: /^Promote generation/ })
    .first()
    .click()
  await page.getByText('1 document.', { exact: false }).first().waitFor()
  await settled(page)
  assert.equal(await total(), 1)
  await page.getByRole('button', { name: 'Roll back' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.equal(await total(), 203)
  await end()
})

test('an upload shows how far it is and can be cancelled; the documents stay as they were', async () => {
  const { page, context, end } = await visitConsole(browser, server)
  await page.goto(`${server.authUrl}/console/w/library/data/books`)
  await signIn(page, adminEmail)
  const before = await total()
  const slow = await context.newCDPSession(page)
  const kilobytes = 1024
  await slow.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: 64 * kilobytes,
  })
  await page.getByLabel('Replace the whole collection').check()
  const line = `${JSON.stringify({ id: 'long', title: 'x'.repeat(1000) })}\n`
  await choose(page, 'long.ndjson', line.repeat(4 * kilobytes))
  await page.getByRole('progressbar', { name: 'Sent' }).waitFor()
  await page.getByText(/^\d+ % sent$/).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('Cancelled.').waitFor()
  assert.equal(await total(), before)
  await end()
})
