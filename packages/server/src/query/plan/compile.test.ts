import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Endpoint } from '@querent/contract/endpoints'
import type { RowFilter } from '@querent/contract/manage'
import { readApiRequest, type StackedEndpoint } from '@querent/contract/paths'
import type { Definition } from '@querent/contract/workspace-file'
import fc from 'fast-check'
import { fixedFilter } from '#authz/effective-filter'
import type { PlanNode } from '#engines/engine'
import { Problem } from '#errors'
import { compileApi } from './compile.ts'
import { planPartsMax } from './plan-size.ts'

const definition: Definition = {
  workspace: 'films',
  collections: {
    films: {
      id: { uri: 'https://films.example/{id}' },
      fields: {
        title: { type: 'text', weight: 3 },
        plot: { type: 'text' },
        genre: { type: 'keyword', title: 'Kind of film' },
        year: { type: 'number' },
        seen: { type: 'boolean' },
        released: { type: 'date' },
        meaning: { type: 'vector', dimensions: 2 },
        set: { type: 'geo' },
      },
    },
    people: { fields: { name: { type: 'text' }, born: { type: 'number' } } },
  },
  apis: {
    films: {
      endpoints: {
        search: { kind: 'match', collection: 'films' },
        complete: { kind: 'match', collection: 'films', fields: ['title'], prefix: true, parameter: 'q' },
        everything: { kind: 'all', collection: 'films' },
        film: { kind: 'lookup', collection: 'films' },
        genre: { kind: 'facet', field: 'genre' },
        year: { kind: 'facet', field: 'year', title: 'Year' },
        years: { kind: 'range', field: 'year' },
        released: { kind: 'range', field: 'released', from: 'after', to: 'before' },
        drama: { kind: 'filter', field: 'genre', value: 'drama' },
        seen: { kind: 'filter', field: 'seen' },
        'by-title': { kind: 'sort', field: 'title' },
        'by-year': { kind: 'sort', field: 'year', order: 'descending' },
        around: { kind: 'filter', field: 'set' },
        amsterdam: { kind: 'filter', field: 'set', value: '52.37,4.89,10km' },
        nearby: { kind: 'sort', field: 'set' },
        like: { kind: 'similar', collection: 'films' },
        'like-in-meaning': { kind: 'similar', collection: 'films', fields: ['meaning'] },
        near: { kind: 'nearest', collection: 'films', field: 'meaning' },
        best: { kind: 'mix', of: { search: 0.7, near: 0.3 } },
      },
    },
    both: {
      endpoints: {
        films: { kind: 'all', collection: 'films' },
        people: { kind: 'match', collection: 'people' },
        genre: { kind: 'facet', field: 'genre' },
        year: { kind: 'filter', field: 'year' },
        'by-year': { kind: 'sort', field: 'year' },
      },
    },
  },
}
const api = compileApi(definition, 'films')
const bothApi = compileApi(definition, 'both')

const readStack = (path: string): StackedEndpoint[] => {
  const request = readApiRequest([...(path === '' ? [] : path.split('/')), 'options', 'x'])
  return request.kind === 'options' ? request.stack : []
}
const page = { offset: 0, count: 10, cutoff: 0, statistics: false }
const planPath = (path: string, filter?: RowFilter, target = api) =>
  target.plan({ stack: readStack(path), filters: filter ? [fixedFilter(filter)] : [], ...page })
const planNodes = (path: string, target = api) => planPath(path, undefined, target).plan.nodes
const planOptions = (path: string, facet: string, multiselect = false, target = api) =>
  target.options({
    stack: readStack(path),
    facet,
    multiselect,
    filters: [],
    offset: 0,
    count: 10,
    cutoff: 0,
  })

const assertRejected = (act: () => unknown, code: string, message: RegExp) =>
  assert.throws(
    act,
    (error: unknown) => error instanceof Problem && error.code === code && message.test(error.message),
    `${code} ${message}`,
  )

const matchNone: PlanNode = { kind: 'lookup', alternatives: [] }

