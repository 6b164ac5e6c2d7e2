/** The seed's ten steps, and the habits of real clients (authorization-server.md), by code with PKCE. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { startTestServer } from './test-server.ts'
import { type Asked, newPkce, openBrowser } from './test-sign-in.ts'

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
  const asked: Asked[] = []
  const landed = await openBrowser(authUrl).authorize(
    request(challenge, `&audience=${baseUrl}/&scope=openid profile email offline_access&nonce=n1`),
    person.id,
    asked,
  )
  assert.deepEqual(
    asked.map(({ prompt }) => prompt),
    ['login', 'consent'],
  )
  assert.deepEqual(asked[1]?.consent?.resources, [baseUrl])
  assert.equal(landed.status, 303)
  assert.equal(landed.at?.origin, 'https://app.example')
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
  assert.equal(claims.aud, baseUrl)
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
