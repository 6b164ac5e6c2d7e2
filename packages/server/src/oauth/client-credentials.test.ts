import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose'
import { addSecret, listSecrets, removeClient, removeSecret, updateClient } from '#storage/clients'
import { saveDefinition } from '#storage/workspaces'
import { patienceMs } from '#test-wait'
import { startTestServer } from './test-server.ts'

let address = '127.0.0.1'
const server = await startTestServer({ clientAddress: () => address })
after(() => server.close())
const account = await server.newAccount()
const { baseUrl, authUrl } = server

const accessToken = (reply: { json: Record<string, unknown> }): string => String(reply.json.access_token)

test("the seed's request gets an access token that the query service takes", async () => {
  const reply = await server.token(account, `&audience=${baseUrl}/`)
  assert.equal(reply.status, 200)
  assert.equal(reply.headers.get('cache-control'), 'no-store')
  assert.match(reply.headers.get('content-type') ?? '', /^application\/json/)
  const { access_token, ...rest } = reply.json
  assert.deepEqual(rest, { expires_in: 900, token_type: 'Bearer' }, 'no refresh token, no ID token')
  const principal = await server.identify(String(access_token), `${baseUrl}/4/w/api/a/e/e/results`)
  assert.equal(principal.subject, account.id)
  assert.equal(principal.kind, 'system-to-system')
})

test('an access token is a JWT by RFC 9068', async () => {
  const token = accessToken(await server.token(account))
  const header = decodeProtectedHeader(token)
  const key = server.keyring.publicJwks().find(({ alg }) => alg === 'ES256')
  assert.deepEqual(header, { typ: 'at+jwt', alg: 'ES256', kid: key?.kid })
  const { jti, iat, exp, ...claims } = decodeJwt(token)
  assert.deepEqual(claims, {
    iss: `${authUrl}/`,
    sub: account.id,
    client_id: account.id,
    aud: baseUrl,
    scope: '',
  })
  assert.ok(jti && jti.length >= 21)
  assert.equal(Number(exp) - Number(iat), 900)
  assert.ok(Math.abs(Number(iat) - Date.now() / 1000) < 5)
})

test('EdDSA signs access tokens where the operator chose it', async () => {
  const otherServer = await startTestServer({ accessTokenAlgorithm: 'EdDSA' })
  try {
    const token = accessToken(await otherServer.token(await otherServer.newAccount()))
    assert.equal(decodeProtectedHeader(token).alg, 'EdDSA')
    assert.ok(await otherServer.bearer.read(token))
  } finally {
    await otherServer.close()
  }
})

test('form values may come without percent-encoding, and scope empty', async () => {
  const reply = await server.token(account, `&audience=${baseUrl}/&scope=`)
  assert.equal(reply.status, 200)
})

test('the form may name its charset, come in chunks, and be sent to the address with a slash', async () => {
  const body = `grant_type=client_credentials&client_id=${account.id}&client_secret=${account.secret}&audience=${baseUrl}`
  for (const type of [
    'application/x-www-form-urlencoded;charset=UTF-8',
    'Application/X-WWW-Form-Urlencoded',
  ]) {
    const reply = await server.raw(
      `POST /oauth/token/ HTTP/1.1\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\nAccept: */*`,
      `5\r\n${body.slice(0, 5)}\r\n${(body.length - 5).toString(16)}\r\n${body.slice(5)}\r\n0\r\n\r\n`,
    )
    assert.equal(reply.status, 200, reply.text)
  }
})

test('audience and resource give the same token, with and without a slash', async () => {
  for (const name of ['audience', 'resource'])
    for (const value of [baseUrl, `${baseUrl}/`, encodeURIComponent(`${baseUrl}/`)]) {
      const reply = await server.token(account, `&${name}=${value}`)
      assert.equal(decodeJwt(accessToken(reply)).aud, baseUrl, `${name}=${value}`)
    }
})

