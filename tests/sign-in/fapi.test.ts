/**
 * FAPI 2.0 Security Profile (Final) for applications with `--profile fapi2`: `openid-client` as a real client, and requests that break one
 * rule each.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import * as client from 'openid-client'
import { makeLibrary } from '#tests/support/library'
import { makeMember, type Person } from '#tests/support/person'
import { type StartedServer, startServer } from '#tests/support/started-server'

const redirectUri = 'https://bank.example/callback'
const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
let server: StartedServer
let person: Person
let folder: string
let issuer: string

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>
interface FapiClient {
  clientId: string
  config: client.Configuration
  dpop: client.DPoPOptions
  keys: KeyPair
}
let bank: FapiClient
let otherBank: FapiClient

const writeKeys = async (keys: KeyPair) => {
  const file = join(folder, `${randomUUID()}.json`)
  await writeFile(file, JSON.stringify({ keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'k' }] }))
  return file
}
const register = async (alg: string): Promise<FapiClient> => {
  const keys = await generateKeyPair(alg)
  const { clientId } = (await server.run([
    'apps',
    'create',
    'library',
    `Bank ${alg}`,
    ...['--type', 'server', '--redirect-uri', redirectUri],
    ...['--profile', 'fapi2', '--public-keys', await writeKeys(keys)],
  ])) as { clientId: string }
  const auth = client.PrivateKeyJwt({ key: keys.privateKey, kid: 'k' })
  const config = await client.discovery(new URL(server.authUrl), clientId, undefined, auth, {
    // The server of this test has no certificate.
    execute: [client.allowInsecureRequests],
  })
  const dpop = { DPoP: client.getDPoPHandle(config, await client.randomDPoPKeyPair()) }
  return { clientId, config, dpop, keys }
}

before(async () => {
  server = await startServer()
  await makeLibrary(server)
  person = await makeMember(server, 'library', 'banker@example.org')
  folder = await mkdtemp(join(tmpdir(), 'querent-fapi-'))
  issuer = `${server.authUrl}/`
  bank = await register('ES256')
  otherBank = await register('PS256')
})
after(async () => {
  await server.stop()
  await rm(folder, { recursive: true })
})

const requestParameters = async (verifier: string) => ({
  redirect_uri: redirectUri,
  scope: 'openid email offline_access',
  resource: server.baseUrl,
  response_type: 'code',
  code_challenge: await client.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
})

/** Returns the URL that the browser comes back to. */
const authorize = async ({ config, dpop }: FapiClient, verifier: string): Promise<URL> =>
  person.completeFlow(
    await client.buildAuthorizationUrlWithPAR(config, await requestParameters(verifier), dpop),
    [],
  )

const signAssertion = (
  { clientId, keys }: FapiClient,
  { audience = issuer, alg = 'ES256' }: { audience?: string | string[]; alg?: string } = {},
) =>
  new SignJWT({ jti: randomUUID() })
    .setProtectedHeader({ alg, kid: 'k' })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime('1m')
    .sign(keys.privateKey)

const post = async (path: string, form: Record<string, string>) => {
  const reply = await fetch(`${server.authUrl}${path}`, { method: 'POST', body: new URLSearchParams(form) })
  // The JSON of RFC 6749, section 5.2, and RFC 9126, section 2.2.
  const json = (await reply.json()) as { error?: string; request_uri?: string; expires_in?: number }
  return { status: reply.status, ...json }
}
const push = async (fapiClient: FapiClient, changes: Record<string, string | undefined> = {}) => {
  const form = {
    client_id: fapiClient.clientId,
    client_assertion_type: assertionType,
    ...('client_assertion' in changes ? {} : { client_assertion: await signAssertion(fapiClient) }),
    ...(await requestParameters(client.randomPKCECodeVerifier())),
    ...changes,
  }
  const entries = Object.entries(form).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  )
  return post('/oauth/par', Object.fromEntries(entries))
}

