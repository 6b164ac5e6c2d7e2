/** The seed's ten steps, and the habits of real clients (authorization-server.md), by code with PKCE. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { makeKey } from '#keys/keyring'
import { saveSigningKey } from '#storage/signing-keys'
import { openTestApplication } from './test-application.ts'
import { startTestServer } from './test-server.ts'
import { type InteractionPage, newPkce, openBrowser } from './test-sign-in.ts'

const server = await startTestServer()
after(() => server.close())
const { authUrl, baseUrl } = server
const callback = 'https://app.example/callback'
const application = await server.newApplication({ redirectUris: [callback] })
const person = await server.newPerson()

const request = (challenge: string, rest = '') =>
  `client_id=${application}&response_type=code&redirect_uri=${callback}&code_challenge=${challenge}&code_challenge_method=S256&state=s1${rest}`

test('the ten steps of the seed: code, ID token, access token, refresh token, query', async () => {
  const { verifier, challenge } = newPkce()
  const seenPages: InteractionPage[] = []
  const landed = await openBrowser(authUrl).authorize(
    request(challenge, `&audience=${baseUrl}/&scope=openid profile email offline_access&nonce=n1`),
    person.id,
    seenPages,
  )
  assert.deepEqual(
    seenPages.map(({ prompt }) => prompt),
    ['login', 'consent'],
  )
  assert.deepEqual(seenPages[1]?.consent?.resources, [baseUrl])
  assert.equal(landed.status, 303)
  assert.equal(landed.applicationUrl?.origin, 'https://app.example')
  assert.equal(landed.parameters.state, 's1')
  assert.equal(landed.parameters.iss, `${authUrl}/`)
  const reply = await server.form(
    '/oauth/token',
    `grant_type=authorization_code&client_id=${application}&code=${landed.parameters.code}&code_verifier=${verifier}&redirect_uri=${callback}`,
  )
  assert.equal(reply.status, 200, reply.text)
  const { access_token, id_token, refresh_token, token_type, expires_in, scope } = reply.json
  assert.equal(token_type, 'Bearer')
  assert.equal(expires_in, 900)
  assert.equal(scope, 'openid profile email offline_access')
  assert.equal(typeof refresh_token, 'string')
  assert.equal(reply.headers.get('cache-control'), 'no-store')
  const header = decodeProtectedHeader(String(access_token))
  assert.deepEqual([header.typ, header.alg], ['at+jwt', 'ES256'])
  const claims = decodeJwt(String(access_token))
  assert.deepEqual(claims.aud, [baseUrl, `${authUrl}/userinfo`])
  assert.equal(claims.sub, person.id)
  assert.equal(claims.client_id, application)
  assert.equal(decodeProtectedHeader(String(id_token)).alg, 'RS256')
  const identity = decodeJwt(String(id_token))
  assert.equal(identity.iss, `${authUrl}/`)
  assert.equal(identity.aud, application)
  assert.equal(identity.nonce, 'n1')
  assert.equal(identity.name, 'A Person')
  assert.equal(identity.email, person.email)
  assert.equal(await server.query(String(access_token)), 200)
})

const exchange = (code: string | undefined, verifier: string, rest = '') =>
  server.form(
    '/oauth/token',
    `grant_type=authorization_code&client_id=${application}&code=${code}&code_verifier=${verifier}&redirect_uri=${callback}${rest}`,
  )
/** Signs in with the query as it is, and gives the reply of the token endpoint. */
const flow = async (rest: string, atToken = '') => {
  const { verifier, challenge } = newPkce()
  const landed = await openBrowser(authUrl).authorize(request(challenge, rest), person.id)
  assert.ok(landed.parameters.code, `${JSON.stringify(landed.parameters)} ${landed.text}`)
  return exchange(landed.parameters.code, verifier, atToken)
}

