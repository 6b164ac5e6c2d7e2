import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readJsonRows } from './json-rows.ts'
import type { Line } from './lines.ts'

const cut = (bytes: Uint8Array, places: readonly number[]) => {
  const ends = [...places.map(place => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
}
const read = async (chunks: readonly Uint8Array[], rows?: string) => {
  const lines: Line[] = []
  const source = async function* () {
    yield* chunks
  }
  for await (const part of readJsonRows(source(), rows)) lines.push(...part)
  return lines
}
const readText = (text: string, rows?: string) => read([Buffer.from(text)], rows)
const documents = async (text: string, rows?: string) =>
  (await readText(text, rows)).map(({ text, fault }) => fault ?? JSON.parse(text))

test('the longest list of objects inside an object is read, wherever the stream is cut', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { minLength: 1, maxLength: 6 }),
      fc.jsonValue({ maxDepth: 1 }),
      fc.constantFrom(undefined, 2),
      fc.array(fc.nat(500), { maxLength: 10 }),
      async (items, other, indent, places) => {
        const body = { text: '{"[', other: { inner: other }, data: { "it'ems": items }, few: [], last: 1 }
        const bytes = Buffer.from(`\ufeff ${JSON.stringify(body, null, indent)}\n`)
        const lines = await read(cut(bytes, places), "data.it'ems")
        assert.deepEqual(
          lines.map(({ index, text, fault }) => [index, fault ?? JSON.stringify(JSON.parse(text))]),
          items.map((item, index) => [index, JSON.stringify(item)]),
        )
      },
    ),
  ))

test('a list is chosen by its length, or by its path', async () => {
  const body = JSON.stringify({
    meta: { columns: [{ name: 'a' }], numbers: [1, 2, 3, 4] },
    page: { rows: [{ id: 1, parts: [{}, {}, {}, {}] }, { id: 2 }] },
  })
  assert.deepEqual(await documents(body), [{ id: 1, parts: [{}, {}, {}, {}] }, { id: 2 }])
  assert.deepEqual(await documents(body, 'meta.columns'), [{ name: 'a' }])
  assert.deepEqual(await documents(body, 'rows'), ['the body has no list of objects at "rows"'])
  assert.match((await documents('[{}]', 'a'))[0], /^rows names a list inside an object/)
  assert.match((await documents(`${'{"a":'.repeat(200)}`))[0], /nested too deep/)
})

test('an item has its index and line; a body that is cut off breaks off', async () => {
  const lines = await readText('{"a":\n[\n{},\n{}]}')
  assert.deepEqual(
    lines.map(({ number, index }) => [number, index]),
    [
      [3, 0],
      [4, 1],
    ],
  )
  for (const text of ['{"a":[{},{', '{"a":[{}],"b":']) {
    const last = (await readText(text)).at(-1)
    assert.equal(last?.breaksOff, true)
    assert.match(last?.fault ?? '', /^the text ends before/)
  }
})

test('a list far from the beginning is found; a longer one that comes too late is told', async () => {
  const padding = JSON.stringify('x'.repeat(9 * 1024 * 1024))
  assert.deepEqual(await documents(`{"padding":${padding},"a":[{"id":1}]}`), [{ id: 1 }])
  const body = Buffer.from(`{"a":[{"id":1}],"padding":${padding},"b":[{"id":1},{"id":2}]}`)
  const late = await read(
    cut(
      body,
      Array.from({ length: 10 }, (_, index) => index * 1024 * 1024),
    ),
  )
  assert.equal(late.length, 2)
  assert.match(late[1]?.fault ?? '', /"b" has more: name the list with \?rows=/)
})

test('a feature of GeoJSON becomes a flat document, with every digit of its numbers', async () => {
  const text = `{"features":[
    {"type":"Feature","id":"f1","properties":{"name":"A, \\"B\\" {","size":1.000000000000000001},"geometry":{"type":"Point","coordinates":[1.50,2]}},
    {"type":"Feature","geometry":null,"properties":{"id":"own"},"id":7},
    {"type":"Feature","properties":null,"id":8}, {"type":"other","properties":{}}],"type":"FeatureCollection"}`
  const lines = await readText(text)
  assert.deepEqual(
    lines.map(({ text }) => text.trim()),
    [
      '{"id":"f1","name":"A, \\"B\\" {","size":1.000000000000000001,"geometry":{"type":"Point","coordinates":[1.50,2]}}',
      '{"id":7,"id":"own","geometry":null}',
      '{"id":8}',
      '{"type":"other","properties":{}}',
    ],
  )
})

