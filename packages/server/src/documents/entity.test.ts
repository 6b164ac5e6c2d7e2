import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Collection, Definition } from '@querent/contract/workspace-file'
import fc from 'fast-check'
import { generationSpec } from '#collections/generation-spec'
import { indexedAttributes, parseEntity, withoutIndexed } from '#collections/stored-entity'
import { readStatedId } from './document-id.ts'
import { documentReader } from './entity.ts'

const definition: Definition = {
  workspace: 'dictionary',
  collections: {
    entries: {
      id: { uri: 'https://wordnet.example/{id}' },
      class: ['https://schema.org/DefinedTerm'],
      language: 'english',
      fields: {
        title: { type: 'text' },
        notes: { type: 'text', language: 'none' },
        motto: { type: 'text', suggest: true },
        domain: { type: 'keyword' },
        senses: { type: 'number' },
        added: { type: 'date' },
        live: { type: 'boolean' },
        place: { type: 'geo' },
        meaning: { type: 'vector', dimensions: 2 },
        extra: { type: 'object' },
      },
      synonyms: [['car', 'automobile']],
    },
    typed: {
      id: { field: 'key' },
      class: { field: 'type' },
      fields: { ['constructor' as string]: { type: 'text' as const } },
    },
  },
  apis: {
    a: { endpoints: { complete: { kind: 'match', collection: 'entries', fields: ['title'], prefix: true } } },
  },
}
const reader = documentReader(definition, 'entries')
const readEntity = (document: unknown, source = reader) => {
  const read = source.read(document)
  assert.ok('entity' in read, JSON.stringify(read))
  return read.entity
}

test('the engine learns the searchable fields, and which are completed, or will be (suggest)', () => {
  assert.deepEqual(generationSpec(definition, 'entries'), {
    fields: [
      { name: 'title', type: 'text', language: 'english', prefix: true },
      { name: 'notes', type: 'text', language: 'none', prefix: false },
      { name: 'motto', type: 'text', language: 'english', prefix: true },
      { name: 'domain', type: 'keyword' },
      { name: 'senses', type: 'number' },
      { name: 'added', type: 'date' },
      { name: 'live', type: 'boolean' },
      { name: 'place', type: 'geo' },
      { name: 'meaning', type: 'vector', dimensions: 2, metric: 'cosine' },
    ],
  })
})

test('an entity has id, class and attributes in that order; attributes are all but the id', () => {
  assert.equal(
    readEntity({ title: 'Bank', id: 'bank-1', undeclared: [1, null] }),
    '{"id":"https://wordnet.example/bank-1","class":["https://schema.org/DefinedTerm"],"attributes":{"title":"Bank","undeclared":[1,null]}}',
  )
  assert.equal(
    readEntity({ key: 7, id: 'x', type: 'Thing' }, documentReader(definition, 'typed')),
    '{"id":"urn:querent:dictionary:typed:7","class":["Thing"],"attributes":{"id":"x","type":"Thing"}}',
  )
  assert.match(readEntity({ key: 'a' }, documentReader(definition, 'typed')), /"class":\[\]/)
})

test('values of any declared type are taken, lists and null too', () => {
  for (const document of [
    {
      senses: 3,
      added: '2024-02-29',
      live: true,
      place: { lat: 1, lon: 2 },
      meaning: [1, 2],
      extra: { a: [1] },
    },
    {
      senses: [3, 4],
      added: ['2024-01-31T12:00:00Z'],
      live: [false],
      place: [{ lat: 1, lon: 2 }],
      meaning: [
        [1, 2],
        [3, 4],
      ],
      title: ['a', 'b'],
    },
    { senses: null, added: null, title: null, domain: [] },
  ])
    readEntity({ id: 'a', ...document })
})

test('an id inside an object is refused with the reason', () => {
  const read = readStatedId({ _id: { $oid: '65f0' } }, '_id.$oid', String)
  assert.match(
    typeof read === 'string' ? read : read.message,
    /the id is missing: .*, and no part of an object$/,
  )
  assert.equal(readStatedId({ '_id.$oid': '65f0' }, '_id.$oid', String), '65f0')
})

