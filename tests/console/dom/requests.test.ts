/** The page "Requests" in the fake DOM. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inspectViews } from '#tests/support/console-dom/inspect'
import { visitSignedIn } from '#tests/support/console-dom/visit'
import { type Library, makeLibrary, workspaceFile } from '#tests/support/library'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let library: Library
before(async () => {
  server = await startServer()
  library = await makeLibrary(server)
})
after(() => server?.stop())

const query = async (path: string) => (await library.get(path)).arrayBuffer()

test('requests appear as they come, and open in Try it or in their explanation', async () => {
  for (const part of ['results', 'count']) await query(`library/e/search/p/query/silent%20river/${part}`)
  const { page, end, open } = await visitSignedIn(server, '/w/library/requests')
  await page.getByText('The query log is off').waitFor()
  await page.getByText('search', { exact: true }).first().waitFor()
  // Try it can't open a search without its text.
  assert.equal(await page.getByRole('link', { name: 'search', exact: true }).count(), 0)

  const source = `${workspaceFile(library.workspace)}settings: { queryLog: { parameters: full } }\n`
  await server.applyWorkspace(source)
  await query('library/e/search/p/query/silent%20river/e/genre:FILTER/p/value/drama/results')
  await query('library/e/search/p/query/xyzzy/results')
  for (let facet = 0; facet < 2; facet++) await query('library/e/search/p/query/xyzzy/options/genre')
  const address = `${server.baseUrl}/4/library/api/library/e/search/p/query/x/results`
  await fetch(address)
  await fetch(address, { headers: { authorization: 'Bearer abc' } })
  // Without a reload.
  await page.getByRole('link', { name: 'search: silent river' }).waitFor()
  await page.getByText('No results').waitFor()
  // Nobody has counted, here and for those of drama.
  await query('library/e/all/results?count=1')
  await page
    .getByText(/^At least \d+ results$/)
    .nth(1)
    .waitFor()
  await page.getByText(/^genre: drama/).waitFor()
  await page.getByRole('link', { name: 'Refused: Token format' }).waitFor()
  // Nothing was sent.
  await page.getByRole('link', { name: 'Refused: No token' }).waitFor()
  assert.ok((await page.getByRole('cell', { name: 'tests' }).count()) > 0)
  await inspectViews(page, 'requests', undefined)

  // The options of a facet are no search.
  await page.getByText(/3 requests with the facets/).waitFor()
  await page.getByLabel('Answer').selectOption({ label: 'Without results' })
  await page.getByText('1 search · 1 request', { exact: true }).waitFor()
  await page.getByLabel('Answer').selectOption({ label: 'Refused' })
  await page.getByText('2 requests', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Refused: Token format' }).click()
  await page.getByRole('heading', { level: 1, name: 'Why was I refused?' }).waitFor()
  await open('/w/library/requests?text=river')
  await page.getByRole('link', { name: 'search: silent river' }).click()
  await page.getByText('results').first().waitFor()
  await end()
})

test('a failed query says why and has its request ID, by which the page and "Why was I refused?" find it', async () => {
  await server.applyWorkspace(
    `${workspaceFile(library.workspace)}settings: { queryLog: { parameters: full } }\n`,
  )
  const reply = await library.get('library/e/search/p/query/x/results?count=many')
  const { requestId, code, message } = (await reply.json()) as Record<string, string>
  assert.equal(code, 'bad-option')
  const { page, expectRefused, end } = await visitSignedIn(server, `/w/library/refused`)
  await expectRefused([404], async () => {
    await page.getByLabel('Request ID or access token').fill(requestId ?? '')
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.getByText('No refused request has this ID').waitFor()
  })
  await page.getByRole('alert').getByRole('link', { name: 'Requests' }).click()
  await page.getByText('Failed: bad-option').waitFor()
  await page.getByText(message ?? '').waitFor()
  await page.getByText(`Request ID ${requestId}`).waitFor()
  await page.getByText('1 request', { exact: true }).waitFor()
  await inspectViews(page, 'requests-failed', undefined)
  await end()
})

test('different searches of one account have a line each while the query log is off, with the facets of each', async () => {
  await server.applyWorkspace(workspaceFile(library.workspace))
  const { page, end, open } = await visitSignedIn(server, '/w/library/requests')
  await open('/w/library/requests')
  const countRows = () => page.getByRole('row').count()
  const earlierCount = await countRows()
  for (const text of ['river', 'lake', 'sea']) {
    await query(`library/e/search/p/query/${text}/results`)
    for (let facet = 0; facet < 2; facet++) await query(`library/e/search/p/query/${text}/options/genre`)
  }
  for (const count of ['many', 'some']) await query(`library/e/search/p/query/x/results?count=${count}`)
  await open('/w/library/requests')
  await page.getByText('Failed: bad-option').nth(1).waitFor()
  await page.getByText('2 requests with the facets').nth(2).waitFor()
  // The second request for a facet belongs to no search.
  assert.equal((await countRows()) - earlierCount, 3 + 3 + 2)
  await end()
})

test('a misspelt API is listed, found by its request ID and counted in no figure', async () => {
  const reply = await library.get('libary/e/search/p/query/x/results')
  const { requestId, code } = (await reply.json()) as Record<string, string>
  assert.equal(code, 'no-such-api')
  const { page, end } = await visitSignedIn(server, `/w/library/requests?text=${requestId}`)
  await page.getByText('Failed: no-such-api').waitFor()
  await page.getByRole('cell', { name: 'libary' }).first().waitFor()
  await page.getByText('1 request', { exact: true }).waitFor()
  await end()
})
