/** Relevance tests in the console: live and staged documents side by side, judgments of this browser, and a test that a form adds. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { parseJudgments } from '@querent/client/relevance/judgments'
import type { Browser } from 'playwright-core'
import { openChromium } from '#tests/support/chromium'
import { runQuerent } from '#tests/support/command-line'
import { readDownload, visitSignedIn, waitForCount } from '#tests/support/console-visit'
import { books, makeLibrary, workspaceFile } from '#tests/support/library'
import { inspectViews } from '#tests/support/pages-inspect'
import { type StartedServer, startServer } from '#tests/support/started-server'

const path = '/w/library/relevance'
const judgments = 'silent river\tb000\t3\ngolden mirror\tb041\t1\n'
const fileWithTests = `${workspaceFile('library')}configurations:
  staging: { books: latest }
tests:
  # Somebody asked for it.
  - { endpoint: search, query: silent river, expect: [b000], within: 20 }
  - { endpoint: search, query: new arrival, expect: [n1], within: 1 }
  - { judgments: judgments.tsv, endpoint: search, metric: recall@100, atLeast: 0.5 }
`

/** Statuses of the page: nobody has one of the expected documents yet. */
const missingDocument = [404]

let server: StartedServer
let browser: Browser
let folder: string
before(async () => {
  server = await startServer()
  await makeLibrary(server)
  folder = await mkdtemp(join(tmpdir(), 'querent-relevance-'))
  await writeFile(join(folder, 'library.yaml'), fileWithTests)
  await writeFile(join(folder, 'judgments.tsv'), judgments)
  await server.applyFile(join(folder, 'library.yaml'))
  const staged = [...books.filter(({ id }) => id !== 'b000'), { ...books[0], id: 'n1', title: 'New arrival' }]
  await server.importDocuments('library', 'books', staged.map(book => JSON.stringify(book)).join('\n'), {
    replace: true,
    stage: true,
  })
  browser = await openChromium()
})
after(async () => {
  await browser?.close()
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

test('staged documents make one test worse and another better, and each failed query is explained', async () => {
  const { page, end } = await visitSignedIn(browser, server, path)
  const row = (name: string) => page.getByRole('row').filter({ hasText: name })
  // The file of judgments is missing: its test is not run, and the others are.
  await page.getByRole('button', { name: 'Run tests' }).press('Enter')
  await row('judgments.tsv').getByText('Not run', { exact: true }).waitFor()
  await page
    .getByRole('region', { name: 'Judgments judgments.tsv' })
    .locator('input[type=file]')
    .setInputFiles(join(folder, 'judgments.tsv'))
  await page.getByText('2 judgments from judgments.tsv').waitFor()
  // It compares the staged generation with the live one by itself.
  assert.equal(await page.getByLabel('Test', { exact: true }).inputValue(), 'staging')
  await page.getByRole('button', { name: 'Run tests' }).press('Enter')
  await row('silent river').getByText('Worse -1.000').waitFor()
  await row('silent river').getByText('Failed').waitFor()
  await row('new arrival').getByText('Better +1.000').waitFor()
  await row('new arrival').getByText('Passed').waitFor()
  await row('judgments.tsv').getByText('Worse -0.500').waitFor()
  await page.getByText('1 better, 2 worse, 0 same').waitFor()

  const section = page.getByRole('region', { name: 'library search: silent river, within 20' })
  await section.locator('summary').press('Enter')
  await section.getByText('b000 · not among the first 20').waitFor()
  // Its title comes from the live documents.
  await waitForCount(section.getByText('The silent river', { exact: true }), 5)
  await inspectViews(page, 'relevance-compared', undefined)
  await page.setViewportSize({ width: 1280, height: 800 })

  const link = section.getByRole('link', { name: 'Try it: silent river' })
  await link.press('Enter')
  await page.waitForURL(/apis\/library\?stack=/)
  assert.match(page.url(), /config=staging/)
  await page.goBack()
  // The results are still there.
  await row('silent river').getByText('Worse -1.000').waitFor()
  await end(missingDocument)
})

test('a saved result is that of the command line, and the baseline of a later run', async () => {
  const { page, end } = await visitSignedIn(browser, server, path)
  await page.getByLabel('Test', { exact: true }).selectOption('default')
  await page.getByLabel('Compare with').selectOption('Nothing')
  await page.locator('section input[type=file]').setInputFiles(join(folder, 'judgments.tsv'))
  await page.getByRole('button', { name: 'Run tests' }).click()
  await page.getByText('1 failed, 2 passed').waitFor()
  const save = async (button: string) => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: button }).click(),
    ])
    return readDownload(download)
  }
  const command = await runQuerent([
    'judge',
    join(folder, 'library.yaml'),
    '--data',
    server.data,
    '--json',
    '--junit',
    join(folder, 'judge.xml'),
  ])
  const json = await save('Save as JSON')
  assert.deepEqual(JSON.parse(json), JSON.parse(command.stdout))
  assert.equal(await save('Save as JUnit'), await readFile(join(folder, 'judge.xml'), 'utf8'))

  const saved = join(folder, 'saved.json')
  await writeFile(saved, json.replace('"value": 1,', '"value": 0.25,'))
  const openResult = page.locator('input[type=file][accept*=json]')
  await openResult.setInputFiles(saved)
  await page.getByText('Better +0.750').waitFor()
  await openResult.setInputFiles(join(folder, 'judgments.tsv'))
  await page.getByRole('alert').getByText('judgments.tsv is not a saved result').waitFor()
  await end(missingDocument)
})

