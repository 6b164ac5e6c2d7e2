/** DPoP (RFC 9449) in a sign-in: the code, the access token, `/userinfo` and the refresh token of an application. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { decodeJwt } from 'jose'
import { createDpopKey, type DpopKey } from '#tests/support/dpop'
import { makeLibrary } from '#tests/support/library'
import { makeMember, type Person, registerApplication } from '#tests/support/person'
import { type StartedServer, startServer } from '#tests/support/started-server'

const redirectUri = 'http://127.0.0.1:9/callback'
let server: StartedServer
let reader: Person
let clientId: string
let key: DpopKey
let otherKey: DpopKey
let tokenUrl: string
let queryUrl: string
before(async () => {
  server = await startServer()
  await makeLibrary(server)
  reader = await makeMember(server, 'library', 'reader@example.org')
  clientId = (await registerApplication(server, 'library', 'browser', redirectUri)).clientId
  key = await createDpopKey()
  otherKey = await createDpopKey()
  tokenUrl = `${server.authUrl}/oauth/token`
  queryUrl = `${server.baseUrl}/4/library/api/library/e/all/count`
})
after(() => server.stop())

const signIn = async (parameters: Record<string, string>) => {
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'openid offline_access',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...parameters,
  })
  const answer = await reader.completeFlow(`${server.authUrl}/authorize?${query}`, [])
  return {
    grant_type: 'authorization_code',
    code: answer.searchParams.get('code') ?? '',
    code_verifier: verifier,
  }
}
interface Tokens {
  status: number
  error?: string
  access_token: string
  refresh_token: string
  token_type: string
}
const requestTokens = async (form: Record<string, string>, by?: DpopKey): Promise<Tokens> => {
  const reply = await fetch(tokenUrl, {
    method: 'POST',
    headers: by ? { dpop: await by.proof({ method: 'POST', url: tokenUrl }) } : {},
    body: new URLSearchParams({ client_id: clientId, redirect_uri: redirectUri, ...form }),
  })
  return { status: reply.status, ...((await reply.json()) as Omit<Tokens, 'status'>) }
}
const refresh = (token: string, by?: DpopKey) =>
  requestTokens({ grant_type: 'refresh_token', refresh_token: token }, by)
const request = async (url: string, headers: Record<string, string>) => {
  const reply = await fetch(url, { headers })
  await reply.arrayBuffer()
  return { status: reply.status, challenge: reply.headers.get('www-authenticate') ?? '' }
}

test('a code and a refresh token of a public application are worth nothing without their key', async () => {
  const code = await signIn({ audience: server.baseUrl, dpop_jkt: key.thumbprint })
  for (const thief of [undefined, otherKey]) {
    const { status, error } = await requestTokens(code, thief)
    assert.deepEqual([status, error], [400, 'invalid_grant'])
  }
  const tokens = await requestTokens(
    await signIn({ audience: server.baseUrl, dpop_jkt: key.thumbprint }),
    key,
  )
  assert.deepEqual([tokens.status, tokens.token_type], [200, 'DPoP'])
  assert.deepEqual(decodeJwt(tokens.access_token).cnf, { jkt: key.thumbprint })
  const reply = await request(queryUrl, await key.headers({ url: queryUrl, token: tokens.access_token }))
  assert.equal(reply.status, 200)
  assert.equal((await request(queryUrl, { authorization: `Bearer ${tokens.access_token}` })).status, 401)
  for (const thief of [undefined, otherKey]) {
    const { status, error } = await refresh(tokens.refresh_token, thief)
    assert.deepEqual([status, error], [400, 'invalid_grant'])
  }
  const next = await refresh(tokens.refresh_token, key)
  assert.deepEqual([next.status, next.token_type], [200, 'DPoP'])
  const token = next.access_token
  assert.equal((await request(queryUrl, await key.headers({ url: queryUrl, token }))).status, 200)
})

test('a code without dpop_jkt is bound by the proof of its exchange, and Bearer tokens stay as they were', async () => {
  const bound = await requestTokens(await signIn({ audience: server.baseUrl }), key)
  assert.equal(bound.token_type, 'DPoP')
  const unbound = await requestTokens(await signIn({ audience: server.baseUrl }))
  assert.equal(unbound.token_type, 'Bearer')
  assert.equal((await request(queryUrl, { authorization: `Bearer ${unbound.access_token}` })).status, 200)
})

test('/userinfo checks the proof of a bound token, once', async () => {
  const { access_token: token } = await requestTokens(await signIn({}), key)
  const url = `${server.authUrl}/userinfo`
  const headers = await key.headers({ url, token })
  assert.equal((await request(url, headers)).status, 200)
  const seconds = Math.floor(Date.now() / 1000)
  for (const badHeaders of [
    headers,
    { authorization: `Bearer ${token}` },
    await key.headers({ url: queryUrl, token }),
    await key.headers({ url, token, method: 'POST' }),
    await key.headers({ url, token, claims: { ath: undefined } }),
    await key.headers({ url, token, claims: { iat: seconds - 65 } }),
    await key.headers({ url, token, claims: { iat: seconds + 65 } }),
    await otherKey.headers({ url, token }),
  ]) {
    const { status, challenge } = await request(url, badHeaders)
    assert.equal(status, 401)
    assert.match(challenge, /^DPoP .*error="(invalid_token|invalid_dpop_proof)".*algs="/)
  }
  // A required header is missing: `invalid_request` (RFC 6750, section 3.1).
  assert.equal((await request(url, { authorization: `DPoP ${token}` })).status, 400)
})