test('a bad document is refused with the place, what was found and what is allowed', () => {
  const cases: [document: unknown, message: RegExp][] = [
    [[], /found a list of 0; a document is a JSON object/],
    [null, /found null/],
    [{}, /the id is missing: "id" must be/],
    [{ id: '' }, /"id": found "", allowed/],
    [{ id: {} }, /"id": found an object, allowed: text or a number/],
    [{ id: 'x'.repeat(2049) }, /allowed: at most 2048/],
    [{ id: '\ud800' }, /"id": found "\\ud800", which contains a lone surrogate/],
    [JSON.parse('{"id":1234567890123456789}'), /"id": a number beyond 9007199254740991 loses digits; write/],
    [{ id: 'a', title: {} }, /"title": found an object, allowed: text/],
    [{ id: 'a', senses: [1, 'many'] }, /"senses", item 2: found "many", allowed: a number/],
    [{ id: 'a', senses: '1x' }, /"senses": found "1x", allowed: a number/],
    [{ id: 'a', added: '2023-02-29' }, /"added": found "2023-02-29", allowed: an RFC 3339 date/],
    [{ id: 'a', place: { lat: 91, lon: 0 } }, /"place": found \{"lat":91,"lon":0\}, allowed: \{"lat"/],
    [{ id: 'a', meaning: [1] }, /"meaning": found a list of 1, allowed: a list of 2 numbers/],
    [{ id: 'a', meaning: [1, 'x'] }, /"meaning", number 2: found "x", allowed: a list of 2 numbers/],
    [{ id: 'a', meaning: [1, 1e39] }, /"meaning", number 2: found 1e\+39, allowed: a list of 2 numbers/],
    [{ id: 'a', meaning: [[1, 2], [3]] }, /"meaning", vector 2: found a list of 1, allowed/],
    [{ id: 'a', domain: 'é'.repeat(20_000) }, /"domain": .*allowed: text of at most 32766 bytes/],
    [{ id: 'a', x: 'half \ud83d' }, /lone surrogate/],
    [JSON.parse(`{"id":"a","x":${'['.repeat(3000)}${']'.repeat(3000)}}`), /nested more than 100 deep/],
  ]
  for (const [document, message] of cases) {
    const read = reader.read(document)
    assert.ok('message' in read && message.test(read.message), `${message}: ${JSON.stringify(read)}`)
  }
})

test('an id whose field is declared is an attribute too, of its type', () => {
  const createReader = (type: 'keyword' | 'text' | 'number') =>
    documentReader({ workspace: 'w', collections: { c: { fields: { id: { type } } } } }, 'c')
  const words = createReader('keyword')
  assert.equal(
    readEntity({ a: 1, id: '7' }, words),
    '{"id":"urn:querent:w:c:7","class":[],"attributes":{"a":1,"id":"7"}}',
  )
  for (const type of ['keyword', 'text'] as const)
    assert.equal(readEntity({ a: 1, id: 7 }, createReader(type)), readEntity({ a: 1, id: '7' }, words))
  const numbers = createReader('number')
  const bad = numbers.read({ id: '007' })
  assert.ok('message' in bad)
  assert.match(
    bad.message,
    /^"id": found "007", allowed: a number, written in csv .* \(the field is of type number\)$/,
  )
  assert.deepEqual(numbers.toDocument(readEntity({ id: 7 }, numbers)), { id: 7 })
  assert.deepEqual(
    [numbers.toIdValue('7'), numbers.toIdValue('007'), words.toIdValue('urn:querent:w:c:7')],
    [7, '007', '7'],
  )
})

test('any JSON object with an id comes back as it was put', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: 50 }),
      fc.dictionary(fc.string(), fc.jsonValue({ stringUnit: 'binary' }), { noNullPrototype: true }),
      (id, rest) => {
        const document = { ...rest, id }
        const loose = documentReader({ workspace: 'w', collections: { c: {} } }, 'c')
        assert.deepEqual(loose.toDocument(readEntity(document, loose)), JSON.parse(JSON.stringify(document)))
      },
    ),
  )
})

test('a backslash before "ud" is no half character', () => {
  readEntity({ id: 'a', x: 'C:\\udder \\\\ud800' })
})

