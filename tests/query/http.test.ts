/** Unusual HTTP: every error has the form of the contract, even if the framework never sees the request. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { type Library, makeLibrary } from '#tests/support/library'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let library: Library
before(async () => {
  server = await startServer()
  library = await makeLibrary(server)
})
after(() => server.stop())

const path = '/4/library/api/library/e/all/count'

/** Sends raw bytes to an origin, the query service by default, and reads until the server closes. */
const raw = (
  bytes: string,
  origin = server.baseUrl,
): Promise<{ status: number; headers: string; body: string }> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin)
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    const chunks: Buffer[] = []
    socket.on('data', chunk => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('close', () => {
      const text = Buffer.concat(chunks).toString()
      const end = text.indexOf('\r\n\r\n')
      resolve({ status: Number(text.slice(9, 12)), headers: text.slice(0, end), body: text.slice(end + 4) })
    })
  })
const lines = (first: string, ...headers: string[]) =>
  `${[first, ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n`
const authorized = () => ['Host: x', `Authorization: Bearer ${library.token}`]

const isProblem = (
  reply: { status: number; headers: string; body: string },
  status: number,
  message: RegExp,
) => {
  const { status: bodyStatus, message: bodyMessage, code, requestId } = JSON.parse(reply.body)
  assert.deepEqual([reply.status, bodyStatus], [status, status], reply.body)
  assert.match(bodyMessage, message)
  assert.ok(code)
  assert.match(reply.headers.toLowerCase(), new RegExp(`x-request-id: ${requestId}`))
}

test('URLs of every length above 16 KiB get 414, whatever headers follow, and long headers get 431', async () => {
  for (const length of [16_385, 40_000, 65_400, 65_600, 66_000, 70_000, 100_000, 131_100, 200_000]) {
    const reply = await raw(lines(`GET ${path}?${'a'.repeat(length - path.length - 1)} HTTP/1.1`, 'Host: x'))
    isProblem(reply, 414, /16 KiB/)
  }
  isProblem(
    await raw(lines(`GET ${path} HTTP/1.1`, 'Host: x', `X-Long: ${'a'.repeat(80_000)}`)),
    431,
    /64 KiB/,
  )
  for (const [url, cookie, status] of [
    [30_000, 40_000, 414],
    [16_000, 50_000, 431],
    [100, 65_000, 401],
  ] as const) {
    const requestText = lines(
      `GET ${path}?${'a'.repeat(url)} HTTP/1.1`,
      'Host: x',
      `Cookie: ${'a'.repeat(cookie)}`,
    )
    const reply = await raw(requestText)
    isProblem(reply, status, /16 KiB|64 KiB|access token/)
    assert.equal(/access-control-allow-origin: \*/i.test(reply.headers), status !== 401)
  }
})

test('two Authorization headers are rejected, because it would be unclear which one counts', async () => {
  for (const requestPath of [path, '/4/library/collections/books/documents']) {
    const twice = lines(`GET ${requestPath} HTTP/1.1`, ...authorized(), 'authorization: Bearer x')
    isProblem(await raw(twice), 400, /Authorization appears twice/)
  }
  // On a connection with a cached token.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const authorization = `Bearer ${library.token}`
  const ask = async (...tokens: string[]) => {
    const headers = ['Host', 'x', ...tokens.flatMap(token => ['Authorization', token])]
    const request = get(`${server.baseUrl}${path}`, { agent, headers })
    const [reply] = await once(request, 'response')
    await text(reply)
    return [reply.statusCode, request.reusedSocket]
  }
  assert.deepEqual(await ask(authorization), [200, false])
  assert.deepEqual(await ask(authorization), [200, true])
  assert.deepEqual(await ask(authorization, 'Bearer x'), [400, true])
  agent.destroy()
})

