/** Results in csv, xlsx, xml and rdf, as independent readers see them (docs/query.md; read-format.py). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { runPython } from '#tests/support/python'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

const workspaceFile = `
workspace: museum
collections:
  works:
    id: { field: id, uri: "https://museum.example/works/{id}" }
    class: { field: kind }
    language: dutch
    fields:
      title: { type: text, language: english }
      note: { type: text }
      artist: { type: keyword }
      year: { type: number }
      shown: { type: boolean }
      acquired: { type: date }
      place: { type: geo }
      parts: { type: object }
      shape: { type: vector, dimensions: 3 }
apis:
  works:
    endpoints:
      all: { kind: all, collection: works }
      search: { kind: match, collection: works, fields: [title] }
      work: { kind: lookup, collection: works }
      artist: { kind: facet, field: artist }
      acquired: { kind: range, field: acquired }
`
const odd = '=1+1" <b>&amp;</b> é 😀\n\tnext|line\r, \u0001 ]]> {x}'
const works: ({ kind: string[] } & Record<string, unknown>)[] = [
  {
    id: 'w1',
    kind: ['https://schema.org/Painting', 'Old master'],
    title: '=HYPERLINK("https://evil.example","click")',
    note: odd,
    artist: ['+Vermeer', '@Fabritius', 'a, "b"'],
    year: -1665.5,
    shown: true,
    acquired: '2020-02-03',
    place: { lat: 52.08, lon: 4.314 },
    parts: { frame: { wood: 'oak' }, layers: [1, 2] },
    shape: [0.5, -1, 2],
    'http://purl.org/dc/terms/rights': 'free',
    'room "7" <b>': '-5+cmd',
    __proto__x: null,
  },
  {
    id: 'w 2/é<',
    kind: [],
    title: 'golden river of gold',
    artist: 'Hals',
    year: 1624,
    shown: false,
    acquired: '2020-02-03T10:11:12+01:00',
    tags: [],
    floors: [1, null, 3],
    tiny: 1e-10,
    place: { lat: -33.9, lon: 18.4 },
    constructor: 'a word',
  },
]
const uris = ['https://museum.example/works/w%202/%C3%A9%3C', 'https://museum.example/works/w1']

let server: StartedServer
let token = ''
before(async () => {
  server = await startServer()
  await server.applyWorkspace(workspaceFile)
  await server.importDocuments('museum', 'works', works.map(work => JSON.stringify(work)).join('\n'))
  const client = await server.createAccount('museum', 'tests', 'api')
  token = await fetchToken(server, client)
})
after(() => server.stop())

const get = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
  const reply = await fetch(`${server.baseUrl}/4/museum/api/works/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, accept: '*/*', ...headers },
  })
  return { status: reply.status, headers: reply.headers, body: new Uint8Array(await reply.arrayBuffer()) }
}
/** The content of a reply according to a reader. */
const read = async (format: string, path: string) => {
  const { status, body } = await get(path)
  assert.equal(status, 200, Buffer.from(body).toString())
  return runPython('read-format.py', [format], body)
}

const header = [
  'rank',
  'probability',
  'id',
  'class',
  'title',
  'note',
  'artist',
  'year',
  'shown',
  'acquired',
  'place',
  'parts',
  'shape',
]

test('csv has a header line with declared attributes first, and one line for each result', async () => {
  const rows = (await read('csv', 'e/all/results?format=csv')) as string[][]
  assert.deepEqual(rows[0]?.slice(0, header.length), header)
  assert.deepEqual(
    new Set(rows[0]?.slice(header.length)),
    new Set([
      'tags',
      'floors',
      'tiny',
      'constructor',
      'kind',
      'http://purl.org/dc/terms/rights',
      'room "7" <b>',
      '__proto__x',
    ]),
  )
  assert.equal(rows.length, 3)
  const cells = (rowIndex: number) =>
    Object.fromEntries((rows[0] ?? []).map((name, index) => [name, rows[rowIndex]?.[index]]))
  const [second, first] = [cells(1), cells(2)]
  assert.deepEqual([second.rank, second.probability, second.id, second.class], ['1', '1', uris[0], ''])
  assert.deepEqual(
    [second.year, second.shown, second.acquired, second.tags, second.floors, second.tiny, second.constructor],
    ['1624', 'false', '2020-02-03T10:11:12+01:00', '', '1|3', '1e-10', 'a word'],
  )
  assert.deepEqual(
    [first.class, first.year, first.place],
    ['https://schema.org/Painting|Old master', '-1665.5', '52.08,4.314'],
  )
  assert.equal(second.place, '-33.9,18.4', 'a place in the south is no formula')
  assert.deepEqual([first.parts, first.shape], ['{"frame":{"wood":"oak"},"layers":[1,2]}', '[0.5,-1,2]'])
})