const fieldsReader = (fields: NonNullable<Collection['fields']>, id?: Collection['id']) =>
  documentReader({ workspace: 'w', collections: { c: { fields, ...(id ? { id } : {}) } } }, 'c')

/** Returns the values that the engines index: `indexed` over the attributes. */
const readIndexed = (fields: NonNullable<Collection['fields']>, document: object) => {
  const reader = fieldsReader(fields)
  const entity = readEntity({ id: 'a', ...document }, reader)
  const { id: _, ...sent } = reader.toDocument(entity)
  assert.deepEqual(sent, document, 'replies return the document as it was sent')
  return indexedAttributes(parseEntity(entity))
}

test('text and keyword take numbers and booleans as their JSON text', () => {
  const fields = { title: { type: 'text' }, code: { type: 'keyword' } } as const
  assert.deepEqual(readIndexed(fields, { title: 1776, code: [7, true, 'x', 0.5] }), {
    title: '1776',
    code: ['7', 'true', 'x', '0.5'],
  })
})

test('numbers are taken as text, with a decimal comma as people write them', () => {
  assert.deepEqual(
    readIndexed({ n: { type: 'number' } }, { n: ['1', ' 2.5 ', 3, '-1e3'] }).n,
    [1, 2.5, 3, -1000],
  )
  const comma = { n: { type: 'number', decimal: ',' } } as const
  assert.deepEqual(
    readIndexed(comma, { n: ['8.000.000', '6,1', '-1.234,50', '12', '1 000', 7, '0.5'] }).n,
    [8_000_000, 6.1, -1234.5, 12, 1000, 7, 0.5],
  )
  assert.deepEqual(
    readIndexed(comma, {
      n: [
        '12,5 %',
        '3,50 €',
        'EUR 1.000',
        '-€2',
        '2 500 zł',
        '1.299,50 kr.',
        '-kr 5',
        '90 Kč',
        'R$ 1.234,56',
        '9 US$',
      ],
    }).n,
    [12.5, 3.5, 1000, -2, 2500, 1299.5, -5, 90, 1234.56, 9],
  )
  const point = { n: { type: 'number', decimal: '.' } } as const
  assert.deepEqual(
    readIndexed(point, { n: ['$1,234.50', '6,718', '12%', '0.5', '-7', '1e3'] }).n,
    [1234.5, 6718, 12, 0.5, -7, 1000],
  )
  for (const n of ['1,2', 'NGC 7089', '12 kg', '1,2345', '12Ft', 'kr5'])
    assert.ok('message' in fieldsReader(point).read({ id: 'a', n }), n)
  const misfit = (n: string, fields: Parameters<typeof fieldsReader>[0]) => {
    const result = fieldsReader(fields).read({ id: 'a', n })
    return 'message' in result ? result.message : undefined
  }
  assert.match(misfit('7,5%', point) ?? '', /1,000\.5 .*decimal: "\."/)
  assert.match(misfit('1.2.3', comma) ?? '', /1\.000,5 .*decimal: ","/)
  for (const n of ['1,2', '1.2.3', 'x', '--', '12%', '6,718', true])
    assert.ok('message' in fieldsReader({ n: { type: 'number' } }).read({ id: 'a', n }), String(n))
})

test('a text is several values by the separator of its field, and a list has its values already', () => {
  const fields: NonNullable<Collection['fields']> = {
    label: { type: 'keyword', listSeparator: ';' },
    word: { type: 'text', source: 'label' },
    size: { type: 'number', decimal: ',', listSeparator: '/' },
    day: { type: 'date', formats: ['dd.MM.yyyy'], listSeparator: ',' },
  }
  assert.deepEqual(
    readIndexed(fields, { label: 'gift; new;', size: '36 / 37,5', day: '1.2.1998, 3.4.1999', note: 'a;b' }),
    {
      label: ['gift', 'new'],
      word: 'gift; new;',
      size: [36, 37.5],
      day: ['1998-02-01', '1999-04-03'],
      note: 'a;b',
    },
  )
  assert.deepEqual(readIndexed(fields, { label: ['a;b', 'c'] }).label, ['a;b', 'c'])
  assert.deepEqual(readIndexed(fields, { label: 'sale' }).label, 'sale')
  const rejected = fieldsReader(fields).read({ id: 'a', size: '36/many' })
  assert.match('message' in rejected ? rejected.message : '', /"size", item 2: found "many"/)
})

