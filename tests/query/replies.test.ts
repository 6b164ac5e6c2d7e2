/** Headers and encodings of every reply of the query service: validators, compression, Vary (docs/query.md). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { after, before, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { type Library, makeLibrary, workspaceFile } from '#tests/support/library'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let library: Library
before(async () => {
  server = await startServer()
  library = await makeLibrary(server)
})
after(() => server.stop())

/** Without the decompression and the headers of `fetch`. */
const get = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
  const outgoing = request(`${server.baseUrl}/4/library/api/${path}`, {
    method,
    headers: { authorization: `Bearer ${library.token}`, ...headers },
  })
  outgoing.end()
  // Emitted with a response.
  const [reply] = (await once(outgoing, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of reply) chunks.push(chunk)
  return { status: reply.statusCode, headers: reply.headers, body: Buffer.concat(chunks) }
}
const large = 'library/e/all/results?count=100'
const small = 'library/e/all/count'
const names = (list: string | undefined) => (list ?? '').toLowerCase().split(/, */).toSorted()

test('replies over 1 KiB are compressed with br or gzip if the client accepts it, smaller ones never', async () => {
  const plain = await get(large)
  assert.equal(plain.headers['content-encoding'], undefined)
  assert.equal(Number(plain.headers['content-length']), plain.body.length)
  for (const [accepted, encoding, decode] of [
    ['gzip', 'gzip', gunzipSync],
    ['br', 'br', brotliDecompressSync],
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['br;q=0, gzip', 'gzip', gunzipSync],
  ] as const) {
    const reply = await get(large, { 'accept-encoding': accepted })
    assert.equal(reply.headers['content-encoding'], encoding, accepted)
    assert.ok(reply.body.length < plain.body.length / 2)
    assert.deepEqual(decode(reply.body), plain.body)
    assert.equal(reply.headers.etag, plain.headers.etag)
    assert.equal(reply.headers['content-type'], plain.headers['content-type'])
  }
  for (const accepted of ['identity', 'deflate', 'compress', 'gzip;q=0'])
    assert.equal(
      (await get(large, { 'accept-encoding': accepted })).headers['content-encoding'],
      undefined,
      accepted,
    )
  assert.equal((await get(small, { 'accept-encoding': 'gzip' })).headers['content-encoding'], undefined)
})

test('csv, xml and rdf are compressed, but not xlsx, which is compressed already', async () => {
  for (const [format, encoding] of [
    ['csv', 'gzip'],
    ['xml', 'gzip'],
    ['rdf', 'gzip'],
    ['xlsx', undefined],
  ])
    assert.equal(
      (await get(`${large}&format=${format}`, { 'accept-encoding': 'gzip' })).headers['content-encoding'],
      encoding,
      format,
    )
})

test('HEAD has the headers of GET and no body, compressed or not', async () => {
  for (const headers of [{}, { 'accept-encoding': 'gzip' }] as Record<string, string>[]) {
    const head = await get(large, headers, 'HEAD')
    const getReply = await get(large, headers)
    assert.deepEqual([head.status, head.body.length], [200, 0])
    for (const name of ['content-type', 'content-encoding', 'etag', 'vary', 'cache-control'])
      assert.equal(head.headers[name], getReply.headers[name], name)
  }
})

test('Vary names the headers that the reply depends on, without duplicates', async () => {
  for (const headers of [{}, { 'accept-encoding': 'gzip' }] as Record<string, string>[]) {
    const vary = async (path: string) => names((await get(path, headers)).headers.vary)
    assert.deepEqual(await vary(large), ['accept', 'accept-encoding', 'origin'])
    assert.deepEqual(await vary(`${large}&format=csv`), ['accept-encoding', 'origin'])
    assert.deepEqual(await vary(small), ['accept-encoding', 'origin'])
    assert.deepEqual(await vary('open/e/all/count'), ['accept-encoding'])
    assert.deepEqual(await vary('library/e/nothing/count'), ['accept-encoding', 'origin'])
  }
})

test('a current entity tag gets 304 without a body, after authorization, and a changed index another tag', async () => {
  const { headers } = await get(small)
  const etag = headers.etag ?? assert.fail()
  assert.match(etag, /^W\/"[^"]+"$/)
  for (const condition of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
    const reply = await get(small, { 'if-none-match': condition, 'accept-encoding': 'gzip' })
    assert.deepEqual([reply.status, reply.body.length], [304, 0], condition)
    assert.equal(reply.headers.etag, etag)
    assert.deepEqual(names(reply.headers.vary), ['accept-encoding', 'origin'])
    assert.ok(reply.headers['x-request-id'])
    assert.ok(reply.headers['ratelimit-limit'])
  }
  assert.equal((await get(small, { 'if-none-match': '"other"' })).status, 200)
  assert.equal((await get(small, { 'if-none-match': etag, authorization: 'Bearer x' })).status, 401)
  assert.notEqual((await get('library/e/all/count?cutoff=0')).headers.etag, etag, 'another URL')
  await server.importDocuments('library', 'books', '{"id":"new","title":"A new book"}')
  const changed = await get(small, { 'if-none-match': etag })
  assert.equal(changed.status, 200)
  assert.notEqual(changed.headers.etag, etag)
})