test('openid-client signs in by PAR, private_key_jwt and DPoP, queries, and refreshes', async () => {
  for (const fapiClient of [bank, otherBank]) {
    const { config, dpop } = fapiClient
    const verifier = client.randomPKCECodeVerifier()
    const answer = await authorize(fapiClient, verifier)
    assert.equal(answer.searchParams.get('iss'), issuer)
    const tokens = await client.authorizationCodeGrant(
      config,
      answer,
      { pkceCodeVerifier: verifier, idTokenExpected: true },
      undefined,
      dpop,
    )
    assert.equal(tokens.token_type, 'dpop')
    assert.equal(tokens.claims()?.email, person.email)
    const url = new URL(`${server.baseUrl}/4/library/api/library/e/all/count`)
    const count = (token: string) =>
      client.fetchProtectedResource(config, token, url, 'GET', undefined, undefined, dpop)
    assert.equal((await count(tokens.access_token)).status, 200)
    const bearer = await fetch(url, { headers: { authorization: `Bearer ${tokens.access_token}` } })
    assert.equal(bearer.status, 401)
    // Refresh tokens are bound to the key, so they need no rotation (section 5.3.2.1).
    const refreshToken = tokens.refresh_token ?? ''
    for (let round = 0; round < 2; round++) {
      const next = await client.refreshTokenGrant(config, refreshToken, undefined, dpop)
      assert.equal(next.refresh_token ?? refreshToken, refreshToken)
      assert.equal((await count(next.access_token)).status, 200)
    }
    await assert.rejects(client.refreshTokenGrant(config, refreshToken), { error: 'invalid_dpop_proof' })
  }
})

test('the ID token has no RS256, and a request_uri lives for a minute at most', async () => {
  const application = ((await server.run(['apps', 'list', 'library'])) as Record<string, unknown>[]).find(
    ({ clientId }) => clientId === bank.clientId,
  )
  assert.deepEqual([application?.profile, application?.idTokenAlgorithm], ['fapi2', 'ES256'])
  const { status, expires_in: seconds } = await push(bank)
  assert.equal(status, 201)
  assert.ok(seconds !== undefined && seconds <= 60)
})

test('an authorization request that was not pushed is refused', async () => {
  const query = new URLSearchParams({
    client_id: bank.clientId,
    ...(await requestParameters(client.randomPKCECodeVerifier())),
  })
  const reply = await fetch(`${server.authUrl}/authorize?${query}`, { redirect: 'manual' })
  const location = new URL(reply.headers.get('location') ?? '')
  assert.deepEqual(
    [location.origin, location.searchParams.get('error'), location.searchParams.get('code')],
    ['https://bank.example', 'invalid_request', null],
  )
})

test('a pushed request needs a code challenge by S256, a redirect URI, and no request_uri of its own', async () => {
  for (const changes of [
    { code_challenge: undefined, code_challenge_method: undefined },
    { code_challenge: undefined, code_challenge_method: undefined, nonce: 'n' },
    { code_challenge_method: 'plain' },
    { redirect_uri: undefined },
    { redirect_uri: 'https://evil.example/' },
    { request_uri: 'urn:ietf:params:oauth:request_uri:x' },
    { response_type: 'token' },
  ]) {
    const { status, error } = await push(bank, changes)
    assert.equal(status, 400, JSON.stringify(changes))
    assert.ok(error)
  }
})

