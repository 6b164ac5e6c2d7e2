/** Lists of facets, facets whose field the caller chooses, and their columns over HTTP (docs/describe-your-search.md, facet and facets). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { queryApi, readCountedOptions } from '@querent/client'
import fc from 'fast-check'
import { type StartedServer, startServer } from '#tests/support/started-server'

interface Shirt {
  id: string
  name: string
  color?: string[]
  size?: number
  maker?: string
}
const colors = ['red', 'blue', '', 'green, dark']
const shirts: readonly Shirt[] = Array.from({ length: 60 }, (_, index) => ({
  id: `s${index}`,
  name: ['cotton', 'wool', 'silk'][index % 3] ?? '',
  ...(index % 4 > 0 && { color: colors.filter((_color, position) => (index + position) % 3 === 0) }),
  ...(index % 5 > 1 && { size: index % 7 }),
  ...(index === 7 && { maker: 'Acme' }),
}))

const workspaceFile = `
workspace: shirts
collections:
  shirts:
    id: { field: id, uri: "https://shirts.example/{id}" }
    fields:
      name: { type: text }
      color: { type: keyword, title: The color }
      size: { type: number }
      maker: { type: keyword }
  other: { fields: { color: { type: keyword } } }
apis:
  shop:
    access: public
    endpoints:
      search: { kind: match, collection: shirts }
      all: { kind: all, collection: shirts }
      color: { kind: facet, field: color }
      size: { kind: facet, field: size }
      classes: { kind: facet, field: size, ranges: [{ to: 3 }, { from: 3, to: 5 }, { from: 90 }] }
      maker: { kind: facet, field: maker, title: Maker }
      elsewhere: { kind: facet, field: color, collection: other }
      property: { kind: facet, collection: shirts, field: { parameter: attribute, among: [color, size] }, columns: [OBJ, DOUBLE] }
      either: { kind: any, of: ["property:FILTER", "maker:FILTER"] }
      present: { kind: facets, collection: shirts }
      few: { kind: facets, collection: shirts, of: [maker, size], title: Few }
`

let server: StartedServer
before(async () => {
  server = await startServer()
  await server.applyWorkspace(workspaceFile)
  await server.importDocuments('shirts', 'shirts', shirts)
})
after(() => server.stop())

const api = () => `${server.baseUrl}/4/shirts/api/shop`
const get = async <T>(path: string): Promise<T> => {
  const reply = await fetch(`${api()}/${path}`)
  assert.equal(reply.status, 200, path)
  return (await reply.json()) as T
}
const failure = async (path: string) => {
  const reply = await fetch(`${api()}/${path}`)
  return { status: reply.status, ...((await reply.json()) as { code: string; message: string }) }
}

interface Option {
  id: string
  value: string
  title: string
  count: number
  score: number
  options?: number
}

const values: Readonly<Record<string, (shirt: Shirt) => unknown[]>> = {
  color: ({ color = [] }) => color.filter(text => text !== ''),
  size: ({ size }) => (size === undefined ? [] : [size]),
  classes: ({ size }) => (size === undefined ? [] : size < 3 ? ['..3'] : size < 5 ? ['3..5'] : [`${size}`]),
  maker: ({ maker }) => (maker === undefined ? [] : [maker]),
}
const titles: Readonly<Record<string, string>> = {
  color: 'The color',
  size: 'size',
  classes: 'classes',
  maker: 'Maker',
}

/** The facets of a result, by a plain reading of the contract. */
const expectFacets = (result: readonly Shirt[], names: readonly string[]) =>
  names
    .map(name => {
      const lists = result.map(shirt => values[name]?.(shirt) ?? [])
      const different = new Set(lists.flat())
      const options =
        name === 'classes'
          ? [...different].filter(value => String(value).includes('..')).length
          : different.size
      return {
        value: name,
        title: titles[name],
        count: lists.filter(list => list.length > 0).length,
        options,
      }
    })
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || ((a.title ?? '') < (b.title ?? '') ? -1 : 1))

const pick = ({ value, title, count, options }: Option) => ({ value, title, count, options })

test('a list of facets has those with a value in the result, with exact numbers', () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom('cotton', 'wool', 'silk', 'linen', undefined),
      fc.constantFrom('red', 'green, dark', undefined),
      fc.integer({ min: 0, max: 7 }),
      async (word, color, size) => {
        const stack = [
          word === undefined ? 'e/all' : `e/search/p/query/${word}`,
          ...(color === undefined ? [] : [`e/color:FILTER/p/value/${encodeURIComponent(color)}`]),
          ...(size === 7 ? [] : [`e/size:FILTER/p/value/${size}`]),
        ].join('/')
        const result = shirts.filter(
          shirt =>
            (word === undefined || shirt.name === word) &&
            (color === undefined || shirt.color?.includes(color)) &&
            (size === 7 || shirt.size === size),
        )
        const { options } = await get<{ options: Option[] }>(`${stack}/options/present`)
        assert.deepEqual(options.map(pick), expectFacets(result, ['color', 'size', 'classes', 'maker']))
        const few = await get<{ options: Option[] }>(`${stack}/options/few`)
        assert.deepEqual(few.options.map(pick), expectFacets(result, ['size', 'maker']))
        for (const option of options) {
          assert.equal(option.id, option.value)
          assert.equal(option.score, option.count / result.length)
        }
      },
    ),
    { numRuns: 40 },
  ))