test('a connection gets 304 repeatedly for unchanged results, but not after its access has ended', async () => {
  const account = await server.createAccount('library', 'asks again', 'api')
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let token = await fetchToken(server, account)
  const ask = async (headers: Record<string, string> = {}) => {
    const outgoing = request(`${server.baseUrl}/4/library/api/${small}`, {
      agent,
      headers: { authorization: `Bearer ${token}`, ...headers },
    })
    outgoing.end()
    const [reply] = (await once(outgoing, 'response')) as [IncomingMessage]
    reply.resume()
    await once(reply, 'end')
    const { date: _, 'x-request-id': __, 'ratelimit-reset': ___, ...rest } = reply.headers
    return { status: reply.statusCode, headers: rest }
  }
  const first = await ask()
  const condition = { 'if-none-match': first.headers.etag ?? assert.fail() }
  /** Only the recipe reads a tag from a list. */
  const listed = { 'if-none-match': `"other", ${first.headers.etag}` }
  const unchanged = [await ask(condition), await ask(listed), await ask(condition), await ask(condition)]
  for (const [index, { status, headers }] of unchanged.entries()) {
    const remaining = Number(first.headers['ratelimit-remaining']) - 1 - index
    const expected = { ...unchanged[0]?.headers, 'ratelimit-remaining': String(remaining) }
    assert.deepEqual({ status, headers }, { status: 304, headers: expected }, 'the same, and each counts')
  }
  assert.equal((await ask({ ...condition, authorization: 'Bearer x' })).status, 401)
  assert.equal((await ask({ ...condition, authorization: '' })).status, 401)
  assert.equal((await ask({ ...condition, 'querent-preview-as': 'a@example.org' })).status, 403)
  assert.equal((await ask(condition)).status, 304)
  await server.call('updateSystemToSystem', {
    params: { workspace: 'library', clientId: account.clientId },
    input: { disabled: true },
  })
  assert.equal((await ask(condition)).status, 401, 'disabled')
  await server.call('updateSystemToSystem', {
    params: { workspace: 'library', clientId: account.clientId },
    input: { disabled: false },
  })
  assert.equal((await ask(condition)).status, 304)
  await fetch(`${server.authUrl}/oauth/revoke`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: account.clientId, client_secret: account.clientSecret, token }),
  })
  assert.equal((await ask(condition)).status, 401, 'revoked')
  token = await fetchToken(server, account)
  assert.deepEqual([(await ask(condition)).status, (await ask(condition)).status], [304, 304])
  await server.applyWorkspace(workspaceFile('library').replace('title: The library', 'title: Our library'))
  assert.equal((await ask(condition)).status, 200, 'another version of the definition')
  agent.destroy()
})

test('errors are always JSON, never cached, and never partly compressed', async () => {
  const reply = await get(`library/e/search/p/query/x/p/${'y'.repeat(90)}/z/results?format=csv`, {
    'accept-encoding': 'gzip',
    accept: 'text/csv',
  })
  assert.equal(reply.status, 400)
  assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8')
  assert.equal(reply.headers['cache-control'], 'no-store')
  assert.equal(reply.headers.etag, undefined)
  assert.equal(JSON.parse(reply.body.toString()).requestId, reply.headers['x-request-id'])
})

test('RateLimit headers are on replies to non-queries too, but not on documents, and preflights do not count', async () => {
  const limit = async (path: string, method = 'GET') => {
    const reply = await fetch(server.baseUrl + path, { method, redirect: 'manual' })
    await reply.arrayBuffer()
    return reply.headers.get('ratelimit-limit') !== null && Number(reply.headers.get('ratelimit-remaining'))
  }
  const query = '/4/library/api/library/e/all/count'
  for (const path of [
    '/',
    '/nothing',
    '/5/library',
    '/queries',
    '/4/openapi.json',
    `${query}?x=${'a'.repeat(20_000)}`,
  ])
    assert.ok(await limit(path), path)
  assert.ok(await limit('/.well-known/oauth-protected-resource/4/library'))
  assert.ok(await limit('/4/openapi.json', 'DELETE'))
  assert.ok(await limit(query, 'DELETE'))
  const remainingBefore = await limit('/4/openapi.json')
  for (const path of [query, '/4/openapi.json', query]) assert.ok(await limit(path, 'OPTIONS'), path)
  const remainingAfter = await limit('/4/openapi.json')
  // More if the minute ended in between.
  assert.ok(Number(remainingAfter) >= Number(remainingBefore) - 1, `${remainingAfter} of ${remainingBefore}`)
  assert.ok(!(await limit('/4/library/collections/books/documents')))
})

