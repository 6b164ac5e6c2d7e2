/** APIs and "Try it" in the fake DOM. Clicks and the shown code send the same query. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { inspectViews } from '#tests/support/console-dom/inspect'
import { visitSignedIn, waitUntilSettled } from '#tests/support/console-dom/visit'
import { books, type Library, makeLibrary } from '#tests/support/library'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let library: Library
before(async () => {
  server = await startServer()
  library = await makeLibrary(server)
})
after(async () => {
  await server?.stop()
})

/** Runs a program on its standard input and returns its output. */
const runProgram = (command: string, args: string[], program: string): Promise<string> => {
  const env = { ...process.env, CLIENT_ID: library.clientId, CLIENT_SECRET: library.clientSecret }
  // The client of this repository.
  const running = promisify(execFile)(command, args, {
    maxBuffer: 1024 * 1024,
    env,
    cwd: import.meta.dirname,
  })
  running.child.stdin?.end(program)
  return running.then(({ stdout }) => stdout)
}

const runTypeScript = (code: string) =>
  runProgram(process.execPath, ['--input-type=module-typescript', '-'], code)
/** Commands that run the code. Each prints the items; curl prints the reply. */
const runners: Record<string, (code: string) => Promise<string>> = {
  curl: code => runProgram('sh', [], code),
  TypeScript: runTypeScript,
  Python: code => runProgram('python3', ['-'], code),
  SDK: runTypeScript,
}

test('a search shows highlights, facets, pages and statistics, and its code sends the same query', async () => {
  const { page, end } = await visitSignedIn(server, `/w/library/apis`)
  await page.getByRole('link', { name: 'search', exact: true }).click()
  await page.getByLabel('Search for').fill('silent river')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByText('40 results').waitFor()
  assert.deepEqual([...new Set(await page.locator('mark').allTextContents())].toSorted(), ['river', 'silent'])
  await page
    .getByRole('progressbar', { name: '40 results with a relevance of at least 0%', exact: true })
    .waitFor()

  // The next click adds to what the page shows by then.
  const isChosen = (genre: string) =>
    page.getByRole('button', { name: `Remove the filter Genre: ${genre}` }).waitFor()
  await page.getByText('drama (40)').click()
  await isChosen('drama')
  await page.getByText('comedy (13)').click()
  await isChosen('comedy')
  await page.getByText('40 results').waitFor()
  await page.getByText('drama (40)').click()
  await page.getByText('13 results').waitFor()
  assert.match(decodeURIComponent(page.url()), /genre:FILTER\/p\/value\/comedy$/)
  await page.getByRole('button', { name: 'page 2', exact: true }).click()
  await waitUntilSettled(page)
  await page.getByText('rank 11 ·').waitFor()
  await page.goBack()
  await page.getByText('rank 1 ·').waitFor()
  await inspectViews(page, 'try-it-facets', undefined)

  await page.getByRole('tab', { name: 'Code' }).click()
  const runCode = async (language: string): Promise<unknown> => {
    await page.getByRole('tab', { name: language }).click()
    const code = page.getByRole('tabpanel', { name: language }).locator('pre')
    await code.waitFor()
    await code.locator('.code-text').first().waitFor()
    const output: unknown = JSON.parse((await runners[language]?.((await code.textContent()) ?? '')) ?? '')
    return Array.isArray(output) ? output : (output as { items: unknown }).items
  }
  const items = (await runCode('curl')) as { tuple: { id: string }[]; highlights?: unknown }[]
  assert.equal(items.length, 10)
  assert.equal(items[0]?.highlights, undefined)
  for (const language of Object.keys(runners)) assert.deepEqual(await runCode(language), items, language)
  assert.equal(await page.getByText('%3AFILTER').count(), 0)
  // The person's own token needs no account, and highlights are there on demand.
  await page.getByRole('switch', { name: 'Use my own access token' }).click()
  await page.getByText('never share or commit it').waitFor()
  for (const language of Object.keys(runners))
    assert.deepEqual(await runCode(language), items, `${language}, own token`)
  await page.getByRole('switch', { name: 'Use my own access token' }).click()
  await page.getByRole('switch', { name: 'Ask for highlights' }).click()
  const [highlighted] = (await runCode('SDK')) as typeof items
  assert.ok(highlighted?.highlights)
  await inspectViews(page, 'try-it-code', undefined)
  await page.reload()
  await page.getByRole('tabpanel', { name: 'curl' }).waitFor()
  await page.getByRole('tab', { name: 'Results' }).click()
  const first = items[0]?.tuple[0]?.id ?? 'none'
  assert.equal(await page.getByRole('link', { name: first }).getAttribute('href'), first)
  await end()
})