test('habit: raw values, unencoded, in the query of /authorize and in the body', async () => {
  const head = `GET /authorize?${request(newPkce().challenge, `&audience=${baseUrl}/&scope=&nonce=n`)} HTTP/1.1\r\nAccept: text/html`
  const reply = await server.raw(head)
  assert.equal(reply.status, 303)
  assert.match(reply.headers.get('location') ?? '', /\/interaction\//)
})

test('habit: scope empty or absent counts as openid, so the reply always has an ID token', async () => {
  for (const scope of ['', '&scope=', '&scope=%20', '&scope=profile', '&scope=unknown']) {
    const reply = await flow(`${scope}&audience=${baseUrl}`)
    assert.equal(reply.status, 200, reply.text)
    assert.equal(decodeJwt(String(reply.json.id_token)).sub, person.id)
    assert.match(String(reply.json.scope), /^openid/)
  }
})

test('habit: audience at /authorize with and without slash, or resource; it need not be repeated, and may be', async () => {
  const narrow = `${baseUrl}/4/${server.workspace.slug}/api/main/mcp`
  for (const [asked, repeated, audience] of [
    [`&audience=${baseUrl}`, '', baseUrl],
    [`&audience=${baseUrl}/`, `&audience=${baseUrl}`, baseUrl],
    [`&audience=${baseUrl}`, `&audience=${baseUrl}/`, baseUrl],
    [`&resource=${baseUrl}/`, `&resource=${baseUrl}`, baseUrl],
    [`&resource=${narrow}`, `&resource=${narrow}/`, narrow],
    [`&audience=${baseUrl}/&resource=${narrow}`, '', narrow],
    [`&resource=${narrow}&resource=${baseUrl}`, '', baseUrl],
    [`&resource=${narrow}&resource=${baseUrl}`, `&resource=${narrow}`, narrow],
  ]) {
    const reply = await flow(asked ?? '', repeated)
    assert.equal(reply.status, 200, `${asked} ${repeated} ${reply.text}`)
    const claims = decodeJwt(String(reply.json.access_token))
    assert.deepEqual(claims.aud, [audience, `${authUrl}/userinfo`], asked)
  }
  const mcp = await flow(`&resource=${narrow}`)
  assert.equal(await server.query(String(mcp.json.access_token)), 401, 'there and below it only')
})

test('an address of another service is invalid_target that names the right one; one that was not asked for at /authorize too', async () => {
  const landed = await openBrowser(authUrl).go(
    `/authorize?${request(newPkce().challenge, '&audience=https://other.example')}`,
  )
  assert.equal(landed.parameters.error, 'invalid_target')
  assert.match(landed.parameters.error_description ?? '', /audience=http:\/\/127\.0\.0\.1:4000/)
  const late = await flow('', `&audience=${baseUrl}`)
  assert.equal(late.json.error, 'invalid_target')
  assert.match(String(late.json.error_description), /not requested at \/authorize/)
  for (const parameter of ['audience', 'resource']) {
    const foreign = await flow(`&audience=${baseUrl}`, `&${parameter}=https://other.example`)
    assert.equal(foreign.json.error, 'invalid_target')
    assert.match(
      String(foreign.json.error_description),
      /'https:\/\/other\.example' is not an address of this service: send audience=http:\/\/127\.0\.0\.1:4000, or/,
    )
  }
})

test('habit: offline_access gives a refresh token without prompt=consent, once consent was given', async () => {
  const reply = await flow(`&scope=openid%20offline_access&audience=${baseUrl}`)
  assert.equal(typeof reply.json.refresh_token, 'string')
  assert.equal((await flow(`&audience=${baseUrl}`)).json.refresh_token, undefined)
})

test('habit: CORS for browser applications at the token endpoint and /userinfo, with a telemetry header', async () => {
  for (const [path, method] of [
    ['/oauth/token', 'POST'],
    ['/userinfo', 'GET'],
    ['/oauth/revoke', 'POST'],
  ]) {
    const reply = await server.raw(
      `OPTIONS ${path} HTTP/1.1\r\nOrigin: https://app.example\r\nAccess-Control-Request-Method: ${method}\r\nAccess-Control-Request-Headers: authorization,x-client-telemetry`,
    )
    assert.equal(reply.headers.get('access-control-allow-origin'), 'https://app.example')
    assert.match(reply.headers.get('access-control-allow-headers') ?? '', /x-client-telemetry/)
  }
  const { json } = await flow('')
  const fields = `Authorization: Bearer ${json.access_token}\r\nOrigin:`
  const ownOriginReply = await server.raw(`GET /userinfo HTTP/1.1\r\n${fields} https://app.example`)
  assert.equal(ownOriginReply.status, 200)
  assert.equal(ownOriginReply.headers.get('access-control-allow-origin'), 'https://app.example')
  const foreign = await server.raw(`GET /userinfo HTTP/1.1\r\n${fields} https://evil.example`)
  assert.equal(foreign.headers.get('access-control-allow-origin'), undefined)
})

test("a token's lifetime is that of its workspace, with and without audience", async () => {
  const short = await server.newWorkspace({ accessTokenLifetime: '2m' })
  const otherApplication = await openTestApplication(server, {}, short.id)
  const member = await server.newPerson(['user'], short.id)
  for (const audience of [baseUrl, undefined])
    assert.equal((await otherApplication.signIn(member.id, { audience })).expires_in, 120)
})

test('a code lives for 60 s', async () => {
  const { verifier, challenge } = newPkce()
  const landed = await openBrowser(authUrl).authorize(request(challenge), person.id)
  const codes = server.storage.db
    .selectFrom('oidc_records')
    .selectAll()
    .where('model', '=', 'AuthorizationCode')
    .orderBy('expires_at')
  const last = (await codes.where('consumed_at', 'is', null).execute()).at(-1)
  const seconds = (Number(last?.expires_at) - Date.now()) / 1000
  assert.ok(seconds > 55 && seconds <= 60, `${seconds} s`)
  await server.storage.db
    .updateTable('oidc_records')
    .set({ expires_at: Date.now() - 1 })
    .where('id_hash', '=', last?.id_hash ?? '')
    .execute()
  assert.equal((await exchange(landed.parameters.code, verifier)).json.error, 'invalid_grant')
})

test('saying no goes back to the application as access_denied', async () => {
  const browser = openBrowser(authUrl)
  const page = await browser.go(`/authorize?${request(newPkce().challenge)}`)
  const landed = await browser.post(`${page.url.pathname}/abort`)
  assert.equal(landed.parameters.error, 'access_denied')
  assert.equal(landed.parameters.state, 's1')
})

test('signing keys rotate while people sign in, refresh and query: no request fails, and each key is known in time', async () => {
  const { storage, keyring, secretKey } = server
  const offline = `&scope=openid%20offline_access&audience=${baseUrl}`
  let done = false
  const failures: string[] = []
  const kids = new Set<string>()
  const use = async () => {
    while (!done) {
      const { verifier, challenge } = newPkce()
      const landed = await openBrowser(authUrl).authorize(request(challenge, offline), person.id)
      const reply = await exchange(landed.parameters.code, verifier)
      const next = await server.form(
        '/oauth/token',
        `grant_type=refresh_token&client_id=${application}&refresh_token=${reply.json.refresh_token}`,
      )
      for (const { json, text } of [reply, next]) {
        if (json.access_token === undefined) failures.push(text)
        else {
          kids.add(String(decodeProtectedHeader(String(json.access_token)).kid))
          const status = await server.query(String(json.access_token))
          if (status !== 200) failures.push(`query ${status}`)
        }
      }
    }
  }
  const users = [use(), use(), use()]
  for (let round = 0; round < 3; round++) {
    const rotated = new Promise<void>(resolve => {
      const stop = keyring.onRotation(() => {
        stop()
        resolve()
      })
    })
    const key = await makeKey('ES256', secretKey)
    await storage.write(async writer => {
      await saveSigningKey(writer, key)
    })
    await rotated
    // Until somebody got a token signed by it.
    while (!kids.has(key.kid) && failures.length === 0) await new Promise(setImmediate)
  }
  done = true
  await Promise.all(users)
  assert.deepEqual(failures, [])
  assert.ok(kids.size >= 3)
})

test('an application chooses ES256 for its ID tokens, and private_key_jwt in place of a secret', async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const key = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }
  const signer = await openTestApplication(server, {
    type: 'server',
    idTokenAlgorithm: 'ES256',
    publicKeys: { keys: [key] },
  })
  const { parameters, verifier } = await signer.authorize(person.id, { scope: 'openid' })
  assert.equal((await signer.exchange(parameters.code, verifier)).status, 401, 'it must prove who it is')
  const secondAuthorization = await signer.authorize(person.id, { scope: 'openid' })
  const proof = {
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: await new SignJWT({ jti: 'once' })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .setIssuer(signer.id)
      .setSubject(signer.id)
      .setAudience(`${authUrl}/`)
      .setExpirationTime('1m')
      .sign(privateKey),
  }
  const reply = await signer.exchange(
    secondAuthorization.parameters.code,
    secondAuthorization.verifier,
    proof,
  )
  assert.equal(reply.status, 200, reply.text)
  assert.equal(decodeProtectedHeader(String(reply.json.id_token)).alg, 'ES256')

  const plain = await openTestApplication(server)
  const { id_token } = await plain.signIn(person.id)
  assert.equal(decodeProtectedHeader(String(id_token)).alg, 'RS256', 'unless it asks otherwise')
})

