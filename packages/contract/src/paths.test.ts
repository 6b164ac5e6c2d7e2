import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type ApiRequest,
  decodeSegment,
  documentsPath,
  PathError,
  readApiRequest,
  requestTypes,
  writePath,
} from './paths.ts'
import { anyText } from './test-texts.ts'

/** Any text that UTF-8 can carry: no lone surrogates, but everything else, the separators of paths above all. */
const text = fc.oneof(
  anyText(),
  fc
    .array(fc.constantFrom('/', ':', '%', '%2F', ',', 'p', 'e', 'é', ' ', '+', '?', '#', '.', '..', '😀'), {
      maxLength: 6,
    })
    .map(parts => parts.join('')),
)
const name = text.filter(value => value !== '')
const requestArbitrary = (value: fc.Arbitrary<string>): fc.Arbitrary<ApiRequest> => {
  const nonEmpty = value.filter(word => word !== '')
  const plain = { noNullPrototype: true }
  const parameters = fc.array(fc.record({ name: nonEmpty, value }, plain), { maxLength: 4 })
  const stacked = fc.record({ endpoint: nonEmpty, parameters }, plain)
  const stack = fc.array(stacked, { minLength: 1, maxLength: 4 })
  const context = fc.uniqueArray(fc.record({ name: nonEmpty, value }, plain), {
    selector: parameter => parameter.name,
    minLength: 1,
    maxLength: 3,
  })
  return fc.oneof(
    fc.record(
      { kind: fc.constant('query' as const), stack, context, type: fc.constantFrom(...requestTypes) },
      { ...plain, requiredKeys: ['kind', 'stack', 'type'] },
    ),
    fc.record(
      {
        kind: fc.constant('options' as const),
        stack: fc.array(stacked, { maxLength: 3 }),
        context,
        facet: nonEmpty,
      },
      { ...plain, requiredKeys: ['kind', 'stack', 'facet'] },
    ),
    fc.constantFrom<ApiRequest>({ kind: 'about' }, { kind: 'status' }, { kind: 'openapi' }, { kind: 'mcp' }),
  )
}

/** Reads a path as a server does: splits it and passes on the part after `/4/{workspace}/api/{api}`. */
const read = (path: string) => readApiRequest(path.split('/').slice(5))

test('the server reads the paths that the client writes: names and values of any characters, also empty values', () => {
  fc.assert(
    fc.property(name, name, requestArbitrary(text), (workspace, api, request) => {
      const path = writePath(workspace, api, request)
      const segments = path.split('/')
      assert.equal(decodeSegment(segments[2] ?? ''), workspace)
      assert.equal(decodeSegment(segments[4] ?? ''), api)
      assert.deepEqual(read(path), request)
    }),
  )
})

test('a URL that the platform parses in between is still the same path', () => {
  fc.assert(
    // "." and ".." are the exception: the WHATWG URL parser takes them for directories, encoded or not (see writeStack).
    fc.property(requestArbitrary(text.filter(value => value !== '.' && value !== '..')), request => {
      const path = writePath('w', 'a', request)
      assert.deepEqual(read(new URL(path, 'http://127.0.0.1:4000').pathname), request)
    }),
  )
})

test('the comma of results,count and the colon of genre:FILTER come literally or encoded', () => {
  const expected = {
    kind: 'query',
    stack: [{ endpoint: 'genre:FILTER', parameters: [{ name: 'value', value: 'a' }] }],
    type: 'results,count',
  }
  for (const colon of [':', '%3A', '%3a'])
    for (const comma of [',', '%2C', '%2c'])
      assert.deepEqual(
        readApiRequest(`e/genre${colon}FILTER/p/value/a/results${comma}count`.split('/')),
        expected,
      )
})

test('a value is decoded once: an encoded percent sign survives', () => {
  const request = readApiRequest('e/x/p/id/https%3A%2F%2Fa.example%2F%2525/count'.split('/'))
  assert.deepEqual(request.kind === 'query' && request.stack[0]?.parameters, [
    { name: 'id', value: 'https://a.example/%25' },
  ])
})