test('a wrong file of judgments is refused with its line, and a right one can be deleted', async () => {
  const { page, end } = await visitSignedIn(browser, server, path)
  const region = page.getByRole('region', { name: 'Judgments judgments.tsv' })
  const wrong = join(folder, 'wrong.tsv')
  await writeFile(wrong, `${judgments}silent river b000 3\n`)
  await region.locator('input[type=file]').setInputFiles(wrong)
  await region.getByRole('alert').getByText('wrong.tsv, line 3').waitFor()
  await region.locator('input[type=file]').setInputFiles(join(folder, 'judgments.tsv'))
  await region.getByRole('button', { name: 'Delete judgments.tsv' }).click()
  await region.getByText('The server does not have this file').waitFor()
  assert.equal(parseJudgments(judgments).length, 2)
  await end(missingDocument)
})

test('judgments of Try it are used without a file', async () => {
  const { page, end } = await visitSignedIn(
    browser,
    server,
    '/w/library/apis/library?stack=e%2Fsearch%2Fp%2Fquery%2Fsilent%2520river',
  )
  await page.getByRole('button', { name: 'Good result: The silent river' }).first().click()
  // Within the console, so that nothing but the browser keeps them.
  await page.getByRole('link', { name: 'Relevance tests' }).click()
  const region = page.getByRole('region', { name: 'Judgments judgments.tsv' })
  await region.getByRole('button', { name: 'Use 1 judgment from Try it' }).press('Enter')
  await region.getByText('1 judgment from Try it, kept in this browser only.').waitFor()
  await page.getByLabel('Test', { exact: true }).selectOption('default')
  await page.getByRole('button', { name: 'Run tests' }).click()
  const row = page.getByRole('row').filter({ hasText: 'judgments.tsv' })
  await row.getByText('Passed').waitFor()
  await end(missingDocument)
})

test('a canceled run shows no error, and the next one works', async () => {
  const { page, context, end } = await visitSignedIn(browser, server, path)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await context.route('**/batch', async route => {
    await released
    // The page has abandoned it.
    await route.abort().catch(() => {})
  })
  const request = page.waitForRequest('**/batch')
  await page.getByRole('button', { name: 'Run tests' }).click()
  await request
  await page.getByText(/^0 of \d+ queries$/).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).press('Enter')
  await page.getByRole('button', { name: 'Run tests' }).waitFor()
  assert.equal(await page.getByRole('alert').count(), 0)
  release()
  await context.unroute('**/batch')
  await page.getByRole('button', { name: 'Run tests' }).click()
  await page.getByText('1 better, 1 worse, 0 same').waitFor()
  await end(missingDocument)
})

