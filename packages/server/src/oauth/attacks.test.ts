/** Attacks on what there is now, by RFC 9700 (Best Current Practice for OAuth 2.0 Security) and the RFCs that it builds on. */
import assert from 'node:assert/strict'
import { createHmac, createPublicKey, randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose'
import { addSecret, newClientId } from '#storage/clients'
import { startTestServer } from './test-server.ts'

const server = await startTestServer()
after(() => server.close())
const { authUrl, baseUrl } = server
const account = await server.newAccount()
const otherAccount = await server.newAccount()

const signing = await generateKeyPair('ES256', { extractable: true })
const publicJwk = { ...(await exportJWK(signing.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }
const signer = await server.newAccount({ publicKeys: { keys: [publicJwk] } })

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const claims = (change: Record<string, unknown> = {}) => ({
  iss: signer.id,
  sub: signer.id,
  aud: `${authUrl}/`,
  jti: randomUUID(),
  exp: Math.floor(Date.now() / 1000) + 60,
  ...change,
})
const sign = (
  change: Record<string, unknown> = {},
  header: Partial<JWTHeaderParameters> = {},
  key: Parameters<SignJWT['sign']>[0] = signing.privateKey,
) => new SignJWT(claims(change)).setProtectedHeader({ alg: 'ES256', kid: 'k1', ...header }).sign(key)
const sendAssertion = (assertion: string, rest = '') =>
  server.form(
    '/oauth/token',
    `grant_type=client_credentials&audience=${baseUrl}&client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer&client_assertion=${assertion}${rest}`,
  )
const assertRefused = (reply: { status: number; json: Record<string, unknown> }) => {
  assert.equal(reply.status, 401, JSON.stringify(reply.json))
  assert.equal(reply.json.error, 'invalid_client')
}

test('RFC 9700 4.13 / RFC 8725 3.1: an assertion with alg none is refused', async () => {
  const forged = `${encode({ alg: 'none', kid: 'k1' })}.${encode(claims())}.`
  assertRefused(await sendAssertion(forged))
})

test('RFC 8725 2.1: an assertion signed by HS256 with the public key as secret is refused', async () => {
  const pem = createPublicKey({ key: publicJwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' })
  for (const secret of [pem, JSON.stringify(publicJwk), Buffer.from(publicJwk.x ?? '', 'base64url')]) {
    const input = `${encode({ alg: 'HS256', kid: 'k1' })}.${encode(claims())}`
    assertRefused(
      await sendAssertion(`${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`),
    )
  }
})

test('an assertion by a foreign key, an unknown kid, or a key that it brings along is refused', async () => {
  const foreign = await generateKeyPair('ES256', { extractable: true })
  const embeddedKey = { ...(await exportJWK(foreign.publicKey)), kid: 'k1' }
  assertRefused(await sendAssertion(await sign({}, {}, foreign.privateKey)))
  assertRefused(await sendAssertion(await sign({}, { kid: 'k2' }, foreign.privateKey)))
  assertRefused(await sendAssertion(await sign({}, { jwk: embeddedKey }, foreign.privateKey)))
  assertRefused(await sendAssertion(await sign({}, { jku: 'http://127.0.0.1:9/jwks' }, foreign.privateKey)))
})

test('RFC 7523 3: an assertion is good once, also for two that come at the same time', async () => {
  const assertion = await sign()
  assert.equal((await sendAssertion(assertion)).status, 200)
  assertRefused(await sendAssertion(assertion))
  const raced = await sign()
  const replies = await Promise.all(Array.from({ length: 8 }, () => sendAssertion(raced)))
  assert.equal(replies.filter(({ status }) => status === 200).length, 1)
})

test('RFC 7523 3: an assertion for another audience, of another issuer, expired or good for too long is refused', async () => {
  const now = Math.floor(Date.now() / 1000)
  const changes = [
    { aud: 'https://other.example/' },
    { aud: ['https://other.example/', baseUrl] },
    { aud: undefined },
    { iss: otherAccount.id },
    { sub: otherAccount.id },
    { exp: now - 120 },
    { exp: undefined },
    { exp: now + 24 * 60 * 60 },
    { jti: undefined },
    { nbf: now + 600 },
  ]
  for (const change of changes) assertRefused(await sendAssertion(await sign(change)))
})

test('clocks that differ by up to 60 s do no harm', async () => {
  const now = Math.floor(Date.now() / 1000)
  for (const change of [{ exp: now - 30 }, { nbf: now + 30, iat: now + 30 }])
    assert.equal((await sendAssertion(await sign(change))).status, 200)
})

test('a secret does not authenticate an account with keys, and an assertion none with a secret', async () => {
  assertRefused(await server.token({ id: signer.id, secret: account.secret }))
  assertRefused(await sendAssertion(await sign({ iss: account.id, sub: account.id })))
  assertRefused(
    await server.form(
      '/oauth/token',
      `grant_type=client_credentials&audience=${baseUrl}&client_id=${account.id}`,
    ),
  )
})

test('RFC 6749 2.3: two ways to authenticate at once, or two client ids, are refused', async () => {
  const basic = Buffer.from(`${account.id}:${account.secret}`).toString('base64')
  const body = `grant_type=client_credentials&audience=${baseUrl}`
  const bodies = [
    `${body}&client_id=${account.id}&client_secret=${account.secret}`,
    `${body}&client_id=${otherAccount.id}`,
    `${body}&client_assertion=${await sign()}&client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer`,
  ]
  for (const requestBody of bodies) {
    const reply = await server.form('/oauth/token', requestBody, `Authorization: Basic ${basic}`)
    assert.equal(reply.status, 400, reply.text)
    assert.equal(reply.json.error, 'invalid_request')
  }
  const mismatch = await sendAssertion(await sign(), `&client_id=${account.id}`)
  assert.equal(mismatch.status, 400)
})

test('RFC 6749 3.2: a parameter that comes twice is refused', async () => {
  const body = `grant_type=client_credentials&audience=${baseUrl}&client_id=${account.id}&client_secret=${account.secret}`
  for (const twice of [
    'grant_type=client_credentials',
    `audience=${baseUrl}`,
    `client_id=${account.id}`,
    'client_secret=x',
    'scope=a&scope=b',
  ]) {
    const reply = await server.form('/oauth/token', `${body}&${twice}`)
    assert.equal(reply.status, 400, twice)
    assert.equal(reply.json.error, 'invalid_request')
    assert.match(String(reply.json.error_description), /twice/)
  }
})

test('RFC 9700 4.3.2 / RFC 6749 2.3.1: a credential in the URL is refused, though it is right', async () => {
  const body = `grant_type=client_credentials&audience=${baseUrl}&client_id=${account.id}`
  const reply = await server.form(`/oauth/token?client_secret=${account.secret}`, body)
  assert.equal(reply.status, 400)
  assert.match(String(reply.json.error_description), /client_secret must not be in the URL/)
  assert.ok(!reply.text.includes(account.secret))
  const inUrlAndBody = await server.form(
    `/oauth/token?client_secret=x`,
    `${body}&client_secret=${account.secret}`,
  )
  assert.equal(inUrlAndBody.status, 400)
  const get = await server.raw(`GET /oauth/token?${body}&client_secret=${account.secret} HTTP/1.1`)
  assert.equal(get.status, 405)
  const userinfo = await server.raw(`GET /userinfo?access_token=x HTTP/1.1`)
  assert.equal(userinfo.status, 400)
})

test('RFC 9700 2.4: there is no password grant, and no grant beyond the documented ones', async () => {
  for (const grant of [
    'password',
    'implicit',
    'urn:ietf:params:oauth:grant-type:jwt-bearer',
    'constructor',
    '__proto__',
  ]) {
    const reply = await server.form(
      '/oauth/token',
      `grant_type=${grant}&username=a&password=b&code=x&refresh_token=x&client_id=${account.id}&client_secret=${account.secret}`,
    )
    assert.equal(reply.status, 400, grant)
    assert.equal(reply.json.error, 'unsupported_grant_type')
    assert.match(String(reply.json.error_description), /client_credentials/)
  }
})

test('a wrong Client ID and a wrong secret get the same 401 with the same bytes', async () => {
  const { storage } = server
  const application = await server.newApplication({ type: 'server' })
  await storage.write(writer => addSecret(writer, application, null))
  const publicApplication = await server.newApplication({ type: 'native' })
  const wrong = [
    { id: account.id, secret: 'qrs_wrong' },
    { id: account.id, secret: `${account.secret}x` },
    { id: account.id, secret: otherAccount.secret },
    { id: 'AAAAAAAAAAAAAAAAAAAAAA', secret: account.secret },
    { id: `${account.id}x`, secret: account.secret },
    { id: account.id.toLowerCase(), secret: account.secret },
    { id: "' or 1=1 --", secret: 'x' },
    { id: '__proto__', secret: 'x' },
    { id: 'x'.repeat(40_000), secret: 'x' },
    { id: signer.id, secret: 'x' },
    { id: application, secret: 'x' },
    { id: publicApplication, secret: 'x' },
  ]
  const bytes = new Set<string>()
  for (const wrongCredentials of wrong) {
    const inBody = await server.token(wrongCredentials)
    assertRefused(inBody)
    const headerValues = ['cache-control', 'content-type', 'content-length', 'www-authenticate', 'vary'].map(
      name => inBody.headers.get(name),
    )
    bytes.add(JSON.stringify([inBody.text, headerValues]))
  }
  assert.equal(bytes.size, 1, [...bytes].join('\n'))
  const basics = await Promise.all(
    wrong
      .slice(0, 6)
      .map(({ id, secret }) =>
        server.form(
          '/oauth/token',
          `grant_type=client_credentials&audience=${baseUrl}`,
          `Authorization: Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
        ),
      ),
  )
  assert.equal(new Set(basics.map(({ text, headers }) => text + headers.get('www-authenticate'))).size, 1)
  assert.match(basics[0]?.headers.get('www-authenticate') ?? '', /^Basic realm=/)
})

test('a wrong Client ID and a wrong secret take the same time: each has the storage asked once', async () => {
  for (const tokenShortcut of ['on', 'off'] as const) {
    const otherServer = await startTestServer({ tokenShortcut })
    try {
      const knownAccount = await otherServer.newAccount()
      const asks = async (path: string, id: string, secret = 'qrs_wrong') => {
        const count = () =>
          Object.values(otherServer.directory.lookups()).reduce((sum, { misses }) => sum + misses, 0)
        const countBefore = count()
        const rest = path === '/oauth/token' ? `grant_type=client_credentials&audience=${baseUrl}` : 'token=x'
        const reply = await otherServer.form(path, `client_id=${id}&client_secret=${secret}&${rest}`)
        assert.equal(reply.status, secret === knownAccount.secret ? 200 : 401)
        return count() - countBefore
      }
      // The account is in memory after its first request.
      await asks('/oauth/token', knownAccount.id, knownAccount.secret)
      for (const path of ['/oauth/token', '/oauth/introspect', '/oauth/revoke']) {
        const unknownId = newClientId()
        const wrong = [knownAccount.id, unknownId, unknownId, newClientId(), 'x.y', knownAccount.id]
        for (const id of wrong) assert.equal(await asks(path, id), 1, `${tokenShortcut} ${path} ${id}`)
        assert.equal(await asks(path, knownAccount.id, knownAccount.secret), 0)
      }
    } finally {
      await otherServer.close()
    }
  }
})

test('long bodies are refused with 413 and cost no memory', async () => {
  const long = `grant_type=client_credentials&x=${'a'.repeat(1024 * 1024)}`
  const declared = await server.form('/oauth/token', long)
  assert.equal(declared.status, 413)
  assert.equal(declared.json.error, 'invalid_request')
  const chunked = await server.raw(
    'POST /oauth/token HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked',
    `${long.length.toString(16)}\r\n${long}\r\n0\r\n\r\n`,
  )
  assert.equal(chunked.status, 413)
  assert.equal(chunked.json.error, 'invalid_request')
})

test('whatever is sent, errors are JSON with a description, never HTML or a stack trace', async () => {
  const form = 'Content-Type: application/x-www-form-urlencoded'
  const requests: [head: string, body: string, status: number, words: RegExp][] = [
    ['GET /oauth/token HTTP/1.1', '', 405, /POST/],
    ['PUT /oauth/token HTTP/1.1\r\nContent-Length: 0', '', 405, /POST/],
    ['DELETE /.well-known/jwks.json HTTP/1.1', '', 405, /GET/],
    ['POST /oauth/token HTTP/1.1\r\nContent-Length: 0', '', 401, /client_id and client_secret/],
    [
      'POST /oauth/token HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 2',
      '{}',
      400,
      /application\/x-www-form-urlencoded/,
    ],
    [
      `POST /oauth/token HTTP/1.1\r\n${form}\r\nContent-Length: 6\r\nAuthorization: Basic !!!`,
      'a=b&c=',
      400,
      /Basic/,
    ],
    [
      `POST /oauth/token HTTP/1.1\r\n${form}\r\nContent-Length: 6\r\nAuthorization: Basic ${Buffer.from('noColon').toString('base64')}`,
      'a=b&c=',
      400,
      /Basic/,
    ],
    [
      `POST /oauth/token HTTP/1.1\r\n${form}\r\nContent-Length: 6\r\nAuthorization: Bearer x`,
      'a=b&c=',
      400,
      /Basic/,
    ],
    [
      `POST /oauth/token HTTP/1.1\r\n${form}; charset=klingon\r\nContent-Length: 6`,
      'a=b&c=',
      401,
      /form body/,
    ],
    [
      `POST /oauth/token HTTP/1.1\r\n${form}\r\nContent-Length: 10`,
      '%FF%00%zz=',
      401,
      /client_id and client_secret/,
    ],
  ]
  for (const [head, body, status, words] of requests) {
    const reply = await server.raw(`${head}\r\nAccept: text/html,*/*;q=0.1`, body)
    assert.equal(reply.status, status, `${head} ${reply.text}`)
    assert.match(reply.headers.get('content-type') ?? '', /^application\/json/)
    assert.equal(reply.headers.get('cache-control'), 'no-store')
    assert.ok(reply.json.error)
    assert.match(String(reply.json.error_description), words)
    assert.doesNotMatch(reply.text, /node_modules|at .*\(|<html|oidc-provider/)
    if (status === 405) assert.ok(reply.headers.get('allow'))
  }
  const missing = await server.form('/oauth/token', `client_id=${account.id}&client_secret=${account.secret}`)
  assert.equal(missing.status, 400)
  assert.match(String(missing.json.error_description), /grant_type/)
})

test('a fault of the server is a server_error without details, which the log has', async () => {
  const broken = await startTestServer()
  try {
    const victim = await broken.newAccount()
    assert.equal((await broken.token(victim)).status, 200)
    await broken.storage.db.schema.dropTable('client_secrets').execute()
    await broken.storage.write(async writer => writer.announce('client', victim.id))
    const reply = await broken.token(victim)
    assert.equal(reply.status, 500)
    assert.equal(reply.json.error, 'server_error')
    assert.doesNotMatch(reply.text, /client_secrets|sqlite|no such table/i)
    const requestId = reply.headers.get('x-request-id') ?? ''
    assert.ok(requestId && String(reply.json.error_description).includes(requestId))
    assert.ok(
      broken.logged.some(
        ({ level, context }) => level === 'error' && JSON.stringify(context).includes(requestId),
      ),
    )
  } finally {
    await broken.close()
  }
})

test('no secret and no token is in the log', () => {
  const log = JSON.stringify(server.logged)
  assert.ok(!log.includes(account.secret) && !log.includes('eyJ') && !log.includes('qrs_'))
})
