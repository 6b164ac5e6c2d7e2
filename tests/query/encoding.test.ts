/** Different encodings of a request mean the same (docs/query.md). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { stackPath } from '#tests/support/query-oracle'
import { closeRaw, rawRequest } from '#tests/support/query-raw'
import { stacks } from '#tests/support/query-stacks'
import {
  createCredentials,
  documentUri,
  makeDocuments,
  nastyValues,
  setUpWorkspace,
} from '#tests/support/query-things'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

const documents = makeDocuments(120, 2027)
const seed = 6
let server: StartedServer
let token: string
before(async () => {
  server = await startServer(['--rate-limit', 'off'])
  await setUpWorkspace(server, 'encoding', { things: documents })
  token = await fetchToken(server, await createCredentials(server, 'encoding', 'reader'))
})
after(async () => {
  closeRaw()
  await server.stop()
})

const get = async (path: string) => {
  const { status, text } = await rawRequest(server.baseUrl, path, {
    headers: { authorization: `Bearer ${token}` },
  })
  return { status, text: text.replace(/,"requestId":"[^"]*"/, '') }
}
const base = '/4/encoding/api/things'

/** Encodes every byte as %XX. */
const encodeEveryByte = (text: string) =>
  [...Buffer.from(text)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('')
const decode = (segment: string) => decodeURIComponent(segment)
const reserved = /%(?:2C|3A|28|29|40|24|21|2A|27|3B|3D|2B)/gi

/** Spellings of a segment that RFC 3986 says are equivalent. */
const spellings: Readonly<Record<string, (segment: string) => string>> = {
  'every byte encoded': segment => encodeEveryByte(decode(segment)),
  'lower-case hex': segment => segment.replaceAll(/%[0-9A-F]{2}/g, hex => hex.toLowerCase()),
  'upper-case hex': segment => segment.replaceAll(/%[0-9a-f]{2}/g, hex => hex.toUpperCase()),
  'sub-delimiters as they are': segment => segment.replaceAll(reserved, hex => decodeURIComponent(hex)),
  'sub-delimiters encoded': segment =>
    segment.replaceAll(/[,:()@$!*';=+]/g, character => encodeEveryByte(character).toUpperCase()),
}
const types = ['results', 'count', 'statistics', 'results,count', 'resultpage', 'resultitem', 'options/tags']

test('a stack gets the same reply however its segments are encoded', async () => {
  await fc.assert(
    fc.asyncProperty(stacks(documents), fc.constantFrom(...types), async (stack, type) => {
      const segments = `${stackPath(stack)}/${type}`.split('/')
      const plain = await get(`${base}/${segments.join('/')}`)
      for (const [name, spell] of Object.entries(spellings))
        assert.deepEqual(
          await get(`${base}/${segments.map(spell).join('/')}`),
          plain,
          `${name}: ${segments.join('/')}`,
        )
    }),
    { seed, numRuns: 60 },
  )
})

test('workspace and API may be encoded too, and nothing is decoded twice', async () => {
  const plain = await get(`${base}/e/all/count`)
  assert.equal(plain.status, 200)
  assert.deepEqual(
    await get(`/4/${encodeEveryByte('encoding')}/api/${encodeEveryByte('things')}/e/all/count`),
    plain,
  )
  assert.equal(
    (await get(`/4/${encodeEveryByte(encodeEveryByte('encoding'))}/api/things/e/all/count`)).status,
    403,
  )
  assert.equal((await get(`${base}/${encodeEveryByte(encodeEveryByte('e'))}/all/count`)).status, 400)
})

test('the base address may end with a slash', async () => {
  const plain = await get(`${base}/e/all/results`)
  assert.deepEqual(await get(`/${base}/e/all/results`), plain)
  assert.deepEqual(await get(`${base}/`), await get(base))
})

test('a query for any id or value returns exactly it, whatever characters it contains', async () => {
  for (const { id } of documents) {
    const quoted = `1("${id.replaceAll(/["\\]/g, '\\$&')}")`
    for (const writtenId of [quoted, documentUri(id)]) {
      const { text } = await get(`${base}/e/thing/p/id/${encodeURIComponent(writtenId)}/resultitem`)
      assert.equal((JSON.parse(text) as { id: string }).id, documentUri(id), writtenId)
    }
  }
  for (const value of nastyValues) {
    const quoted = `1("${value.replaceAll(/["\\]/g, '\\$&')}")`
    const { text } = await get(`${base}/e/tags:FILTER/p/value/${encodeURIComponent(quoted)}/count`)
    const total = documents.filter(({ tags }) => tags.includes(value)).length
    assert.deepEqual(JSON.parse(text), { total }, value)
  }
})

test('an empty value is an empty string', async () => {
  const total = documents.filter(({ tags }) => tags.includes('')).length
  assert.ok(total > 0)
  assert.deepEqual(JSON.parse((await get(`${base}/e/tags:FILTER/p/value//count`)).text), { total })
})

test('parameters and options may come in any order, unknown options are ignored, and values are decoded once', async () => {
  const one = await get(
    `${base}/e/added-range/p/since/2020-01-01/p/until/2020-01-02/results?count=5&offset=2`,
  )
  assert.equal(one.status, 200)
  for (const path of [
    'e/added-range/p/until/2020-01-02/p/since/2020-01-01/results?count=5&offset=2',
    'e/added-range/p/since/2020-01-01/p/until/2020-01-02/results?offset=2&count=5',
    'e/added-range/p/since/2020-01-01/p/until/2020-01-02/results?x=1&offset=%32&x=2&c%6Funt=5&__proto__=1&&',
  ])
    assert.deepEqual(await get(`${base}/${path}`), one, path)
  const few = await get(`${base}/e/all/resultpage?attributes=kind,size`)
  for (const options of ['kind%2Csize', '%20kind,+size%20', 'kind,size&homogeneousArrays=true'])
    assert.deepEqual(await get(`${base}/e/all/resultpage?attributes=${options}`), few, options)
  assert.deepEqual(await get(`${base}/e/all/resultpage?attributes=size,kind,size`), {
    ...few,
    text: JSON.stringify(
      JSON.parse(few.text, (key, value: unknown) =>
        key === 'tuple'
          ? (value as Record<string, unknown>[]).map(({ id, class: classes, size, kind }) => ({
              id,
              class: classes,
              size,
              kind,
            }))
          : value,
      ),
    ),
  })
})

test('a header names the ignored query parameters, in every format and for 304, but never their values', async () => {
  const ask = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${server.baseUrl}${base}/${path}`, { headers: { authorization: `Bearer ${token}`, ...headers } })
  const ignored = (reply: Response) => reply.headers.get('querent-ignored-parameters')
  const misspelt = '"attributs";did-you-mean="attributes"'
  for (const path of [
    'e/all/results?attributs=secret',
    'e/all/results?attributs=secret&format=csv',
    'e/all/results?attributs=secret&format=xlsx',
    'e/all/results,count?attributs=secret&attributs=2',
    'e/all/count?attributs=secret',
    'options/tags?attributs=secret',
    'status?attributs=secret',
    '?attributs=secret',
  ]) {
    const reply = await ask(path)
    assert.deepEqual([reply.status, ignored(reply)], [200, misspelt], path)
    const tag = reply.headers.get('etag') ?? assert.fail(path)
    for (const headers of [{ 'if-none-match': tag }, { 'if-none-match': tag, origin: 'https://a.example' }]) {
      const unchanged = await ask(path, headers)
      assert.deepEqual([unchanged.status, ignored(unchanged)], [304, misspelt], path)
    }
  }
  assert.equal(ignored(await ask('e/all/results?attributes=title&count=1')), null)
  assert.equal(ignored(await ask('e/all/results')), null)
  const hostile = await ask('e/all/count?a%0D%0Aset-cookie:%20b=c&%22,%5C=1&%C3%A9=1&%zz=1&__proto__=1')
  assert.equal(hostile.status, 200)
  assert.equal(hostile.headers.get('set-cookie'), null)
  assert.equal(ignored(hostile), '"a%0D%0Aset-cookie%3A%20b", "%22%2C%5C", "%C3%A9", "%25zz", "__proto__"')
  const ignoredNames = ignored(
    await ask(
      `e/all/count?${Array.from({ length: 500 }, (_, index) => `${'%F0%9F%8E%A9'.repeat(2)}${index}`).join('&')}`,
    ),
  )
  assert.equal(ignoredNames?.split(', ').length, 10)
  const long = ignored(await ask(`e/all/count?${'%F0%9F%8E%A9'.repeat(1000)}=1&${'x'.repeat(2000)}`))
  assert.ok((long?.length ?? 0) < 200)
  assert.equal(
    ignored(await fetch(`${server.baseUrl}${base}/e/all/count?attributs=1`)),
    null,
    'nothing before authorization',
  )
})

test('malformed encoding gets 400 that names it, in every segment and option, but is ignored in the name of an unknown option', async () => {
  for (const path of ['e/all/count?50%&x=1', 'e/all/count?%zz=1'])
    assert.equal((await get(`${base}/${path}`)).status, 200, path)
  const { text } = await get(`${base}/e/all/results?count=50%`)
  assert.match(text, /percent-encoding: the option \\"count\\" is \\"50%\\"; allowed is .* 1 to 1000/)
  for (const bad of ['%', '%4', '%zz', '%ff', '%C3', '%ED%A0%80', 'a%00%'])
    for (const path of [
      `e/${bad}/count`,
      `e/thing/p/${bad}/x/count`,
      `e/thing/p/id/${bad}/count`,
      `e/all/${bad}`,
      `options/${bad}`,
      `e/all/count?config=${bad}`,
      `e/all/count?count=${bad}`,
    ]) {
      const { status, text } = await get(`${base}/${path}`)
      assert.equal(status, 400, path)
      assert.match((JSON.parse(text) as { message: string }).message, /malformed percent-encoding/, path)
    }
})
