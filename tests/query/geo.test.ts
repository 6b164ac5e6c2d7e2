/** Distances, from the workspace file to the reply (docs/query.md, Filters, ranges and facets). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type StartedServer, startServer } from '#tests/support/started-server'

const places = [
  { id: 'dam', place: { lat: 52.3731, lon: 4.8926 } },
  { id: 'utrecht', place: { lat: 52.0907, lon: 5.1214 } },
  {
    id: 'paris',
    place: [
      { lat: 48.8566, lon: 2.3522 },
      { lat: 45.764, lon: 4.8357 },
    ],
  },
  { id: 'taveuni', place: { lat: -16.85, lon: 179.97 } },
  { id: 'nowhere' },
]
const file = (endpoints: string) => `
workspace: atlas
collections:
  places:
    id: { field: id }
    fields: { place: { type: geo } }
apis:
  atlas:
    access: public
    endpoints:
      all: { kind: all, collection: places }
${endpoints}`
const good = file(`
      within: { kind: filter, field: place }
      nearest: { kind: sort, field: place }
      farthest: { kind: sort, field: place, order: descending }
      map: { kind: area, field: place }
      view: { kind: area, field: place, box: bounds }
      holland: { kind: area, field: place, box: [50.7, 3.3, 53.6, 7.3] }
      pacific: { kind: area, field: place, polygon: [-20, 170, -20, -170, 0, -170, 0, 170] }`)

let server: StartedServer
before(async () => {
  server = await startServer()
  await server.applyWorkspace(good)
  await server.importDocuments('atlas', 'places', places.map(place => JSON.stringify(place)).join('\n'))
})
after(() => server.stop())

const get = (path: string) => fetch(`${server.baseUrl}/4/atlas/api/atlas/${path}`)
const search = async (path: string) => {
  const reply = await get(`${path}/results`)
  const text = await reply.text()
  assert.equal(reply.status, 200, text)
  // Results of the contract.
  const { items } = JSON.parse(text) as { items: { probability: number; tuple: [{ id: string }] }[] }
  return items.map(({ tuple, probability }) => [tuple[0].id.split(':').at(-1), probability])
}
const findIds = async (path: string) => (await search(path)).map(([id]) => id)

test('a filter finds documents within a distance, and rings have scores', async () => {
  assert.deepEqual(await findIds('e/within/p/value/52.37,4.89,1km'), ['dam'])
  assert.deepEqual(await findIds('e/within/p/value/52.37,4.89,500'), ['dam'])
  assert.deepEqual(await findIds('e/within/p/value/45.7%2C4.8%2C10mi'), ['paris'])
  assert.deepEqual(await findIds('e/within/p/value/-16.85,-180,5km'), ['taveuni'])
  const rings = encodeURIComponent('1("52.37,4.89,10km")|0.5("52.37,4.89,50km")')
  assert.deepEqual(await search(`e/within/p/value/${rings}`), [
    ['dam', 1],
    ['utrecht', 0.5],
  ])
})

test('a sort orders by the distance from a point, missing values last', async () => {
  assert.deepEqual(await findIds('e/all/e/nearest/p/from/48.8,2.3'), [
    'paris',
    'utrecht',
    'dam',
    'taveuni',
    'nowhere',
  ])
  assert.deepEqual(await findIds('e/all/e/farthest/p/from/52.37,4.89'), [
    'taveuni',
    'paris',
    'utrecht',
    'dam',
    'nowhere',
  ])
})

test('an area finds documents with a place in a box or a polygon, of the request or of the definition', async () => {
  assert.deepEqual(await findIds('e/map/p/box/48,2,53,6'), ['dam', 'paris', 'utrecht'])
  assert.deepEqual(await findIds('e/map/p/box/-20,170,0,-170'), ['taveuni'])
  assert.deepEqual(await findIds('e/view/p/bounds/45%2C4.8%2C46%2C5'), ['paris'])
  assert.deepEqual(await findIds('e/map/p/polygon/52,4.95,53,5,52,6'), ['utrecht'])
  assert.deepEqual(await findIds('e/map/p/polygon/52,4.95,53,5,52,6,52,4.95'), ['utrecht'])
  assert.deepEqual(await findIds('e/holland'), ['dam', 'utrecht'])
  assert.deepEqual(await findIds('e/all/e/pacific'), ['taveuni'])
  const corners = Array.from({ length: 1000 }, (_, corner) => {
    const angle = (corner * Math.PI) / 500
    return [(52 + Math.sin(angle)).toFixed(4), (5 + 2 * Math.cos(angle)).toFixed(4)]
  })
  assert.deepEqual(await findIds(`e/map/p/polygon/${corners}`), ['dam', 'utrecht'])
})

test('what is no area gets 400', async () => {
  const circle = Array.from({ length: 1001 }, (_, corner) => {
    const angle = (corner * Math.PI) / 501
    return [Math.sin(angle).toFixed(3), Math.cos(angle).toFixed(3)]
  })
  for (const path of [
    'e/map',
    'e/map/p/box/1,2,3,4/p/polygon/0,0,1,1,0,1',
    'e/map/p/box/1,2,3',
    'e/map/p/box/1,2,3,4,5',
    'e/map/p/box/3,2,1,4',
    'e/map/p/box/0,0,91,0',
    'e/map/p/box/0,0,1,181',
    'e/map/p/box/0,0,x,1',
    'e/map/p/polygon/',
    'e/map/p/polygon/0,0,1,1',
    'e/map/p/polygon/0,0,1,1,0',
    'e/map/p/polygon/0,0,1,1,0,0',
    'e/map/p/polygon/0,0,1,1,0,1,1,0',
    'e/map/p/polygon/0,0,0,10,0,5',
    'e/map/p/polygon/0,0,0,180,10,90',
    `e/map/p/polygon/${circle}`,
    'e/holland/p/box/1,2,3,4',
  ]) {
    const reply = await get(`${path}/count`)
    // The error reply of the contract.
    const { code } = (await reply.json()) as { code: string }
    assert.deepEqual([path, reply.status, code], [path, 400, 'bad-parameter'])
  }
})

test('a fixed area that is none is rejected with its place when the file is applied', async () => {
  for (const [keys, message] of [
    ['box: [1, 2, 3]', /4:|bad\.box/],
    ['box: [3, 2, 1, 4]', /bad\.box: found/],
    ['polygon: [0, 0, 1, 1, 0, 1, 1, 0]', /bad\.polygon: the edge/],
    ['box: [0, 0, 1, 1], polygon: [0, 0, 1, 1, 0, 1]', /bad\.polygon: found/],
    ['box: area, polygon: area', /bad: two parameters have the name "area"/],
  ] as const)
    await assert.rejects(
      server.run(['apply', '-'], { input: file(`      bad: { kind: area, field: place, ${keys} }`) }),
      message,
    )
})

test('about and OpenAPI describe the parameters of an area', async () => {
  // The replies of the contract.
  const description = (await (await get('')).json()) as { endpoints: { name: string; parameters: unknown }[] }
  assert.deepEqual(description.endpoints.find(({ name }) => name === 'map')?.parameters, [
    { name: 'box', type: 'box', required: false },
    { name: 'polygon', type: 'polygon', required: false },
  ])
  const { paths } = (await (await get('openapi.json')).json()) as { paths: object }
  const described = Object.keys(paths).filter(path => path.includes('/e/map'))
  assert.ok(described.some(path => path.includes('/p/box/{')))
  assert.ok(described.every(path => path.includes('/p/box/{') !== path.includes('/p/polygon/{')))
})

test('a malformed place gets 400 that says what is allowed', async () => {
  for (const [path, message] of [
    [
      'e/within/p/value/52.37,4.89',
      /"value" of "within": found "52.37,4.89", allowed: latitude, longitude and distance/,
    ],
    ['e/within/p/value/91,0,1km', /found "91,0,1km"/],
    ['e/all/e/nearest', /"from" of "nearest" is missing/],
    ['e/all/e/nearest/p/from/here', /found "here", allowed: a latitude/],
  ] as const) {
    const reply = await get(`${path}/results`)
    assert.equal(reply.status, 400)
    // The error reply of the contract.
    assert.match(((await reply.json()) as { message: string }).message, message)
  }
})

test('ranges and facets of places are rejected when the file is applied', async () => {
  for (const kind of ['range', 'facet'])
    await assert.rejects(
      server.run(['apply', '-'], { input: file(`      bad: { kind: ${kind}, field: place }`) }),
      new RegExp(`of type geo; ${kind} works on`),
    )
})