test('on a server whose access tokens are Ed25519, ID tokens are RS256 or ES256 all the same', async () => {
  const otherServer = await startTestServer({ accessTokenAlgorithm: 'EdDSA' })
  const { json } = await otherServer.raw('GET /.well-known/openid-configuration HTTP/1.1')
  assert.deepEqual(json.id_token_signing_alg_values_supported, ['RS256', 'ES256'])
  const person = await otherServer.newPerson()
  const application = await openTestApplication(otherServer, { idTokenAlgorithm: 'ES256' })
  const { id_token, access_token } = await application.signIn(person.id, { audience: otherServer.baseUrl })
  assert.equal(decodeProtectedHeader(String(id_token)).alg, 'ES256')
  assert.equal(decodeProtectedHeader(String(access_token)).alg, 'EdDSA')
  await otherServer.close()
})

test('an address in another workspace is invalid_target, at /authorize, with the code and at a refresh', async () => {
  const elsewhere = `${baseUrl}/4/${(await server.newWorkspace()).slug}`
  const finder = await openTestApplication(server)
  for (const name of ['audience', 'resource']) {
    const { parameters, applicationUrl: at } = await finder.authorize(person.id, { [name]: elsewhere })
    assert.equal(at?.origin, 'https://app.example')
    assert.equal(parameters.error, 'invalid_target')
    assert.match(parameters.error_description ?? '', new RegExp(`/4/${server.workspace.slug} or below it`))
  }
  const offline = { scope: 'openid offline_access', audience: baseUrl }
  const { parameters, verifier } = await finder.authorize(person.id, offline)
  const exchanged = await finder.exchange(parameters.code, verifier, { resource: elsewhere })
  const { refresh_token } = await finder.signIn(person.id, offline)
  for (const reply of [exchanged, await finder.refresh(refresh_token, { resource: elsewhere })]) {
    assert.deepEqual([reply.status, reply.json.error], [400, 'invalid_target'])
    assert.match(String(reply.json.error_description), /leave it out here/)
  }
})
