/**
 * npm's `openid-client`, an independent client, runs the whole flow as its users do, without a browser. The end covers behavior that only
 * `oidc-client-ts` of browsers has.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { InMemoryWebStorage, User, UserManager, WebStorageStateStore } from 'oidc-client-ts'
import * as client from 'openid-client'
import { type Library, makeLibrary } from '#tests/support/library'
import { makeMember, type Person, registerApplication } from '#tests/support/person'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let library: Library
let person: Person
before(async () => {
  server = await startServer()
  library = await makeLibrary(server)
  person = await makeMember(server, library.workspace, 'grace@example.org')
})
after(() => server.stop())

const discover = (clientId: string, secret?: string, method?: client.ClientAuth) =>
  client.discovery(new URL(server.authUrl), clientId, secret, method, {
    // The server of this test has no certificate.
    execute: [client.allowInsecureRequests],
  })

const query = (token: string) =>
  fetch(`${server.baseUrl}/4/${library.workspace}/api/library/e/all/count`, {
    headers: { authorization: `Bearer ${token}` },
  })

/** The library checks state, nonce, `iss`, and every claim and signature of the ID token. */
const signIn = async (
  config: client.Configuration,
  redirectUri: string,
  extraParameters: Record<string, string> = {},
) => {
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const expectedState = client.randomState()
  const expectedNonce = client.randomNonce()
  const address = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid profile email offline_access',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    nonce: expectedNonce,
    ...extraParameters,
  })
  const answer = await person.completeFlow(address)
  return client.authorizationCodeGrant(config, answer, { pkceCodeVerifier, expectedState, expectedNonce })
}

for (const [type, redirectUri, registered] of [
  ['browser', 'http://localhost:5173/callback', 'http://localhost:5173/callback'],
  ['native', 'http://127.0.0.1:50123/callback', 'http://127.0.0.1/callback'],
  ['native', 'com.example.finder:/callback', 'com.example.finder:/callback'],
  ['server', 'https://app.example/callback', 'https://app.example/callback'],
] as const)
  test(`openid-client, ${type} application at ${redirectUri}: sign-in, query, refresh, revocation`, async () => {
    const application = await registerApplication(server, library.workspace, type, registered)
    const config = await discover(
      application.clientId,
      application.clientSecret,
      application.clientSecret ? client.ClientSecretBasic(application.clientSecret) : client.None(),
    )
    const tokens = await signIn(config, redirectUri, { audience: `${server.baseUrl}/` })
    assert.equal(tokens.claims()?.email, person.email)
    assert.equal((await query(tokens.access_token)).status, 200)

    const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
    assert.equal((await query(next.access_token)).status, 200)
    assert.notEqual(next.refresh_token, tokens.refresh_token)

    if (application.clientSecret) {
      assert.equal((await client.tokenIntrospection(config, next.access_token)).active, true)
      const post = await discover(
        application.clientId,
        application.clientSecret,
        client.ClientSecretPost(application.clientSecret),
      )
      assert.equal((await client.tokenIntrospection(post, next.refresh_token ?? '')).active, true)
    }
    await client.tokenRevocation(config, next.refresh_token ?? '')
    assert.equal((await query(next.access_token)).status, 401)
    await assert.rejects(client.refreshTokenGrant(config, next.refresh_token ?? ''), {
      error: 'invalid_grant',
    })
  })

test('openid-client: userinfo works with a token without audience, which the query service rejects with the reason', async () => {
  const redirectUri = 'https://app.example/userinfo'
  const { clientId } = await registerApplication(server, library.workspace, 'browser', redirectUri)
  const config = await discover(clientId, undefined, client.None())
  const tokens = await signIn(config, redirectUri)
  const subject = tokens.claims()?.sub ?? ''
  const info = await client.fetchUserInfo(config, tokens.access_token, subject)
  assert.equal(info.email, person.email)
  const queryReply = await query(tokens.access_token)
  assert.equal(queryReply.status, 401)
  assert.match(queryReply.headers.get('www-authenticate') ?? '', /audience=/)
})

test('openid-client: logout returns to the application and ends the session', async () => {
  const redirectUri = 'https://app.example/logout-test'
  const { clientId } = await registerApplication(server, library.workspace, 'browser', redirectUri)
  const config = await discover(clientId, undefined, client.None())
  const pages: string[] = []
  const tokens = await signIn(config, redirectUri, { audience: server.baseUrl, scope: 'openid' })
  const address = client.buildEndSessionUrl(config, {
    id_token_hint: tokens.id_token ?? '',
    post_logout_redirect_uri: 'https://app.example',
    state: 'bye',
  })
  const landingUrl = await person.completeFlow(address, pages)
  assert.equal(landingUrl.href, 'https://app.example/?state=bye')
  assert.deepEqual(pages, [])
  assert.equal((await query(tokens.access_token)).status, 401)
})

test('oidc-client-ts: revokeTokens() ends both tokens, and reads the empty reply', async () => {
  const redirectUri = 'http://localhost:5173/revoked'
  const { clientId } = await registerApplication(server, library.workspace, 'browser', redirectUri)
  const config = await discover(clientId, undefined, client.None())
  const tokens = await signIn(config, redirectUri, { audience: server.baseUrl })
  const store = new InMemoryWebStorage()
  const manager = new UserManager({
    authority: server.authUrl,
    client_id: clientId,
    redirect_uri: redirectUri,
    userStore: new WebStorageStateStore({ store }),
    stateStore: new WebStorageStateStore({ store }),
    revokeTokenTypes: ['access_token', 'refresh_token'],
  })
  const { access_token, refresh_token = '', token_type } = tokens
  const profile = { sub: 's', iss: 'i', aud: 'a', exp: 0, iat: 0 }
  await manager.storeUser(new User({ access_token, refresh_token, token_type, profile }))
  await manager.revokeTokens()
  assert.equal((await query(access_token)).status, 401)
  await assert.rejects(client.refreshTokenGrant(config, refresh_token), { error: 'invalid_grant' })
})
