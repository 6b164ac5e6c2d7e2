/** The shortcut and the library give the same answers: each request here goes both ways, to two servers on one storage. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { decodeJwt, exportJWK, generateKeyPair } from 'jose'
import { openAuthorizationServer } from '#oauth/provider/provider'
import { type Reply, startTestServer, type TestServer } from '#oauth/test-server'
import { openTestInteractions } from '#oauth/test-sign-in'
import { addSecret, listSecrets, removeClient, updateClient } from '#storage/clients'
import { chooseRuns } from '#test-runs'

type Way = 'shortcut' | 'library'

/** A server with the shortcut and one without it, whose requests `through` counts by who answered. */
const startBothWays = async (settings: Parameters<typeof startTestServer>[0] = {}) => {
  const answeredBy = { shortcut: 0, library: 0 }
  // Whatever the shortcut leaves is looked at by the pages first.
  const interactions: typeof openTestInteractions = dependencies => {
    const pages = openTestInteractions(dependencies)
    const owns = (pathname: string) => {
      answeredBy.library++
      return pages.owns(pathname)
    }
    return { ...pages, owns }
  }
  const server = await startTestServer({ ...settings, interactions })
  const libraryServer = await openAuthorizationServer({ ...server.dependencies, tokenShortcut: 'off' })
  const http = createServer((request, response) => libraryServer.handle(request, response))
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
  // A TCP server has an address of this form once it listens.
  const { port } = http.address() as AddressInfo
  after(async () => {
    http.closeAllConnections()
    await new Promise(resolve => http.close(resolve))
    await libraryServer.close()
    await server.close()
  })
  const ports: Record<Way, number> = { shortcut: server.port, library: port }
  return {
    server,
    other: libraryServer,
    ports,
    /** Sends it both ways; says whether the shortcut took it. */
    async send(head: string, body: string) {
      const libraryCount = answeredBy.library
      const short = await server.raw(head, body, ports.shortcut)
      const wasTaken = answeredBy.library === libraryCount
      const long = await server.raw(head, body, ports.library)
      return { short, long, wasTaken }
    },
  }
}

/** All of a reply that is not by chance or of the moment. */
const comparable = ({ status, headers, text, json }: Reply) => {
  const { 'x-request-id': requestId, date, ...rest } = Object.fromEntries(headers)
  assert.match(String(requestId), /^[0-9a-f-]{36}$/)
  assert.ok(date)
  const token = json.access_token
  if (typeof token !== 'string')
    return { status, headers: rest, text: text.replaceAll(String(requestId), 'ID') }
  const [header = '', claims = ''] = token
    .split('.', 2)
    .map(part => Buffer.from(part, 'base64url').toString())
  const { jti, iat, exp } = decodeJwt(token)
  assert.match(String(jti), /^[\w-]{43}$/)
  assert.ok(Math.abs(Number(iat) - Date.now() / 1000) < 30)
  return {
    status,
    headers: rest,
    reply: text.replace(token, 'TOKEN'),
    header,
    // As text: the order of the claims is the same too.
    claims: claims.replace(String(jti), 'JTI').replace(`"iat":${iat},"exp":${exp}`, '"iat":IAT,"exp":EXP'),
    seconds: Number(exp) - Number(iat),
    chars: token.length,
  }
}

const makeClients = async (server: TestServer) => {
  const { storage } = server
  const addClientSecret = (id: string, expiresAt: number | null = null) =>
    storage.write(writer => addSecret(writer, id, expiresAt)).then(({ secret }) => ({ id, secret }))
  const account = await server.newAccount()
  const disabled = await server.newAccount()
  await storage.write(writer => updateClient(writer, disabled.id, { disabled: true }))
  const removed = await server.newAccount()
  await storage.write(writer => removeClient(writer, removed.id))
  const hourly = await server.newWorkspace({ accessTokenLifetime: '1h' })
  const jwk = await exportJWK((await generateKeyPair('ES256')).publicKey)
  const signer = await server.newAccount({ publicKeys: { keys: [{ ...jwk, kid: 'k1', alg: 'ES256' }] } })
  return {
    account,
    second: await addClientSecret(account.id),
    hourly: await server.newAccount({}, hourly.id),
    near: await server.newAccount({ addresses: ['127.0.0.0/8'] }),
    own: await server.newOwnClient(),
    wrong: { id: account.id, secret: `${account.secret}x` },
    expired: await addClientSecret(account.id, Date.now() - 1),
    disabled,
    removed,
    elsewhere: await server.newAccount({ addresses: ['192.0.2.0/24'] }),
    unknown: { id: 'no-such-client', secret: account.secret },
    odd: { id: 'é:%', secret: 'ü &' },
    signer: { id: signer.id, secret: 'x' },
    application: await addClientSecret(await server.newApplication({ type: 'server' })),
    page: { id: await server.newApplication({ type: 'browser' }), secret: '' },
  }
}

