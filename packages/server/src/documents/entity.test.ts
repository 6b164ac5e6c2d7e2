import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Definition } from '@querent/contract/workspace-file'
import fc from 'fast-check'
import { generationSpec } from '#collections/generation-spec'
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
    synonyms: [['car', 'automobile']],
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
    [{ id: 'a', title: 3 }, /"title": found 3, allowed: text/],
    [{ id: 'a', senses: [1, 'many'] }, /"senses", item 2: found "many", allowed: a number/],
    [{ id: 'a', senses: '1' }, /"senses": found "1", allowed: a number/],
    [{ id: 'a', added: '2023-02-29' }, /"added": found "2023-02-29", allowed: an RFC 3339 date/],
    [{ id: 'a', place: { lat: 91, lon: 0 } }, /"place": found \{"lat":91,"lon":0\}, allowed: \{"lat"/],
    [{ id: 'a', meaning: [1] }, /"meaning": found a list of 1, allowed: a list of 2 numbers/],
    [{ id: 'a', meaning: [1, 'x'] }, /"meaning", number 2: found "x", allowed: a list of 2 numbers/],
    [{ id: 'a', meaning: [1, 1e39] }, /"meaning", number 2: found 1e\+39, allowed: a list of 2 numbers/],
    [{ id: 'a', meaning: [[1, 2], [3]] }, /"meaning", vector 2: found a list of 1, allowed/],
    [{ id: 'a', domain: 'é'.repeat(20_000) }, /"domain": .*allowed: text of at most 32766 bytes/],
    [{ id: 'a', title: [null] }, /"title", item 1: found null/],
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