test('a formula in a document stays text in csv', async () => {
  const rows = (await read('csv', 'e/work/p/id/w1/results?format=csv')) as string[][]
  const cell = (name: string) => rows[1]?.[rows[0]?.indexOf(name) ?? -1]
  assert.equal(cell('title'), `'=HYPERLINK("https://evil.example","click")`)
  assert.equal(cell('note'), `'${odd}`)
  assert.equal(cell('artist'), `'+Vermeer|@Fabritius|a, "b"`)
  assert.equal(cell('room "7" <b>'), `'-5+cmd`)
  assert.equal(cell('year'), '-1665.5', 'a number is none')
})

interface Cell {
  type: string
  value: unknown
}
test('xlsx has the same columns, with typed numbers and booleans, and no formula', async () => {
  const book = (await read('xlsx', 'e/all/results?format=xlsx')) as Record<string, Cell[][]>
  assert.deepEqual(Object.keys(book), ['results'])
  const [names, , first] = book.results ?? []
  assert.deepEqual(
    names?.slice(0, header.length).map(({ value }) => value),
    header,
  )
  const cell = (name: string) => first?.[names?.findIndex(({ value }) => value === name) ?? -1]
  assert.deepEqual(cell('title'), { type: 's', value: '=HYPERLINK("https://evil.example","click")' })
  assert.deepEqual(cell('year'), { type: 'n', value: -1665.5 })
  assert.deepEqual(cell('shown'), { type: 'b', value: true })
  assert.deepEqual(cell('rank'), { type: 'n', value: 2 })
  assert.equal(cell('artist')?.value, '+Vermeer|@Fabritius|a, "b"')
  assert.ok(
    Object.values(book)
      .flat(2)
      .every(({ type }) => type !== 'f'),
  )
})

interface Element {
  name: string
  attributes: Record<string, string>
  text: string
  children: Element[]
}
const findChildren = ({ children }: Element, name: string) => children.filter(child => child.name === name)

test('xml holds every attribute whatever its name and characters', async () => {
  const root = (await read('xml', 'e/all/results?format=xml')) as Element
  assert.deepEqual([root.name, root.attributes], ['results', { offset: '0', count: '10' }])
  const [second = assert.fail(), first = assert.fail()] = findChildren(root, 'item')
  assert.deepEqual(first.attributes, { rank: '2', probability: '1' })
  assert.deepEqual([findChildren(second, 'id')[0]?.text, findChildren(first, 'id')[0]?.text], uris)
  assert.deepEqual(
    findChildren(first, 'class').map(({ text }) => text),
    works[0]?.kind,
  )
  const values = (item: Element, name: string) =>
    findChildren(item, 'attribute').filter(({ attributes }) => attributes.name === name)
  const texts = (item: Element, name: string) => values(item, name).map(({ text }) => text)
  assert.deepEqual(texts(first, 'note'), [odd.replace('\u0001', '\ufffd')])
  assert.deepEqual(texts(first, 'artist'), works[0]?.artist)
  assert.deepEqual(texts(first, 'room "7" <b>'), ['-5+cmd'])
  assert.deepEqual(texts(second, 'floors'), ['1', '3'])
  assert.deepEqual(
    ['year', 'shown', 'place', 'parts', 'shape', 'title'].map(name => [
      values(first, name)[0]?.attributes.type,
      texts(first, name)[0],
    ]),
    [
      ['number', '-1665.5'],
      ['boolean', 'true'],
      ['geo', '52.08,4.314'],
      ['object', '{"frame":{"wood":"oak"},"layers":[1,2]}'],
      ['object', '[0.5,-1,2]'],
      [undefined, works[0]?.title],
    ],
  )
})

