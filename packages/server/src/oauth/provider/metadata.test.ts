import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, test } from 'node:test'
import { startTestServer } from '#oauth/test-server'

const server = await startTestServer()
after(() => server.close())
const { authUrl, baseUrl } = server
const documents = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']

test('both metadata documents state the same facts, with the public addresses', async () => {
  const [openid, oauth] = await Promise.all(documents.map(path => server.raw(`GET ${path} HTTP/1.1`)))
  assert.equal(openid?.status, 200)
  assert.deepEqual(openid?.json, oauth?.json)
  const { json } = openid
  assert.equal(json.issuer, `${authUrl}/`)
  assert.equal(json.token_endpoint, `${authUrl}/oauth/token`)
  assert.equal(json.revocation_endpoint, `${authUrl}/oauth/revoke`)
  assert.equal(json.introspection_endpoint, `${authUrl}/oauth/introspect`)
  assert.equal(json.jwks_uri, `${authUrl}/.well-known/jwks.json`)
  assert.deepEqual(json.protected_resources, [baseUrl])
})

test('metadata tells the truth: every endpoint named is there, no grant or method that does not work yet', async () => {
  const { json } = await server.raw(`GET ${documents[0]} HTTP/1.1`)
  assert.ok(Array.isArray(json.grant_types_supported))
  assert.deepEqual(json.grant_types_supported.toSorted(), [
    'authorization_code',
    'client_credentials',
    'refresh_token',
    'urn:ietf:params:oauth:grant-type:device_code',
  ])
  assert.deepEqual(json.response_types_supported, ['code'])
  assert.deepEqual(json.code_challenge_methods_supported, ['S256'])
  assert.deepEqual(json.token_endpoint_auth_methods_supported, [
    'client_secret_basic',
    'client_secret_post',
    'private_key_jwt',
    'none',
  ])
  const endpoints = Object.keys(json).filter(name => name.endsWith('_endpoint'))
  assert.deepEqual(endpoints.toSorted(), [
    'authorization_endpoint',
    'device_authorization_endpoint',
    'end_session_endpoint',
    'introspection_endpoint',
    'pushed_authorization_request_endpoint',
    'registration_endpoint',
    'revocation_endpoint',
    'token_endpoint',
    'userinfo_endpoint',
  ])
  for (const name of endpoints) {
    const reply = await server.form(String(json[name]).slice(authUrl.length), '')
    assert.ok([303, 400, 401].includes(reply.status), `${name} is there`)
  }
  assert.equal(json.client_id_metadata_document_supported, true)
  assert.deepEqual(json.dpop_signing_alg_values_supported, ['ES256', 'EdDSA', 'Ed25519', 'PS256'])
})

test('OpenID Connect Config OP: Discovery 1.0, section 3, all that is required and recommended', async () => {
  const { json, headers } = await server.raw(`GET ${documents[0]} HTTP/1.1`)
  assert.match(headers.get('content-type') ?? '', /^application\/json/)
  assert.equal(json.issuer, `${authUrl}/`)
  const listed = (name: string): unknown[] => [json[name]].flat()
  assert.deepEqual(json.subject_types_supported, ['public'])
  assert.ok(listed('id_token_signing_alg_values_supported').includes('RS256'))
  assert.ok(!listed('id_token_signing_alg_values_supported').includes('none'))
  for (const scope of ['openid', 'profile', 'email', 'offline_access'])
    assert.ok(listed('scopes_supported').includes(scope))
  for (const claim of ['sub', 'name', 'email', 'email_verified', 'iss', 'auth_time', 'acr'])
    assert.ok(listed('claims_supported').includes(claim), claim)
  assert.equal(json.claims_parameter_supported, true)
  assert.equal(json.request_uri_parameter_supported, false)
  assert.equal(json.authorization_response_iss_parameter_supported, true)
  assert.ok(listed('response_modes_supported').includes('form_post'))
  assert.ok(listed('acr_values_supported').length > 0)
  assert.ok(listed('ui_locales_supported').includes('nl'))
})

test('Host, proxy headers and the form of the request line change no address in a reply', async () => {
  const rawMetadata = new Promise<Record<string, unknown>>((resolve, reject) => {
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }
    request(`${authUrl}${documents[0]}`, { headers, agent: false }, response => {
      let text = ''
      response.on('data', chunk => {
        text += chunk
      })
      response.on('end', () => resolve(JSON.parse(text)))
    })
      .on('error', reject)
      .end()
  })
  const absolute = await server.raw(`GET http://evil.example${documents[0]} HTTP/1.1`)
  for (const facts of [await rawMetadata, absolute.json])
    assert.equal(facts.token_endpoint, `${authUrl}/oauth/token`)
})

test('the published keys have no private part', async () => {
  const reply = await server.raw('GET /.well-known/jwks.json HTTP/1.1')
  assert.equal(reply.status, 200)
  assert.ok(Array.isArray(reply.json.keys))
  assert.deepEqual(reply.json.keys.map(({ alg }) => alg).toSorted(), ['ES256', 'RS256'])
  for (const key of reply.json.keys)
    for (const part of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) assert.equal(key[part], undefined)
})

test('HEAD is answered as GET without a body; an unknown path is 404 in the form of the contract', async () => {
  const head = await server.raw(`HEAD ${documents[0]} HTTP/1.1`)
  assert.equal(head.status, 200)
  assert.equal(head.text, '')
  for (const path of [
    '/',
    '/oauth',
    '/oauth/tokens',
    '/OAUTH/TOKEN',
    '/oauth%2Ftoken',
    '//oauth/token',
    '/token',
  ]) {
    const reply = await server.raw(`GET ${path} HTTP/1.1`)
    assert.equal(reply.status, 404, path)
    assert.equal(reply.json.status, 404)
    assert.equal(reply.json.code, 'no-such-path')
    assert.equal(reply.json.requestId, reply.headers.get('x-request-id'))
    assert.equal(server.server.owns(path), false)
  }
  const headReply = await server.raw('HEAD /nothing HTTP/1.1')
  assert.equal(headReply.status, 404)
  assert.equal(headReply.text, '')
  assert.equal(server.server.owns('/oauth/token'), true)
  assert.equal(server.server.owns('/manage/v1/workspaces'), false)
  assert.equal(server.server.owns('/console'), false)
})

test('keys and metadata may be cached for less than the time between publishing and using a key', async () => {
  for (const path of ['jwks.json', 'openid-configuration', 'oauth-authorization-server']) {
    const reply = await server.raw(`GET /.well-known/${path} HTTP/1.1`)
    const [, seconds] = /^public, max-age=(\d+)$/.exec(reply.headers.get('cache-control') ?? '') ?? []
    assert.ok(Number(seconds) > 60 && Number(seconds) < 600, path)
  }
})

test('a body with a content coding is refused with 415 and Accept-Encoding (RFC 9110, section 15.5.16)', async () => {
  for (const path of [
    '/oauth/token',
    '/oauth/par',
    '/oauth/revoke',
    '/oauth/device/code',
    '/oauth/register',
    '/authorize',
    '/activate',
    '/logout/confirm',
  ]) {
    const reply = await server.form(path, 'grant_type=client_credentials', 'Content-Encoding: gzip')
    assert.deepEqual([path, reply.status, reply.headers.get('accept-encoding')], [path, 415, 'identity'])
  }
})