test('any segments are either read or refused with a PathError', () => {
  const segment = fc.oneof(
    fc.string(),
    fc.constantFrom(
      'e',
      'p',
      'c',
      'endpoint',
      'parameter',
      'options',
      'results',
      '%',
      '%FF',
      '%2F',
      'results%2Ccount',
      '',
    ),
  )
  fc.assert(
    fc.property(fc.array(segment, { maxLength: 12 }), segments => {
      try {
        readApiRequest(segments)
      } catch (error) {
        assert.ok(error instanceof PathError)
      }
    }),
  )
})

test('a path that is cut short says what is missing', () => {
  const assertRejected = (path: string, message: RegExp) =>
    assert.throws(
      () => readApiRequest(path.split('/')),
      (error: unknown) => error instanceof PathError && message.test(error.message),
    )
  assertRejected('e', /endpoint's name is missing/)
  assertRejected('e//results', /endpoint's name is missing/)
  assertRejected('e/x', /request is missing/)
  assertRejected('e/x/p', /parameter's name is missing/)
  assertRejected('e/x/p/query', /"query" has no value/)
  assertRejected('e/x/p/query/%ZZ/results', /malformed percent-encoding/)
  assertRejected('e/x/p/query/%C3/results', /malformed percent-encoding/)
  assertRejected('e/x/options/', /is not a request/)
  assertRejected('results', /is not a request/)
})

test('paths of existing clients mean the same: q and endpoint, parameter, swagger.json', () => {
  const read = (path: string) => readApiRequest(path.split('/'))
  assert.deepEqual(read('swagger.json'), read('openapi.json'))
  assert.deepEqual(
    read('q/search/p/query/x/e/genre:FILTER/p/value/y/q/newest/results'),
    read('e/search/p/query/x/e/genre:FILTER/p/value/y/e/newest/results'),
  )
  assert.deepEqual(read('q/search/p/query/x/options/genre'), read('e/search/p/query/x/options/genre'))
  assert.deepEqual(
    read('endpoint/search/parameter/query/x/e/genre:FILTER/p/value/y/results'),
    read('e/search/p/query/x/e/genre:FILTER/p/value/y/results'),
  )
  assert.throws(() => read('q/'), /endpoint's name is missing after "\/q\/"/)
})

test('a context parameter stands before, between or after endpoints, and only once', () => {
  const read = (path: string) => readApiRequest(path.split('/'))
  const expected = read('c/locale/en-US/c/a/b%2Fc/e/search/p/query/x/e/newest/results')
  assert.deepEqual(expected.kind === 'query' && expected.context, [
    { name: 'locale', value: 'en-US' },
    { name: 'a', value: 'b/c' },
  ])
  for (const path of [
    'e/search/p/query/x/c/locale/en-US/e/newest/c/a/b%2Fc/results',
    'e/search/c/locale/en-US/p/query/x/c/a/b%2Fc/e/newest/results',
    'c/locale/en-US/e/search/p/query/x/e/newest/c/a/b%2Fc/results',
  ])
    assert.deepEqual(read(path), expected, path)
  assert.deepEqual(read('c/locale/en/options/genre'), {
    kind: 'options',
    stack: [],
    context: [{ name: 'locale', value: 'en' }],
    facet: 'genre',
  })
  for (const path of ['c/a/1/c/a/1/e/x/results', 'c//1/e/x/results', 'e/x/c/a', 'c/a/1/results', 'c/a/1'])
    assert.throws(() => read(path), PathError, path)
})

test('the path of a document keeps any id', () => {
  fc.assert(
    fc.property(name, name, name, (workspace, collection, id) => {
      const segments = documentsPath(workspace, collection, id).split('/')
      assert.deepEqual(segments.map(decodeSegment), [
        '',
        '4',
        workspace,
        'collections',
        collection,
        'documents',
        id,
      ])
    }),
  )
})