const bothWays = await startBothWays()
const { server } = bothWays
const { baseUrl, authUrl } = server
const clients = await makeClients(server)
const slug = server.workspace.slug
const otherSlug = (await server.newWorkspace()).slug

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const formHeader = 'Content-Type: application/x-www-form-urlencoded'
const audiences = [
  baseUrl,
  `${baseUrl}/`,
  `${baseUrl}/4/${slug}`,
  `${baseUrl}/4/${slug}/api/a/`,
  `${baseUrl}/4/${otherSlug}`,
  `${baseUrl}/4/%${slug.charCodeAt(0).toString(16)}${slug.slice(1)}`,
  `${baseUrl}/%zz`,
  `${baseUrl}?x`,
  `${baseUrl}#x`,
  `${authUrl}/manage`,
  `${authUrl}/manage/`,
  'https://example.org',
  'dictionary',
  '',
]
const scopes = ['', 'openid', 'openid profile', 'offline_access', 'a  b', ' a', 'a"b', 'é', 'urn:a/b.c']

/** A request as clients write them, and what may be odd about one. */
const request = fc.record({
  client: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom('account', 'own') },
    { weight: 3, arbitrary: fc.constantFrom(...Object.keys(clients)) },
  ),
  by: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('body', 'basic') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('BASIC', 'basic and id', 'both', 'none', 'basic encoded', 'unpadded'),
    },
  ),
  audience: fc.oneof(
    { weight: 1, arbitrary: fc.constant(baseUrl) },
    { weight: 1, arbitrary: fc.constantFrom(null, ...audiences) },
  ),
  resource: fc.option(fc.constantFrom(...audiences), { freq: 2 }),
  scope: fc.option(fc.constantFrom(...scopes), { freq: 2 }),
  encode: fc.constantFrom<(text: string) => string>(
    text => text,
    encodeURIComponent,
    text => text.replaceAll(' ', '+'),
  ),
  grantType: fc.oneof(
    { weight: 30, arbitrary: fc.constant('client_credentials') },
    { weight: 1, arbitrary: fc.constantFrom('', 'authorization_code', 'refresh_token', 'password', 'x') },
  ),
  more: fc.oneof(
    { weight: 14, arbitrary: fc.constant('') },
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        '&audience=',
        `&audience=${baseUrl}`,
        `&resource=${baseUrl}`,
        '&scope=x',
        '&client_id=',
        '&client_id=x',
        '&client_secret=',
        '&grant_type=client_credentials',
        '&client_assertion=x',
        '&client_assertion_type=',
        '&code=x&code=y',
        '&__proto__=x',
        '&constructor=x',
        '&foo=bar',
        '&%66oo=%zz',
        '&é=1',
        '&\u00a0',
        '&&',
        '&=',
        '&audience[]=x',
        `&${'x'.repeat(5000)}=`,
        `&${'y&'.repeat(1100)}`,
      ),
    },
    { weight: 1, arbitrary: fc.string({ maxLength: 20 }).map(text => `&${text}`) },
  ),
  lead: fc.oneof(
    { weight: 30, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: fc.constantFrom('\ufeff', '&', '\ufeffclient_id=x&', ' ') },
  ),
  type: fc.oneof(
    { weight: 30, arbitrary: fc.constant(formHeader) },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        `${formHeader};charset=UTF-8`,
        `${formHeader}; charset=utf-8`,
        `${formHeader}; charset=utf-16le`,
        `${formHeader}; charset=nonsense`,
        `${formHeader}; x=y`,
        'content-type: APPLICATION/x-www-form-urlencoded',
        'Content-Type: application/json',
        'Content-Type: text/plain',
        'Content-Type:',
        'X: y',
      ),
    },
  ),
  header: fc.oneof(
    { weight: 30, arbitrary: fc.constant('X-Client: a') },
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        'Origin: https://app.example',
        'DPoP: x',
        'OAuth-Client-Attestation: x',
        'OAuth-Client-Attestation-PoP: x',
        'Content-Encoding: gzip',
        'Accept: text/html',
        'Accept: application/json',
        'X-Forwarded-For: 192.0.2.9',
        'X-Forwarded-Host: evil.example',
        'Authorization:',
        'Authorization: Bearer x',
        'Authorization: Basic x',
        `Authorization: Basic ${base64('no-colon')}`,
        `Authorization: Basic  ${base64('a:b')}`,
      ),
    },
  ),
  path: fc.oneof(
    { weight: 30, arbitrary: fc.constant('/oauth/token') },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        '/oauth/token/',
        '/oauth/token?',
        `/oauth/token?audience=${baseUrl}`,
        '/oauth/token?client_secret=x',
        '/oauth/token//',
        '/oauth/Token',
        '/oauth/%74oken',
      ),
    },
  ),
  version: fc.oneof(
    { weight: 20, arbitrary: fc.constant('1.1') },
    { weight: 1, arbitrary: fc.constant('1.0') },
  ),
})
type TokenRequest = ReturnType<typeof request.generate>['value']