test('null and words for no value are none, alone and in lists; texts keep the words', () => {
  const fields = { n: { type: 'number' }, d: { type: 'date' }, t: { type: 'text' } } as const
  assert.deepEqual(readIndexed(fields, { n: ['', 1, 'N/A', null, 2], d: 'NaN', t: ['NA', null, '-'] }), {
    n: [1, 2],
    d: null,
    t: ['NA', '-'],
  })
})

test('dates are taken in the forms of the field', () => {
  const cases: [format: string, value: string | number, date: string][] = [
    ['dd.MM.yyyy', '12.06.1998', '1998-06-12'],
    ['dd.MM.yyyy', '1.2.1998', '1998-02-01'],
    ['MMM d yyyy', 'Jun 12 1998', '1998-06-12'],
    ['MMMM d, yyyy', 'September 3, 2001', '2001-09-03'],
    ['M/d/yy', '7/4/76', '1976-07-04'],
    ['M/d/yy H:mm', '7/4/05 6:05', '2005-07-04T06:05:00Z'],
    ['yyyy/MM/dd HH:mm:ss', '2001/02/03 04:05:06+02:00', '2001-02-03T04:05:06+02:00'],
    ['M/d/yyyy H:mm a', '1/2/2003 12:30 AM', '2003-01-02T00:30:00Z'],
    ["d 'de' MMM yyyy", '3 de Mar 1999', '1999-03-03'],
    ['epoch-seconds', 0, '1970-01-01T00:00:00.000Z'],
    ['epoch-milliseconds', '1500', '1970-01-01T00:00:01.500Z'],
  ]
  for (const [format, value, date] of cases)
    assert.equal(readIndexed({ d: { type: 'date', formats: [format] } }, { d: value }).d, date, format)
  const day = fieldsReader({ d: { type: 'date', formats: ['dd.MM.yyyy'] } })
  for (const d of ['31.02.2001', '2001', '1.13.2001', 5])
    assert.ok('message' in day.read({ id: 'a', d }), String(d))
  assert.deepEqual(
    readIndexed({ d: { type: 'date', formats: ['dd.MM.yyyy'] } }, { d: '2001-02-03' }).d,
    '2001-02-03',
  )
})

test('no format and no value makes reading a date long', () => {
  const blanks = Array(20).fill("' '").join(' ')
  const reader = fieldsReader({ d: { type: 'date', formats: [`yyyy${blanks}MM-dd`] } })
  for (const d of [
    `2001${' '.repeat(100)}x`,
    `x${' '.repeat(1_000_000)}`,
    `2001${' '.repeat(1_000_000)}02-03`,
  ])
    assert.ok('message' in reader.read({ id: 'a', d }))
  assert.ok('entity' in reader.read({ id: 'a', d: '2001   02-03' }))
})

test('places are taken in their common forms, and from two attributes', () => {
  const point = { lat: 52.5, lon: 13.4 }
  for (const place of [
    point,
    { lat: 52.5, lng: 13.4 },
    [13.4, 52.5],
    '52.5,13.4',
    ' 52.5 , 13.4 ',
    { type: 'Point', coordinates: [13.4, 52.5] },
    { type: 'Point', coordinates: [13.4, 52.5, 34] },
    'POINT(13.4 52.5)',
    'point (13.4 52.5)',
  ])
    assert.deepEqual(readIndexed({ place: { type: 'geo' } }, { place }).place, point, JSON.stringify(place))
  assert.deepEqual(readIndexed({ place: { type: 'geo' } }, { place: [point, '1,2'] }).place, [
    point,
    { lat: 1, lon: 2 },
  ])
  const latitudeFirst = { place: { type: 'geo', pairs: 'lat-lon' } } as const
  for (const place of [[52.5, 13.4], '52.5,13.4', { type: 'Point', coordinates: [13.4, 52.5] }])
    assert.deepEqual(readIndexed(latitudeFirst, { place }).place, point, JSON.stringify(place))
  const swapped = fieldsReader({ place: { type: 'geo' } }).read({ id: 'a', place: [-14.3, -170.7] })
  assert.ok('message' in swapped && swapped.message.includes('"place": found [-14.3,-170.7], allowed: '))
  assert.ok('message' in swapped && swapped.message.includes(', or [lon, lat], or a list of them'))
  const pair = { place: { type: 'geo', from: { lat: 'latitude', lon: 'at.longitude' } } } as const
  assert.deepEqual(readIndexed(pair, { latitude: '52.5', at: { longitude: 13.4 } }).place, point)
  assert.equal(readIndexed(pair, { latitude: 'NA', at: { longitude: 1 } }).place, undefined)
  const read = fieldsReader(pair).read({ id: 'a', latitude: 91, at: { longitude: 1 } })
  assert.ok('message' in read && read.message.includes('"place", from "latitude, at.longitude"'))
  for (const place of ['x', [1], { lat: 1 }, { type: 'Point' }, 'POINT(200 1)', [200, 1]])
    assert.ok('message' in fieldsReader({ place: { type: 'geo' } }).read({ id: 'a', place }), String(place))
})

