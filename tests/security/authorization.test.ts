/** Access to queries, over HTTP (docs/get-a-token.md). */
import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import { SignJWT } from 'jose'
import { type Library, makeLibrary } from '#tests/support/library'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let library: Library
let otherLibrary: Library
before(async () => {
  server = await startServer()
  library = await makeLibrary(server)
  otherLibrary = await makeLibrary(server, 'museum')
})
after(() => server.stop())

const path = 'library/e/all/count'
const ask = (token: string | undefined, target = `/4/library/api/${path}`, scheme = 'Bearer') =>
  fetch(`${server.baseUrl}${target}`, {
    headers: token === undefined ? {} : { authorization: `${scheme} ${token}` },
  })

/** Returns the status, the error of the challenge, and its description. */
const refusal = async (reply: Response) => {
  const challenge = reply.headers.get('www-authenticate') ?? ''
  const body = (await reply.json()) as { message: string; status: number; requestId: string }
  assert.equal(body.status, reply.status)
  assert.ok(body.requestId)
  assert.match(challenge, /^Bearer realm=/)
  assert.match(challenge, /resource_metadata="http/)
  return {
    status: reply.status,
    error: /error="([^"]*)"/.exec(challenge)?.[1],
    description: /error_description="([^"]*)"/.exec(challenge)?.[1],
    requestId: body.requestId,
  }
}

test('without a token: 401 without an error, the same for existing and missing objects', async () => {
  const replies = await Promise.all(
    [
      '/4/library/api/library/e/all/count',
      '/4/library/api/nothing/e/all/count',
      '/4/nowhere/api/library/e/all/count',
      '/4/library/api/library/e/nothing/wrong/',
      '/4/%zz/api/library/e/all/count',
    ].map(target => ask(undefined, target)),
  )
  const messages = new Set<string>()
  for (const reply of replies) {
    messages.add(((await reply.clone().json()) as { message: string }).message)
    const { status, error } = await refusal(reply)
    assert.equal(status, 401)
    assert.equal(error, undefined)
  }
  assert.equal(messages.size, 1)
})

test('the authentication scheme is case-insensitive', async () => {
  for (const scheme of ['bearer', 'BEARER', 'Bearer'])
    assert.equal((await ask(library.token, undefined, scheme)).status, 200)
})

test('a public API answers without a token, and ignores one that is sent', async () => {
  for (const token of [undefined, library.token, otherLibrary.token, 'nonsense'])
    assert.equal((await ask(token, '/4/library/api/open/e/all/count')).status, 200)
})

test('a token in the URL is rejected', async () => {
  for (const requestPath of [`/4/library/api/${path}`, '/4/library/api/open/e/all/count']) {
    const reply = await ask(undefined, `${requestPath}?access_token=${library.token}`)
    assert.equal(reply.status, 400)
    assert.match(((await reply.json()) as { message: string }).message, /URL/)
  }
})

test('RFC 9700 2.6: a token from elsewhere is rejected with a description of the reason', async () => {
  const [head = '', claims = '', signature = ''] = library.token.split('.')
  const decode = (part: string) =>
    JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const header = decode(head)
  const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const signed = (protectedHeader: Record<string, unknown>, payload: Record<string, unknown>) =>
    new SignJWT(payload).setProtectedHeader({ alg: 'ES256', ...protectedHeader }).sign(foreign)
  const jwks = await (await fetch(`${server.authUrl}/.well-known/jwks.json`)).text()
  const hmacHead = encode({ ...header, alg: 'HS256' })
  const attacks: [string, string, RegExp][] = [
    ['no JWT', 'nonsense', /malformed/],
    ['alg none', `${encode({ ...header, alg: 'none' })}.${claims}.`, /malformed|signature/],
    [
      'HS256 with the public key as secret',
      `${hmacHead}.${claims}.${createHmac('sha256', jwks).update(`${hmacHead}.${claims}`).digest('base64url')}`,
      /signature/,
    ],
    ['foreign key under our kid', await signed({ ...header }, decode(claims)), /signature/],
    ['foreign key, its own kid', await signed({ ...header, kid: 'mine' }, decode(claims)), /key/],
    [
      'key in the header',
      await signed({ ...header, jku: 'http://127.0.0.1:1/jwks', jwk: {} }, decode(claims)),
      /signature/,
    ],
    [
      'another issuer',
      await signed({ ...header }, { ...decode(claims), iss: 'https://elsewhere.example/' }),
      /issuer/,
    ],
    ['changed claims', `${head}.${encode({ ...decode(claims), sub: 'somebody' })}.${signature}`, /signature/],
    ['an ID token', await signed({ ...header, typ: 'JWT' }, decode(claims)), /access token/],
    ['cut off', library.token.slice(0, -10), /signature|malformed/],
  ]
  for (const [name, token, description] of attacks) {
    const reply = await refusal(await ask(token))
    assert.equal(reply.status, 401, name)
    assert.equal(reply.error, 'invalid_token', name)
    assert.match(reply.description ?? '', description, name)
  }
})

test("a token of another workspace's account gets 403, whether the workspace exists or not", async () => {
  const existingWorkspace = await refusal(await ask(otherLibrary.token))
  const missingWorkspace = await refusal(await ask(otherLibrary.token, '/4/nowhere/api/library/e/all/count'))
  for (const { status, error } of [existingWorkspace, missingWorkspace]) {
    assert.equal(status, 403)
    assert.equal(error, 'insufficient_scope')
  }
  assert.equal(existingWorkspace.description, missingWorkspace.description)
})