test('rdf has a triple for each class and value, with the declared types', async () => {
  const triples = (await read('rdf', 'e/all/results?format=rdf')) as [string, string, unknown][]
  const names = `${server.baseUrl}/4/museum/collections/works#`
  const rdf = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'
  const xsd = 'http://www.w3.org/2001/XMLSchema#'
  const objects = (subject: string | undefined, predicate: string) =>
    triples.filter(([s, p]) => s === subject && p === predicate).map(([, , object]) => object)
  const typed = (text: string, type: string | null, language: string | null = null) => [
    { text, type, language },
  ]
  const [second, first] = uris
  assert.deepEqual(
    new Set(objects(first, `${rdf}type`)),
    new Set([{ iri: 'https://schema.org/Painting' }, { iri: `${names}Old%20master` }]),
  )
  assert.deepEqual(objects(first, `${names}title`), typed(String(works[0]?.title), null, 'en'))
  assert.deepEqual(objects(first, `${names}note`), typed(odd, null, 'nl'))
  assert.deepEqual(objects(first, `${names}year`), typed('-1665.5', `${xsd}decimal`))
  assert.deepEqual(objects(second, `${names}year`), typed('1624', `${xsd}integer`))
  assert.deepEqual(objects(second, `${names}tiny`), typed('1e-10', `${xsd}double`))
  assert.deepEqual(objects(first, `${names}shown`), typed('true', `${xsd}boolean`))
  assert.deepEqual(objects(first, `${names}acquired`), typed('2020-02-03', `${xsd}date`))
  assert.deepEqual(objects(second, `${names}acquired`), typed('2020-02-03T10:11:12+01:00', `${xsd}dateTime`))
  assert.deepEqual(
    objects(first, `${names}place`),
    typed('POINT(4.314 52.08)', 'http://www.opengis.net/ont/geosparql#wktLiteral'),
  )
  assert.deepEqual(objects(first, `${names}shape`), typed('[0.5,-1,2]', `${rdf}JSON`))
  assert.deepEqual(objects(first, 'http://purl.org/dc/terms/rights'), typed('free', null))
  assert.deepEqual(objects(first, `${names}room%20%227%22%20%3Cb%3E`), typed('-5+cmd', null))
  assert.equal(objects(first, `${names}artist`).length, 3)
})

test('results,count adds the statistics to xml and, as a second sheet, to xlsx', async () => {
  const root = (await read('xml', 'e/all/results,count?format=xml&count=1')) as Element
  const [statistics = assert.fail()] = findChildren(root, 'statistics')
  assert.equal(statistics.attributes.total, '2')
  assert.deepEqual(statistics.children[0]?.attributes, { cutoff: '0.9', numResults: '2' })
  assert.equal(statistics.children.length, 10)
  const book = (await read('xlsx', 'e/all/results,count?format=xlsx')) as Record<string, Cell[][]>
  assert.deepEqual(
    book.statistics?.slice(0, 2).map(row => row.map(({ value }) => value)),
    [
      ['cutoff', 'numResults'],
      [0.9, 2],
    ],
  )
  for (const format of ['csv', 'rdf'])
    assert.deepEqual(
      (await get(`e/all/results,count?format=${format}`)).body,
      (await get(`e/all/results?format=${format}`)).body,
    )
})

test('paging, attributes, highlight and homogeneousArrays have the same effect in each format as in json', async () => {
  const options = 'attributes=year,title,nothing&highlight=true&homogeneousArrays=true'
  const path = `e/search/p/query/golden%20river/results?${options}`
  const rows = await read('csv', `${path}&format=csv`)
  assert.deepEqual(rows, [
    ['rank', 'probability', 'id', 'class', 'year', 'title', 'nothing', 'highlights.title'],
    [
      '1',
      '1',
      uris[0],
      '',
      '1624',
      'golden river of gold',
      '',
      '<mark>golden</mark> <mark>river</mark> of gold',
    ],
  ])
  const root = (await read('xml', `${path}&format=xml`)) as Element
  assert.deepEqual(
    findChildren(root, 'item')
      .flatMap(item => findChildren(item, 'attribute'))
      .map(({ attributes }) => attributes.name),
    ['year', 'title'],
  )
  assert.deepEqual(
    findChildren(root, 'item')
      .flatMap(item => findChildren(item, 'highlight'))
      .map(({ text }) => text),
    ['<mark>golden</mark> <mark>river</mark> of gold'],
  )
  const page = (await read('csv', 'e/all/results?format=csv&offset=1&count=1')) as string[][]
  assert.deepEqual([page.length, page[1]?.[0], page[1]?.[2]], [2, '2', uris[1]])
})

