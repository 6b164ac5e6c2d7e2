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

test('without types, every name compiles', async t => {
  const baseUrl = await listen(t, (_request, reply) => sendJson(reply, 200, { total: 3 }))
  const stack = [{ endpoint: 'any', parameters: [{ name: 'thing', value: 'x' }] }]
  assert.deepEqual(await queryApi({ baseUrl }, 'library', 'library').count(stack), { total: 3 })
})