test('protected resource metadata exists for the service and for each path below it (RFC 9728)', async () => {
  const wellKnown = '/.well-known/oauth-protected-resource'
  for (const path of ['', '/4/library', '/4/library/api/library/e/all/p/a%2Fb/c', '/anything?x=1']) {
    const reply = await fetch(`${server.baseUrl}${wellKnown}${path}`, {
      headers: { origin: 'https://any.example' },
    })
    assert.equal(reply.status, 200)
    assert.equal(reply.headers.get('access-control-allow-origin'), '*')
    const metadata = (await reply.json()) as Record<string, unknown>
    assert.equal(metadata.resource, `${server.baseUrl}${path.replace(/\?.*/, '')}`)
    assert.deepEqual(metadata.authorization_servers, [`${server.authUrl}/`])
    assert.equal(metadata.scopes_supported, undefined)
  }
  // Agents ask for these scopes, so that they get a refresh token.
  const mcp = '/4/library/api/library/mcp'
  const metadata = (await (await fetch(`${server.baseUrl}${wellKnown}${mcp}`)).json()) as Record<
    string,
    unknown
  >
  assert.deepEqual(metadata.scopes_supported, ['openid', 'offline_access'])
  const challenged = await fetch(`${server.baseUrl}${mcp}`, { method: 'POST', body: '{}' })
  assert.equal(challenged.status, 401)
  assert.match(challenged.headers.get('www-authenticate') ?? '', /\bscope="openid offline_access"/)
  const refusal = await fetch(`${server.baseUrl}/4/library/api/library/e/all/count`)
  const metadataUrl = /resource_metadata="([^"]+)"/.exec(refusal.headers.get('www-authenticate') ?? '')?.[1]
  const { resource } = (await (await fetch(metadataUrl ?? '')).json()) as { resource: string }
  assert.equal(resource, `${server.baseUrl}/4/library/api/library`)
  const deleteReply = await fetch(`${server.baseUrl}${wellKnown}`, { method: 'DELETE' })
  assert.deepEqual([deleteReply.status, deleteReply.headers.get('allow')], [405, 'GET, HEAD, OPTIONS'])
})

test('public documents have an entity tag, and a client with the current one gets 304', async () => {
  for (const path of ['/4/openapi.json', '/.well-known/oauth-protected-resource/4/library/api/library']) {
    const url = `${server.baseUrl}${path}`
    const reply = await fetch(url)
    const tag = reply.headers.get('etag') ?? ''
    assert.match(tag, /^W\/"[^"]+"$/)
    assert.match(reply.headers.get('content-type') ?? '', /^application\/json/)
    assert.ok(await reply.json())
    for (const [ifNoneMatch, status] of [
      [tag, 304],
      ['*', 304],
      ['W/"other"', 200],
    ] as const)
      assert.equal((await fetch(url, { headers: { 'if-none-match': ifNoneMatch } })).status, status, path)
  }
})

test('a page of any origin may request public resources with custom headers', async () => {
  for (const path of ['/4/openapi.json', '/.well-known/oauth-protected-resource/4/library/api/library']) {
    const { status, headers } = await fetch(`${server.baseUrl}${path}`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://agent.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'mcp-protocol-version',
      },
    })
    assert.deepEqual(
      [status, headers.get('access-control-allow-origin'), headers.get('access-control-allow-headers')],
      [204, '*', 'mcp-protocol-version'],
    )
  }
})

test('every reply about an API has the remaining requests, and pages that may read the reply may read them', async () => {
  const origin = server.authUrl
  for (const [path, status, init] of [
    ['library', 200, {}],
    ['library/status', 200, {}],
    ['library/openapi.json', 200, {}],
    [large, 200, {}],
    [`${large}&format=csv`, 200, {}],
    [small, 405, { method: 'POST' }],
    [small, 401, { headers: { authorization: 'Bearer x' } }],
    [`${small}?access_token=x`, 400, {}],
    ['library/e/all', 400, {}],
    ['nothing', 404, {}],
  ] as const) {
    const reply = await library.get(path, {
      ...init,
      headers: { origin, ...('headers' in init && init.headers) },
    })
    assert.equal(reply.status, status, path)
    for (const name of ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'x-request-id'])
      assert.ok(reply.headers.get(name), `${name} of ${path}`)
    assert.equal(reply.headers.get('access-control-allow-origin'), origin, path)
    assert.match(
      reply.headers.get('access-control-expose-headers') ?? '',
      /WWW-Authenticate, ETag, X-Request-Id, Retry-After.*Content-Disposition/,
    )
  }
})