test('authorization comes before validation', async () => {
  for (const requestPath of [
    '/4/library/api/nothing/',
    '/4/library/api/library/e/nothing/results',
    '/4/library/api/library/e/all/results?count=0',
    '/4/library/api/library/e/all/results?config=nothing',
  ])
    assert.equal((await ask(otherLibrary.token, requestPath)).status, 403, requestPath)
})

test('a data provider may not query', async () => {
  const account = await server.createAccount('library', 'loader', 'data-provider')
  const reply = await refusal(await ask(await fetchToken(server, account)))
  assert.deepEqual([reply.status, reply.error], [403, 'insufficient_scope'])
})

test('a token for a narrower address works there and below it only', async () => {
  const narrow = async (resource: string) => {
    const reply = await fetch(`${server.authUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: library.clientId,
        client_secret: library.clientSecret,
        resource,
      }),
    })
    return ((await reply.json()) as { access_token: string }).access_token
  }
  const token = await narrow(`${server.baseUrl}/4/library/api/library`)
  assert.equal((await ask(token)).status, 200)
  const reply = await refusal(await ask(await narrow(`${server.baseUrl}/4/library/api/lib`)))
  assert.deepEqual([reply.status, reply.error], [401, 'invalid_token'])
  assert.match(reply.description ?? '', /audience/)
})

test('a disabled or removed account is rejected on the very next request, even if its token has not expired', async () => {
  const account = await server.createAccount('library', 'shortlived', 'api')
  const token = await fetchToken(server, account)
  assert.equal((await ask(token)).status, 200)
  await server.call('updateSystemToSystem', {
    params: { workspace: 'library', clientId: account.clientId },
    input: { disabled: true },
  })
  const disabled = await refusal(await ask(token))
  assert.deepEqual([disabled.status, disabled.error], [401, 'invalid_token'])
  assert.match(disabled.description ?? '', /disabled/)
  await server.call('updateSystemToSystem', {
    params: { workspace: 'library', clientId: account.clientId },
    input: { disabled: false },
  })
  assert.equal((await ask(token)).status, 200)
  await server.call('removeSystemToSystem', { params: { workspace: 'library', clientId: account.clientId } })
  const removed = await refusal(await ask(token))
  assert.deepEqual([removed.status, removed.error], [401, 'invalid_token'])
  assert.match(removed.description ?? '', /deleted/)
})

test('a revoked token is rejected on the very next request (RFC 7009)', async () => {
  const token = await fetchToken(server, library)
  assert.equal((await ask(token)).status, 200)
  const client = { client_id: library.clientId, client_secret: library.clientSecret }
  const revoked = await fetch(`${server.authUrl}/oauth/revoke`, {
    method: 'POST',
    body: new URLSearchParams({ ...client, token }),
  })
  assert.equal(revoked.status, 200)
  const reply = await refusal(await ask(token))
  assert.deepEqual([reply.status, reply.error], [401, 'invalid_token'])
  assert.match(reply.description ?? '', /revoked/)
  const introspected = await fetch(`${server.authUrl}/oauth/introspect`, {
    method: 'POST',
    body: new URLSearchParams({ ...client, token }),
  })
  assert.deepEqual(await introspected.json(), { active: false })
})

test('the challenge leads to metadata that names the authorization server (RFC 9728)', async () => {
  const challenge = (await ask(undefined)).headers.get('www-authenticate') ?? ''
  const address = /resource_metadata="([^"]*)"/.exec(challenge)?.[1] ?? assert.fail(challenge)
  const metadata = (await (await fetch(address)).json()) as {
    resource: string
    authorization_servers: string[]
  }
  assert.equal(metadata.resource, `${server.baseUrl}/4/library/api/library`)
  assert.deepEqual(metadata.authorization_servers, [`${server.authUrl}/`])
  const serviceMetadata = (await (
    await fetch(`${server.baseUrl}/.well-known/oauth-protected-resource`)
  ).json()) as {
    resource: string
  }
  assert.equal(serviceMetadata.resource, server.baseUrl)
})

test('"Why was I refused?" shows an administrator each check, with the differing values', async () => {
  const inspection = (await server.run([
    'token',
    'inspect',
    otherLibrary.token,
    '--workspace',
    'library',
    '--api',
    'library',
  ])) as {
    allowed: boolean
    checks: { name: string; passed: boolean | null }[]
  }
  assert.equal(inspection.allowed, false)
  assert.deepEqual(
    inspection.checks.map(({ name, passed }) => [name, passed]),
    [
      ['token', true],
      ['issuer', true],
      ['signature', true],
      ['audience', true],
      ['clock', true],
      ['proof', true],
      ['revocation', true],
      ['client', true],
      ['account', true],
      ['client-workspace', false],
      ['membership', null],
      ['membership-end', null],
      ['role', null],
      ['second-factor', null],
      ['api', null],
      ['collection', null],
      ['row-filter', null],
    ],
  )
  const good = (await server.run([
    'token',
    'inspect',
    library.token,
    '--workspace',
    'library',
    '--api',
    'library',
  ])) as { allowed: boolean }
  assert.equal(good.allowed, true)
})

test('queries over the limit get 429 with Retry-After, and RateLimit headers are on all replies', async () => {
  const limited = await startServer(['--rate-limit', '3'])
  try {
    const small = await makeLibrary(limited)
    for (const remaining of ['2', '1', '0']) {
      const reply = await small.get(path)
      assert.equal(reply.status, 200)
      assert.deepEqual(
        [reply.headers.get('ratelimit-limit'), reply.headers.get('ratelimit-remaining')],
        ['3', remaining],
      )
    }
    const reply = await small.get(path)
    assert.equal(reply.status, 429)
    assert.ok(Number(reply.headers.get('retry-after')) > 0)
    assert.equal(((await reply.json()) as { code: string }).code, 'too-many-requests')
  } finally {
    await limited.stop()
  }
})
