/** The page "Usage", and the summary on the overview. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { openChromium } from '#tests/support/chromium'
import {
  adminEmail,
  signIn,
  type Visit,
  visitConsole,
  waitForCount,
  waitUntilSettled,
} from '#tests/support/console-visit'
import { type Library, makeLibrary, workspaceFile } from '#tests/support/library'
import { inspectViews } from '#tests/support/pages-inspect'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let library: Library
let browser: Browser
let visit: Visit
before(async () => {
  server = await startServer()
  library = await makeLibrary(server)
  browser = await openChromium()
  visit = await visitConsole(browser, server)
  await visit.page.goto(`${server.authUrl}/console/`)
  await signIn(visit.page, adminEmail)
})
after(async () => {
  await browser?.close()
  await server?.stop()
})

const setQueryLog = async (parameters: 'hashed' | 'full') => {
  const folder = await mkdtemp(join(tmpdir(), 'querent-usage-'))
  const file = join(folder, 'library.yaml')
  await writeFile(
    file,
    `${workspaceFile(library.workspace)}settings: { queryLog: { parameters: ${parameters} } }\n`,
  )
  await server.applyFile(file)
  await rm(folder, { recursive: true })
}
const query = async (path: string) => (await library.get(path)).arrayBuffer()

test('an empty workspace shows zeros, and a button that turns the query log on', async () => {
  const { page, open } = visit
  await open('/w/library/usage')
  await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor()
  await page.getByText('The query log is off').first().waitFor()
  await page.getByRole('button', { name: 'Switch on the query log' }).first().click()
  await page.getByText('No searches in this period').first().waitFor()
  const { queryLog } = await server.call('getSettings', { params: { workspace: 'library' } })
  assert.deepEqual(queryLog, { parameters: 'full', keep: '30d' })
})

test('the page shows figures, charts with tables behind them, and searches that open Try it', async () => {
  const { page, open } = visit
  await setQueryLog('full')
  for (let round = 0; round < 3; round++) await query('library/e/search/p/query/silent%20river/results')
  await query('library/e/search/p/query/zzz/results')
  await query('library/options/genre')
  await query('library/e/search/p/wrong/x/results')
  await fetch(`${server.baseUrl}/4/library/api/library/e/all/count`)
  await open('/w/library/usage')
  // A search that is found, one that is not, options, and a failed query.
  await page
    .getByRole('definition')
    .filter({ hasText: /^6 requests$/ })
    .waitFor()
  await page
    .getByRole('img', { name: /Chart: Searches/ })
    .locator('canvas')
    .waitFor()
  // A text that comes again at once is one search.
  await page.getByRole('definition').filter({ hasText: /^2$/ }).first().waitFor()
  await page.getByRole('button', { name: 'Show table: Requests' }).click()
  const table = page.getByRole('table', { name: 'Requests', exact: true })
  assert.equal(await table.getByRole('row').count(), 25)
  // The hour may change between the queries.
  const rows = await table.locator('tbody tr').all()
  const figures = await Promise.all(rows.map(row => row.getByRole('cell').allTextContents()))
  const sum = (column: number) => figures.reduce((total, cells) => total + Number(cells[column]), 0)
  assert.deepEqual([sum(1), sum(2)], [5, 1])
  await page
    .getByRole('table', { name: 'Refused requests by failed check' })
    .getByText('Token missing or malformed')
    .waitFor()

  await page.getByText('7 days', { exact: true }).click()
  await page.waitForURL(/period=7d/)
  await table.getByRole('row').nth(7).waitFor()
  await waitForCount(table.getByRole('row'), 8)
  await page.getByLabel('API', { exact: true }).selectOption('library')
  await page.getByLabel('Endpoint', { exact: true }).selectOption('genre')
  await page
    .getByRole('definition')
    .filter({ hasText: /^1 request$/ })
    .first()
    .waitFor()
  assert.match(page.url(), /endpoint=genre/)

  await page.getByLabel('API', { exact: true }).selectOption('')
  const emptySearches = page.getByRole('table', { name: 'Top searches without results' })
  await emptySearches.getByRole('link', { name: 'zzz' }).waitFor()
  await page
    .getByRole('table', { name: 'Top searches', exact: true })
    .getByRole('link', { name: 'silent river' })
    .click()
  await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor()
  await page.locator('main mark').first().waitFor()
})

test('axe finds nothing on the page with figures and an open table, and nothing overflows it', async () => {
  const { page, open } = visit
  await open('/w/library/usage?period=30d')
  await page
    .getByRole('img', { name: /Chart: Searches/ })
    .locator('canvas')
    .waitFor()
  await page.getByRole('button', { name: 'Show table: Durations' }).click()
  await waitUntilSettled(page)
  await inspectViews(page, 'usage', 'console')
})

test('with hashes, the page says why it has no texts', async () => {
  await setQueryLog('hashed')
  await visit.open('/w/library/usage')
  await visit.page.getByText('The query log stores hashes only').first().waitFor()
  assert.equal(await visit.page.getByRole('link', { name: 'silent river' }).count(), 0)
})

test('the overview shows a summary once the workspace is set up', async () => {
  const { page, open } = visit
  await open('/w/library')
  await page.getByRole('heading', { name: 'Last 24 hours' }).waitFor()
  await page.getByRole('definition').nth(5).waitFor()
  await page.getByRole('link', { name: '1 search without results' }).waitFor()
  await page.getByRole('button', { name: 'Close the first steps' }).click()
  await page.getByRole('heading', { name: 'Try it' }).waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Show the first steps' }).click()
  await page.getByRole('heading', { name: 'Try it' }).waitFor()
  await page.getByRole('link', { name: 'Show usage' }).click()
  await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor()
})
