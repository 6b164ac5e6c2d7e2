/** The compiler runs these tests: each `@ts-expect-error` fails `npm run types` if the line below it compiles. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queryApi } from './query.ts'
import { listen, sendJson } from './test-server.ts'

/** As `querent types` writes it. */
interface Books {
  endpoints: {
    search: { query: string }
    long: { pages: number }
    all: Record<never, string>
    'genre:FILTER': { value: string }
  }
  facets: 'genre'
  configurations: 'default' | 'staging'
  attributes: { title?: string | string[]; pages?: number | number[] }
}

test('a wrong endpoint, parameter, facet, configuration or attribute does not compile', async t => {
  const baseUrl = await listen(t, (_request, reply) =>
    sendJson(reply, 200, { offset: 0, count: 1, type: [], items: [], total: 0, options: [] }),
  )
  const api = queryApi<Books>({ baseUrl }, 'library', 'library')
  const search = { endpoint: 'search' as const, parameters: [{ name: 'query' as const, value: 'river' }] }
  const pages = 12
  const { items } = await api.results(
    [search, { endpoint: 'long', parameters: [{ name: 'pages', value: `${pages}` }] }],
    { config: 'staging' },
  )
  const title: string | string[] | undefined = items[0]?.tuple[0]?.attributes.title
  assert.equal(title, undefined)
  await api.options([search], 'genre')
  await api.count([{ endpoint: 'all', parameters: [] }])

  // @ts-expect-error no such endpoint
  await api.count([{ endpoint: 'serch', parameters: [] }])
  // @ts-expect-error no such parameter
  await api.count([{ endpoint: 'search', parameters: [{ name: 'q', value: 'x' }] }])
  // @ts-expect-error not a number
  await api.count([{ endpoint: 'long', parameters: [{ name: 'pages', value: 'many' }] }])
  // @ts-expect-error no such facet
  await api.options([search], 'author')
  // @ts-expect-error no such configuration
  await api.count([search], { config: 'stagin' })
  // @ts-expect-error no such attribute
  assert.equal(items[0]?.tuple[0]?.attributes.titel, undefined)
})

test('a wrong name in a query built by methods does not compile', async t => {
  const baseUrl = await listen(t, (_request, reply) =>
    sendJson(reply, 200, { offset: 0, count: 1, type: [], items: [], total: 0, options: [], responses: [] }),
  )
  const api = queryApi<Books>({ baseUrl }, 'library', 'library')
  const query = api.query('search', { query: 'river' }).refine('long', { pages: 12 }).refine('all')
  await query.filter('genre', ['drama', 'comedy']).results({ config: 'staging' })
  for await (const { tuple } of query.items()) {
    const title: string | string[] | undefined = tuple[0]?.attributes.title
    assert.equal(title, undefined)
  }
  const [page, facet, unknown] = await api.batch([
    query.request.results(),
    query.request.options('genre'),
    'status',
  ])
  if (page?.ok) assert.ok(page.body.items[0]?.tuple[0]?.attributes.pages)
  if (facet?.ok) assert.ok(facet.body.options)
  if (unknown?.ok) assert.notEqual(unknown.body, 'unknown')

  // Never runs: the compiler reads it.
  const wrong = () => {
    // @ts-expect-error no such endpoint
    api.query('serch', { query: 'x' })
    // @ts-expect-error no such parameter
    api.query('search', { q: 'x' })
    // @ts-expect-error a required parameter is missing
    api.query('search')
    // @ts-expect-error not a number
    query.refine('long', { pages: 'many' })
    // @ts-expect-error no such facet
    query.filter('author', 'x')
    // @ts-expect-error no such facet
    void query.options('author')
    // @ts-expect-error no such configuration
    void query.count({ config: 'stagin' })
    // @ts-expect-error no such facet
    query.request.options('author')
    // @ts-expect-error no such attribute
    if (page?.ok) page.body.items[0]?.tuple[0]?.attributes.titel
  }
  assert.ok(wrong)
})

test('without types, every name compiles', async t => {
  const baseUrl = await listen(t, (_request, reply) => sendJson(reply, 200, { total: 3 }))
  const stack = [{ endpoint: 'any', parameters: [{ name: 'thing', value: 'x' }] }]
  assert.deepEqual(await queryApi({ baseUrl }, 'library', 'library').count(stack), { total: 3 })
})