test('resource may be a narrower address, and the token holds there and below it only', async () => {
  const workspace = `${baseUrl}/4/${server.workspace.slug}`
  const narrow = `${workspace}/api/dict/mcp`
  const token = accessToken(await server.token(account, `&resource=${narrow}/`))
  assert.equal(decodeJwt(token).aud, narrow)
  await server.identify(token, `${narrow}/x`)
  await assert.rejects(server.identify(token, `${workspace}/api/dict/e/e/results`), {
    message: `the token is for another audience, ${narrow}: ask for one with audience=${baseUrl}`,
  })
  const narrowedReply = await server.token(account, `&audience=${baseUrl}/&resource=${narrow}`)
  assert.equal(decodeJwt(accessToken(narrowedReply)).aud, narrow)
})

test('an address in another workspace is invalid_target, whether there is one or not, and the own one is named', async () => {
  const elsewhere = await server.newWorkspace()
  for (const slug of [elsewhere.slug, 'none', `${elsewhere.slug}/api/a`])
    for (const name of ['audience', 'resource']) {
      const reply = await server.token(account, `&${name}=${baseUrl}/4/${slug}`)
      assert.equal(reply.status, 400, slug)
      assert.equal(reply.json.error, 'invalid_target')
      const right = `send resource=${baseUrl}/4/${server.workspace.slug} or below it`
      assert.ok(String(reply.json.error_description).includes(right), String(reply.json.error_description))
    }
  const ownClient = await server.newOwnClient()
  assert.equal((await server.token(ownClient, `&resource=${baseUrl}/4/${elsewhere.slug}`)).status, 200)
})

test('a narrower address holds however its letters are encoded', async () => {
  const { slug } = server.workspace
  const encoded = `%${slug.charCodeAt(0).toString(16)}${slug.slice(1)}`
  const token = accessToken(await server.token(account, `&resource=${baseUrl}/4/${encoded}`))
  assert.equal(decodeJwt(token).aud, `${baseUrl}/4/${slug}`)
  for (const spelling of [slug, encoded])
    await server.identify(token, `${baseUrl}/4/${spelling}/api/a/e/all/results`)
})

test('without audience or resource, the token is for the query service', async () => {
  for (const rest of ['', '&audience=', '&resource=', '&scope=', '&scope=openid&audience=']) {
    const token = accessToken(await server.token(account, rest))
    assert.equal(decodeJwt(token).aud, baseUrl, rest)
    assert.equal(await server.query(token), 403, 'it lacks only the role')
  }
})

test('another address: 400 invalid_target that names the right one', async () => {
  const foreign = [
    'http://127.0.0.1:4999/',
    'https://example.org',
    'dictionary',
    `${authUrl}/manage/`,
    `${baseUrl}/api/v2/`,
    `${baseUrl}/4//dictionary`,
  ]
  for (const name of ['audience', 'resource'])
    for (const value of foreign) {
      const reply = await server.token(account, `&${name}=${value}`)
      assert.equal(reply.status, 400, value)
      assert.equal(reply.json.error, 'invalid_target')
      assert.ok(String(reply.json.error_description).includes(`audience=${baseUrl}`), reply.text)
    }
  const mixed = await server.token(account, `&audience=http://other/&resource=${baseUrl}/4/w`)
  assert.equal(mixed.json.error, 'invalid_target')
  const two = await server.token(account, `&resource=${baseUrl}/4/w&resource=${baseUrl}/4/v`)
  assert.equal(two.json.error, 'invalid_target')
})

test("the server's own clients may take a token for the management API, and for queries", async () => {
  const ownClient = await server.newOwnClient()
  for (const audience of [`${authUrl}/manage`, `${authUrl}/manage/`]) {
    const token = accessToken(await server.token(ownClient, `&audience=${audience}`))
    assert.equal(decodeJwt(token).aud, `${authUrl}/manage/`)
    const principal = await server.identify(token, `${authUrl}/manage/v1/workspaces`)
    assert.equal(principal.subject, ownClient.userId)
  }
  assert.equal((await server.token(ownClient)).status, 200)
})

test('the secret may come in the body or by HTTP Basic', async () => {
  const basic = Buffer.from(`${account.id}:${account.secret}`).toString('base64')
  for (const scheme of ['Basic', 'basic'])
    for (const rest of ['', `&client_id=${account.id}`]) {
      const body = `grant_type=client_credentials&audience=${baseUrl}${rest}`
      const reply = await server.form('/oauth/token', body, `Authorization: ${scheme} ${basic}`)
      assert.equal(reply.status, 200, reply.text)
    }
})

