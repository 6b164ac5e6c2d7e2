import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readWorkspaceFile } from './read-workspace-file.ts'

test('YAML without a value is rejected with a place', () => {
  const read = readWorkspaceFile('%YAML 1.1\n---\n<<: ')
  assert.ok('errors' in read)
  assert.match(read.errors[0]?.message ?? '', /cannot be read/)
  assert.equal(read.errors[0]?.line, 1)
})

test('aliases cannot make a small file a large definition', () => {
  const list = `[${'"0123456789",'.repeat(5000)}]`
  const read = readWorkspaceFile(
    `workspace: a\na: &a ${list}\n${Array.from({ length: 90 }, (_, index) => `b${index}: *a`).join('\n')}`,
  )
  assert.match(
    'errors' in read ? (read.errors[0]?.message ?? '') : '',
    /more than 2097152 characters as JSON/,
  )
})

test('exceeding a limit is reported with its place, the number found and the limit', () => {
  const repeat = (count: number, value: string) =>
    `{ ${Array.from({ length: count }, (_, index) => `n${index}: ${value}`).join(', ')} }`
  const addresses = `{ ${Array.from({ length: 10_001 }, (_, index) => `m${index}@example.org: [api]`).join(', ')} }`
  for (const [file, path, actual, limit] of [
    [`collections: ${repeat(201, '{}')}`, 'collections', 201, 200],
    [
      `collections: { a: { fields: ${repeat(1001, '{ type: keyword }')} } }`,
      'collections.a.fields',
      1001,
      1000,
    ],
    [`configurations: ${repeat(101, '{}')}`, 'configurations', 101, 100],
    [`apis: ${repeat(101, '{}')}`, 'apis', 101, 100],
    [
      `apis: { a: { endpoints: ${repeat(1001, '{ kind: all, collection: a }')} } }`,
      'apis.a.endpoints',
      1001,
      1000,
    ],
    [
      `apis: { a: { endpoints: { m: { kind: mix, of: ${repeat(21, '1')} } } } }`,
      'apis.a.endpoints.m.of',
      21,
      20,
    ],
    [`applications: ${repeat(1001, '{ redirectUris: ["http://a/"] }')}`, 'applications', 1001, 1000],
    [`systemToSystem: ${repeat(1001, '{ roles: [api] }')}`, 'systemToSystem', 1001, 1000],
    [`members: ${addresses}`, 'members', 10_001, 10_000],
  ] as const) {
    const read = readWorkspaceFile(`workspace: a\n${file}`)
    assert.deepEqual('errors' in read && read.errors.map(error => [error.path, error.message, error.line]), [
      [path, `found ${actual}, allowed: at most ${limit}`, 2],
    ])
  }
})

test('errors are at most 100, however many keys of one mapping are wrong', () => {
  const read = readWorkspaceFile(`workspace: a\nx: {${'a,'.repeat(5000)}}`)
  assert.equal('errors' in read && read.errors.length, 100)
})

test('text that not every storage keeps is rejected at its place', () => {
  const listPlaces = (source: string) => {
    const read = readWorkspaceFile(source)
    return 'errors' in read ? read.errors.map(({ line, column, path }) => [line, column, path]) : 'accepted'
  }
  // YAML and JSON escape both characters.
  assert.deepEqual(listPlaces('workspace: a\ntitle: "b\\0c"'), [[2, 8, 'title']])
  assert.deepEqual(listPlaces('{ "workspace": "a",\n"title": "b\\ud800" }'), [[2, 10, 'title']])
  assert.deepEqual(listPlaces('workspace: a\ncollections: { c: { fields: { "f\\0": { type: text } } } }'), [
    [2, 31, 'collections.c.fields.f\0'],
  ])
  // The server also stores the comments.
  assert.deepEqual(listPlaces('workspace: a\n# b\0'), [[2, 4, undefined]])
  assert.deepEqual(listPlaces('workspace: a # 😀\ud83d'), [[1, 18, undefined]])
  assert.equal(listPlaces('workspace: a # 😀'), 'accepted')
})
