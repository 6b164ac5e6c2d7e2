/** The reply to a registration tells the truth: each member of it, what the reply says, and what the server then does. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { createRegistrationToken } from '#storage/registration-tokens'
import { saveDefinition } from '#storage/workspaces'
import { openTestClient } from './test-application.ts'
import { openTestProver } from './test-proof.ts'
import { type Reply, startTestServer } from './test-server.ts'
import { newPkce, openBrowser } from './test-sign-in.ts'

const server = await startTestServer()
after(() => server.close())
const { authUrl, baseUrl, storage } = server
const person = await server.newPerson()
const { token } = await storage.write(writer =>
  createRegistrationToken(writer, {
    workspaceId: server.workspace.id,
    name: 'table',
    usesMax: 1000,
    expiresAt: Date.now() + 3_600_000,
  }),
)
const redirectUri = 'https://app.example/cb'

const send = (metadata: object): Promise<Reply> => {
  const body = JSON.stringify({ redirect_uris: [redirectUri], ...metadata })
  return server.raw(
    [
      'POST /oauth/register HTTP/1.1',
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `Authorization: Bearer ${token}`,
    ].join('\r\n'),
    body,
  )
}
const register = async (metadata: object) => {
  const { status, json, text } = await send(metadata)
  assert.equal(status, 201, text)
  const [firstUri] = json.redirect_uris as string[]
  const client = openTestClient(server, {
    id: String(json.client_id),
    secret: json.client_secret as string | undefined,
    redirectUri: firstUri ?? '',
  })
  return { json, client }
}
const publicClient = { token_endpoint_auth_method: 'none' }
const offline = { grant_types: ['authorization_code', 'refresh_token'] }
const { privateKey, publicKey } = await generateKeyPair('ES256')
const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k' }] }

describe('members that the server honors', () => {
  test('dpop_bound_access_tokens: a token request without a proof is rejected', async () => {
    const { json, client } = await register({ dpop_bound_access_tokens: true })
    assert.equal(json.dpop_bound_access_tokens, true)
    const { parameters, verifier } = await client.authorize(person.id, { audience: baseUrl })
    const { status, json: error } = await client.exchange(parameters.code, verifier)
    assert.deepEqual([status, error.error], [400, 'invalid_dpop_proof'])
    const prover = await openTestProver()
    const reply = await server.form(
      '/oauth/token',
      new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: client.id,
        client_secret: client.secret ?? '',
        code: parameters.code ?? '',
        code_verifier: verifier,
        redirect_uri: redirectUri,
      }).toString(),
      await prover.prove('POST', `${authUrl}/oauth/token`),
    )
    assert.equal(reply.json.token_type, 'DPoP', reply.text)
    assert.equal((await register({})).json.dpop_bound_access_tokens, false)
  })

  test('require_pushed_authorization_requests: a request that was not pushed is rejected', async () => {
    const { json, client } = await register({ require_pushed_authorization_requests: true })
    assert.equal(json.require_pushed_authorization_requests, true)
    const { parameters } = await client.authorize(person.id)
    assert.equal(parameters.error, 'invalid_request')
    const { challenge } = newPkce()
    const pushed = await server.form(
      '/oauth/par',
      `${client.query({ code_challenge: challenge, code_challenge_method: 'S256' })}&client_secret=${client.secret}`,
    )
    assert.equal(pushed.status, 201, pushed.text)
    const landed = await openBrowser(authUrl).authorize(
      new URLSearchParams({
        client_id: client.id,
        request_uri: String(pushed.json.request_uri),
      }).toString(),
      person.id,
    )
    assert.ok(landed.parameters.code, landed.text)
  })

  test('default_max_age: the person signs in again once the sign-in is that old', async () => {
    const { json, client } = await register({ default_max_age: 0 })
    assert.equal(json.default_max_age, 0)
    const browser = openBrowser(authUrl)
    await client.authorize(person.id, {}, { browser })
    const { parameters } = await client.authorize(person.id, { prompt: 'none' }, { browser })
    assert.equal(parameters.error, 'login_required')
    const hourly = await register({ default_max_age: 3600 })
    await hourly.client.authorize(person.id, {}, { browser })
    const renewal = await hourly.client.authorize(person.id, { prompt: 'none' }, { browser })
    assert.ok(renewal.parameters.code, 'a sign-in of a moment ago is new enough')
  })

  test('default_acr_values: the same as in the request', async () => {
    const { json, client } = await register({ default_acr_values: ['urn:querent:acr:mfa'] })
    assert.deepEqual(json.default_acr_values, ['urn:querent:acr:mfa'])
    const { text } = await client.authorize(person.id)
    assert.equal(JSON.parse(text).prompt, 'factor', 'the person has no second factor')
  })

  test('scope: only these are granted, and others are ignored', async () => {
    const { json, client } = await register({ ...offline, scope: 'openid email' })
    assert.equal(json.scope, 'openid email')
    const tokens = await client.signIn(person.id, {
      scope: 'openid profile email offline_access',
      audience: baseUrl,
    })
    assert.equal(tokens.scope, 'openid email')
    assert.equal(tokens.refresh_token, undefined)
    assert.equal(decodeJwt(String(tokens.id_token)).name, undefined)
  })

  test('grant_types: a refresh token only with that grant, also by default', async () => {
    for (const [metadata, grants] of [
      [{}, ['authorization_code']],
      [{ grant_types: ['authorization_code'] }, ['authorization_code']],
      [offline, ['authorization_code', 'refresh_token']],
      [{ grant_types: ['refresh_token'] }, ['authorization_code', 'refresh_token']],
    ] as const) {
      const { json, client } = await register(metadata)
      assert.deepEqual(json.grant_types, grants)
      const scope = 'openid profile email'
      const hasRefresh = grants.some(grant => grant === 'refresh_token')
      assert.equal(json.scope, hasRefresh ? `${scope} offline_access` : scope)
      const tokens = await client.signIn(person.id, { scope: 'openid offline_access', audience: baseUrl })
      assert.equal(tokens.refresh_token !== undefined, hasRefresh, JSON.stringify(metadata))
      if (!hasRefresh) continue
      assert.equal((await client.refresh(tokens.refresh_token)).status, 200)
    }
  })

  test('grant_types: the device code grant is for native applications', async () => {
    const device = 'urn:ietf:params:oauth:grant-type:device_code'
    const grants = { grant_types: ['authorization_code', device] }
    const start = (id: string) => server.form('/oauth/device/code', `client_id=${id}&scope=openid`)
    const native = await register({ ...grants, ...publicClient, application_type: 'native' })
    assert.deepEqual(native.json.grant_types, ['authorization_code', device])
    assert.equal((await start(native.client.id)).status, 200)
    const web = await register({ ...grants, ...publicClient })
    assert.deepEqual(web.json.grant_types, ['authorization_code'])
    assert.equal((await start(web.client.id)).json.error, 'unauthorized_client')
    const plain = await register({ ...publicClient, application_type: 'native' })
    assert.equal((await start(plain.client.id)).json.error, 'unauthorized_client')
  })

  test('pkce false: a confidential application may send a nonce instead of a code challenge', async () => {
    const { json, client } = await register({ pkce: false })
    assert.equal(json.pkce, false)
    const noChallenge = { code_challenge: undefined, code_challenge_method: undefined }
    const { parameters } = await client.authorize(person.id, { ...noChallenge, nonce: 'n' })
    assert.ok(parameters.code, JSON.stringify(parameters))
    const exchanged = await client.token({
      grant_type: 'authorization_code',
      code: parameters.code,
      redirect_uri: redirectUri,
    })
    assert.equal(exchanged.status, 200, exchanged.text)
    assert.equal(decodeJwt(String(exchanged.json.id_token)).nonce, 'n')
    const unprotected = await client.authorize(person.id, noChallenge)
    assert.equal(unprotected.parameters.error, 'invalid_request')
    const usual = await register({ pkce: true })
    assert.equal(usual.json.pkce, true)
    const refusal = await usual.client.authorize(person.id, { ...noChallenge, nonce: 'n' })
    assert.equal(refusal.parameters.error, 'invalid_request')
  })

  test('id_token_signed_response_alg, token_endpoint_auth_method, require_auth_time', async () => {
    for (const method of ['client_secret_basic', 'client_secret_post']) {
      const { json, client } = await register({
        token_endpoint_auth_method: method,
        id_token_signed_response_alg: 'ES256',
        require_auth_time: true,
      })
      assert.equal(json.token_endpoint_auth_method, method)
      assert.equal(json.id_token_signed_response_alg, 'ES256')
      assert.equal(json.require_auth_time, true)
      const { id_token: idToken } = await client.signIn(person.id)
      assert.ok(decodeJwt(String(idToken)).auth_time)
      const header = Buffer.from(String(idToken).split('.')[0] ?? '', 'base64url').toString()
      assert.equal(JSON.parse(header).alg, 'ES256')
    }
  })

  test('jwks and token_endpoint_auth_signing_alg: an assertion of another algorithm is rejected', async () => {
    const rsa = await generateKeyPair('RS256')
    const keys = [...jwks.keys, { ...(await exportJWK(rsa.publicKey)), kid: 'r' }]
    const { json } = await register({
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_signing_alg: 'ES256',
      jwks: { keys },
    })
    assert.deepEqual([json.jwks, json.client_secret], [{ keys }, undefined])
    assert.equal(json.token_endpoint_auth_signing_alg, 'ES256')
    const assertion = (alg: string, kid: string, key: Parameters<SignJWT['sign']>[0]) =>
      new SignJWT({ jti: `${alg}-${Math.random()}` })
        .setProtectedHeader({ alg, kid })
        .setIssuer(String(json.client_id))
        .setSubject(String(json.client_id))
        .setAudience(`${authUrl}/`)
        .setIssuedAt()
        .setExpirationTime('1m')
        .sign(key)
    const refresh = async (signed: string) => {
      const form = new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: 'none',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: signed,
      })
      return (await server.form('/oauth/token', form.toString())).json.error
    }
    assert.equal(await refresh(await assertion('RS256', 'r', rsa.privateKey)), 'invalid_client')
    // The client is authenticated; the grant is another matter.
    assert.notEqual(await refresh(await assertion('ES256', 'k', privateKey)), 'invalid_client')
  })

  test('redirect_uris, post_logout_redirect_uris, client_name, backchannel_logout_uri, links', async () => {
    const { json } = await register({
      client_name: 'A\u202e name',
      redirect_uris: [redirectUri, 'http://127.0.0.1:8000/cb'],
      post_logout_redirect_uris: ['https://app.example/bye'],
      backchannel_logout_uri: 'https://app.example/ended',
      policy_uri: 'https://app.example/privacy',
      tos_uri: 'https://app.example/terms',
    })
    assert.equal(json.client_name, 'A name')
    assert.deepEqual(json.redirect_uris, [redirectUri, 'http://127.0.0.1:8000/cb'])
    assert.deepEqual(json.post_logout_redirect_uris, ['https://app.example/bye'])
    assert.equal(json.backchannel_logout_uri, 'https://app.example/ended')
    assert.equal(json.backchannel_logout_session_required, true, 'its logout tokens always have sid')
    assert.equal(json.policy_uri, 'https://app.example/privacy')
    assert.equal(json.tos_uri, 'https://app.example/terms')
  })
})

describe('members that the server leaves out', () => {
  for (const [name, value] of [
    ['logo_uri', 'https://app.example/logo.png'],
    ['client_uri', 'https://app.example/'],
    ['contacts', ['ada@app.example']],
    ['initiate_login_uri', 'https://app.example/login'],
    ['policy_uri', 'http://app.example/privacy'],
    ['tos_uri', 'http://app.example/terms'],
    ['jwks', jwks],
    ['jwks_uri', 'https://app.example/keys'],
    ['token_endpoint_auth_signing_alg', undefined],
    ['backchannel_logout_session_required', true],
    ['frontchannel_logout_uri', 'https://app.example/front'],
    ['frontchannel_logout_session_required', true],
    ['software_id', '4NRB1-0XZABZI9E6-5SM3R'],
    ['software_version', '2.1'],
    ['software_statement', 'eyJhbGciOiJSUzI1NiJ9.e30.x'],
    ['client_name#nl', 'Naam'],
    ['require_signed_request_object', true],
    ['request_object_signing_alg', 'ES256'],
    ['request_object_encryption_alg', 'RSA-OAEP'],
    ['request_uris', ['https://app.example/request']],
    ['response_modes', ['query']],
    ['userinfo_signed_response_alg', 'RS256'],
    ['userinfo_encrypted_response_alg', 'RSA-OAEP'],
    ['id_token_encrypted_response_alg', 'RSA-OAEP'],
    ['introspection_signed_response_alg', 'RS256'],
    ['authorization_signed_response_alg', 'RS256'],
    ['tls_client_certificate_bound_access_tokens', true],
    ['tls_client_auth_subject_dn', 'CN=x'],
    ['backchannel_token_delivery_mode', 'poll'],
    ['backchannel_user_code_parameter', true],
    ['authorization_details_types', ['x']],
    ['own', true],
    ['registration_access_token', 'x'],
  ] as const)
    test(`${name}: ${JSON.stringify(value)}`, async () => {
      const { json, client } = await register({ [name]: value })
      assert.equal(Object.hasOwn(json, name), false, JSON.stringify(json))
      assert.ok((await client.signIn(person.id)).id_token)
    })
})

describe('members that are rejected', () => {
  for (const [metadata, code, mentioned] of [
    [{ grant_types: ['implicit'] }, 'invalid_client_metadata', 'authorization_code, refresh_token'],
    [{ grant_types: ['client_credentials'] }, 'invalid_client_metadata', 'authorization_code, refresh_token'],
    [{ grant_types: ['password'] }, 'invalid_client_metadata', 'authorization_code'],
    [{ response_types: ['id_token'] }, 'invalid_client_metadata', 'code'],
    [{ subject_type: 'pairwise' }, 'invalid_client_metadata', 'public'],
    [{ id_token_signed_response_alg: 'none' }, 'invalid_client_metadata', 'RS256'],
    [{ id_token_signed_response_alg: 'PS256' }, 'invalid_client_metadata', 'RS256'],
    [{ token_endpoint_auth_method: 'tls_client_auth' }, 'invalid_client_metadata', 'none'],
    [{ token_endpoint_auth_method: 'client_secret_jwt' }, 'invalid_client_metadata', 'none'],
    [{ default_acr_values: ['urn:other'] }, 'invalid_client_metadata', 'urn:querent:acr'],
    [{ default_max_age: -1 }, 'invalid_client_metadata', 'default_max_age'],
    [{ default_max_age: '3' }, 'invalid_client_metadata', 'default_max_age'],
    [{ dpop_bound_access_tokens: 'yes' }, 'invalid_client_metadata', 'dpop_bound_access_tokens'],
    [{ require_pushed_authorization_requests: 1 }, 'invalid_client_metadata', 'require_pushed'],
    [{ pkce: 'false' }, 'invalid_client_metadata', 'pkce'],
    [{ pkce: false, ...publicClient }, 'invalid_client_metadata', 'server'],
    [{ logo_uri: 'javascript:alert(1)' }, 'invalid_client_metadata', 'logo_uri'],
    [{ policy_uri: 'javascript:alert(1)' }, 'invalid_client_metadata', 'policy_uri'],
    [{ tos_uri: 'data:text/html,x' }, 'invalid_client_metadata', 'tos_uri'],
    [
      { jwks_uri: 'http://app.example/keys', token_endpoint_auth_method: 'private_key_jwt' },
      'invalid_client_metadata',
      'jwks_uri',
    ],
    [{ jwks, jwks_uri: 'https://app.example/keys' }, 'invalid_client_metadata', 'jwks'],
    [{ application_type: 'desktop' }, 'invalid_client_metadata', 'native'],
    [
      {
        redirect_uris: Array(101)
          .fill(0)
          .map((_, i) => `https://app.example/${i}`),
      },
      'invalid_redirect_uri',
      '100',
    ],
  ] as const)
    test(JSON.stringify(metadata).slice(0, 100), async () => {
      const { status, json } = await send(metadata)
      assert.deepEqual([status, json.error], [400, code], JSON.stringify(json))
      assert.ok(String(json.error_description).includes(mentioned), String(json.error_description))
      assert.ok(!String(json.error_description).includes('client_credentials, '), 'no grant that it refuses')
    })
})

describe('what counts as absent', () => {
  test('null, empty text and empty lists', async () => {
    const empty = Object.fromEntries(
      ['logo_uri', 'client_uri', 'policy_uri', 'tos_uri', 'jwks_uri', 'scope', 'client_name', 'contacts']
        .concat(['grant_types', 'response_types', 'post_logout_redirect_uris', 'default_acr_values'])
        .concat(['default_max_age', 'application_type', 'token_endpoint_auth_method', 'jwks', 'pkce'])
        .flatMap(name => [[name, null]]),
    )
    const { json } = await register(empty)
    const plain = (await register({})).json
    const comparable = ({
      client_id: _,
      client_secret: __,
      client_id_issued_at: ___,
      ...rest
    }: typeof json) => rest
    assert.deepEqual(comparable(json), comparable(plain))
    const texts = await register({ scope: '', client_name: ' ', logo_uri: '', contacts: [], grant_types: [] })
    assert.deepEqual(comparable(texts.json), comparable(plain))
    const lists = await register({ contacts: [null, ''], redirect_uris: [redirectUri, null] })
    assert.deepEqual(comparable(lists.json), comparable(plain))
    assert.equal(plain.scope, 'openid profile email')
  })

  test('unknown scopes, grants and response types are ignored next to known ones', async () => {
    const { json } = await register({
      scope: 'openid mcp:tools email',
      grant_types: ['authorization_code', 'client_credentials', 'refresh_token'],
      response_types: ['code', 'token'],
    })
    assert.equal(json.scope, 'openid email')
    assert.deepEqual(json.grant_types, ['authorization_code', 'refresh_token'])
    assert.deepEqual(json.response_types, ['code'])
    assert.equal((await register({ scope: 'mcp:tools' })).json.scope, 'openid profile email')
  })
})

describe('redirect URIs', () => {
  const native = ['cursor://anysphere.cursor-mcp/oauth/callback', 'org.example.app:/cb', 'vscode://x.y/cb']
  for (const uri of native)
    test(`${uri} makes the application native and public, whatever else it says`, async () => {
      for (const metadata of [
        {},
        { application_type: 'web' },
        { application_type: 'native', ...publicClient },
      ]) {
        const { json, client } = await register({ ...metadata, redirect_uris: [uri] })
        assert.deepEqual(
          [json.application_type, json.token_endpoint_auth_method, json.client_secret],
          ['native', 'none', undefined],
        )
        assert.ok((await client.signIn(person.id)).id_token)
      }
    })
  for (const uri of [
    'javascript:alert(1)',
    'JavaScript://x/%0aalert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://x.example/1',
    'about:blank',
    'intent://x#Intent;end',
    'ws://localhost/cb',
    'ftp://x.example/cb',
    'mailto:a@x.example',
    'unknown://cb',
    'http://app.example/cb',
  ])
    test(`${JSON.stringify(uri)} is rejected alone and beside others`, async () => {
      for (const uris of [[uri], [redirectUri, uri]])
        for (const metadata of [{}, { application_type: 'native', ...publicClient }]) {
          const { status, json } = await send({ ...metadata, redirect_uris: uris })
          assert.deepEqual([status, json.error], [400, 'invalid_redirect_uri'], JSON.stringify(json))
        }
    })

  test('a workspace can leave out those that are not allowed', async () => {
    const { definition } = server.workspace
    const saveSetting = (skipInvalidRedirectUris: boolean) =>
      storage.write(writer =>
        saveDefinition(writer, server.workspace.id, { ...definition, settings: { skipInvalidRedirectUris } }),
      )
    await saveSetting(true)
    const { json } = await register({
      ...publicClient,
      redirect_uris: [
        'unknown://cb',
        redirectUri,
        'javascript:alert(1)',
        'cursor://x/cb',
        'http://a.example/',
      ],
    })
    assert.deepEqual(json.redirect_uris, [redirectUri, 'cursor://x/cb'])
    const { status, json: error } = await send({ redirect_uris: ['unknown://cb'] })
    assert.deepEqual([status, error.error], [400, 'invalid_redirect_uri'])
    await saveSetting(false)
    assert.equal((await send({ redirect_uris: [redirectUri, 'unknown://cb'] })).status, 400)
  })

  test('the operator chooses the schemes', async () => {
    const otherServer = await startTestServer({ nativeSchemes: ['acme'] })
    try {
      const { token: otherToken } = await otherServer.storage.write(writer =>
        createRegistrationToken(writer, {
          workspaceId: otherServer.workspace.id,
          name: 'schemes',
          usesMax: 9,
          expiresAt: Date.now() + 3_600_000,
        }),
      )
      for (const [uri, expected] of [
        ['acme://cb', 201],
        ['cursor://cb', 400],
        ['org.example.app:/cb', 201],
      ] as const) {
        const reply = await fetch(`${otherServer.authUrl}/oauth/register`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${otherToken}` },
          body: JSON.stringify({ redirect_uris: [uri] }),
        })
        assert.equal(reply.status, expected, await reply.text())
      }
    } finally {
      await otherServer.close()
    }
  })
})

test('an application that registered the grant refresh_token gets it without asking for a scope', async () => {
  const { client } = await register(offline)
  for (const scope of [undefined, '']) {
    const tokens = await client.signIn(person.id, { scope, audience: baseUrl })
    assert.equal(tokens.scope, 'openid offline_access')
    assert.ok(tokens.refresh_token)
  }
  const namedScope = await client.signIn(person.id, { scope: 'openid', audience: baseUrl })
  assert.deepEqual([namedScope.scope, namedScope.refresh_token], ['openid', undefined])
  const { challenge, verifier } = newPkce()
  for (const [scope, expected] of [
    ['', 'openid offline_access'],
    ['openid', 'openid'],
  ] as const) {
    const pushed = await server.form(
      '/oauth/par',
      `${client.query({ scope, audience: baseUrl, code_challenge: challenge, code_challenge_method: 'S256' })}&client_secret=${client.secret}`,
    )
    const { parameters } = await openBrowser(authUrl).authorize(
      new URLSearchParams({
        client_id: client.id,
        request_uri: String(pushed.json.request_uri),
      }).toString(),
      person.id,
    )
    const reply = await client.exchange(parameters.code, verifier)
    assert.equal(reply.json.scope, expected, reply.text)
  }
  const application = await server.newApplication({ redirectUris: [redirectUri] })
  const usual = openTestClient(server, { id: application, redirectUri })
  const tokens = await usual.signIn(person.id, { audience: baseUrl })
  assert.equal(tokens.scope, 'openid', 'an administrator registered it')
})