test('private_key_jwt works for an account with public keys, which has no secret; Ed25519 by either of its names', async () => {
  const sendSigned = async (alg: string, keyAlg: string, by?: Parameters<SignJWT['sign']>[0]) => {
    const { privateKey, publicKey } = await generateKeyPair(keyAlg)
    const key = { ...(await exportJWK(publicKey)), kid: 'k1', alg: keyAlg }
    const signer = await server.newAccount({ publicKeys: { keys: [key] } })
    const assertion = await new SignJWT({ jti: randomUUID() })
      .setProtectedHeader({ alg, kid: 'k1' })
      .setIssuer(signer.id)
      .setSubject(signer.id)
      .setAudience(`${authUrl}/`)
      .setExpirationTime('1m')
      .sign(by ?? privateKey)
    const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
    const reply = await server.form(
      '/oauth/token',
      `grant_type=client_credentials&audience=${baseUrl}&client_assertion_type=${type}&client_assertion=${assertion}`,
    )
    return { ...reply, signer }
  }
  for (const [alg, keyAlg] of [
    ['ES256', 'ES256'],
    ['Ed25519', 'EdDSA'],
    ['EdDSA', 'Ed25519'],
  ] as const) {
    const { status, text, signer } = await sendSigned(alg, keyAlg)
    assert.equal(status, 200, `${alg} ${text}`)
    assert.equal((await server.token({ id: signer.id, secret: 'x' })).status, 401)
  }
  const { privateKey } = await generateKeyPair('ES384')
  const { status, json } = await sendSigned('ES384', 'ES256', privateKey)
  assert.deepEqual([status, json.error], [401, 'invalid_client'])
  assert.match(String(json.error_description), /signed by one of RS256, PS256, ES256, Ed25519, EdDSA$/)
})

test('two secrets work at once; a removed or expired one is refused on the very next request', async () => {
  const two = await server.newAccount()
  const second = await server.storage.write(writer => addSecret(writer, two.id, Date.now() + 60 * 60 * 1000))
  const third = await server.storage.write(writer => addSecret(writer, two.id, Date.now() - 1))
  assert.equal((await server.token(two)).status, 200)
  assert.equal((await server.token({ id: two.id, secret: second.secret })).status, 200)
  assert.equal((await server.token({ id: two.id, secret: third.secret })).status, 401)
  await server.storage.write(writer => removeSecret(writer, two.id, two.secretId))
  assert.equal((await server.token(two)).status, 401)
  assert.equal((await server.token({ id: two.id, secret: second.secret })).status, 200)
})

test('a secret that expires between two requests is refused at the second', async t => {
  const expiring = await server.newAccount()
  const { secret } = await server.storage.write(writer => addSecret(writer, expiring.id, Date.now() + 2000))
  assert.equal((await server.token({ id: expiring.id, secret })).status, 200)
  const isRefused = async () => assert.equal((await server.token({ id: expiring.id, secret })).status, 401)
  await t.waitFor(isRefused, { timeout: patienceMs })
})

test('a disabled or removed account is refused on the very next request, and may come back', async () => {
  const fleeting = await server.newAccount()
  assert.equal((await server.token(fleeting)).status, 200)
  await server.storage.write(writer => updateClient(writer, fleeting.id, { disabled: true }))
  assert.equal((await server.token(fleeting)).status, 401)
  await server.storage.write(writer => updateClient(writer, fleeting.id, { disabled: false }))
  assert.equal((await server.token(fleeting)).status, 200)
  await server.storage.write(writer => removeClient(writer, fleeting.id))
  assert.equal((await server.token(fleeting)).status, 401)
})

test('address ranges hold for the secret: elsewhere even the right one is refused, and says why', async () => {
  const bound = await server.newAccount({ addresses: ['192.0.2.0/24'] })
  try {
    address = '192.0.2.9'
    assert.equal((await server.token(bound)).status, 200)
    address = '203.0.113.5'
    const foreignReply = await server.token(bound)
    assert.equal(foreignReply.status, 401)
    assert.match(String(foreignReply.json.error_description), /203\.0\.113\.5/)
    const guessed = await server.token({ id: bound.id, secret: 'wrong' })
    assert.match(String(guessed.json.error_description), /^client authentication failed/)
    address = '192.0.2.9'
    await server.storage.write(writer =>
      updateClient(writer, bound.id, { settings: { addresses: ['203.0.113.0/24'] } }),
    )
    assert.equal((await server.token(bound)).status, 401, 'a changed range holds at once')
  } finally {
    address = '127.0.0.1'
  }
})

