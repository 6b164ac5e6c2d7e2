/** The form of "Try it" in the fake DOM: it searches while a person types, and loses nothing. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inspectViews } from '#tests/support/console-dom/inspect'
import type { Page } from '#tests/support/console-dom/page'
import { visitSignedIn, waitForFocus } from '#tests/support/console-dom/visit'
import { type StartedServer, startServer } from '#tests/support/started-server'

const file = `
workspace: tools
collections:
  tools:
    id: { field: id, uri: "urn:tool:{id}" }
    fields:
      name: { type: text }
      price: { type: number }
      use: { type: keyword }
      inStock: { type: boolean }
configurations:
  staged: { tools: latest }
apis:
  tools:
    title: Tools
    endpoints:
      search: { kind: match, collection: tools, title: Search tools }
      all: { kind: all, collection: tools }
      tool: { kind: lookup, collection: tools, title: One tool }
      price: { kind: range, field: price, title: Price }
      use: { kind: facet, field: use, title: Use }
      costs: { kind: facet, field: price, ranges: [{ to: 15 }, { from: 15, to: 50 }, { from: 10000 }], title: Costs }
      cheap: { kind: sort, field: price, title: Cheapest first }
      in-stock: { kind: boost, field: inStock, value: true, by: 3, title: In stock }
`
const tools = [
  { id: '1', name: 'Hammer', price: 20, use: 'nailing', inStock: false },
  { id: '2', name: 'Hammer drill', price: 90, use: ['drilling', 'nailing'], inStock: true },
  { id: '3', name: 'Hand saw', price: 12, use: 'cutting', inStock: true },
]

let server: StartedServer
before(async () => {
  server = await startServer()
  await server.applyWorkspace(file)
  await server.importDocuments('tools', 'tools', tools.map(it => JSON.stringify(it)).join('\n'))
})
after(async () => {
  await server?.stop()
})

const path = '/w/tools/apis/tools'
const isResults = (url: URL): boolean => url.pathname.endsWith('/results,count')
const firstHeading = (page: Page, name: string) =>
  page
    .locator('li h2')
    .first()
    .filter({ hasText: new RegExp(`^${name}$`) })
const headings = (page: Page) => page.getByRole('listitem').getByRole('heading').allTextContents()

test('results follow the typing, no key is lost when they are slow, and Back leaves the text as a whole', async () => {
  const { page, end } = await visitSignedIn(server, path)
  await page.getByRole('heading', { name: 'No search yet' }).waitFor()
  const queries: string[] = []
  const typing = Promise.withResolvers<void>()
  await page.route(isResults, async route => {
    queries.push(route.request().url())
    // Slower than the typing.
    await typing.promise
    await route.continue().catch(() => {})
  })
  const field = page.getByLabel('Search for')
  await field.pressSequentially('hammer drill')
  assert.equal(await field.inputValue(), 'hammer drill')
  typing.resolve()
  await page.getByText('2 results').waitFor()
  assert.equal(await field.inputValue(), 'hammer drill')
  await page.waitForURL(/query%2Fhammer%2520drill/)
  await page.unroute(isResults)
  assert.ok(queries.length >= 1)
  assert.deepEqual(await headings(page), ['Hammer drill', 'Hammer'])

  // Another search, whose text is a new place in the history.
  await field.press('Enter')
  await field.fill('saw')
  await page.getByText('1 result', { exact: true }).waitFor()
  await page.goBack()
  await page.getByText('2 results').waitFor()
  assert.equal(await field.inputValue(), 'hammer drill')
  await page.goBack()
  await page.getByRole('heading', { name: 'No search yet' }).waitFor()
  assert.equal(await field.inputValue(), '')
  await end()
})

test('a query that a newer text replaces is canceled', async () => {
  const { page, end } = await visitSignedIn(server, path)
  const canceled: string[] = []
  page.on('requestfailed', request => canceled.push(request.url()))
  const { promise: started, resolve: start } = Promise.withResolvers<void>()
  await page.route(
    url => isResults(url) && url.pathname.includes('hand'),
    () => start(),
  )
  await page.getByLabel('Search for').fill('hand')
  await started
  await page.getByLabel('Search for').fill('hammer')
  await page.getByText('2 results').waitFor()
  assert.ok(canceled.some(url => url.includes('/query/hand/')))
  await end()
})

test('filters, sorts and boosts are added by name, and relevance is hidden where results are sorted', async () => {
  const { page, end } = await visitSignedIn(server, path)
  assert.deepEqual(await page.getByLabel('Endpoint').locator('option').allTextContents(), [
    'Search tools',
    'all',
    'One tool',
    'Use',
    'Costs',
  ])
  await page.getByLabel('Search for').fill('hammer')
  await page.getByText('rank 2 · relevance').waitFor()
  await page.getByText('rank 1 · relevance 100%').waitFor()
  const title = await page.getByText('rank 2 · relevance').getAttribute('title')
  const score = Number(/: (0\.\d+)$/.exec(title ?? '')?.[1])
  assert.ok(score > 0 && score < 1, title ?? '')

  // By keyboard alone.
  await page.getByRole('button', { name: 'Add filter' }).press('Enter')
  await page.getByRole('menuitem', { name: 'Price', exact: true }).press('Enter')
  // Results follow the typing.
  await page.keyboard.type('50')
  await page.getByText('1 result', { exact: true }).waitFor()
  assert.deepEqual(await headings(page), ['Hammer drill'])
  await page.getByRole('button', { name: 'Remove Price' }).click()
  await page.getByText('2 results').waitFor()

  await page.getByRole('button', { name: 'Add boost' }).click()
  await page.getByRole('menuitem', { name: 'In stock' }).click()
  await page.getByRole('group', { name: 'Boost: In stock' }).waitFor()
  await page.waitForURL(/in-stock/)
  await firstHeading(page, 'Hammer drill').waitFor()
  await page.getByRole('button', { name: 'Add sort' }).click()
  await inspectViews(page, 'try-it-menu', undefined)
  await page.getByRole('menuitem', { name: 'Cheapest first' }).click()
  await firstHeading(page, 'Hammer').waitFor()
  await page.getByText('rank 1', { exact: true }).waitFor()
  assert.equal(await page.getByRole('main').getByText('relevance').count(), 0)
  // Buttons that need the scores stay in their place, and the page says why they are disabled.
  await page.getByText('The results are sorted. Remove the sort').waitFor()
  assert.ok(await page.getByRole('tab', { name: 'Compare' }).isDisabled())
  for (const name of ['Pin and bury', 'Tune ranking', 'Judgments'])
    assert.ok(await page.getByRole('button', { name }).isDisabled(), name)
  await inspectViews(page, 'try-it-form', undefined)
  await end()
})

test('after a search, the form adds a facet, whose values narrow the results until it is removed', async () => {
  const { page, end } = await visitSignedIn(server, path)
  await page.getByLabel('Search for').fill('hammer')
  await page.getByText('2 results').waitFor()
  // By keyboard alone.
  await page.getByRole('button', { name: 'Add filter' }).press('Enter')
  await page.getByRole('menuitem', { name: 'Use', exact: true }).press('Enter')
  const form = page.getByRole('search')
  await form.getByText('nailing (2)').waitFor()
  await waitForFocus(form.getByLabel('Find a value of Use'))
  await page.keyboard.type('dr')
  await form.getByText('nailing (2)').waitFor({ state: 'detached' })
  await form.getByRole('checkbox', { name: 'drilling (1)' }).press('Space')
  await page.getByText('1 result', { exact: true }).waitFor()
  await page.waitForURL(/use%3AFILTER/)
  await form.getByText('nailing (2)').waitFor()
  await inspectViews(page, 'try-it-facet-filter', undefined)
  assert.equal(await page.getByLabel('Search for').inputValue(), 'hammer')

  await form.getByRole('button', { name: 'Remove Use' }).click()
  await page.getByText('2 results').waitFor()
  assert.doesNotMatch(page.url(), /FILTER/)
  await end()
})

test('an answer says how long it took and which request it was, and shows its JSON', async () => {
  const { page, end } = await visitSignedIn(server, `${path}?stack=e%2Fall`)
  await page.getByText(/^\d+ ms, of which server \d+ ms · request [0-9a-f-]{36}$/).waitFor()
  const costs = page.getByRole('group', { name: 'Costs' })
  await costs.getByText('15 to 50 (1)').waitFor()
  await costs.getByText('10,000 and more (0)').waitFor()
  await costs.getByText('under 15 (1)').waitFor()
  await page.getByRole('tab', { name: 'JSON' }).click()
  const text = (await page.getByRole('tabpanel', { name: 'JSON' }).locator('pre').textContent()) ?? ''
  const [{ items }, { total }] = JSON.parse(text) as [
    { items: { tuple: { id: string }[] }[] },
    { total: number },
  ]
  assert.equal(total, 3)
  assert.equal(items[0]?.tuple[0]?.id, 'urn:tool:1')
  await inspectViews(page, 'try-it-json', undefined)
  await page.reload()
  await page.getByRole('tabpanel', { name: 'JSON' }).waitFor()
  await end()
})

test('a card shows the field by which the results are sorted', async () => {
  await server.applyWorkspace(`workspace: fairs
collections:
  fairs:
    fields: { name: { type: text }, code: { type: keyword } }
apis:
  fairs:
    endpoints:
      all: { kind: all, collection: fairs }
      by-code: { kind: sort, field: code, title: Code }
`)
  const fairs = ['x', 'y'].map((code, index) =>
    JSON.stringify({
      id: index + 1,
      name: `Fair ${index + 1}`,
      price: 10 + index,
      city: `City ${index}`,
      type: `type ${index}`,
      rating: index,
      date: `2027-01-0${index + 1}`,
      code: `${code}-code`,
    }),
  )
  await server.importDocuments('fairs', 'fairs', fairs.join('\n'))
  const { page, end } = await visitSignedIn(server, '/w/fairs/apis/fairs?stack=e%2Fall')
  await page.getByText('2 results').waitFor()
  assert.equal(await page.getByText('x-code').count(), 0)
  await page.getByRole('button', { name: 'Add sort' }).click()
  await page.getByRole('menuitem', { name: 'Code', exact: true }).click()
  await page.getByText('x-code').waitFor()
  await end()
})