test('errors of the HTTP parser say what is wrong', async () => {
  isProblem(await raw(lines(`GET ${path} HTTP/1.1`)), 400, /Host/)
  isProblem(
    await raw(lines(`GET ${path} HTTP/1.1`, 'Host: x', 'Expect: banana')),
    417,
    /banana.*100-continue/,
  )
  isProblem(
    await raw(lines(`POST ${path} HTTP/1.1`, 'Host: x', 'Content-Length: many')),
    400,
    /Content-Length/i,
  )
  isProblem(await raw(lines(`FETCH ${path} HTTP/1.1`, 'Host: x')), 400, /method/i)
  isProblem(await raw(lines('CONNECT x:1 HTTP/1.1', 'Host: x')), 405, /CONNECT/)
})

test('a missing, repeated or invalid Host is rejected on both servers (RFC 9112, section 3.2)', async () => {
  const targets = [
    [server.baseUrl, path],
    [server.baseUrl, '/4/library/collections/books/documents'],
    [server.authUrl, '/oauth/token'],
    [server.authUrl, '/authorize'],
    [server.authUrl, '/manage/v1/workspaces'],
    [server.authUrl, '/console/'],
  ] as const
  const badHosts = [
    [],
    ['Host: x', 'Host: y'],
    ['Host: x', 'host: x'],
    ['Host: x y'],
    ['Host: x/y'],
    ['Host: x@y'],
    ['Host: x:8a'],
    ['Host: [::1'],
    ['Host: x%zz'],
    ['Host: x, y/'],
  ]
  const goodHosts = ['x', 'x:80', 'x:', 'search_1.example.org:4000', '127.0.0.1', '[::1]:4000', '']
  for (const [origin, target] of targets) {
    for (const hosts of badHosts)
      isProblem(await raw(lines(`GET ${target} HTTP/1.1`, ...hosts), origin), 400, /Host/)
    for (const host of goodHosts) {
      const reply = await raw(lines(`GET ${target} HTTP/1.1`, `Host: ${host}`), origin)
      assert.doesNotMatch(reply.body, /header Host/, `${target}, ${host}`)
    }
  }
  isProblem(await raw(lines(`GET ${path} HTTP/1.0`, 'Host: x', 'Host: y')), 400, /Host/)
  assert.equal((await raw(lines(`GET ${path} HTTP/1.0`))).status, 401)
})

test('every reply of both servers has nosniff', async () => {
  const query = [
    [`GET ${path}`, authorized()],
    [`GET ${path}`, ['Host: x']],
    [`HEAD ${path}`, authorized()],
    [`GET /4/library/api/library/e/all/results?format=xml`, authorized()],
    [`GET /4/library/api/library/e/all/results?format=rdf`, authorized()],
    [`GET /4/library/api/library/e/all/results?format=csv`, authorized()],
    [`GET /4/library/api/library/about`, authorized()],
    [`GET /4/library/api/library/openapi.json`, authorized()],
    [`OPTIONS ${path}`, ['Host: x', 'Origin: https://a.example', 'Access-Control-Request-Method: GET']],
    [`POST ${path}`, ['Host: x']],
    ['GET /4/library/collections/books/documents', authorized()],
    ['GET /4/library/collections/books/documents', ['Host: x']],
    ['GET /4/openapi.json', ['Host: x']],
    ['GET /.well-known/oauth-protected-resource', ['Host: x']],
    ['GET /nothing', ['Host: x']],
    ['GET /%zz', ['Host: x']],
    [`GET /${'a'.repeat(20_000)}`, ['Host: x']],
    [`GET ${path}`, []],
    ['GET /readyz', ['Host: x']],
    ['FETCH /', ['Host: x']],
  ] as const
  const authorization = [
    ['GET /.well-known/openid-configuration', ['Host: x']],
    ['GET /.well-known/jwks.json', ['Host: x']],
    ['POST /oauth/token', ['Host: x']],
    ['GET /authorize', ['Host: x']],
    ['OPTIONS /authorize', ['Host: x']],
    ['GET /authorize/none', ['Host: x', 'Accept: text/html']],
    ['GET /interaction/none', ['Host: x', 'Accept: text/html']],
    ['GET /userinfo', ['Host: x']],
    ['GET /logout', ['Host: x']],
    ['GET /manage/v1/workspaces', ['Host: x']],
    ['GET /manage/v1/openapi.json', ['Host: x']],
    ['GET /console/', ['Host: x']],
    ['GET /console/none.js', ['Host: x']],
    ['GET /', ['Host: x', 'Accept: text/html']],
    ['GET /nothing', ['Host: x']],
    ['GET /healthz', ['Host: x']],
    ['FETCH /', ['Host: x']],
  ] as const
  for (const [origin, requests] of [
    [server.baseUrl, query],
    [server.authUrl, authorization],
  ] as const)
    for (const [first, headers] of requests) {
      const reply = await raw(lines(`${first} HTTP/1.1`, ...headers), origin)
      const times = reply.headers.match(/^x-content-type-options: nosniff\r?$/gim)?.length
      assert.equal(times, 1, `${first.slice(0, 80)}\n${reply.headers}`)
    }
})

