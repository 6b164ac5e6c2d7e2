/**
 * The proxies of docs/deploy.md, with TLS, in front of a real server: replies are those of the server itself. Also in front of a recording
 * server: URLs, bodies and connections arrive unchanged.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { freePort } from '#bench/peers/start'
import { patienceMs, waitUntil } from '#server/test-wait'
import { launcher } from '#tests/support/command-line'
import { type Library, makeLibrary } from '#tests/support/library'
import { makeMember, openPerson, registerApplication } from '#tests/support/person'
import {
  askProxy,
  type CurlOptions,
  isListening,
  loginHost,
  makeCertificate,
  type ProxyLocation,
  proxyKinds,
  type Reply,
  searchHost,
  startProxy,
} from '#tests/support/proxies'
import { startServerProcess } from '#tests/support/started-server'

const baseUrl = `https://${searchHost}`
const authUrl = `https://${loginHost}`
const redirectUri = 'https://finder.example/callback'
const email = 'reader@example.org'
const verifier = 'v'.repeat(43)

let folder: string
const closers: (() => Promise<unknown>)[] = []
/** Port of the server behind the proxies. */
let query: number
let authorization: number
let library: Library
let bound: { clientId: string; clientSecret: string }
let loader: { clientId: string; clientSecret: string }
let finder: { clientId: string }
let password: string

const makeLocation = (port: number): ProxyLocation => ({
  folder: '',
  certificates: folder,
  port,
  query,
  authorization,
})

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'querent-proxies-'))
  closers.push(() => rm(folder, { recursive: true }))
  await makeCertificate(folder)
  const first = await startServerProcess()
  closers.push(() => first.stop())
  library = await makeLibrary(first)
  ;({ password } = await makeMember(first, 'library', email))
  finder = await registerApplication(first, 'library', 'browser', redirectUri)
  // The JSON reply of `querent s2s create`.
  const create = async (name: string, ...flags: string[]) =>
    (await first.run(['s2s', 'create', 'library', name, ...flags])) as typeof bound
  bound = await create('bound', '--role', 'api', '--address', '127.0.0.2')
  loader = await create('loader', '--role', 'data-provider')
  // Commands find a server by its address. From here on it has the addresses that the proxies serve.
  await first.shutDown()
  query = await freePort()
  authorization = await freePort()
  const flags = ['--port', query, '--auth-port', authorization, '--base-url', baseUrl, '--auth-url', authUrl]
  const server = spawn(
    launcher,
    ['serve', '--json', '--data', first.data, '--trusted-proxy', '127.0.0.1', ...flags.map(String)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const exited = new Promise(resolve => server.once('exit', resolve))
  closers.push(() => {
    server.kill('SIGTERM')
    return exited
  })
  await Promise.race([
    new Promise(resolve => server.stdout.once('data', resolve)),
    exited.then(code => assert.fail(`querent serve ended with ${code}`)),
  ])
})
after(async () => {
  for (const close of closers.reverse()) await close()
})

/** Headers that browsers, caches and clients depend on. */
const comparedHeaders = [
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'allow',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-type',
  'etag',
  'vary',
  'www-authenticate',
]
const api = '/4/library/api/library/e'
const long = (bytes: number) => {
  const start = `${api}/search/p/query/river/count?`
  return start + 'a'.repeat(bytes - start.length)
}

/** Unusual requests, as arguments of curl. */
const requests: readonly (readonly [what: string, path: string, ...args: string[]])[] = [
  ['a value with a slash', `${api}/all/e/genre:FILTER/p/value/history%2Fmodern/results`],
  ['a value that is encoded twice', `${api}/all/e/genre:FILTER/p/value/history%252Fmodern/count`],
  [
    'commas, brackets, letters of other alphabets',
    `${api}/all/e/genre:FILTER/p/value/f%28x)/e/genre:FILTER/p/value/%C3%A9t%C3%A9/count`,
  ],
  ['a semicolon, a plus, an escaped dot', `${api}/search/p/query/a;b+c%2e%2e%2Fd/count`],
  ['two slashes before the path', `/${api}/all/count`],
  ['a URL of 16 KiB', long(16 * 1024)],
  ['a URL that is too long', long(16 * 1024 + 1)],
  ['a URL that is much too long', long(30_000)],
  ['a header of 30 KiB', `${api}/all/count`, '-H', `X-Long: ${'a'.repeat(30_000)}`],
  ['HEAD', `${api}/search/p/query/river/results`, '--head'],
  ['compressed', `${api}/all/results?count=100`, '-H', 'Accept-Encoding: br'],
  ['a spreadsheet', `${api}/all/results?count=100&format=csv`],
  ['no such path', '/4/library/nothing'],
  ['a method that is not allowed', `${api}/all/count`, '-X', 'DELETE'],
  [
    'what a page asks first',
    `${api}/all/count`,
    '-X',
    'OPTIONS',
    '-H',
    'Origin: https://finder.example',
    '-H',
    'Access-Control-Request-Method: GET',
    '-H',
    'Access-Control-Request-Headers: authorization',
  ],
  ['a page of another origin', `${api}/all/count`, '-H', 'Origin: https://elsewhere.example'],
]

