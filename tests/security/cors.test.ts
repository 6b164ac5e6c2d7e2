/** Queries from pages of other origins (docs/query.md). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Library, makeLibrary } from '#tests/support/library'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let library: Library
before(async () => {
  server = await startServer()
  library = await makeLibrary(server)
  await makeLibrary(server, 'museum')
  await server.call('createApplication', {
    params: { workspace: 'library' },
    input: { name: 'Finder', redirectUris: ['https://finder.example/callback'] },
  })
  await server.call('createApplication', {
    params: { workspace: 'museum' },
    input: { name: 'Guide', redirectUris: ['https://guide.example/callback'] },
  })
})
after(() => server.stop())

const privatePath = 'library/e/all/count'
const allowedOrigin = async (path: string, origin: string, init: RequestInit = {}) => {
  const reply = await library.get(path, { ...init, headers: { origin, ...init.headers } })
  await reply.arrayBuffer()
  return reply.headers.get('access-control-allow-origin')
}

test("only pages of the workspace's applications and of the authorization server may read a private API", async () => {
  assert.equal(await allowedOrigin(privatePath, 'https://finder.example'), 'https://finder.example')
  assert.equal(await allowedOrigin(privatePath, server.authUrl), server.authUrl)
  for (const foreign of [
    'https://guide.example',
    'https://finder.example.evil.example',
    'http://finder.example',
    'null',
  ])
    assert.equal(await allowedOrigin(privatePath, foreign), null, foreign)
})

test('pages may read that a URL is too long, for queries and documents, without learning what exists', async () => {
  const tooLong = async (path: string, origin: string) => {
    const reply = await fetch(`${server.baseUrl}/4/${path}?x=${'a'.repeat(20_000)}`, { headers: { origin } })
    assert.equal(reply.status, 414, path)
    assert.equal(((await reply.json()) as { code: string }).code, 'url-too-long')
    return reply.headers
  }
  const finder = 'https://finder.example'
  for (const path of ['library/api/library/e/all/count', 'library/collections/books/documents']) {
    const headers = await tooLong(path, finder)
    assert.equal(headers.get('access-control-allow-origin'), finder, path)
    assert.match(headers.get('access-control-expose-headers') ?? '', /X-Request-Id/)
  }
  assert.equal((await tooLong('library/api/open', finder)).get('access-control-allow-origin'), '*')
  assert.ok((await tooLong('library/api/library', finder)).get('ratelimit-limit'))
  for (const path of ['museum/api/library', 'nowhere/api/library', 'nowhere/collections/books/documents'])
    assert.equal((await tooLong(path, finder)).get('access-control-allow-origin'), null, path)
})

test('the origin of the authorization server does not reveal which workspaces and APIs exist', async () => {
  for (const method of ['GET', 'OPTIONS'])
    for (const path of [
      'library/api/library/e/all/count',
      'library/api/nothing/e/all/count',
      'nowhere/api/library/e/all/count',
      'nowhere/collections/books/documents',
    ]) {
      const headers = { origin: server.authUrl, 'access-control-request-method': 'GET' }
      const reply = await fetch(`${server.baseUrl}/4/${path}`, { method, headers })
      assert.equal(reply.headers.get('access-control-allow-origin'), server.authUrl, `${method} ${path}`)
    }
})

test('pages of every origin may read a public API', async () => {
  assert.equal(await allowedOrigin('open/e/all/count', 'https://anywhere.example'), '*')
})

test('a reply for an unknown address reveals nothing, and pages of every origin may read it', async () => {
  for (const path of ['/5/zoo/api/pub/', '/4/zoo', '/nothing']) {
    const reply = await fetch(server.baseUrl + path, { headers: { origin: 'https://anywhere.example' } })
    assert.deepEqual([reply.status, reply.headers.get('access-control-allow-origin')], [404, '*'], path)
  }
})

test('pages may read errors too, with the headers that explain them', async () => {
  const origin = 'https://finder.example'
  for (const [path, headers] of [
    [privatePath, { authorization: 'Bearer nonsense' }],
    ['library/e/nothing/results', {}],
  ] as const) {
    const reply = await library.get(path, { headers: { origin, ...headers } })
    assert.ok(reply.status >= 400)
    assert.equal(reply.headers.get('access-control-allow-origin'), origin)
    assert.match(reply.headers.get('access-control-expose-headers') ?? '', /WWW-Authenticate.*X-Request-Id/)
    assert.match(reply.headers.get('vary') ?? '', /Origin/)
  }
})

test('a preflight allows the requested headers, without a token', async () => {
  const preflight = (origin: string) =>
    fetch(`${server.baseUrl}/4/library/api/${privatePath}`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization,x-sdk-telemetry',
      },
    })
  const reply = await preflight('https://finder.example')
  assert.equal(reply.status, 204)
  assert.equal(reply.headers.get('access-control-allow-origin'), 'https://finder.example')
  assert.equal(reply.headers.get('access-control-allow-headers'), 'authorization,x-sdk-telemetry')
  assert.match(reply.headers.get('access-control-allow-methods') ?? '', /GET/)
  assert.equal((await preflight('https://guide.example')).headers.get('access-control-allow-origin'), null)
})

test('a removed application loses its origin at once', async () => {
  const { clientId } = await server.call('createApplication', {
    params: { workspace: 'library' },
    input: { name: 'Brief', redirectUris: ['https://brief.example/'] },
  })
  assert.equal(await allowedOrigin(privatePath, 'https://brief.example'), 'https://brief.example')
  await server.run(['apps', 'remove', 'library', clientId])
  assert.equal(await allowedOrigin(privatePath, 'https://brief.example'), null)
})