test('a list of facets is a result like the options of a facet', async () => {
  interface Items {
    type: string[]
    items: { rank: number; probability: number; tuple: [{ id: string; attributes: object }] }[]
  }
  const [page, statistics] = await get<[Items, { total: number; stats: { numResults: number }[] }]>(
    'e/all/e/present/results,count?count=2&offset=1',
  )
  const [first, ...facets] = expectFacets(shirts, ['color', 'size', 'classes', 'maker'])
  assert.deepEqual(page.type, ['OBJ'])
  assert.deepEqual(
    page.items.map(({ rank, probability, tuple: [{ id, attributes }] }) => ({
      rank,
      probability,
      id,
      attributes,
    })),
    facets.slice(0, 2).map(({ value, title, count, options }, index) => ({
      rank: index + 2,
      probability: count / (first?.count ?? 1),
      id: value,
      attributes: { title, count, options },
    })),
  )
  assert.equal(statistics.total, 4)
  const counts = expectFacets(shirts, ['color', 'size', 'classes', 'maker']).map(({ count }) => count)
  const largest = Math.max(...counts)
  assert.deepEqual(
    statistics.stats.map(({ numResults }) => numResults),
    [9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map(
      tenths => counts.filter(count => count / largest >= tenths / 10).length,
    ),
  )
  assert.deepEqual(await get('e/present/count?cutoff=0.5'), { total: 3 })
  const matching = await get<{ id: string; title: string; options: Option[] }>('options/few?query=mak')
  assert.deepEqual(
    [matching.id, matching.title, matching.options.map(({ value }) => value)],
    ['few', 'Few', ['maker']],
  )
  const next = await get<Items & { next: string }>('e/present/results?count=3&cursor=*')
  const rest = await get<Items & { next: null }>(`e/present/results?count=3&cursor=${next.next}`)
  assert.deepEqual([rest.items.length, rest.next], [1, null])
  assert.equal((await failure('e/present/e/all/results')).code, 'bad-path')
  assert.equal((await failure('e/present/p/value/x/results')).code, 'bad-parameter')
})

test('the caller chooses the field of a facet and of its filter', async () => {
  const ordinary = await get<{ options: Option[] }>('e/all/options/color')
  const stacked = await get<{ options: Option[]; selected: Option[]; title: string }>(
    'e/all/e/property/p/attribute/color/options/property',
  )
  const context = await get<{ options: Option[] }>('c/attribute/color/options/property')
  assert.deepEqual([stacked.options, context.options], [ordinary.options, ordinary.options])
  assert.equal(stacked.title, 'The color')
  const red = await get('e/all/e/color:FILTER/p/value/red/count')
  const filter = 'e/property:FILTER/p/attribute/color/p/value/red'
  assert.deepEqual(await get(`e/all/${filter}/count`), red)
  assert.deepEqual(await get('c/attribute/color/e/all/e/property:FILTER/p/value/red/count'), red)
  assert.deepEqual(await get('e/all/e/either/p/attribute/color/p/value/red/count'), red)
  // The filter of another field is no selection of this one.
  const two = `e/all/${filter}/e/property:FILTER/p/attribute/size/p/value/2`
  const selected = async (path: string) =>
    (await get<{ selected: Option[] }>(path)).selected.map(({ value }) => value)
  assert.deepEqual(await selected(`${two}/c/attribute/color/options/property`), ['red'])
  const sizes = await get<{ options: Option[]; selected: Option[] }>(
    `${two}/e/property/p/attribute/size/options/property?multiselect=true`,
  )
  assert.deepEqual(
    sizes.selected.map(({ value }) => value),
    ['2'],
  )
  const expected = await get<{ options: Option[] }>('e/all/e/all/e/color:FILTER/p/value/red/options/size')
  assert.deepEqual(sizes.options, expected.options)
})

test('another field, or none, returns 400 with the allowed ones', async () => {
  for (const path of [
    'e/all/e/property/p/attribute/maker/results',
    'c/attribute/maker/options/property',
    'e/all/e/property:FILTER/p/attribute/name/p/value/x/count',
    'e/all/e/either/p/attribute/maker/p/value/x/count',
  ]) {
    const { status, code, message } = await failure(path)
    assert.deepEqual([status, code], [400, 'bad-parameter'], path)
    assert.match(message, /color.*size/)
  }
  assert.equal((await failure('e/all/options/property')).code, 'bad-parameter')
  assert.equal((await failure('e/all/e/property/results')).code, 'bad-parameter')
})

test('the columns of a facet are the option and its count', async () => {
  interface Page {
    type: string[]
    items: { tuple: [{ id: string; attributes?: { count: number }; count?: number }, number] }[]
  }
  const path = 'e/all/e/property/p/attribute/size'
  const page = await get<Page>(`${path}/results`)
  assert.deepEqual(page.type, ['OBJ', 'DOUBLE'])
  assert.ok(page.items.length > 0)
  for (const { tuple } of page.items)
    assert.deepEqual([tuple.length, tuple[1]], [2, tuple[0].attributes?.count])
  const shop = queryApi({ baseUrl: server.baseUrl }, 'shirts', 'shop')
  const countedOptions = readCountedOptions(
    await shop.query('all').refine('property', { attribute: 'size' }).results(),
  )
  assert.deepEqual(
    countedOptions.map(({ option, count }) => [option.id, count]),
    page.items.map(({ tuple }) => [tuple[0].id, tuple[1]]),
  )
  assert.deepEqual(readCountedOptions(await shop.query('all').results()), [])
  const plain = await get<Page>(`${path}/resultpage?count=1`)
  assert.equal(plain.items[0]?.tuple[1], plain.items[0]?.tuple[0].count)
  const homogeneous = await get<{ items: { tuple: Record<string, unknown> }[] }>(
    `${path}/results?homogeneousArrays=true`,
  )
  assert.deepEqual(Object.keys(homogeneous.items[0]?.tuple ?? {}), ['1', '2'])
  assert.equal((await get<{ id: string }>(`${path}/resultitem`)).id, page.items[0]?.tuple[0].id)
  assert.equal((await failure(`${path}/resultitem?column=2`)).status, 404)
})

test('about names the fields to choose from, and OpenAPI has a path for their options', async () => {
  interface Description {
    endpoints: { name: string; parameters: { name: string; among?: string[] }[] }[]
  }
  const { endpoints } = await get<Description>('')
  const parameters = endpoints.find(({ name }) => name === 'property:FILTER')?.parameters
  assert.deepEqual(
    parameters?.map(({ name, among }) => [name, among]),
    [
      ['attribute', ['color', 'size']],
      ['value', undefined],
    ],
  )
  const { paths } = await get<{ paths: Record<string, unknown> }>('openapi.json')
  assert.ok('/c/attribute/{attribute}/options/{facet}' in paths)
  assert.ok('/e/present/results' in paths)
})

test('MCP tools filter by a facet whose field is chosen, and count its values, under both names', async () => {
  const client = new Client({ name: 'tests', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${api()}/mcp`)))
  const call = async (filters: object) => {
    const { structuredContent, content } = await client.callTool({
      name: 'all',
      arguments: { filters, facets: ['property:size', 'color'] },
    })
    assert.ok(structuredContent, JSON.stringify(content))
    return structuredContent as {
      total: number
      facets: Record<string, { title: string; options: { value: string; count: number }[] }>
    }
  }
  const red = shirts.filter(({ color }) => [color].flat().includes('red'))
  const { total, facets } = await call({ 'property:color': ['red'] })
  assert.equal(total, red.length)
  const { body } = await fetch(`${api()}/e/all/e/color:FILTER/p/value/red/options/size`).then(
    async reply => ({
      body: (await reply.json()) as { options: { value: string; count: number }[] },
    }),
  )
  assert.deepEqual(
    facets['property:size']?.options.map(({ value, count }) => [value, count]),
    body.options.map(({ value, count }) => [value, count]),
  )
  assert.equal(facets.color?.title, 'The color')
  const uri = 'querent://collections/shirts/facets/property%3Acolor'
  const [content] = (await client.readResource({ uri })).contents
  assert.match(JSON.stringify(content), /red/)
  await client.close()
})

test('apply rejects lists and choices of facets that cannot work', async () => {
  for (const [endpoint, place] of [
    ['{ kind: facets, of: [color, search] }', 'of'],
    ['{ kind: facets, of: [property] }', 'of'],
    ['{ kind: facet, field: { parameter: value, among: [color] } }', 'parameter'],
    ['{ kind: facet, field: { parameter: attribute, among: [color, name] } }', 'among'],
    ['{ kind: facet, field: { parameter: attribute, among: [] } }', 'among'],
    ['{ kind: facet, field: color, columns: [DOUBLE, OBJ] }', 'columns'],
  ] as const)
    await assert.rejects(
      server.applyWorkspace(workspaceFile.replace('      few:', `      wrong: ${endpoint}\n      few:`)),
      error => error instanceof Error && error.message.includes(place),
      endpoint,
    )
})