const askToken = async (place: ProxyLocation, account: typeof bound, args: readonly string[] = []) => {
  const form = {
    grant_type: 'client_credentials',
    client_id: account.clientId,
    client_secret: account.clientSecret,
    audience: `${baseUrl}/`,
  }
  const data = Object.entries(form).flatMap(([name, value]) => ['--data-urlencode', `${name}=${value}`])
  const { status, body } = await askProxy(place, `${authUrl}/oauth/token`, { args: [...data, ...args] })
  return {
    status,
    token: status === 200 ? (JSON.parse(body.toString()) as { access_token: string }).access_token : '',
  }
}
const withToken = (token: string) => ['-H', `Authorization: Bearer ${token}`]

/** A `fetch` through a proxy, for callers that use addresses of the two names. */
const fetchThrough =
  (place: ProxyLocation): typeof fetch =>
  async (input, init) => {
    const request = new Request(input, init)
    const requestBody = await request.text()
    const headers = [...request.headers].flatMap(([name, value]) => ['-H', `${name}: ${value}`])
    const args = [
      '-X',
      request.method,
      ...headers,
      ...(requestBody === '' ? [] : ['--data-raw', requestBody]),
    ]
    const reply = await askProxy(place, request.url, { args })
    return new Response(reply.body.length === 0 ? null : new Uint8Array(reply.body), reply)
  }

/** The parts of a reply that are the same each time. */
const comparable = ({ status, headers, body }: Reply) => ({
  status,
  headers: comparedHeaders.map(name => [name, headers.get(name)]),
  body: body.toString('latin1').replace(/"requestId":"[^"]*"/, ''),
})

/**
 * Asks the server itself before and after `use`, which gets what it said. If the two differ, a merge in the background has changed the
 * index, and with it the ETag: starts again.
 */
const whileUnchanged = <Expected, Replies>(
  askDirectly: () => Promise<Expected>,
  use: (expected: Expected) => Promise<Replies>,
): Promise<{ expected: Expected; replies: Replies }> =>
  waitUntil(
    async () => {
      const expected = await askDirectly()
      const replies = await use(expected)
      return isDeepStrictEqual(await askDirectly(), expected) ? { expected, replies } : undefined
    },
    () => 'the server answers alike twice',
  )

