/** The place of the cursor in a workspace file that is being typed, and what the JSON Schema says about it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import schema from '@querent/contract/workspace-file.schema.json' with { type: 'json' }
import fc from 'fast-check'
import { parse } from 'yaml'
import { listDeclaredNames } from '#console/pages/workspace-file/declared-names'
import { explainWord } from '#console/pages/workspace-file/explanation'
import { findSchemas, listValues } from '#console/pages/workspace-file/schema-lookup'
import { listKeys, readContext } from '#console/pages/workspace-file/yaml-context'

/** Returns the context at `|`. */
const readAt = (marked: string) => {
  const cursor = marked.indexOf('|')
  const text = marked.replace('|', '')
  return { text, cursor, place: readContext(text, cursor) }
}
const describe = (marked: string) => {
  const { place } = readAt(marked)
  return place && `${place.position} ${place.path.join('.')}`
}
const completeAt = (marked: string) => {
  const { text, place } = readAt(marked)
  assert.ok(place, marked)
  const schemas = findSchemas(schema, place.path, place.scalars)
  return place.position === 'key'
    ? [...new Set(schemas.flatMap(({ properties }) => Object.keys(properties ?? {})))]
    : [...schemas.flatMap(listValues), ...listDeclaredNames(text, place)]
}

const collections =
  'collections:\n  books:\n    fields:\n      title: { type: text }\n      year: { type: number }\n'

test('the context is the path of the cursor, in block style and in flow style', () => {
  for (const [marked, expected] of [
    ['work|', 'key '],
    ['workspace: a\ncol|', 'key '],
    ['collections:\n  books:\n    |', 'key collections.books'],
    [
      'collections:\n  books:\n    id: { field: isbn }\n    fields:\n      a: { type: te|',
      'value collections.books.fields.a.type',
    ],
    ['apis:\n  s:\n    endpoints:\n      q: { kind: match, collection: b }\n    acc|', 'key apis.s'],
    [
      'apis:\n  s:\n    endpoints:\n      q: { kind: match, collection: b }\n      |\n      z: {}',
      'key apis.s.endpoints',
    ],
    ['apis:\n  s:\n    endpoints:\n      q: {\n        kind: match,\n        fie|', 'key apis.s.endpoints.q'],
    ['tests:\n  - { endpoint: a, |', 'key tests.[]'],
    ['tests:\n  - endpoint: x\n    |', 'key tests.[]'],
    ['members:\n  a@b.c: [|', 'value members.a@b.c.[]'],
    ['title: "a: b" # a co|mment', undefined],
    ['title: >-\n  fir|st\nworkspace: a', undefined],
  ] as const)
    assert.equal(describe(marked), expected, marked)
})

test('keys, values and declared names are offered for the place', () => {
  assert.deepEqual(completeAt('collections:\n  b:\n    fields:\n      t: { type: text, |'), [
    'type',
    'visible',
    'listSeparator',
    'title',
    'language',
    'weight',
    'suggest',
    'codes',
    'source',
  ])
  assert.ok(
    completeAt('apis:\n  s:\n    endpoints:\n      q:\n        kind: facet\n        |').includes('separator'),
  )
  assert.ok(
    !completeAt('apis:\n  s:\n    endpoints:\n      q:\n        kind: facet\n        |').includes('typos'),
  )
  assert.deepEqual(completeAt('apis:\n  s:\n    access: |'), ['members', 'public'])
  assert.deepEqual(
    completeAt(`${collections}apis:\n  s:\n    endpoints:\n      q: { kind: match, collection: |`),
    ['books'],
  )
  assert.deepEqual(
    completeAt(
      `${collections}apis:\n  s:\n    endpoints:\n      q: { kind: match, collection: books, fields: [|`,
    ),
    ['title', 'year'],
  )
  assert.deepEqual(
    completeAt(
      `apis:\n  s:\n    endpoints:\n      find: { kind: match, collection: b }\ntests:\n  - { endpoint: |`,
    ),
    ['find'],
  )
})

test('a word is explained with its description and what it allows', () => {
  const { text, cursor } = readAt('apis:\n  s:\n    endpoints:\n      q: { kind: match, mat|ching: all }')
  const explanation = explainWord(schema, text, cursor)
  assert.equal(explanation?.title, 'apis.s.endpoints.q.matching')
  assert.equal(explanation?.allowed, 'any, all, relaxed')
  assert.equal(text.slice(explanation?.from, explanation?.to), 'matching')
  assert.equal(explainWord(schema, 'workspace: a\n# matching', 20), undefined)
})

/** Names that YAML reads as text. */
const name = fc.stringMatching(/^[a-z]{1,6}$/).filter(text => typeof parse(text) === 'string')
const tree = fc.letrec(tie => ({
  tree: fc.dictionary(name, fc.oneof({ depthSize: 'small' }, name, tie('tree')), {
    minKeys: 1,
    maxKeys: 4,
    noNullPrototype: true,
  }),
})).tree

type Tree = { [key: string]: Tree | string }
const listPaths = (value: Tree, path: readonly string[] = []): string[] =>
  Object.entries(value).flatMap(([key, inner]) => [
    [...path, key].join('.'),
    ...(typeof inner === 'string' ? [] : listPaths(inner, [...path, key])),
  ])
const writeBlock = (value: Tree, indentation = ''): string =>
  Object.entries(value)
    .map(([key, inner]) =>
      typeof inner === 'string'
        ? `${indentation}${key}: ${inner} # note\n`
        : `${indentation}${key}:\n${writeBlock(inner, `${indentation}  `)}`,
    )
    .join('')
const writeFlow = (value: Tree): string =>
  `{ ${Object.entries(value)
    .map(([key, inner]) => `${key}: ${typeof inner === 'string' ? inner : writeFlow(inner)}`)
    .join(', ')} }`

test('every key of a file is found, in block style and in flow style', () => {
  fc.assert(
    fc.property(tree, generated => {
      // The generator only builds such trees.
      const value = generated as Tree
      const expected = listPaths(value)
      const block = writeBlock(value)
      assert.deepEqual(parse(block), value)
      assert.deepEqual(
        listKeys(block).map(path => path.join('.')),
        expected,
      )
      assert.deepEqual(
        listKeys(`top: ${writeFlow(value)}\n`).map(path => path.join('.')),
        ['top', ...expected.map(path => `top.${path}`)],
      )
    }),
  )
})

test('any text and any cursor have a context or none, never an exception', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'ab:-{}[],"\'#|\n  ') }), fc.nat(), (text, number) => {
      readContext(text, number % (text.length + 1))
    }),
  )
})