const writeAuthorization = ({ by }: TokenRequest, id: string, secret: string): string | undefined => {
  if (by === 'BASIC') return `BASIC ${base64(`${id}:${secret}`)}`
  if (by === 'basic encoded')
    return `Basic ${base64(`${encodeURIComponent(id).replace('-', '%2D')}:${secret}`)}`
  if (by === 'unpadded') return `Basic ${base64(`${id}:${secret}`).replaceAll('=', '')}`
  return by.startsWith('basic') || by === 'both' ? `Basic ${base64(`${id}:${secret}`)}` : undefined
}

const writeRequest = (tokenRequest: TokenRequest): { head: string; body: string } => {
  const { client, by, audience, resource, scope, encode, grantType, more, lead } = tokenRequest
  const { id, secret } = clients[client as keyof typeof clients]
  const parameters = [
    ['grant_type', grantType],
    ['client_id', ['body', 'basic and id', 'both', 'none'].includes(by) ? id : null],
    ['client_secret', by === 'body' || by === 'both' ? secret : null],
    ['audience', audience],
    ['resource', resource],
    ['scope', scope],
  ] as const
  const pairs = parameters.flatMap(([name, value]) => (value === null ? [] : [`${name}=${encode(value)}`]))
  const body = `${lead}${pairs.join('&')}${more}`
  const authorization = writeAuthorization(tokenRequest, id, secret)
  const head = [
    `POST ${tokenRequest.path} HTTP/${tokenRequest.version}`,
    tokenRequest.type,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(authorization === undefined ? [] : [`Authorization: ${authorization}`]),
    tokenRequest.header,
  ]
  return { head: head.join('\r\n'), body }
}

test('whatever is asked, status, headers, body and claims are the same both ways', async () => {
  const counts = { tokens: 0, others: 0 }
  const property = fc.asyncProperty(request, async tokenRequest => {
    const { head, body } = writeRequest(tokenRequest)
    const { short, long, wasTaken } = await bothWays.send(head, body)
    assert.deepEqual(comparable(short), comparable(long), `${head}\n\n${body}`)
    if (typeof short.json.access_token === 'string')
      assert.ok(await server.bearer.read(short.json.access_token), 'the published keys verify it')
    if (wasTaken) counts[short.status === 200 ? 'tokens' : 'others']++
  })
  const runs = chooseRuns(250, 1200)
  await fc.assert(property, { numRuns: runs })
  assert.ok(counts.tokens > runs / 15, `the shortcut gave ${counts.tokens} tokens`)
  assert.equal(counts.others, 0, 'it gives nothing but tokens')
})

const form = (rest: string, { id, secret }: { id: string; secret: string } = clients.account): string =>
  `grant_type=client_credentials&client_id=${id}&client_secret=${secret}${rest}`
const writeHead = (body: string, ...fields: string[]): string =>
  ['POST /oauth/token HTTP/1.1', formHeader, `Content-Length: ${body.length}`, ...fields].join('\r\n')

test('usual requests of clients take the shortcut, and refusals do not', async () => {
  const basic = `Authorization: Basic ${base64(`${clients.account.id}:${clients.account.secret}`)}`
  const plain = `grant_type=client_credentials&audience=${baseUrl}`
  const usual: [string, ...string[]][] = [
    [form(`&audience=${baseUrl}`)],
    [form(`&audience=${encodeURIComponent(`${baseUrl}/`)}&scope=`)],
    [form(`&resource=${baseUrl}/4/${slug}/api/a&scope=openid+email`)],
    [form(`&audience=${baseUrl}`, clients.second)],
    [form(`&audience=${baseUrl}`, clients.near)],
    [form(`&audience=${authUrl}/manage/`, clients.own)],
    [plain, basic],
    [`${plain}&client_id=${clients.account.id}`, basic, 'Accept: application/json'],
  ]
  for (const [body, ...fields] of usual) {
    const { short, long, wasTaken } = await bothWays.send(writeHead(body, ...fields), body)
    assert.deepEqual(comparable(short), comparable(long))
    assert.equal(short.status, 200, short.text)
    assert.ok(wasTaken, body)
  }
  const refusedClients = [
    'wrong',
    'expired',
    'disabled',
    'removed',
    'elsewhere',
    'unknown',
    'application',
  ] as const
  for (const name of refusedClients) {
    const body = form(`&audience=${baseUrl}`, clients[name])
    const { short, long, wasTaken } = await bothWays.send(writeHead(body), body)
    assert.deepEqual(comparable(short), comparable(long))
    assert.ok(short.status >= 400 && !wasTaken, name)
  }
})