test('an API describes its endpoints, the filters of its facets and their parameters', () => {
  const endpointsByName = new Map(api.endpoints.map(({ name, ...rest }) => [name, rest]))
  assert.deepEqual(endpointsByName.get('search'), {
    kind: 'match',
    title: 'search',
    parameters: [{ name: 'query', type: 'string', required: true }],
  })
  assert.deepEqual(endpointsByName.get('genre'), { kind: 'facet', title: 'Kind of film', parameters: [] })
  assert.equal(endpointsByName.get('genre:FILTER')?.title, 'Kind of film')
  assert.equal(endpointsByName.get('drama')?.title, 'drama', 'a fixed value is more than its field')
  assert.deepEqual(endpointsByName.get('year:FILTER'), {
    kind: 'filter',
    title: 'Year',
    parameters: [{ name: 'value', type: 'number', required: true }],
  })
  assert.deepEqual(
    endpointsByName.get('best')?.parameters.map(({ name }) => name),
    ['query', 'vector'],
  )
  assert.deepEqual(endpointsByName.get('released')?.parameters, [
    { name: 'after', type: 'date', required: false },
    { name: 'before', type: 'date', required: false },
  ])
  assert.deepEqual(api.collections, ['films'])
})

test('each kind of endpoint makes its node', () => {
  const film = (id: string) => `https://films.example/${id}`
  const fields = [
    { name: 'title', weight: 3 },
    { name: 'plot', weight: 1 },
  ]
  const text = { words: ['a'], phrases: [], excludedWords: [], excludedPhrases: [] }
  const cases: [path: string, node: PlanNode][] = [
    ['e/search/p/query/a', { kind: 'match', text, fields }],
    [
      'e/complete/p/q/a',
      {
        kind: 'match',
        text: { ...text, words: [], unfinished: 'a' },
        fields: [{ name: 'title', weight: 3 }],
        ranking: 'words',
        exact: true,
      },
    ],
    ['e/everything', { kind: 'all' }],
    ['e/film/p/id/1', { kind: 'lookup', alternatives: [{ score: 1, values: [film('1')] }] }],
    [
      'e/film/p/id/https%3A%2F%2Fa.example%2F1',
      { kind: 'lookup', alternatives: [{ score: 1, values: ['https://a.example/1'] }] },
    ],
    [
      'e/film/p/id/1(1)%7C0.5(2,3)',
      {
        kind: 'lookup',
        alternatives: [
          { score: 1, values: [film('1')] },
          { score: 0.5, values: [film('2'), film('3'), film('2,3')] },
        ],
      },
    ],
    [
      'e/genre%3AFILTER/p/value/a',
      { kind: 'filter', field: 'genre', alternatives: [{ score: 1, values: ['a'] }] },
    ],
    [
      'e/year:FILTER/p/value/1(1992,1993)',
      { kind: 'filter', field: 'year', alternatives: [{ score: 1, values: [1992, 1993] }] },
    ],
    ['e/drama', { kind: 'filter', field: 'genre', alternatives: [{ score: 1, values: ['drama'] }] }],
    ['e/seen/p/value/true', { kind: 'filter', field: 'seen', alternatives: [{ score: 1, values: [true] }] }],
    ['e/years/p/to/1992/p/from/-1.5', { kind: 'range', field: 'year', from: -1.5, to: 1992 }],
    ['e/years', { kind: 'all' }],
    ['e/released/p/after/2024-01-31', { kind: 'range', field: 'released', from: '2024-01-31T00:00:00Z' }],
    [
      'e/released/p/before/2024-01-31',
      { kind: 'range', field: 'released', to: '2024-01-31T23:59:59.999999999Z' },
    ],
    ['e/like/p/id/1', { kind: 'similar', id: film('1'), fields }],
    [
      'e/like-in-meaning/p/id/1',
      { kind: 'similar', id: film('1'), fields: [{ name: 'meaning', weight: 1 }] },
    ],
    [
      'e/near/p/vector/1,-0.5',
      { kind: 'nearest', field: 'meaning', vector: [1, -0.5], limit: 1000, minimum: 0 },
    ],
    [
      'e/best/p/query/a/p/vector/1,2',
      {
        kind: 'mix',
        by: 'rank',
        parts: [
          { weight: 0.7, node: { kind: 'match', text, fields }, name: 'search' },
          {
            weight: 0.3,
            node: { kind: 'nearest', field: 'meaning', vector: [1, 2], limit: 1000, minimum: 0 },
            name: 'near',
          },
        ],
      },
    ],
    ['e/by-title', { kind: 'all' }],
  ]
  for (const [path, node] of cases) assert.deepEqual(planNodes(path), [node], path)
})

