/** A validator and schemathesis check the OpenAPI documents of the query service against the server (PyPI; prepare-python.sh). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { chooseRuns } from '#server/test-runs'
import { books } from '#tests/support/library'
import { parts, partsFile } from '#tests/support/parts'
import { runPython } from '#tests/support/python'
import { schemathesis } from '#tests/support/schemathesis'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

const endpoints = `
      search: { kind: match, collection: books, fields: [title], prefix: true, typos: true }
      all: { kind: all, collection: books, title: Every book }
      book: { kind: lookup, collection: books }
      genre: { kind: facet, field: genre, title: Genre }
      long: { kind: filter, field: pages, parameter: pages }
      printed: { kind: filter, field: inPrint }
      available: { kind: filter, field: inPrint, value: true }
      on: { kind: filter, field: published }
      year: { kind: range, field: published }
      pages: { kind: range, field: pages, from: least, to: most }
      newest: { kind: sort, field: published, order: descending }
      like: { kind: similar, collection: books, fields: [title] }
      both: { kind: mix, of: { search: 1, like: 2 } }`
const workspaceFile = `
workspace: library
collections:
  books:
    id: { field: id, uri: "https://library.example/books/{id}" }
    language: english
    fields:
      title: { type: text }
      genre: { type: keyword }
      pages: { type: number }
      inPrint: { type: boolean }
      published: { type: date }
configurations:
  default: { books: live }
apis:
  books:
    title: Books
    endpoints:${endpoints}
  open:
    access: public
    endpoints:
      search: { kind: match, collection: books }
      genre: { kind: facet, field: genre }
`

let server: StartedServer
let token = ''
before(async () => {
  server = await startServer()
  await server.applyWorkspace(workspaceFile)
  await server.importDocuments('library', 'books', books.map(book => JSON.stringify(book)).join('\n'))
  const client = await server.createAccount('library', 'tests', 'api')
  token = await fetchToken(server, client)
})
after(() => server.stop())

interface Document {
  openapi: string
  servers: { url: string }[]
  paths: Record<string, { get: { security: unknown[]; parameters: ({ name: string } | { $ref: string })[] } }>
  components: {
    parameters: Record<string, { name: string }>
    securitySchemes: { oauth2: { flows: Record<string, { tokenUrl: string }> } }
  }
}
/** Resolves a reference within the document. */
const resolved = (document: object, reference: string): unknown =>
  reference
    .replace(/^#\//, '')
    .split('/')
    .reduce((found: unknown, name) => Object(found)[name], document)
/** Schemathesis takes half a minute of processor time. In the ordinary set tests/security/fuzz.test.ts sends malformed requests. */
const isLonger = chooseRuns(false, true)
const service = '/4/openapi.json'
const ofApi = (api: string) => `/4/library/api/${api}/openapi.json`
const get = (path: string, withToken = true, method = 'GET') =>
  fetch(`${server.baseUrl}${path}`, {
    method,
    headers: withToken ? { authorization: `Bearer ${token}` } : {},
  })

test('everyone may read the document of the service, from every origin, and only its readers that of an API', async () => {
  const reply = await fetch(`${server.baseUrl}${service}`, {
    headers: { origin: 'https://anywhere.example' },
  })
  assert.equal(reply.status, 200)
  assert.match(reply.headers.get('content-type') ?? '', /^application\/json/)
  assert.equal(reply.headers.get('access-control-allow-origin'), '*')
  for (const [path, withToken, status] of [
    [ofApi('books'), true, 200],
    [ofApi('books'), false, 401],
    [ofApi('nothing'), false, 401],
    [ofApi('nothing'), true, 404],
    [ofApi('open'), false, 200],
  ] as const)
    assert.equal((await get(path, withToken)).status, status, path)
  const tag = (await get(ofApi('open'), false)).headers.get('etag') ?? assert.fail()
  const conditionalReply = await fetch(`${server.baseUrl}${ofApi('open')}`, {
    headers: { 'if-none-match': tag },
  })
  assert.deepEqual([conditionalReply.status, await conditionalReply.text()], [304, ''])
  const postReply = await get(service, false, 'POST')
  assert.deepEqual([postReply.status, postReply.headers.get('allow')], [405, 'GET, HEAD, OPTIONS'])
})

test('each document is valid OpenAPI 3.1, names both flows, and describes every endpoint with its parameters', async () => {
  for (const path of [service, ofApi('books'), ofApi('open')]) {
    // The validator checks its form.
    const document = (await (await get(path)).json()) as Document
    assert.match(document.openapi, /^3\.1\./)
    assert.ok(Number(await runPython('validate-openapi.py', [], JSON.stringify(document))) > 10)
    JSON.stringify(document, (key, value: unknown) => {
      if (key === '$ref') assert.ok(resolved(document, String(value)), `${path}: ${value}`)
      return value
    })
    const { flows } = document.components.securitySchemes.oauth2
    assert.deepEqual(
      [flows.clientCredentials?.tokenUrl, flows.authorizationCode?.tokenUrl],
      [`${server.authUrl}/oauth/token`, `${server.authUrl}/oauth/token`],
    )
  }
  const text = await (await get(ofApi('books'))).text()
  // The validator has checked its form.
  const { paths, servers, components } = JSON.parse(text) as Document
  assert.ok(text.length < 1500 * Object.keys(paths).length, 'what operations share stands there once')
  assert.deepEqual(servers, [{ url: `${server.baseUrl}/4/library/api/books` }])
  for (const path of [
    '/e/search/p/query/{query}/results',
    '/q/search/p/query/{query}/results',
    '/e/genre:FILTER/p/value/{value}/results,count',
    '/e/year/count',
    '/e/year/p/to/{to}/statistics',
    '/e/pages/p/least/{least}/p/most/{most}/resultpage',
    '/e/both/p/query/{query}/p/id/{id}/resultitem',
    '/e/all/options/{facet}',
    '/e/search/p/query/{query}/e/newest/results',
    '/e/search/p/query/{query}/e/genre:FILTER/p/value/{genre}/e/newest/results,count',
    '/e/all/e/genre:FILTER/p/value/{genre}/e/year/p/from/{year_from}/p/to/{year_to}/options/{facet}',
    '/options/{facet}',
    '/batch',
    '/status',
  ])
    assert.ok(paths[path], path)
  const names = paths['/e/search/p/query/{query}/results']?.get.parameters.map(parameter =>
    '$ref' in parameter
      ? components.parameters[parameter.$ref.split('/').at(-1) ?? '']?.name
      : parameter.name,
  )
  assert.deepEqual(names, [
    'query',
    'config',
    'count',
    'offset',
    'cursor',
    'cutoff',
    'attributes',
    'highlight',
    'parts',
  ])
})

test('replies have the types of their API document, which allows no other types and lists no copies', async () => {
  await server.applyWorkspace(partsFile)
  await server.importDocuments('parts', 'parts', parts)
  const authorization = `Bearer ${await fetchToken(server, await server.createAccount('parts', 'tests', 'api'))}`
  const read = async (path: string) =>
    Object(
      await (
        await fetch(`${server.baseUrl}/4/parts/api/parts/${path}`, { headers: { authorization } })
      ).json(),
    )
  const document = await read('openapi.json')
  const { components } = document
  const validate = (schema: object, values: readonly unknown[]): Promise<unknown> =>
    runPython('validate-values.py', [], JSON.stringify({ schema: { ...schema, components }, values }))
  for (const request of ['results', 'results,count', 'resultpage']) {
    const { $ref } = document.paths[`/e/all/${request}`].get.responses['200']
    const { content } = Object(resolved(document, $ref))
    const reply = await read(`e/all/${request}?count=10`)
    assert.deepEqual(await validate(content['application/json'].schema, [reply]), [''], request)
  }

  const { items } = await read('e/all/results?count=10')
  const documents: Record<string, unknown>[] = items.map(
    (item: { tuple: { attributes: object }[] }) => item.tuple[0]?.attributes,
  )
  const schema = components.schemas.PartsAttributes
  const [first] = documents
  assert.deepEqual(
    await validate(schema, documents),
    parts.map(() => ''),
  )
  const wrongValues = {
    'Preis (EUR)': true,
    ...{ stock: '12', since: 5, geometry: { lat: 52.37 }, latitude: [{}] },
    ...{ nombre: 'Faro', 'nombre.es': 5, offers: [{ price: true }], more: { color: 5 }, sets: { maker: 5 } },
    'vector/0': ['0.5'],
  }
  const wrong = Object.entries(wrongValues).map(([name, value]) => ({
    ...first,
    [name.split('/')[0] ?? '']: value,
  }))
  assert.deepEqual(await validate(schema, wrong), Object.keys(wrongValues))
  assert.deepEqual(Object.keys(schema.properties).sort(), [
    ...['Preis (EUR)', 'Warengruppe', 'brand', 'changed', 'geometry', 'latitude', 'longitude', 'more'],
    ...[
      'more.color',
      'nombre',
      'nombre.es',
      'nombre.fr',
      'offers',
      'sets',
      'since',
      'sizes',
      'stock',
      'vector',
    ],
  ])
  assert.equal(schema.properties.stock.description, 'Stock')
  assert.ok(Number(await runPython('validate-openapi.py', [], JSON.stringify(document))) > 10)
})

if (isLonger)
  test('schemathesis finds nothing in the service', async () => {
    const settings = `
[parameters]
"path.workspace" = "library"
"path.api" = "books"
"path.endpoint" = "all"
"path.facet" = "genre"
"path.collection" = "books"

[[operations]]
include-path-regex = "/p/"
parameters = { "path.endpoint" = "search", "path.name" = "query" }
`
    assert.equal(await schemathesis(`${server.baseUrl}${service}`, token, settings), '')
  })

// All stacks have the same operations, so those of one search with one more endpoint are enough.
const longerStacks = '^/e/(all|both)/.*e/|^/e/search/p/query/{query}/e/.*/e/'

for (const api of isLonger ? ['books', 'open'] : [])
  test(`schemathesis finds nothing in the API ${api}`, async () => {
    const settings = `
[[operations]]
include-path-regex = "${longerStacks}"
enabled = false
`
    assert.equal(await schemathesis(`${server.baseUrl}${ofApi(api)}`, token, settings), '')
  })