test('the client authenticates with private_key_jwt for this issuer only, and without RS256', async () => {
  const tokenEndpoint = `${server.authUrl}/oauth/token`
  for (const audience of [
    tokenEndpoint,
    server.authUrl,
    [issuer],
    [issuer, tokenEndpoint],
    'https://x.example',
  ])
    assert.deepEqual(
      await push(bank, { client_assertion: await signAssertion(bank, { audience }) }).then(
        ({ status, error }) => [status, error],
      ),
      [401, 'invalid_client'],
      JSON.stringify(audience),
    )
  const rsa = await generateKeyPair('RS256')
  const { clientId } = (await server.run([
    ...['apps', 'create', 'library', 'Bank RS256', '--type', 'server', '--redirect-uri', redirectUri],
    ...['--profile', 'fapi2', '--public-keys', await writeKeys(rsa)],
  ])) as { clientId: string }
  const rsaBank = { ...bank, clientId, keys: rsa }
  const rejected = await push(rsaBank, { client_assertion: await signAssertion(rsaBank, { alg: 'RS256' }) })
  assert.deepEqual([rejected.status, rejected.error], [401, 'invalid_client'])
  for (const changes of [
    { client_assertion: undefined, client_assertion_type: undefined },
    { client_assertion: undefined, client_assertion_type: undefined, client_secret: 'x' },
    { client_assertion: await signAssertion(otherBank, { alg: 'PS256' }) },
  ])
    assert.match(String((await push(bank, changes)).error), /^invalid_(client|request)$/)
})

test('an assertion, a request_uri and a code work once, for their client only', async () => {
  const assertion = await signAssertion(bank)
  assert.equal((await push(bank, { client_assertion: assertion })).status, 201)
  assert.equal((await push(bank, { client_assertion: assertion })).status, 401)

  const { request_uri: requestUri = '' } = await push(bank)
  const stolen = new URLSearchParams({ client_id: otherBank.clientId, request_uri: requestUri })
  const reply = await fetch(`${server.authUrl}/authorize?${stolen}`, { redirect: 'manual' })
  assert.equal(reply.status, 400)

  const verifier = client.randomPKCECodeVerifier()
  const answer = await authorize(bank, verifier)
  const exchange = ({ config, dpop }: FapiClient, options: client.DPoPOptions | undefined = dpop) =>
    client.authorizationCodeGrant(config, answer, { pkceCodeVerifier: verifier }, undefined, options)
  await assert.rejects(exchange(otherBank), { error: 'invalid_grant' })
})

test('a code gives no token without the DPoP key of its request, and no second token', async () => {
  const verifier = client.randomPKCECodeVerifier()
  const { config, dpop } = bank
  const answer = await authorize(bank, verifier)
  const exchange = (options?: client.DPoPOptions) =>
    client.authorizationCodeGrant(config, answer, { pkceCodeVerifier: verifier }, undefined, options)
  await assert.rejects(exchange(), { error: 'invalid_dpop_proof' })
  await assert.rejects(exchange(otherBank.dpop), { error: 'invalid_grant' })
  const second = await authorize(bank, verifier)
  const { access_token: token } = await client.authorizationCodeGrant(
    config,
    second,
    { pkceCodeVerifier: verifier },
    undefined,
    dpop,
  )
  await assert.rejects(
    client.authorizationCodeGrant(config, second, { pkceCodeVerifier: verifier }, undefined, dpop),
    { error: 'invalid_grant' },
  )
  // The replay ends the tokens of the code.
  const url = new URL(`${server.baseUrl}/4/library/api/library/e/all/count`)
  const replies = await client
    .fetchProtectedResource(config, token, url, 'GET', undefined, undefined, dpop)
    .then(({ status }) => status)
    .catch((error: { status?: number }) => error.status)
  assert.equal(replies, 401)
})

test('an application with the profile needs keys, type server and a code challenge', async () => {
  const create = async (...options: string[]) =>
    server
      .run([
        'apps',
        'create',
        'library',
        'Bad',
        '--redirect-uri',
        redirectUri,
        '--profile',
        'fapi2',
        ...options,
      ])
      .then(
        () => 'created',
        (error: Error) => error.message,
      )
  const keys = await writeKeys(bank.keys)
  assert.match(await create(), /profile: found "fapi2", allowed: none, or type server with publicKeys/)
  assert.match(await create('--type', 'server'), /profile/)
  assert.match(await create('--type', 'server', '--public-keys', keys, '--without-pkce'), /pkce: found false/)
  assert.match(
    await create('--type', 'server', '--public-keys', keys, '--id-token-algorithm', 'RS256'),
    /id-token-algorithm: found "RS256"/,
  )
})