test('a filter on places takes circles, plain or as rings with scores', () => {
  const circle = (meters: number) => ({ lat: 52.37, lon: 4.89, meters })
  const distance = (...alternatives: [score: number, meters: number][]): PlanNode => ({
    kind: 'distance',
    field: 'set',
    alternatives: alternatives.map(([score, meters]) => ({ score, circles: [circle(meters)] })),
  })
  assert.deepEqual(planNodes('e/around/p/value/52.37,4.89,500'), [distance([1, 500])])
  assert.deepEqual(planNodes('e/amsterdam'), [distance([1, 10_000])])
  const rings = encodeURIComponent('1("52.37,4.89,10km")|0.5("52.37,4.89,50km")')
  assert.deepEqual(planNodes(`e/around/p/value/${rings}`), [distance([1, 10_000], [0.5, 50_000])])
  assert.deepEqual(planNodes('e/around/p/value/1(52.37,4.89,10km)'), [distance([1, 10_000])])
  const parametersByName = new Map(api.endpoints.map(({ name, parameters }) => [name, parameters]))
  assert.deepEqual(parametersByName.get('around'), [{ name: 'value', type: 'circle', required: true }])
  const [from, order] = parametersByName.get('nearby') ?? []
  assert.deepEqual(from, { name: 'from', type: 'point', required: true })
  assert.deepEqual(order, {
    name: 'order',
    type: 'string',
    required: false,
    among: ['ascending', 'descending'],
  })
})

test('the last endpoint that ranks or sorts decides the order, and sorts before it break ties', () => {
  const score = { by: 'score' }
  const title = { by: 'field', field: 'title', order: 'ascending' }
  const year = { by: 'field', field: 'year', order: 'descending' }
  const nearby = { by: 'distance', field: 'set', lat: 52.37, lon: 4.89, order: 'ascending' }
  const cases: [path: string, order: unknown[]][] = [
    ['e/everything', [score]],
    ['e/search/p/query/a/e/genre:FILTER/p/value/1(a)%7C2(b)', [score]],
    ['e/search/p/query/a/e/by-year', [year]],
    ['e/by-year/e/search/p/query/a', [score, year]],
    ['e/search/p/query/a/e/by-year/e/by-title/e/drama', [title, year]],
    ['e/by-title/e/search/p/query/a/e/by-year', [year, title]],
    ['e/drama/e/by-year', [year]],
    ['e/by-year/e/nearby/p/from/52.37,4.89', [nearby, year]],
    ['e/by-year/p/order/ascending', [{ ...year, order: 'ascending' }]],
    ['e/nearby/p/order/descending/p/from/52.37,4.89', [{ ...nearby, order: 'descending' }]],
  ]
  for (const [path, order] of cases) assert.deepEqual(planPath(path).plan.order, order, path)
})