/** Sends these pieces over one connection, each after the earlier ones were read or written, and returns all replies. */
const replies = (port: number, pieces: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(port, '127.0.0.1').setNoDelay().setEncoding('latin1')
    socket.on('error', reject)
    socket.on('end', () => resolve(text))
    const [first = '', ...rest] = pieces
    socket.on('data', data => {
      text += data
      // The server asks for the body once it has read the head.
      if (text === 'HTTP/1.1 100 Continue\r\n\r\n')
        for (const piece of rest) setImmediate(() => socket.write(piece))
    })
    socket.write(first)
  })

const statuses = (text: string): string[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = '']) => status)

test('a body that comes after its head, in pieces, is read as well', async () => {
  for (const [rest, status] of [
    [`&audience=${baseUrl}`, '200'],
    ['&audience=https://example.org', '400'],
  ] as const) {
    const body = form(rest)
    const head = writeHead(body, 'Host: a', 'Connection: close', 'Expect: 100-continue')
    const text = await replies(bothWays.ports.shortcut, [
      `${head}\r\n\r\n`,
      body.slice(0, 40),
      body.slice(40),
    ])
    assert.deepEqual(statuses(text), ['100', status], text)
  }
})

test('a client that disconnects during its body gets no answer, and the library writes no warning', async t => {
  const warn = t.mock.method(console, 'warn', () => {})
  const body = form(`&audience=${baseUrl}`)
  const accepted = once(bothWays.server.http, 'connection')
  const socket = connect(bothWays.ports.shortcut, '127.0.0.1')
  const [peer]: Socket[] = await accepted
  assert.ok(peer)
  socket.write(`${writeHead(body, 'Host: a', 'Expect: 100-continue')}\r\n\r\n`)
  await once(socket, 'data')
  // It closes by an error.
  const closed = new Promise(resolve => peer.once('close', resolve))
  socket.write(body.slice(0, 40))
  socket.destroy()
  await closed
  // Warnings about a request are logged before the next reply.
  for (let attempt = 0; attempt < 5; attempt++) await bothWays.server.raw(writeHead(body), body)
  assert.deepEqual(warn.mock.calls, [])
})

test('one connection serves requests of the shortcut and of the library in order', async () => {
  const bodies = [
    form(`&audience=${baseUrl}`),
    form('&audience=https://example.org'),
    form(`&audience=${baseUrl}`, clients.wrong),
    form(`&audience=${baseUrl}`),
  ]
  const requests = bodies.map(
    (body, place) =>
      `${writeHead(body, 'Host: a', `Connection: ${place < bodies.length - 1 ? 'keep-alive' : 'close'}`)}\r\n\r\n${body}`,
  )
  const text = await replies(bothWays.ports.shortcut, [requests.join('')])
  assert.deepEqual(statuses(text), ['200', '400', '401', '200'], text)
})

test('wrong secrets count the same both ways', async () => {
  const throttled = await startBothWays({ signInThrottle: 3 })
  const account = await throttled.server.newAccount()
  const statuses: number[] = []
  for (const secret of ['a', account.secret, 'b', 'c', account.secret, 'd', account.secret]) {
    const body = form(`&audience=${baseUrl}`, { ...account, secret })
    const { short, long } = await throttled.send(writeHead(body), body)
    assert.deepEqual(comparable(short), comparable(long))
    statuses.push(short.status)
  }
  assert.deepEqual(statuses, [401, 200, 401, 401, 200, 429, 200])
})

test('the same uses of secrets are noted both ways', async () => {
  const servers = await startBothWays()
  const usedBy = async (way: Way, close: () => Promise<void>) => {
    const usedClients = await makeClients(servers.server)
    for (const client of Object.values(usedClients))
      for (const audience of [baseUrl, 'https://example.org']) {
        const body = form(`&audience=${audience}`, client)
        await servers.server.raw(writeHead(body), body, servers.ports[way])
      }
    await close()
    const rows = await listSecrets(
      servers.server.storage.db,
      Object.values(usedClients).map(({ id }) => id),
    )
    const names = new Map(Object.entries(usedClients).map(([name, { id }]) => [id, name]))
    return rows.map(row => `${names.get(row.clientId)} ${row.lastUsedAt !== null}`).sort()
  }
  const short = await usedBy('shortcut', () => servers.server.server.close())
  assert.deepEqual(short, await usedBy('library', () => servers.other.close()))
  assert.ok(short.some(name => name.endsWith('true')) && short.some(name => name.endsWith('false')))
})