test('an object of objects is documents with keys, wherever the stream is cut', () =>
  fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.string(), { minLength: 2, maxLength: 6 }),
      fc.array(fc.dictionary(fc.string({ minLength: 4 }), fc.jsonValue()), { minLength: 6, maxLength: 6 }),
      fc.constantFrom(undefined, 2),
      fc.array(fc.nat(500), { maxLength: 10 }),
      async (keys, values, indent, places) => {
        const items = keys.map((key, index) => ({ key, ...values[index], last: index }))
        const inner = items.map(({ key, ...item }) => [key, item] as const)
        const bytes = Buffer.from(JSON.stringify({ data: Object.fromEntries(inner) }, null, indent))
        const lines = await read(cut(bytes, places), 'data')
        const byKey = (one: { key: string }, next: { key: string }) => (one.key < next.key ? -1 : 1)
        assert.deepEqual(
          lines.map(({ text, fault }) => fault ?? JSON.parse(text)).sort(byKey),
          JSON.parse(JSON.stringify(items)).sort(byKey),
        )
      },
    ),
  ))

test('an object of objects counts if there is no list, or if its documents have the lists', async () => {
  const types = { 'text/csv': { source: 'iana' }, 'text/tsv': {}, 'a"b': { key: 'own' } }
  assert.deepEqual(await documents(JSON.stringify(types)), [
    { key: 'text/csv', source: 'iana' },
    { key: 'text/tsv' },
    { key: 'own' },
  ])
  const features = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`f${index}`, { title: `F ${index}`, links: [{}, {}] }]),
  )
  const read = await documents(JSON.stringify({ agents: { a: {}, b: {} }, data: features }))
  assert.deepEqual([read.length, read[7]], [30, { key: 'f7', title: 'F 7', links: [{}, {}] }])
  const reply = { meta: {}, links: {}, page: { size: {} }, data: { items: [{ id: 1 }] } }
  assert.deepEqual(await documents(JSON.stringify(reply)), [{ id: 1 }])
  assert.deepEqual(await documents(JSON.stringify({ ...types, version: 1 }), 'a"b'), [
    'the body has no list of objects at "a\\"b"',
  ])
})

test('an object of many plain values is documents, one of few is no list', async () => {
  const names = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`C${index}`, `Country ${index}`]),
  )
  const read = await documents(JSON.stringify({ locale: 'en', countries: names }))
  assert.deepEqual([read.length, read[3]], [30, { key: 'C3', value: 'Country 3' }])
  assert.deepEqual(await documents('{"id":1,"name":"a","size":3}'), [{ id: 1, name: 'a', size: 3 }])
})

test('plain values are documents if the first item of the list is one', async () => {
  assert.deepEqual(await documents('["The Godfather", "12", 12.50, true, {"value":1,"a":2}]'), [
    { value: 'The Godfather' },
    { value: '12' },
    { value: 12.5 },
    { value: true },
    { value: 1, a: 2 },
  ])
  assert.deepEqual(await documents('[{"id":1}, "stray"]'), [{ id: 1 }, 'stray'])
})

test('rows that are lists become documents, named by their first row if it is a header', async () => {
  assert.deepEqual(await documents('[["NAME","POP","state",""],["Ohio","11799448","39",1],["Utah",null]]'), [
    { NAME: 'Ohio', POP: '11799448', state: '39', 'column-4': 1 },
    { NAME: 'Utah', POP: null },
  ])
  assert.deepEqual(await documents('[["#69d2e7","#a7dbd8"], ["#fe4365","#fc9d9a","#f9cdad"]]'), [
    { 'column-1': '#69d2e7', 'column-2': '#a7dbd8' },
    { 'column-1': '#fe4365', 'column-2': '#fc9d9a', 'column-3': '#f9cdad' },
  ])
  const lines = await readText(
    '[["de:1","a, \\"b\\" [", 9007199254740993, [1,{"x":[]}]],["de:2","c",2.50,[]]]',
  )
  assert.deepEqual(
    lines.map(({ text }) => text),
    [
      '{"column-1":"de:1","column-2":"a, \\"b\\" [","column-3":9007199254740993,"column-4":[1,{"x":[]}]}',
      '{"column-1":"de:2","column-2":"c","column-3":2.50,"column-4":[]}',
    ],
  )
  assert.deepEqual(await documents('[["only","row"]]'), [{ 'column-1': 'only', 'column-2': 'row' }])
})

test('an object whose values are columns becomes rows', async () => {
  const rows = [
    { 'na"me': 'Ann', age: 31 },
    { 'na"me': 'Bob', age: null },
  ]
  assert.deepEqual(await documents('{"na\\"me":["Ann","Bob"],"age":[31,null]}'), rows)
  assert.deepEqual(await documents('{"na\\"me":{"0":"Ann","1":"Bob"},"age":{"0":31,"1":null}}'), rows)
  // Other objects stay what they were.
  assert.deepEqual(await documents('{"a":[1,2],"b":[3]}'), [{ a: [1, 2], b: [3] }])
  assert.deepEqual(await documents('{"a":{"x":1,"y":2},"b":{"x":3,"y":4}}'), [
    { key: 'a', x: 1, y: 2 },
    { key: 'b', x: 3, y: 4 },
  ])
  const cutOff = await documents('{"a":[1,2],"b":[3,')
  assert.match(cutOff[0], /the text ends, and a value is missing/)
})