test('an error names the invalid part of a request and what is allowed', () => {
  const cases: [path: string, code: string, message: RegExp][] = [
    [
      'e/serch/p/query/a',
      'unknown-endpoint',
      /^no endpoint "serch"; there are: search, .*; did you mean "search"\?$/,
    ],
    ['e/search', 'bad-parameter', /"query" of "search" is missing/],
    ['e/search/p/q/a', 'bad-parameter', /"search" has no parameter "q"; allowed: query/],
    ['e/search/p/query/a/p/query/a', 'bad-parameter', /"query" of "search" is given twice/],
    [
      'e/genre/p/value/a',
      'bad-parameter',
      /"genre" has no parameter "value"; allowed: none; to filter by it, use "genre:FILTER"$/,
    ],
    [
      'e/year:FILTER/p/value/x',
      'bad-parameter',
      /"value" of "year:FILTER": found "x", allowed: a decimal number/,
    ],
    ['e/year:FILTER/p/value/1(1992,x)', 'bad-parameter', /found "x"/],
    ['e/seen/p/value/yes', 'bad-parameter', /allowed: true or false/],
    ['e/years/p/from/', 'bad-parameter', /"from" of "years": found "", allowed: a decimal number/],
    ['e/released/p/after/2024-13-01', 'bad-parameter', /RFC 3339/],
    [
      'e/around/p/value/52.37,4.89',
      'bad-parameter',
      /"value" of "around": found "52.37,4.89", .*52.37,4.89,10km/,
    ],
    ['e/around/p/value/1(52.37,4.89)', 'bad-parameter', /found "52.37", .*quoted, such as 1\("52.37/],
    ['e/around/p/value/91,0,1', 'bad-parameter', /found "91,0,1"/],
    ['e/nearby', 'bad-parameter', /"from" of "nearby" is missing/],
    ['e/nearby/p/from/52', 'bad-parameter', /found "52", allowed: a latitude/],
    ['e/near/p/vector/', 'bad-parameter', /found 0 of them, allowed: 2 numbers/],
    ['e/near/p/vector/1', 'bad-parameter', /found 1 of them, allowed: 2 numbers/],
    ['e/near/p/vector/1,x', 'bad-parameter', /found "x"/],
    ['e/genre/e/genre', 'bad-path', /must be last/],
    ['e/genre/e/drama', 'bad-path', /facet "genre" must be last.*genre:FILTER/],
  ]
  for (const [path, code, message] of cases) assertRejected(() => planPath(path), code, message)
  const names = Array.from({ length: 201 }, (_, index) => `all${index}`)
  const endpoints = Object.fromEntries(
    names.map(name => [name, { kind: 'all', collection: 'films' } as const]),
  )
  const manyApi = compileApi({ ...definition, apis: { many: { endpoints } } }, 'many')
  const stack = [{ endpoint: 'all', parameters: [] }]
  const page = { filters: [], cutoff: 0, offset: 0, count: 10, statistics: false }
  assertRejected(
    () => manyApi.plan({ stack, ...page }),
    'unknown-endpoint',
    /: all0, (all\d+, ){198}all\d+ and 1 more/,
  )
  assertRejected(() => compileApi(definition, 'fims'), 'no-such-api', /^No such api "fims"; there are: films/)
  assertRejected(
    () => planOptions('', 'drama'),
    'unknown-endpoint',
    /^no endpoint "drama" that is a facet; there are: /,
  )
  assertRejected(() => planOptions('e/year', 'genre'), 'bad-path', /must be last/)
})

test('all endpoints of a stack search one collection', () => {
  assertRejected(
    () => planPath('e/films/e/people/p/query/a', undefined, bothApi),
    'bad-path',
    /"people" searches the collection "people", but the endpoints before it search "films"/,
  )
  assertRejected(
    () => planPath('e/genre', undefined, bothApi),
    'bad-path',
    /put an endpoint that has one before it/,
  )
  assertRejected(
    () => planOptions('', 'genre', false, bothApi),
    'bad-path',
    /put an endpoint that has one before it/,
  )
  assert.equal(planPath('e/films/e/genre', undefined, bothApi).collection, 'films')
  assert.equal(planPath('e/drama').collection, 'films')
})

test('a filter on a missing field matches nothing, and a sort on it changes nothing', () => {
  const { plan } = planPath('e/people/p/query/a/e/year/p/value/1/e/by-year', undefined, bothApi)
  assert.deepEqual(plan.nodes[1], matchNone)
  assert.deepEqual(plan.order, [])
  assertRejected(
    () => planPath('e/people/p/query/a/e/genre', undefined, bothApi),
    'bad-path',
    /field "genre", which the collection "people" does not have/,
  )
})

test('a stack that ends in a facet pages its options, and its filter selects them', () => {
  const { plan, facet } = api.plan({
    stack: readStack('e/genre:FILTER/p/value/1(a)%7C2("b",a)/e/genre'),
    filters: [],
    offset: 20,
    count: 5,
    cutoff: 0.5,
    statistics: true,
  })
  assert.deepEqual(plan.facet, {
    field: 'genre',
    offset: 20,
    count: 5,
    selected: ['b', 'a', '"b",a'],
    cutoff: 0.5,
  })
  assert.equal(plan.cutoff, 0)
  assert.deepEqual([plan.offset, plan.count, plan.statistics, plan.nodes.length], [0, 0, true, 1])
  assert.deepEqual(facet, {
    name: 'genre',
    title: 'Kind of film',
    field: 'genre',
    selectedValues: ['b', 'a', '"b",a'],
    ambiguousTuples: [{ parts: ['b', 'a'], wholeText: '"b",a' }],
    certainValues: ['a'],
  })
})

test("a facet's own filter narrows its options, unless multiselect is set", () => {
  const path = 'e/genre:FILTER/p/value/a/e/year:FILTER/p/value/1992'
  assert.deepEqual(planOptions(path, 'genre').plan.nodes.length, 2)
  const several = planOptions(path, 'genre', true)
  assert.deepEqual(several.plan.nodes, planNodes('e/year:FILTER/p/value/1992'))
  assert.deepEqual(several.facet.selectedValues, ['a'])
  assert.deepEqual(planOptions('', 'genre').plan.nodes, [{ kind: 'all' }])
  assert.deepEqual(planOptions('e/drama/e/genre', 'genre').plan.nodes.length, 1)
})

/** Stacks of valid parts, without facets. */
const parts = [
  'e/search/p/query/a%20b',
  'e/complete/p/q/x',
  'e/everything',
  'e/film/p/id/1',
  'e/genre:FILTER/p/value/a',
  'e/year:FILTER/p/value/1992',
  'e/years/p/from/1',
  'e/released',
  'e/drama',
  'e/seen/p/value/false',
  'e/by-title',
  'e/by-year',
  'e/like/p/id/1',
  'e/near/p/vector/1,2',
  'e/best/p/query/a/p/vector/1,2',
]
const stack = fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 6 })
const facetName = fc.constantFrom('genre', 'year')
const rowFilter: fc.Arbitrary<RowFilter> = fc.dictionary(
  fc.constantFrom('genre', 'year', 'seen', 'released', 'title', 'absent', 'meaning', 'constructor'),
  fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.array(fc.oneof(fc.string(), fc.integer()), { minLength: 1, maxLength: 3 }),
  ),
  { noNullPrototype: true, minKeys: 1 },
)