for (const kind of proxyKinds)
  describe(kind.name, () => {
    let place: ProxyLocation
    let proxy: { stop(): Promise<void> }
    let token: string
    before(async () => {
      const proxyFolder = await mkdtemp(join(folder, 'proxy-'))
      place = { ...makeLocation(await freePort()), folder: proxyFolder, plainPort: await freePort() }
      proxy = await startProxy(kind, place)
      ;({ token } = await askToken(place, library))
    })
    after(() => proxy?.stop())

    test('replies through the proxy equal those of the server itself, over HTTP/2 and HTTP/1.1', async () => {
      for (const [label, path, ...extraArgs] of requests) {
        const args = [...withToken(token), ...extraArgs]
        const askDirectly = async () =>
          comparable(
            await askProxy(makeLocation(query), `http://${searchHost}${path}`, { version: '1.1', args }),
          )
        const askBoth = async () => ({
          '1.1': await askProxy(place, `${baseUrl}${path}`, { version: '1.1', args }),
          '2': await askProxy(place, `${baseUrl}${path}`, { version: '2', args }),
        })
        const { expected, replies } = await whileUnchanged(askDirectly, askBoth)
        for (const [version, reply] of Object.entries(replies)) {
          assert.equal(reply.version, version)
          assert.deepEqual(comparable(reply), expected, `${label}, HTTP/${version}`)
        }
      }
    })

    test('a client that already has the reply gets 304', async () => {
      const url = `${baseUrl}${api}/all/results`
      const ask = async (...args: string[]) => askProxy(place, url, { args: [...withToken(token), ...args] })
      const readTag = async () => (await ask()).headers.get('etag') ?? assert.fail('no ETag')
      const { replies: reply } = await whileUnchanged(readTag, tag => ask('-H', `If-None-Match: ${tag}`))
      assert.deepEqual([reply.status, reply.body.length], [304, 0])
    })

    test('an import reaches the server while it is being sent', async () => {
      const documents = `${baseUrl}/4/library/collections/books`
      const { token: loading } = await askToken(place, loader)
      const name = `through-${kind.name}`
      const lines = (from: number, to: number) =>
        Array.from({ length: to - from }, (_, index) =>
          JSON.stringify({ id: `${name}-${from + index}`, title: 'x'.repeat(1000) }),
        ).join('\n')
      const args = [
        ...withToken(loading),
        '-X',
        'POST',
        '-H',
        'Content-Type: application/x-ndjson',
        '-T',
        '-',
      ]
      const feed: CurlOptions['feed'] = async write => {
        write(`${lines(0, 4000)}\n`)
        // Some arrive before all are sent.
        await waitUntil(async () => {
          const { body } = await askProxy(place, `${documents}/imports/${name}`, { args: withToken(loading) })
          return ((JSON.parse(body.toString()) as { documents?: number }).documents ?? 0) > 0
        })
        write(`${lines(4000, 4010)}\n`)
      }
      const { status, body } = await askProxy(place, `${documents}/documents?import=${name}`, { args, feed })
      assert.equal(status, 200, body.toString())
      assert.equal((JSON.parse(body.toString()) as { accepted: number }).accepted, 4010)
    })

    test("the server knows the client's address, whatever the client claims", async () => {
      const fromAddress = (address: string) => ['--interface', address, '-H', 'X-Forwarded-For: 127.0.0.2']
      assert.equal((await askToken(place, bound, fromAddress('127.0.0.2'))).status, 200)
      assert.equal((await askToken(place, bound, fromAddress('127.0.0.3'))).status, 401)
      // The server trusts this address, like Docker's own address in a setup that trusts the whole network.
      assert.equal((await askToken(place, bound, fromAddress('127.0.0.1'))).status, 401)
    })

    // The other proxies only listen on configured ports.
    if (kind.name === 'Caddy')
      test('nothing listens without TLS', async () => {
        assert.equal(await isListening(place.plainPort ?? 80), false)
      })

    test('people can sign in: metadata has the public addresses, and cookies are only for https', async () => {
      const send = fetchThrough(place)
      const metadata = (await (await send(`${authUrl}/.well-known/openid-configuration`)).json()) as Record<
        string,
        string
      >
      assert.equal(metadata.issuer, `${authUrl}/`)
      for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'])
        assert.ok(metadata[name]?.startsWith(`${authUrl}/`), `${name}: ${metadata[name]}`)
      const cookies: string[] = []
      const noting: typeof fetch = async (input, init) => {
        const reply = await send(input, init)
        cookies.push(...reply.headers.getSetCookie())
        return reply
      }
      const parameters = new URLSearchParams({
        client_id: finder.clientId,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: 'openid',
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      })
      const landed = await openPerson({ authUrl }, email, password, noting).completeFlow(
        `${metadata.authorization_endpoint}?${parameters}`,
      )
      assert.ok(landed.href.startsWith(redirectUri), landed.href)
      assert.ok(landed.searchParams.get('code'))
      assert.ok(cookies.length > 0)
      for (const cookie of cookies) assert.match(cookie, /; secure/i)
    })

    test('the proxy forwards URLs, connections, starts of replies and disconnects unchanged', async () => {
      const receivedUrls: (string | undefined)[] = []
      const waiting: ServerResponse[] = []
      const connections = new Set<unknown>()
      const server = createServer((request, response) => {
        receivedUrls.push(request.url)
        // Readiness checks use their own connections.
        if (request.url !== '/readyz') connections.add(request.socket)
        if (request.url !== '/slow') {
          response.end('done')
          return
        }
        response.write('begun')
        waiting.push(response)
      })
      const listening = once(server.listen(0, '127.0.0.1'), 'listening')
      await listening
      const address = server.address()
      if (address === null || typeof address === 'string') return assert.fail('no port')
      const ownLocation = {
        ...place,
        port: await freePort(),
        query: address.port,
        authorization: address.port,
      }
      ownLocation.folder = await mkdtemp(join(folder, 'proxy-'))
      const inFront = await startProxy(kind, ownLocation)
      try {
        // Each proxy may check or probe other addresses.
        await askProxy(ownLocation, `${baseUrl}/`)
        receivedUrls.length = 0
        connections.clear()
        const odd = ['/a%2Fb/%252F//c/%2e%2e/d', "/e/f(x)!$&'()*+,;=:@/g?h=%26&i=/?", '/%E2%82%AC%20%7e~']
        const sentPaths = Array.from({ length: 4 }, () => odd).flat()
        for (const path of sentPaths) await askProxy(ownLocation, `${baseUrl}${path}`)
        assert.deepEqual(
          receivedUrls.filter(url => url !== '/readyz'),
          sentPaths,
        )
        assert.ok(
          connections.size < sentPaths.length / 2,
          `${sentPaths.length} requests used ${connections.size} new connections`,
        )

        const leaving = new AbortController()
        const abortedRequest = askProxy(ownLocation, `${baseUrl}/slow`, {
          args: ['--no-buffer'],
          signal: leaving.signal,
          onOutput: text => {
            if (text.includes('begun')) leaving.abort()
          },
        })
        await assert.rejects(abortedRequest, /abort/i)
        const [response = assert.fail('nothing reached the server')] = waiting
        // The proxies themselves end an idle reply only after ten minutes.
        if (!response.destroyed) await once(response, 'close', { signal: AbortSignal.timeout(patienceMs) })
      } finally {
        await inFront.stop()
        server.closeAllConnections()
        server.close()
      }
    })
  })