test('Search sends the query again, with results and facets, even if nothing has changed', async () => {
  const { page, end } = await visitSignedIn(server, '/w/library/apis/library?stack=e%2Fall')
  await page.getByText('200 results').waitFor()
  await page.getByText('drama (100)').waitFor()
  const anew = '{"id":"anew","title":"Anew","genre":["drama"]}\n'
  await server.importDocuments('library', 'books', anew, { format: 'ndjson' })
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByText('201 results').waitFor()
  await page.getByText('drama (101)').waitFor()
  const originalBooks = JSON.stringify(books)
  await server.importDocuments('library', 'books', originalBooks, { format: 'json', replace: true })
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByText('200 results').waitFor()
  await page.getByText('drama (100)').waitFor()
  await end()
})

test('filters can be removed one by one or all at once, and a link opens the same search', async () => {
  const narrowed =
    'e/search/p/query/silent%20river/e/genre:FILTER/p/value/1(drama)|0.5(comedy)/e/long/p/pages/'
  const address = `/w/library/apis/library?stack=${encodeURIComponent(`${narrowed}580/e/available`)}`
  const { page, end } = await visitSignedIn(server, address)
  const filters = page.getByRole('group', { name: 'Filters' }).getByRole('button')
  const listed = () => filters.allTextContents()
  const remove = (label: string) => filters.filter({ hasText: label }).click()
  await page.getByRole('heading', { name: 'No results' }).waitFor()
  assert.deepEqual(await listed(), [
    'Remove the filter Genre: drama',
    'Remove the filter Genre: comedy',
    'Remove the filter long: 580',
    'Remove the filter available',
    'Remove all filters',
  ])
  await remove('available')
  await page.getByText('1 result', { exact: true }).waitFor()
  await remove('long: 580')
  await page.getByText('40 results').waitFor()
  await remove('Genre: drama')
  await page.getByText('13 results').waitFor()
  // The score of the remaining filter is kept.
  assert.match(decodeURIComponent(decodeURIComponent(page.url())), /genre:FILTER\/p\/value\/0\.5\(comedy\)/)
  await page.reload()
  await page.getByText('13 results').waitFor()
  await page.getByRole('button', { name: 'Remove the filter Genre: comedy' }).waitFor()

  // Another query keeps the same filters.
  await page.getByLabel('Search for').fill('river')
  await page.keyboard.press('Enter')
  await page.waitForURL(/query%2Friver/)
  await waitUntilSettled(page)
  assert.deepEqual(await listed(), ['Remove the filter Genre: comedy'])
  await page.getByText('été (').click()
  await page.getByRole('button', { name: 'Remove the filter Genre: été' }).waitFor()
  await inspectViews(page, 'try-it-filters', undefined)
  await page.getByRole('button', { name: 'Remove all filters' }).click()
  await page.getByText('20 results').waitFor()
  assert.deepEqual(await listed(), [])
  await end()
})

const shopFile = `
workspace: shop
title: Shop
collections:
  things:
    id: { field: id, uri: "urn:thing:{id}" }
    fields:
      about: { type: text }
      since: { type: date }
      brand: { type: keyword, title: Brand }
      Name: { type: text }
      sold: { type: boolean }
      maker.name: { type: text }
apis:
  nothing: {}
  things:
    title: Things
    endpoints:
      search: { kind: match, collection: things, fields: [about, Name, maker.name] }
      all: { kind: all, collection: things }
`

