/** The console leads from the first sign-in on an empty data folder to the first authorized query. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import type { Browser, Locator } from 'playwright-core'
import { waitUntil } from '#server/test-wait'
import { openChromium } from '#tests/support/chromium'
import {
  adminEmail,
  signIn,
  visitConsole,
  waitForCount,
  waitUntilSettled,
} from '#tests/support/console-visit'
import { inspectViews } from '#tests/support/pages-inspect'
import { type StartedServer, startServer } from '#tests/support/started-server'

/** The bound of the issue. */
const clicksMax = 12

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

/** Runs the command as a person who copies it from the page. */
const inShell = async (command: string): Promise<string> =>
  (await promisify(execFile)('sh', ['-c', command])).stdout

const documents = [
  { id: '1', title: 'Water', text: 'How rivers find the sea', subject: 'geography', published: '2026-01-31' },
  { id: '2', title: 'Fire', text: 'How forests burn', subject: 'nature', published: '2026-02-28' },
]

test(`a new administrator reaches the first authorized query with at most ${clicksMax} clicks`, async t => {
  const visit = await visitConsole(browser, server)
  const { page } = visit
  let clicks = 0
  const click = async (target: Locator) => {
    clicks += 1
    await target.click()
  }
  const picture = (name: string) => inspectViews(page, name, 'console')

  await page.goto(`${server.authUrl}/console/`)
  clicks += 1
  await signIn(page, adminEmail)
  await page.getByRole('heading', { name: 'No workspaces yet' }).waitFor()
  await picture('start')

  await click(page.getByRole('button', { name: 'Create workspace' }))
  await page.getByLabel('Title').fill('Our library')
  await page.getByLabel('URL name').waitFor()
  await picture('make-workspace')
  await click(page.getByRole('button', { name: 'Create', exact: true }))
  await page.getByRole('heading', { level: 1, name: 'Our library' }).waitFor()
  await waitForCount(page.getByRole('img', { name: 'to do' }), 2)
  await picture('overview-empty')

  await click(page.getByRole('link', { name: 'Write the workspace file' }))
  await click(page.getByRole('button', { name: 'Starter' }))
  await click(page.getByRole('button', { name: 'Apply' }))
  await page.getByRole('status').getByText('Applied').waitFor()
  await picture('workspace-file-applied')

  await click(page.getByRole('link', { name: 'import documents' }))
  await click(page.getByRole('link', { name: 'Documents', exact: true }))
  await page.locator('input[type=file]').setInputFiles({
    name: 'documents.ndjson',
    mimeType: 'application/x-ndjson',
    buffer: Buffer.from(documents.map(document => JSON.stringify(document)).join('\n')),
  })
  await click(page.getByRole('button', { name: 'Import documents.ndjson' }))
  await page.getByText('2 documents accepted').waitFor()
  await page.getByRole('link', { name: 'Try it: Search our documents' }).waitFor()
  await picture('imported')

  await click(page.getByRole('link', { name: 'Team Members' }))
  await click(page.getByRole('button', { name: 'Create System-to-System account' }))
  await page.getByLabel('Name').fill('Website')
  await click(page.getByRole('button', { name: 'Create', exact: true }))
  await page.getByText('Copy the Client Secret now').waitFor()
  await picture('client-secret')
  const [request, query] = await page.locator('pre').allTextContents()

  assert.ok(clicks <= clicksMax, `${clicks} clicks`)
  const { access_token: token } = JSON.parse(await inShell(request ?? '')) as { access_token: string }
  const queryCommand = (query ?? '')
    .replace('<ACCESS_TOKEN>', token)
    .replace(/\/p\/query\/\w+\//, '/p/query/rivers/')
  const { items } = JSON.parse(await inShell(queryCommand)) as { items: { tuple: { id: string }[] }[] }
  assert.equal(items[0]?.tuple[0]?.id, 'https://example.org/documents/1')
  t.diagnostic(`first authorized query after ${clicks} clicks`)

  await visit.open('/workspaces')
  await click(page.getByRole('button', { name: 'Create workspace' }))
  await page.getByLabel('Title').fill('Our library')
  await page.keyboard.press('Enter')
  await page.getByText('The workspace our-library already exists').waitFor()
  const readUsage = () =>
    server.call('summarizeUsage', { params: { workspace: 'our-library' }, query: { period: '30d' } })
  await waitUntil(async () => (await readUsage()).total.queries > 0)
  await visit.open('/w/our-library')
  await waitForCount(page.getByRole('img', { name: 'done' }), 4)
  await waitForCount(page.getByRole('img', { name: 'any time' }), 1)
  assert.equal(await page.getByRole('img', { name: 'to do' }).count(), 0)
  await click(page.getByRole('link', { name: 'Query the API “Search our documents”' }))
  await page.getByLabel('Search for').fill('forests')
  await page.keyboard.press('Enter')
  await page.getByText('1 result', { exact: true }).waitFor()
  await waitUntilSettled(page)
  await visit.end()
})