test("the lifetime is the workspace's, from the request after it was changed", async () => {
  const workspace = await server.newWorkspace({ accessTokenLifetime: '90s' })
  const short = await server.newAccount({}, workspace.id)
  const first = await server.token(short)
  assert.equal(first.json.expires_in, 90)
  const { exp, iat } = decodeJwt(accessToken(first))
  assert.equal(Number(exp) - Number(iat), 90)
  await server.storage.write(writer =>
    saveDefinition(writer, workspace.id, {
      ...workspace.definition,
      settings: { accessTokenLifetime: '24h' },
    }),
  )
  assert.equal((await server.token(short)).json.expires_in, 86_400)
})

test('applications are refused client credentials, public ones without a secret and confidential ones with it', async () => {
  for (const type of ['browser', 'native'] as const) {
    const id = await server.newApplication({ type })
    const reply = await server.form(
      '/oauth/token',
      `grant_type=client_credentials&client_id=${id}&audience=${baseUrl}`,
    )
    assert.equal(reply.status, 400)
    assert.equal(reply.json.error, 'unauthorized_client')
  }
  const id = await server.newApplication({ type: 'server' })
  const { secret } = await server.storage.write(writer => addSecret(writer, id, null))
  const reply = await server.token({ id, secret })
  assert.equal(reply.status, 400)
  assert.equal(reply.json.error, 'unauthorized_client')
})

test('unknown scopes are ignored, and the reply has no empty scope', async () => {
  for (const scope of ['openid offline_access', 'read', 'read:all openid']) {
    const reply = await server.token(account, `&audience=${baseUrl}&scope=${scope}`)
    assert.equal(reply.status, 200)
    assert.deepEqual(Object.keys(reply.json).sort(), ['access_token', 'expires_in', 'token_type'])
    assert.equal(decodeJwt(accessToken(reply)).scope, '')
  }
})

test('every token is a JWT for an address of the service, never an opaque one', async () => {
  for (const rest of ['&scope=openid', '&resource=&audience=&scope=x', '&audience[]=x', '&Audience=x'])
    assert.equal(decodeJwt(accessToken(await server.token(account, rest))).aud, baseUrl, rest)
  for (const rest of ['&audience=x&audience=y', `&audience=${baseUrl}&audience=${baseUrl}`, '&resource=x'])
    assert.equal((await server.token(account, rest)).status, 400, rest)
})

test('a token verifies with the published keys', async () => {
  const token = accessToken(await server.token(account))
  const { kid } = decodeProtectedHeader(token)
  const jwks = (await server.raw('GET /.well-known/jwks.json HTTP/1.1')).json.keys
  assert.ok(Array.isArray(jwks))
  const jwk = jwks.find(key => key.kid === kid)
  const { payload } = await jwtVerify(token, jwk, { issuer: `${authUrl}/`, audience: baseUrl, typ: 'at+jwt' })
  assert.equal(payload.client_id, account.id)
})

test('the last use of a secret is noted, at the latest when the server closes', async t => {
  // It is written every few seconds, too.
  t.mock.timers.enable({ apis: ['setInterval'] })
  const closing = await startTestServer()
  t.after(() => closing.close())
  const [used, unused] = [await closing.newAccount(), await closing.newAccount()]
  assert.equal((await closing.token(used)).status, 200)
  assert.equal((await closing.token({ ...unused, secret: 'wrong' })).status, 401)
  const secretsBefore = await listSecrets(closing.storage.db, [used.id])
  assert.equal(secretsBefore[0]?.lastUsedAt, null, 'not on the path of the request')
  await closing.server.close()
  const rows = await listSecrets(closing.storage.db, [used.id, unused.id])
  const usedAt = new Map(rows.map(row => [row.clientId, row.lastUsedAt]))
  assert.ok(Date.now() - Number(usedAt.get(used.id)) < 15_000)
  assert.equal(usedAt.get(unused.id), null)
})