test('results have readable headings, and empty pages say what to do next', async () => {
  await server.applyWorkspace(shopFile.slice(0, shopFile.indexOf('apis:')))
  const { page, open, end } = await visitSignedIn(server, '/w/shop')
  await page.getByRole('heading', { name: 'Create an API' }).waitFor()
  await open('/w/shop/apis')
  await page.getByRole('heading', { name: 'No APIs yet' }).waitFor()
  await server.applyWorkspace(shopFile)
  await open('/w/shop/apis')
  await page.getByText('No endpoints yet').waitFor()
  await open('/w/shop/apis/nothing')
  await page.getByRole('heading', { name: 'No endpoints yet' }).waitFor()
  await inspectViews(page, 'no-endpoint', undefined)
  await open('/w/shop/apis/things')
  await page.getByRole('heading', { name: 'No search yet' }).waitFor()
  await page.getByRole('button', { name: 'Show all documents' }).click()
  await page.getByRole('heading', { name: 'No documents yet' }).waitFor()
  assert.equal(
    await page.getByRole('link', { name: 'things', exact: true }).getAttribute('href'),
    '/console/w/shop/data/things/import',
  )
  await inspectViews(page, 'no-documents', undefined)

  const long = 'made of steel and wood '.repeat(30)
  const sampleDocuments = [
    {
      id: '1',
      about: `A knife ${long}`,
      since: '2024-02-01',
      brand: 'Acme',
      Name: 'Bread knife',
      sold: true,
    },
    {
      id: '2',
      about: `A spoon ${long}`,
      since: '2024-02-02',
      brand: 'Acme spoons',
      made: 1234567,
      maker: { name: 'Ada', year: 1998, towns: ['Delft', 'Gouda'] },
      web: 'https://example.org/spoon',
      photo: 'https://example.org/spoon.jpg',
    },
    {
      id: '3',
      about: `A fork ${long}`,
      since: '2024-02-03',
      opens: '2026-12-24T19:30:00+02:00',
      note: `<p>Sharp &amp; <b>new</b>.</p><p>${'bright '.repeat(12)}</p>`,
    },
  ]
  await server.importDocuments('shop', 'things', sampleDocuments.map(it => JSON.stringify(it)).join('\n'))
  await page.reload()
  await page.getByText('3 results').waitFor()
  assert.deepEqual(await page.getByRole('listitem').getByRole('heading').allTextContents(), [
    'Bread knife',
    'Acme spoons',
    'urn:thing:3',
  ])
  const first = page
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading') })
    .first()
  // A URI that is not a web address is not a link.
  await first.getByText('urn:thing:1').waitFor()
  assert.equal(await first.getByRole('link').count(), 0)
  assert.deepEqual(await first.getByRole('term').allTextContents(), ['about', 'since', 'Brand', 'sold'])
  assert.deepEqual((await first.getByRole('definition').allTextContents()).slice(1), [
    '1 Feb 2024',
    'Acme',
    'yes',
  ])
  await first.getByText('rank 1').waitFor()
  await page.getByText('1,234,567').waitFor()
  await page.getByText('name: Ada; year: 1998; towns: Delft, Gouda').waitFor()
  // As people write a moment, by the clock of its zone with the zone, and HTML without its tags.
  await page.getByText('24 Dec 2026, 19:30 UTC+2', { exact: true }).waitFor()
  await page.getByText(`Sharp & new. ${'bright '.repeat(12).trim()}`, { exact: true }).waitFor()
  await page.getByRole('link', { name: 'https://example.org/spoon', exact: true }).waitFor()
  assert.equal(await page.locator('main img').count(), 0)
  await page.getByRole('button', { name: 'Show pictures' }).click()
  assert.deepEqual(
    [
      await page.locator('main img').getAttribute('src'),
      await page.locator('main img').getAttribute('loading'),
      await page.locator('main img').getAttribute('referrerpolicy'),
    ],
    ['https://example.org/spoon.jpg', 'lazy', 'no-referrer'],
  )
  assert.equal(await first.getByText(long.trim()).count(), 0)
  await first.getByRole('button', { name: 'All of about' }).click()
  await first.getByText(long.trim()).waitFor()
  await inspectViews(page, 'long-fields', undefined)

  // The browser remembers the fields of the API, and the address has the view.
  await page.getByRole('button', { name: 'Fields' }).click()
  const fields = page.getByRole('dialog', { name: 'Fields of the results' })
  for (const name of ['about', 'since']) await fields.getByLabel(name).uncheck()
  await fields.getByLabel('sold').check()
  await inspectViews(page, 'result-fields', undefined)
  await fields.getByRole('button', { name: 'Save' }).click()
  await fields.waitFor({ state: 'detached' })
  assert.deepEqual(await first.getByRole('term').allTextContents(), ['Brand', 'sold'])
  await first.getByRole('button', { name: '2 more fields' }).click()
  assert.deepEqual(await first.getByRole('term').allTextContents(), ['about', 'since', 'Brand', 'sold'])
  await page.getByText('Compact', { exact: true }).click()
  await page.waitForURL(/view=compact/)
  await page.getByText('Acmeyes').waitFor()
  await inspectViews(page, 'compact-results', undefined)

  await page.goto(`${server.authUrl}/console/w/shop/apis/things?stack=e%2Fsearch%2Fp%2Fquery%2Fbread`)
  const heading = first.getByRole('heading')
  await heading.waitFor()
  assert.deepEqual(await heading.locator('mark').allTextContents(), ['Bread'])
  // Also where it was found inside of an object, without its accent.
  await page.getByLabel('Search for').fill('àda')
  await page.keyboard.press('Enter')
  // The result before was one too.
  await heading.locator('mark').waitFor({ state: 'detached' })
  await page.getByText('1 result', { exact: true }).waitFor()
  await first.getByRole('button', { name: /more fields?$/ }).click()
  assert.deepEqual(await first.locator('dd mark').allTextContents(), ['Ada'])
  await page.getByLabel('Search for').fill('zzz')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'No results' }).waitFor()
  await page.getByRole('button', { name: 'Show all documents' }).click()
  await page.getByText('3 results').waitFor()
  await end()
})