test('other methods get 405 with Allow, without a look at the token', async () => {
  for (const method of ['TRACE', 'PROPFIND', 'POST', 'PUT', 'DELETE', 'PATCH', 'QUERY']) {
    const reply = await raw(lines(`${method} ${path} HTTP/1.1`, 'Host: x'))
    isProblem(reply, 405, new RegExp(method))
    assert.match(reply.headers, /allow: GET, HEAD, OPTIONS/i)
  }
})

test('a base address with a slash before the path, and an absolute URL as the target, are served', async () => {
  for (const target of [`/${path}`, `http://elsewhere.example${path}`])
    assert.equal((await raw(lines(`GET ${target} HTTP/1.1`, ...authorized()))).status, 200, target)
})

test('a token in the URL is rejected under an encoded name too', async () => {
  isProblem(await raw(lines(`GET ${path}?acc%65ss_token=x HTTP/1.1`, ...authorized())), 400, /URL/)
})

test('error replies carry RateLimit headers, and repeat no part of a malformed Authorization header', async () => {
  const reply = await raw(lines(`GET ${path} HTTP/1.1`, 'Host: x', 'Authorization: qrs_secret'))
  isProblem(reply, 401, /Bearer/)
  assert.match(reply.headers, /ratelimit-limit/i)
  assert.doesNotMatch(reply.headers + reply.body, /qrs_secret/)
})

test('a rank that does not exist gets 404, however high', async () => {
  for (const rank of [201, 10_101, 999_999, '9'.repeat(400)]) {
    const reply = await library.get(`library/e/all/resultitem?rank=${rank}`)
    assert.equal(reply.status, 404)
    const conditional = { 'if-none-match': '*' }
    assert.equal(
      (await library.get(`library/e/all/resultitem?rank=${rank}`, { headers: conditional })).status,
      404,
    )
  }
  assert.equal((await library.get('library/e/all/resultitem?rank=200')).status, 200)
})

test('a browser at the root gets a page that leads to the console and the documentation; programs get 404 as JSON', async () => {
  const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'accept-language': 'nl' }
  const page = await fetch(`${server.baseUrl}/`, { headers })
  const body = await page.text()
  assert.equal(page.status, 200)
  assert.match(body, /<html lang="nl">/)
  const [consoleLink, docsLink, openApiLink] = [...body.matchAll(/<a [^>]*href="([^"]+)"/g)].map(
    ([, link = '']) => new URL(link, server.baseUrl),
  )
  assert.equal(consoleLink?.href, `${server.authUrl}/console/`)
  for (const link of [consoleLink, docsLink, openApiLink]) assert.equal((await fetch(link ?? '')).status, 200)
  assert.match(
    page.headers.get('content-security-policy') ?? '',
    /default-src 'none'.*frame-ancestors 'none'/,
  )
  for (const accept of ['*/*', 'application/json']) {
    const reply = await fetch(`${server.baseUrl}/`, { headers: { accept } })
    assert.deepEqual([reply.status, ((await reply.json()) as { code: string }).code], [404, 'no-such-path'])
  }
  assert.equal((await fetch(`${server.baseUrl}/elsewhere`, { headers })).status, 404)
  assert.equal((await fetch(`${server.baseUrl}/`, { method: 'POST', headers })).status, 404)
})