test('an object of lists has a document for each name', async () => {
  const tags = { house: ['home', 'roof'], cat: ['pet'], dog: [], sun: ['star'], moon: ['night'] }
  const rows = Object.entries(tags).map(([key, value]) => ({ key, value }))
  assert.deepEqual(await documents(JSON.stringify(tags)), rows)
})

test('rows of a table have the names of columns beside them, around them or in the first row', async () => {
  const rows = [
    { name: 'Ann', age: 31 },
    { name: 'Bob', age: null },
    { name: 'Cem', age: 20 },
  ]
  const data = rows.map(({ name, age }) => [name, age])
  const bodies = [
    { columns: ['name', 'age'], index: [0, 1], data },
    { total: 2, header: ['name', 'age'], rows: data },
    {
      meta: {
        view: {
          id: 'x',
          columns: [
            { id: 1, name: 'name' },
            { id: 2, name: 'age' },
          ],
        },
      },
      data,
    },
    { values: [['name', 'age'], ...data] },
  ]
  for (const body of bodies) assert.deepEqual(await documents(JSON.stringify(body)), rows)
  const shape = { type: 'Feature', geometry: { coordinates: data } }
  assert.deepEqual(await documents(JSON.stringify(shape)), [shape])
})

test('few documents under their names come before the list that each of them has', async () => {
  const place = { name: 'Africa', population: 1, names: [{ name: 'Afrika' }, { name: 'Afrique' }] }
  const body = { AF: place, EU: place, AS: { ...place, names: [] } }
  assert.deepEqual(
    (await documents(JSON.stringify(body))).map(document => document.key),
    ['AF', 'EU', 'AS'],
  )
  const wrapped = { data: { items: [{ id: 1 }, { id: 2 }] }, links: { items: [{ id: 3 }] } }
  assert.deepEqual(await documents(JSON.stringify(wrapped)), [{ id: 1 }, { id: 2 }])
})

test('an object without a list of documents is one document', async () => {
  const store = { name: 'Acme', address: { city: 'Oslo', zip: null }, tags: ['used', 'rare'], 'a[]': 'x' }
  assert.deepEqual(await documents(`\ufeff${JSON.stringify(store)}\n`), [store])
  const dependencies = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`p${index}`, '1.0.0']))
  const manifest = { name: 'a', version: '1', license: 'MIT', scripts: { test: 'x' }, dependencies }
  assert.deepEqual(await documents(JSON.stringify(manifest)), [manifest])
  for (const body of ['{}', '{"total":0,"items":[]}', '{"a":{"rows":[ ]}}'])
    assert.match((await documents(body))[0], /no list of objects inside; if it is one document/)
})

test('objects that follow each other over several lines are documents', async () => {
  const rows = [{ id: 1, title: 'a } "b" [' }, { id: 2, parts: [{ n: 1 }, { n: 2 }] }, { id: 3 }]
  const pretty = rows.map(row => JSON.stringify(row, null, 2))
  for (const separator of ['\n', ',\n', '\n\u001e', ''])
    assert.deepEqual(await documents(pretty.join(separator)), rows)
  assert.match((await documents(`${pretty.join('\n')} x`)).at(-1), /^unexpected text between/)
  assert.match(
    (await documents(pretty.join('\n').slice(0, -1))).at(-1),
    /ends before the "}" of the document/,
  )
})

test('the longest object counts more than a shorter list that is nested deeper, or than few objects around it', async () => {
  const makeNames = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, { name: `F ${index}` }]))
  const features = { browsers: { chrome: { releases: [{ v: 1 }, { v: 2 }] } }, features: makeNames(25) }
  assert.equal((await documents(JSON.stringify(features))).length, 25)
  const territories = Object.fromEntries(
    Array.from({ length: 120 }, (_, index) => [`T${index}`, `Land ${index}`]),
  )
  const translations = { main: { de: { identity: { language: 'de' }, names: { territories } } } }
  assert.equal((await documents(JSON.stringify(translations))).length, 120)
  const arcs = Array.from({ length: 9 }, () => [
    [1, 2],
    [3, 4],
  ])
  const topology = { type: 'Topology', arcs, objects: { land: { geometries: [{ id: 'a' }, { id: 'b' }] } } }
  assert.deepEqual(await documents(JSON.stringify(topology)), [{ id: 'a' }, { id: 'b' }])
})