test('the page explains errors of the service, and suggests what to do if nothing is found', async () => {
  const { page, open, expectRefused, end } = await visitSignedIn(
    server,
    `/w/library/apis/library?stack=e%2Flong%2Fp%2Fpages%2F3`,
  )
  await page.getByRole('heading', { name: 'No results' }).waitFor()
  await inspectViews(page, 'nothing-found', undefined)
  await expectRefused([400], async () => {
    await open('/w/library/apis/library?stack=e%2Flong%2Fp%2Fpages%2Fmany')
    await page.getByRole('alert').getByText('many').waitFor()
  })
  await inspectViews(page, 'bad-query', undefined)
  await end()
})

test('the page suggests a text that finds something, names dropped words, and opens the levels of a hierarchy', async () => {
  await server.applyWorkspace(`
workspace: shelves
collections:
  books:
    id: { field: id }
    fields:
      title: { type: text }
      shelf: { type: keyword }
      shop: { type: geo }
apis:
  books:
    endpoints:
      search: { kind: match, collection: books }
      relaxed: { kind: match, collection: books, matching: relaxed }
      all: { kind: all, collection: books }
      shelf: { kind: facet, field: shelf, separator: " > " }
      near: { kind: filter, field: shop, title: Near a place }
`)
  const shelved = [
    { id: '1', title: 'The silent river', shelf: 'Books > Fiction > Crime', shop: { lat: 52.37, lon: 4.89 } },
    { id: '2', title: 'The silent mountain', shelf: 'Books > Travel', shop: { lat: 40.7, lon: -74 } },
    { id: '3', title: 'A map of rivers', shelf: 'Maps' },
  ]
  await server.importDocuments('shelves', 'books', shelved.map(it => JSON.stringify(it)).join('\n'))
  const { page, open, end } = await visitSignedIn(
    server,
    `/w/shelves/apis/books?stack=e%2Fsearch%2Fp%2Fquery%2Fmontain`,
  )
  await page.getByRole('button', { name: 'mountain', exact: true }).click()
  await page.getByText('1 result').waitFor()

  await open('/w/shelves/apis/books?stack=e%2Frelaxed%2Fp%2Fquery%2Fsilent%20volcano')
  await page.getByText('Without: volcano').waitFor()
  await page.getByText('2 results').waitFor()

  await open('/w/shelves/apis/books?stack=e%2Fall')
  await page.getByText('Books (2)').click()
  await page.getByText('Books > Fiction (1)').click()
  await page.getByText('1 result').waitFor()
  await page.getByRole('button', { name: 'Remove the filter shelf: Books > Fiction' }).waitFor()
  await page.getByText('Books > Fiction > Crime (1)').waitFor()
  await inspectViews(page, 'hierarchy', undefined)

  // A place in words is corrected at its field, and no query is sent for it.
  await open('/w/shelves/apis/books?stack=e%2Fall')
  await page.getByRole('button', { name: 'Add filter' }).click()
  await page.getByRole('menuitem', { name: 'Near a place' }).click()
  const place = page.getByLabel('Latitude, longitude and distance')
  await place.fill('Amsterdam')
  await place.press('Enter')
  await page.getByText('Type a latitude, a longitude and a distance').waitFor()
  assert.equal(await place.getAttribute('aria-invalid'), 'true')
  await place.fill('52.37,4.89,10km')
  await place.press('Enter')
  await page.getByText('1 result').waitFor()

  // Two queries side by side; the address has both.
  await open('/w/shelves/apis/books?stack=e%2Fsearch%2Fp%2Fquery%2Fsilent')
  await page.getByRole('tab', { name: 'Compare' }).click()
  await page.getByLabel('Other text').fill('rivers')
  const compared = page.getByRole('region', { name: 'search: rivers' })
  await compared.getByText('A map of rivers').waitFor()
  await compared.getByText('new').waitFor()
  await page.waitForURL(/with=[^&]*rivers/)
  await inspectViews(page, 'compare', undefined)
  // Places are on a map, and near ones are one point.
  await page.getByRole('tab', { name: 'Results' }).click()
  await page.getByText('2 results').waitFor()
  await page.getByRole('tab', { name: 'Map' }).click()
  await page.getByText('2 results are on the map.').waitFor()
  await page.getByRole('button', { name: 'The silent river' }).click()
  await page.getByText('52.37, 4.89').waitFor()
  await page.getByRole('button', { name: 'Zoom out' }).click()
  await inspectViews(page, 'result-map', undefined)
  await end()
})
