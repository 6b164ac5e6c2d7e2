/** `about` and `openapi.json` of the largest API are bounded, need authorization, and count as requests of their caller. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

const endpoints = Array.from({ length: 1000 }, (_, index) => `e${index}: { kind: match, collection: docs }`)
const file = (count: number) => `
workspace: large
collections: { docs: { fields: { text: { type: text } } } }
apis:
  members: { endpoints: { ${endpoints.slice(0, count).join(', ')} } }
  open: { access: public, endpoints: { ${endpoints.slice(0, count).join(', ')} } }
`
const rateLimit = 6
let server: StartedServer
let token = ''
before(async () => {
  server = await startServer(['--rate-limit', String(rateLimit)])
  await server.applyWorkspace(file(1000))
  const client = await server.createAccount('large', 'tests', 'api')
  token = await fetchToken(server, client)
})
after(() => server.stop())

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${server.baseUrl}/4/large/api/${path}`, { headers })

test('strangers get no 304 for an API that they may not query, and the documents of the largest API are small', async () => {
  const authorization = `Bearer ${token}`
  const reply = await get('members/openapi.json', { authorization })
  assert.equal(reply.status, 200)
  assert.ok((await reply.arrayBuffer()).byteLength < 2_000_000)
  const tag = reply.headers.get('etag') ?? assert.fail()
  const unchanged = await get('members/openapi.json', { authorization, 'if-none-match': tag })
  assert.deepEqual([unchanged.status, await unchanged.text()], [304, ''])
  assert.equal((await get('members/openapi.json', { 'if-none-match': tag })).status, 401)
})

test("documents of a public API count against the stranger's address, also unchanged ones", async () => {
  const first = await get('open/openapi.json')
  const remaining = Number(first.headers.get('ratelimit-remaining'))
  assert.ok(remaining < rateLimit)
  const tag = first.headers.get('etag') ?? assert.fail()
  for (let index = 0; index < remaining; index++)
    assert.equal((await get('open/openapi.json', { 'if-none-match': tag })).status, 304)
  const refusal = await get('open/openapi.json')
  assert.deepEqual(
    [refusal.status, ((await refusal.json()) as { code: string }).code],
    [429, 'too-many-requests'],
  )
  assert.equal((await get('open')).status, 429)
})

test('an API with too many endpoints is rejected with its place', async () => {
  endpoints.push('one-more: { kind: all, collection: docs }')
  await assert.rejects(
    server.run(['apply', '-'], { input: file(1001) }),
    /apis\.members\.endpoints: found 1001, allowed: at most 1000/,
  )
})