test('a stack that ends in a facet returns its options in each format, and an empty result has no items', async () => {
  const rows = (await read('csv', 'e/all/e/artist/results?format=csv')) as string[][]
  assert.deepEqual(rows[0], ['rank', 'probability', 'id', 'class', 'title', 'count'])
  assert.ok(
    rows.some(([, , id, , title, count]) => id === "'+Vermeer" && title === "'+Vermeer" && count === '1'),
  )
  const triples = (await read('rdf', 'e/all/e/artist/results?format=rdf')) as [string, string, unknown][]
  assert.ok(
    triples.some(
      ([subject]) => subject === `${server.baseUrl}/4/museum/api/works/options/artist#a%2C%20%22b%22`,
    ),
  )
  assert.deepEqual(await read('csv', 'e/work/p/id/none/results?format=csv'), [
    ['rank', 'probability', 'id', 'class'],
  ])
  assert.deepEqual(await read('rdf', 'e/work/p/id/none/results?format=rdf'), [])
  assert.deepEqual(
    findChildren((await read('xml', 'e/work/p/id/none/results?format=xml')) as Element, 'item'),
    [],
  )
  const book = (await read('xlsx', 'e/work/p/id/none/results?format=xlsx')) as Record<string, Cell[][]>
  assert.equal(book.results?.length, 1)
})

const types: Record<string, string> = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml; charset=utf-8',
  rdf: 'application/n-triples',
}

test('each format has its media type and entity tag, tables have a file name, and HEAD matches without a body', async () => {
  const tags = new Set<string | null>()
  for (const [format, type] of Object.entries(types)) {
    const path = `e/all/results?format=${format}`
    const { headers } = await get(path)
    assert.equal(headers.get('content-type'), type)
    const file =
      format === 'csv' || format === 'xlsx' ? `attachment; filename="museum-works.${format}"` : null
    assert.equal(headers.get('content-disposition'), file)
    tags.add(headers.get('etag'))
    const notModified = await get(path, { 'if-none-match': headers.get('etag') ?? '' })
    assert.deepEqual([notModified.status, notModified.body.length], [304, 0])
    const head = await get(path, {}, 'HEAD')
    assert.deepEqual([head.status, head.headers.get('content-type'), head.body.length], [200, type, 0])
    assert.doesNotMatch(headers.get('vary') ?? '', /Accept(?!-)/, 'the address alone decides')
  }
  assert.equal(tags.size, 5)
})

test('Accept chooses the format if the URL does not, and json is the fallback', async () => {
  const path = 'e/all/results'
  const tags = new Map<string, string | null>()
  for (const [accept, format] of [
    ['*/*', 'json'],
    ['text/csv', 'csv'],
    [String(types.xlsx), 'xlsx'],
    ['application/xml', 'xml'],
    ['text/xml', 'xml'],
    ['application/n-triples', 'rdf'],
    ['application/json;q=0.1, text/csv;q=0.2', 'csv'],
    ['text/csv;q=0, */*;q=0.1', 'json'],
    ['text/*', 'csv'],
    ['application/json; charset=utf-8, text/csv;q=0.1', 'json'],
    ['text/csv; charset=utf-8', 'csv'],
    ['Text/CSV; Charset="UTF-8"; header=present', 'csv'],
    ['application/xml;charset=utf-8', 'xml'],
    ['application/n-triples;charset=UTF-8', 'rdf'],
    ['text/csv;charset=iso-8859-1, application/xml;q=0.1', 'xml'],
    ['application/*', 'json'],
    ['image/png', 'json'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'json'],
    ['', 'json'],
    ['not a type, ;;', 'json'],
  ] as const) {
    const { headers } = await get(path, { accept })
    assert.equal(headers.get('content-type'), types[format], accept)
    assert.match(headers.get('vary') ?? '', /Accept(?!-)/)
    const previousTag = tags.get(format)
    if (previousTag !== undefined) assert.equal(headers.get('etag'), previousTag)
    tags.set(format, headers.get('etag'))
  }
  assert.equal(new Set(tags.values()).size, 5)
  assert.equal(
    (await get(`${path}?format=xml`, { accept: 'text/csv' })).headers.get('content-type'),
    types.xml,
  )
  const error = await get('e/nothing/results', { accept: 'text/csv' })
  assert.deepEqual([error.status, error.headers.get('content-type')], [400, types.json])
})