test('the row filter restricts every plan, of queries and of options, and fails closed', () => {
  fc.assert(
    fc.property(stack, facetName, rowFilter, (parts, facet, filter) => {
      const path = parts.join('/')
      const baseRequest = { filters: [fixedFilter(filter)], offset: 0, count: 10, cutoff: 0 }
      for (const { plan } of [
        planPath(path, filter),
        planPath(`${path}/e/${facet}`, filter),
        api.options({ stack: readStack(path), facet, multiselect: true, ...baseRequest }),
        api.options({ stack: [], facet, multiselect: false, ...baseRequest }),
      ]) {
        if (plan.restrictions[0]?.kind === 'lookup') {
          assert.deepEqual(plan.restrictions, [matchNone])
          continue
        }
        assert.equal(plan.restrictions.length, Object.keys(filter).length)
        for (const [index, field] of Object.keys(filter).entries()) {
          const node = plan.restrictions[index]
          if (node?.kind === 'filter') assert.ok(node.field === field && node.alternatives[0]?.values.length)
          else assert.deepEqual(node, matchNone)
          if (!['genre', 'year', 'seen', 'released'].includes(field)) assert.deepEqual(node, matchNone)
        }
      }
    }),
  )
})

test('all conditions of two row filters apply, also on the same field', () => {
  const genre = (value: string): PlanNode => ({
    kind: 'filter',
    field: 'genre',
    alternatives: [{ score: 1, values: [value] }],
  })
  const filters = [{ genre: 'a' }, { genre: 'b', absent: 'c' }, { genre: 'b' }].map(fixedFilter)
  const { plan } = api.plan({ stack: readStack('e/everything'), filters, ...page })
  assert.deepEqual(plan.restrictions, [genre('a'), matchNone, genre('b')])
})

test('values of a row filter are typed by the field', () => {
  const { plan } = planPath('e/everything', {
    genre: ['a', 1],
    year: ['1992', 'x'],
    seen: true,
  })
  assert.deepEqual(plan.restrictions, [
    { kind: 'filter', field: 'genre', alternatives: [{ score: 1, values: ['a', '1'] }] },
    { kind: 'filter', field: 'year', alternatives: [{ score: 1, values: [1992] }] },
    { kind: 'filter', field: 'seen', alternatives: [{ score: 1, values: [true] }] },
  ])
  assert.deepEqual(planPath('e/everything', { seen: true, released: 'never' }).plan.restrictions, [matchNone])
})

test('any stack of valid parts compiles, alone and with a facet behind it', () => {
  fc.assert(
    fc.property(stack, facetName, (parts, facet) => {
      const path = parts.join('/')
      assert.ok(planPath(path).plan.nodes.length > 0)
      assert.equal(planPath(`${path}/e/${facet}`).facet?.name, facet)
    }),
  )
})

