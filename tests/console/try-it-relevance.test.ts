/** Judging results in "Try it", in real Chromium. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { openChromium } from '#tests/support/chromium'
import { visitSignedIn } from '#tests/support/console-visit'
import { inspectViews } from '#tests/support/pages-inspect'
import { runQuerent, type StartedServer, startServer } from '#tests/support/started-server'

const file = `
# Comments stay.
workspace: shop
title: Shop
collections:
  things:
    id: { field: id, uri: "urn:thing:{id}" }
    fields:
      name: { type: text, weight: 1 }   # the name on the box
      about: { type: text }
      inStock: { type: boolean }
apis:
  shop:
    title: Things
    endpoints:
      search: { kind: match, collection: things }
      in-stock: { kind: boost, field: inStock, value: true, by: 2 }
`
const documents = [
  { id: '1', name: 'Kettle', about: 'Boils water', inStock: false },
  { id: '2', name: 'Camping kettle', about: 'For the kettle on a fire', inStock: true },
  { id: '3', name: 'Teapot', about: 'A kettle for tea', inStock: true },
]

let server: StartedServer
let browser: Browser
let folder: string
before(async () => {
  server = await startServer()
  folder = await mkdtemp(join(tmpdir(), 'querent-shop-'))
  await writeFile(join(folder, 'shop.yaml'), file)
  await server.run(['apply', join(folder, 'shop.yaml')])
  await server.run(['import', 'shop', 'things', '-'], {
    input: documents.map(it => JSON.stringify(it)).join('\n'),
  })
  browser = await openChromium()
})
after(async () => {
  await browser?.close()
  await server?.stop()
  await rm(folder, { recursive: true })
})

const path = '/w/shop/apis/shop?stack=e%2Fsearch%2Fp%2Fquery%2Fkettle'

test('judgments are kept in the browser, exported as a file that judge reads, imported and deleted', async () => {
  const { page, end } = await visitSignedIn(browser, server, path)
  await page.getByText('3 results').waitFor()
  await page.getByRole('button', { name: 'Good result: Kettle', exact: true }).click()
  await page.getByRole('button', { name: 'Bad result: Teapot' }).click()
  await page.getByRole('button', { name: 'Good result: Camping kettle' }).click()
  await page.getByRole('button', { name: 'Good result: Camping kettle' }).click()
  await page.reload()
  await page.getByRole('button', { name: 'Good result: Kettle', exact: true, pressed: true }).waitFor()
  assert.equal(await page.getByRole('button', { pressed: true }).count(), 2)
  await inspectViews(page, 'try-it-judged', undefined)
  await page.setViewportSize({ width: 1280, height: 800 })

  await page.getByRole('button', { name: 'Judgments (2)' }).click()
  await page.getByText('2 judgments of 1 query.').waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export judgments.tsv' }).click(),
  ])
  assert.equal(download.suggestedFilename(), 'judgments.tsv')
  await download.saveAs(join(folder, 'judgments.tsv'))
  const tsv = await readFile(join(folder, 'judgments.tsv'), 'utf8')
  assert.deepEqual(tsv.trim().split('\n').toSorted(), ['kettle\turn:thing:1\t1', 'kettle\turn:thing:3\t0'])
  const snippet = (await page.getByRole('dialog').locator('pre').textContent()) ?? ''
  await writeFile(join(folder, 'judged.yaml'), `${file}\n${snippet.replace('0.8', '0.1')}\n`)
  const { stdout } = await runQuerent(['judge', join(folder, 'judged.yaml'), '--json', '--data', server.data])
  assert.match(stdout, /"passed": ?true/)
  await inspectViews(page, 'try-it-judgments', undefined)
  await page.setViewportSize({ width: 1280, height: 800 })

  await page.getByRole('button', { name: 'Delete all' }).click()
  await page
    .getByRole('dialog', { name: 'Delete all judgments of this API?' })
    .getByRole('button', { name: 'Delete all' })
    .click()
  await page.getByText('0 judgments of 0 queries.').waitFor()
  const input = page.locator('input[type=file]')
  await input.setInputFiles({
    name: 'a.tsv',
    mimeType: 'text/plain',
    buffer: Buffer.from('kettle\t1\tgood\n'),
  })
  await page.getByRole('alert').getByText('Line 1').waitFor()
  await input.setInputFiles({ name: 'a.tsv', mimeType: 'text/plain', buffer: Buffer.from(tsv) })
  await page.getByText('2 judgments of 1 query.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Good result: Kettle', exact: true, pressed: true }).waitFor()
  await end()
})