test('format is validated everywhere, and used only for results', async () => {
  const { headers } = await get('e/all/count?format=csv', { accept: 'text/csv' })
  assert.deepEqual([headers.get('content-type'), headers.get('content-disposition')], [types.json, null])
  for (const path of ['e/all/results?format=pdf', 'e/all/count?format=pdf', 'e/all/results?format=']) {
    const { status, body } = await get(path)
    const { code, message } = JSON.parse(Buffer.from(body).toString())
    assert.deepEqual([status, code], [400, 'bad-option'])
    assert.match(message, /"format".*json, csv, xlsx, xml, rdf/)
  }
})

test('a table with more columns than a spreadsheet allows is rejected until attributes are chosen', async () => {
  const wide = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`a${index}`, index]))
  await server.importDocuments('museum', 'works', JSON.stringify({ id: 'wide', ...wide }))
  for (const format of ['csv', 'xlsx']) {
    const { status, body } = await get(`e/work/p/id/wide/results?format=${format}`)
    assert.equal(status, 400)
    assert.match(JSON.parse(Buffer.from(body).toString()).message, /1001.*1000.*"attributes"/)
    assert.equal((await get(`e/work/p/id/wide/results?format=${format}&attributes=a1,a1000`)).status, 200)
  }
  assert.equal((await get('e/work/p/id/wide/results?format=rdf')).status, 200)
})

test('attributes named like members of a result appear next to them, in every reader', async () => {
  const attributes = {
    rank: 7,
    class: 'first',
    probability: 0.5,
    'attributes.rank': 8,
    'highlights.title': 'none',
    // Computed, because a literal key would set the prototype.
    ['__proto__']: 'a word',
  }
  await server.importDocuments('museum', 'works', JSON.stringify({ id: 'named', ...attributes }))
  const path = 'e/work/p/id/named'
  const [names = [], cells = []] = (await read('csv', `${path}/results?format=csv`)) as string[][]
  assert.equal(new Set(names).size, names.length)
  assert.deepEqual(
    new Map(names.map((name, index) => [name, cells[index]])),
    new Map([
      ['rank', '1'],
      ['probability', '1'],
      ['id', 'https://museum.example/works/named'],
      ['class', ''],
      ['attributes.rank', '7'],
      ['attributes.class', 'first'],
      ['attributes.probability', '0.5'],
      ['attributes.attributes.rank', '8'],
      ['attributes.highlights.title', 'none'],
      ['__proto__', 'a word'],
    ]),
  )
  const book = (await read('xlsx', `${path}/results?format=xlsx`)) as Record<string, Cell[][]>
  assert.deepEqual(
    book.results?.[0]?.map(({ value }) => value),
    names,
  )
  const item = Buffer.from((await get(`${path}/resultitem`)).body).toString()
  const page = Buffer.from((await get(`${path}/resultpage`)).body).toString()
  for (const text of [item, page]) assert.match(text, /"__proto__":"a word"/)
  assert.match(item, /^\{"id":"https:\/\/museum.example\/works\/named","class":\[\],/)
})

test('rdf reads, compares and writes lower-case dates and leap seconds', async () => {
  await server.importDocuments(
    'museum',
    'works',
    [
      { id: 'leap', acquired: '2016-12-31t23:59:60z' },
      { id: 'after', acquired: '2017-01-01T00:00:00Z' },
    ]
      .map(work => JSON.stringify(work))
      .join('\n'),
  )
  const findAcquiredBetween = async (from: string, to: string) => {
    const { body } = await get(`e/acquired/p/from/${from}/p/to/${to}/resultpage`)
    const { items } = JSON.parse(Buffer.from(body).toString()) as {
      items: { tuple: [{ acquired: string }] }[]
    }
    return items.map(({ tuple }) => tuple[0].acquired)
  }
  const leap = '2016-12-31t23:59:60z'
  assert.deepEqual(await findAcquiredBetween('2016-12-31T23:59:59Z', '2016-12-31T23:59:59Z'), [leap])
  assert.deepEqual(await findAcquiredBetween(leap, leap), [leap])
  assert.deepEqual(await findAcquiredBetween('2016-12-31', '2016-12-31'), [leap])
  assert.deepEqual(await findAcquiredBetween('2016-12-31t18:59:60-05:00', '2017-01-01t00:00:00.5z'), [
    '2017-01-01T00:00:00Z',
    leap,
  ])
  const { body } = await get('e/work/p/id/leap/results?format=rdf')
  const dateTime = '<http://www.w3.org/2001/XMLSchema#dateTime>'
  assert.ok(Buffer.from(body).includes(`"2016-12-31T23:59:59Z"^^${dateTime}`), 'as XML Schema writes it')
})