test('a form adds a test to the file, whose comments stay, and deletes it again', async () => {
  const { page, end } = await visitSignedIn(browser, server, path)
  const exported = async () => (await runQuerent(['export', 'library', '--data', server.data])).stdout
  const original = await exported()
  await page.getByRole('button', { name: 'Add a test' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Query').fill('frozen garden')
  // Results are offered while the person types.
  const result = dialog.getByRole('checkbox').first()
  await result.waitFor()
  await inspectViews(page, 'relevance-add', undefined)
  await page.setViewportSize({ width: 1280, height: 900 })
  const id = await result.inputValue()
  await result.press('Space')
  await dialog.getByLabel('Other documents').fill('b001\n')
  // Two documents are never both the first.
  await dialog.getByLabel('Among the first').fill('1')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.getByText('2 documents do not fit among the first 1.').waitFor()
  await dialog.getByLabel('Among the first').fill('0')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.getByText('Type a whole number from 1 to 1,000').waitFor()
  assert.equal(await dialog.getByText('2 documents do not fit').count(), 0, 'the error before is gone')
  await dialog.getByLabel('Among the first').fill('10')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  const row = page.getByRole('row').filter({ hasText: '“frozen garden” finds' })
  await row.waitFor()
  const text = await exported()
  assert.match(text, new RegExp(`query: frozen garden[^}]*expect: \\[ ?${id}, b001 ?\\]`))
  assert.match(text, /# Somebody asked for it\./)
  assert.match(
    (await row.getByRole('link', { name: 'frozen garden', exact: true }).getAttribute('href')) ?? '',
    /apis\/library\?stack=/,
  )
  await row.getByRole('button', { name: /^Edit/ }).click()
  await dialog.getByRole('checkbox', { checked: true }).first().waitFor()
  await dialog.getByLabel('Among the first').fill('25')
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await row.getByText('among the first 25').waitFor()
  assert.match(
    await exported(),
    new RegExp(`query: frozen garden[^}]*expect: \\[ ?${id}, b001 ?\\][^}]*within: 25`),
  )
  await row.getByRole('button', { name: /^Delete/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await row.waitFor({ state: 'detached' })
  assert.equal(await exported(), original)
  await end(missingDocument)
})

test('a workspace without a configuration for staged documents gets one with one click', async () => {
  const plain = join(folder, 'plain.yaml')
  await writeFile(
    plain,
    `${workspaceFile('plain')}tests:\n  - { endpoint: search, query: river, expect: [b000] }\n`,
  )
  await server.applyFile(plain)
  const { page, end } = await visitSignedIn(browser, server, '/w/plain/relevance')
  await page.getByRole('button', { name: 'Add configuration staging' }).click()
  await page
    .getByLabel('Test', { exact: true })
    .getByRole('option', { name: 'staging' })
    .waitFor({ state: 'attached' })
  assert.equal(await page.getByLabel('Test', { exact: true }).inputValue(), 'staging')
  const { stdout } = await runQuerent(['export', 'plain', '--data', server.data])
  assert.match(stdout, /staging: \{ ?books: latest ?\}|staging:\n +books: latest/)

  // It can be undone, and deleted later.
  const add = page.getByRole('button', { name: 'Add configuration staging' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await add.click()
  await page.getByRole('button', { name: 'Delete configuration staging' }).click()
  await page.getByRole('dialog').getByText('Removes the configuration staging').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await add.waitFor()
  assert.doesNotMatch(await server.exportWorkspace('plain'), /staging/)
  await end(missingDocument)
})