test('filters commute: their order changes nothing but the order of the nodes', () => {
  const filters = fc.array(
    fc.constantFrom(
      'e/genre:FILTER/p/value/a',
      'e/year:FILTER/p/value/1992',
      'e/drama',
      'e/seen/p/value/true',
      'e/years/p/to/3',
      'e/film/p/id/1',
    ),
    { minLength: 2, maxLength: 5 },
  )
  const asSet = (path: string) => {
    const { collection, plan } = planPath(path)
    return { collection, plan: { ...plan, nodes: plan.nodes.map(node => JSON.stringify(node)).sort() } }
  }
  fc.assert(
    fc.property(
      filters.chain(allFilters =>
        fc.tuple(fc.constant(allFilters), fc.shuffledSubarray(allFilters, { minLength: allFilters.length })),
      ),
      ([original, shuffled]) => {
        assert.deepEqual(asSet(original.join('/')), asSet(shuffled.join('/')))
      },
    ),
  )
})

test('curation names what is pinned and buried, by text, for the endpoint itself and not for a mix of it', () => {
  const apis = {
    films: {
      ...definition.apis?.films,
      curation: [
        { when: { query: 'Big  Fish' }, endpoint: 'search', pin: ['1', 'urn:x'], bury: ['2'] },
        { when: {}, endpoint: 'search', bury: ['3'] },
        { when: { q: 'big fish' }, endpoint: 'complete', pin: ['4'] },
      ],
    },
  }
  const curated = compileApi({ ...definition, apis }, 'films')
  const placedIn = (path: string) =>
    planNodes(path, curated).map(node =>
      node.kind === 'match' ? { pinned: node.pinned, buried: node.buried } : node.kind,
    )
  const film = (id: string) => `https://films.example/${id}`
  assert.deepEqual(placedIn('e/search/p/query/%20big%20fish'), [
    { pinned: [film('1'), 'urn:x'], buried: [film('2'), film('3')] },
  ])
  assert.deepEqual(placedIn('e/search/p/query/bigfish'), [{ pinned: [], buried: [film('3')] }])
  assert.deepEqual(placedIn('e/complete/p/q/BIG%20FISH'), [{ pinned: [film('4')], buried: [] }])
  const mixed = planNodes('e/best/p/query/big%20fish/p/vector/1,2', curated)
  assert.ok(mixed.every(node => node.kind === 'mix' && node.parts.every(({ node }) => !('pinned' in node))))
})

const wideDefinition = (fields: string[], endpoints: Record<string, Endpoint>) => ({
  workspace: 'wide',
  collections: {
    wide: { fields: Object.fromEntries(fields.map(name => [name, { type: 'text' as const }])) },
  },
  apis: { wide: { endpoints } },
})
const manyFields = Array.from({ length: 1000 }, (_, index) => `f${index}`)

test('a query that searches too many fields and values together is refused', () => {
  const wide = compileApi(wideDefinition(manyFields, { all: { kind: 'match', collection: 'wide' } }), 'wide')
  const plan = (count: number) => planPath('e/all/p/query/a/'.repeat(count).slice(0, -1), undefined, wide)
  assert.equal(plan(planPartsMax / manyFields.length).plan.nodes.length, 25)
  assert.throws(
    () => plan(planPartsMax / manyFields.length + 1),
    error => error instanceof Problem && error.code === 'bad-path',
  )
})

test('the fields of an endpoint are read for its first query only', () => {
  let reads = 0
  const fields = new Proxy(manyFields, {
    get(target, key, receiver) {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads++
      return Reflect.get(target, key, receiver)
    },
  })
  const endpoints = Object.fromEntries(
    manyFields.map((_, index) => [`e${index}`, { kind: 'match' as const, collection: 'wide', fields }]),
  )
  const wide = compileApi(wideDefinition(manyFields, endpoints), 'wide')
  assert.equal(reads, 0)
  for (let index = 0; index < 3; index++) planPath('e/e7/p/query/a', undefined, wide)
  assert.equal(reads, manyFields.length)
})

test('a value of the workspace file is read once, not for each query', () => {
  const endpoints = {
    ...definition.apis?.films?.endpoints,
    liked: { kind: 'boost' as const, field: 'genre', value: 'drama', by: 2 },
  }
  const films = compileApi({ ...definition, apis: { films: { endpoints } } }, 'films')
  const [first, second] = [1, 2].map(() => planNodes('e/everything/e/drama/e/liked', films))
  assert.deepEqual(
    first?.map(({ kind }) => kind),
    ['all', 'filter', 'boost'],
  )
  assert.equal(first?.[1], second?.[1])
  assert.equal(first?.[2], second?.[2])
})
