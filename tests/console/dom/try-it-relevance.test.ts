/** Judging, pinning and tuning results in "Try it", in the fake DOM. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { runQuerent } from '#tests/support/command-line'
import { inspectViews } from '#tests/support/console-dom/inspect'
import type { Page } from '#tests/support/console-dom/page'
import { visitSignedIn } from '#tests/support/console-dom/visit'
import { kettleShop, kettles } from '#tests/support/console-examples'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let folder: string
before(async () => {
  server = await startServer()
  folder = await mkdtemp(join(tmpdir(), 'querent-shop-'))
  await writeFile(join(folder, 'shop.yaml'), kettleShop)
  await server.applyFile(join(folder, 'shop.yaml'))
  await server.importDocuments('shop', 'things', kettles.map(it => JSON.stringify(it)).join('\n'))
})
after(async () => {
  await server?.stop()
  await rm(folder, { recursive: true })
})

const path = '/w/shop/apis/shop?stack=e%2Fsearch%2Fp%2Fquery%2Fkettle'
const boosted = `${path}%2Fe%2Fin-stock`
const exportFile = () => server.exportWorkspace('shop')
const headings = (page: Page) =>
  page.getByRole('main').getByRole('listitem').getByRole('heading').allTextContents()
const waitForFirst = (page: Page, name: string) =>
  page
    .locator('main li h2')
    .first()
    .filter({ hasText: new RegExp(`^${name}$`) })
    .waitFor()

test('judgments are kept in the browser, exported as a file that judge reads, imported and deleted', async () => {
  const { page, end } = await visitSignedIn(server, path)
  await page.getByText('3 results').waitFor()
  await page.getByRole('button', { name: 'Good result: Kettle', exact: true }).click()
  await page.getByRole('button', { name: 'Bad result: Teapot' }).click()
  await page.getByRole('button', { name: 'Good result: Camping kettle' }).click()
  await page.getByRole('button', { name: 'Good result: Camping kettle' }).click()
  await page.reload()
  await page.getByRole('button', { name: 'Good result: Kettle', exact: true, pressed: true }).waitFor()
  assert.equal(await page.getByRole('button', { pressed: true }).count(), 2)
  await inspectViews(page, 'try-it-judged', undefined)

  await page.getByRole('button', { name: 'Judgments (2)' }).click()
  await page.getByText('2 judgments of 1 query.').waitFor()
  const [download] = await Promise.all([
    page.waitForDownload(),
    page.getByRole('button', { name: 'Export judgments.tsv' }).click(),
  ])
  assert.equal(download.suggestedFilename(), 'judgments.tsv')
  await download.saveAs(join(folder, 'judgments.tsv'))
  const tsv = await readFile(join(folder, 'judgments.tsv'), 'utf8')
  assert.deepEqual(tsv.trim().split('\n').toSorted(), ['kettle\turn:thing:1\t1', 'kettle\turn:thing:3\t0'])
  const snippet = (await page.getByRole('dialog').locator('pre').textContent()) ?? ''
  await writeFile(join(folder, 'judged.yaml'), `${kettleShop}\n${snippet.replace('0.8', '0.1')}\n`)
  const { stdout } = await runQuerent(['judge', join(folder, 'judged.yaml'), '--json', '--data', server.data])
  assert.match(stdout, /"passed": ?true/)
  await inspectViews(page, 'try-it-judgments', undefined)

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

test('sliders compare a ranking with the saved one, which stays until they are saved', async () => {
  await server.applyFile(join(folder, 'shop.yaml'))
  const { page, end } = await visitSignedIn(server, boosted)
  await page.getByText('3 results').waitFor()
  const saved = await headings(page)
  const fileBefore = await exportFile()
  await page.getByRole('button', { name: 'Tune ranking' }).click()
  const compared = page.getByRole('region', { name: 'These settings' })
  await compared.waitFor()
  assert.equal(await page.getByText('Weights decide among equally good matches').count(), 0)
  const names = async () =>
    (await compared.getByRole('listitem').getByRole('paragraph').allTextContents()).map(it =>
      it.replace(/^\d+\. /, ''),
    )
  assert.deepEqual(await names(), saved)
  // In stock counts much less, and the name much more.
  const factor = page.getByRole('slider', { name: 'Factor' })
  await factor.focus()
  await page.keyboard.press('Home')
  await page.getByRole('slider', { name: 'name' }).focus()
  await page.keyboard.press('End')
  await compared.getByText('1. Kettle').waitFor()
  await compared
    .getByRole('img', { name: /^up by / })
    .first()
    .waitFor()
  assert.equal(await exportFile(), fileBefore)
  await inspectViews(page, 'try-it-tune', undefined)
  await page.getByRole('button', { name: 'Review changes' }).click()
  const review = page.getByRole('group', { name: 'What this changes' })
  await review.getByText(/^Changes .*the field name of things/).waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved in the workspace file').waitFor()
  const fileAfter = await exportFile()
  assert.match(fileAfter, /name: \{ type: text, weight: 10 \} +# the name on the box/)
  assert.match(fileAfter, /by: 0\.1/)
  await page.getByRole('button', { name: 'Tune ranking' }).click()
  await waitForFirst(page, 'Kettle')
  await end()
})

test('sliders say what comes before the weights of a search with typos', async () => {
  const forgivingShop = kettleShop.replace('collection: things }', 'collection: things, typos: true }')
  await writeFile(join(folder, 'forgiving-shop.yaml'), forgivingShop)
  await server.applyFile(join(folder, 'forgiving-shop.yaml'))
  const { page, end } = await visitSignedIn(server, path)
  await page.getByRole('button', { name: 'Tune ranking' }).click()
  await page.getByText('Weights decide among equally good matches').waitFor()
  await end()
})

test('a field that is added as a boost ranks the compared results, and after saving every query', async () => {
  await server.applyFile(join(folder, 'shop.yaml'))
  const { page, end } = await visitSignedIn(server, path)
  await page.getByText('3 results').waitFor()
  const [savedFirst] = await headings(page)
  assert.notEqual(savedFirst, 'Teapot')
  await page.getByRole('button', { name: 'Tune ranking' }).click()
  await page.getByLabel('Add boost').selectOption('sales')
  await page.getByRole('region', { name: 'These settings' }).getByText('1. Teapot').waitFor()
  // Nothing that leads away drops it without a question: another page, mode or view.
  const leaves = [
    page.getByRole('link', { name: 'Usage', exact: true }),
    page.getByRole('button', { name: 'Pin and bury' }),
    page.getByRole('tab', { name: 'JSON' }),
  ]
  for (const leave of leaves) {
    await leave.click()
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    await question.getByRole('button', { name: 'Stay' }).click()
    await question.waitFor({ state: 'detached' })
  }
  await page.getByRole('button', { name: 'Review changes' }).click()
  await page.getByRole('group', { name: 'What this changes' }).getByText('boost-sales').first().waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved in the workspace file').waitFor()
  assert.match(await exportFile(), /boosts: \[ ?boost-sales ?\]/)
  await page.getByRole('button', { name: 'Tune ranking' }).click()
  await waitForFirst(page, 'Teapot')

  // The boost that works is listed, and can be changed and removed.
  await page.getByRole('button', { name: 'Tune ranking' }).click()
  const working = page.getByRole('group', { name: 'Sales breaks ties' })
  await working.getByLabel('How much it counts').selectOption('linear')
  await page.getByRole('region', { name: 'These settings' }).getByText('1. Teapot').waitFor()
  await working.getByRole('button', { name: 'Remove Sales breaks ties' }).click()
  await page.getByRole('region', { name: 'These settings' }).getByText(`1. ${savedFirst}`).waitFor()
  await inspectViews(page, 'try-it-tune-boosts', undefined)
  await page.getByRole('button', { name: 'Review changes' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved in the workspace file').waitFor()
  assert.doesNotMatch(await exportFile(), /boosts:/)
  await end()
})