test('a field reads another attribute, or a path through objects and lists', () => {
  const fields = {
    brand: { type: 'keyword' },
    brandText: { type: 'text', source: 'brand' },
    'author.name': { type: 'text' },
    'offers.price': { type: 'number' },
    first: { type: 'text', source: 'author.name' },
  } as const
  const values = readIndexed(fields, {
    brand: 'Acme',
    author: [{ name: 'Ada' }, { name: ['Bob', 'Cy'] }, {}],
    offers: [{ price: '1' }, { price: 2 }, { price: null }],
    first: 'not this',
  })
  assert.equal(values.brandText, 'Acme')
  assert.deepEqual(values['author.name'], ['Ada', 'Bob', 'Cy'])
  assert.deepEqual(values['offers.price'], [1, 2])
  assert.deepEqual(values.first, ['Ada', 'Bob', 'Cy'])
  assert.equal(readIndexed(fields, { first: 'not this' }).first, null)
  const wholeName = readIndexed(fields, { 'author.name': 'Own', author: { name: 'Ada' } })
  assert.equal(wholeName['author.name'], 'Own')
})

test('paths lead through a bounded number of items', () => {
  const names = Array.from({ length: 11 }, (_, index) => `list.${index}`)
  const reader = fieldsReader(Object.fromEntries(names.map(name => [name, { type: 'number' }])))
  const read = (items: number) => reader.read({ id: 'a', list: Array(items).fill({ x: 1 }) })
  assert.ok('entity' in read(9000))
  assert.ok('message' in read(9500))
})

test('a field with the name id and a place before it do not confuse the entity', () => {
  const reader = fieldsReader(
    { id: { type: 'text', source: 'other' }, '0': { type: 'geo' } },
    { generate: 'hash' },
  )
  const document = { '0': '1,2', other: 'x', id: 5 }
  const entity = readEntity(document, reader)
  assert.deepEqual(indexedAttributes(parseEntity(entity)), { '0': { lat: 1, lon: 2 }, other: 'x', id: 'x' })
  assert.deepEqual(parseEntity(withoutIndexed(entity)).attributes, document)
})

test('generated ids: the hash of the content, or the position', () => {
  const byHash = fieldsReader({}, { generate: 'hash' })
  const id = (document: object) => {
    const read = byHash.read(document)
    assert.ok('id' in read)
    return read.id
  }
  assert.match(id({ a: 1, b: [2] }), /^urn:querent:w:c:[0-9a-f]{32}$/)
  assert.equal(id({ a: 1, b: [2] }), id({ b: [2], a: 1 }), 'the order of the keys does not matter')
  assert.notEqual(id({ a: 1 }), id({ a: 2 }))
  const sentBack = byHash.toDocument(readEntity({ a: 1 }, byHash))
  assert.equal(id(sentBack), id({ a: 1 }), 'a document that was read here keeps its id')
  const byRow = fieldsReader({}, { generate: 'row', uri: 'https://x.example/{id}' })
  const read = byRow.read({ a: 1 }, { row: 12 })
  assert.ok('id' in read)
  assert.equal(read.id, 'https://x.example/12')
  assert.ok('message' in byRow.read({ a: 1 }))
})
