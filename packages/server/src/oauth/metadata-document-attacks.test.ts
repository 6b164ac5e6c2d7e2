/** Attacks by Client ID Metadata Documents, their hosts and their URLs. */
import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { exportJWK, SignJWT } from 'jose'
import { sendDocument } from '#http/test-documents'
import { agentRedirectUri as redirectUri, startAgentServer } from './test-agents.ts'
import { openTestClient } from './test-application.ts'
import { startTestServer } from './test-server.ts'
import { type InteractionPage, openBrowser } from './test-sign-in.ts'

const agents = await startAgentServer()
after(() => agents.close())
const { documents, server, workspace, resource, offline, newMember, newAgent } = agents
const { baseUrl, authUrl } = server

test('a document that is not what the URL promises signs nobody in', async () => {
  const person = await newMember()
  const assertRefused = async (
    change: Record<string, unknown> | string,
    reason: RegExp,
    type = 'application/json',
  ) => {
    const agent = newAgent(typeof change === 'string' ? {} : change)
    if (typeof change === 'string')
      documents.answer(agent.path, sendDocument(change, { 'content-type': type }))
    const landed = await agent.authorize(person.id, { resource })
    assert.equal(landed.status, 400, JSON.stringify(change))
    assert.match(landed.text, reason, JSON.stringify(change))
  }
  await assertRefused({ client_id: `${documents.origin}/other.json` }, /client_id does not match/)
  await assertRefused({ client_secret: 'x' }, /must not contain client_secret/)
  await assertRefused({ token_endpoint_auth_method: 'client_secret_basic' }, /shared-secret/)
  await assertRefused({ token_endpoint_auth_method: undefined }, /token_endpoint_auth_method/)
  await assertRefused({ redirect_uris: ['http://agent.example/callback'] }, /https/)
  await assertRefused({ redirect_uris: ['https://user:password@agent.example/callback'] }, /password/)
  await assertRefused({ redirect_uris: ['javascript:alert(1)'] }, /redirect_uris/)
  await assertRefused({ redirect_uris: [] }, /redirect_uris/)
  await assertRefused('[]', /JSON object/)
  await assertRefused('not json', /could not be fetched/)
  await assertRefused('{}', /could not be fetched/, 'text/html')
  await assertRefused(JSON.stringify({ filler: 'x'.repeat(11_000) }), /could not be fetched/)
})

test('a redirect of the document is not followed, and a missing one says so without a reason', async () => {
  const person = await newMember()
  const target = newAgent()
  const moved = newAgent()
  documents.answer(moved.path, (_request, response) => response.writeHead(302, { location: target.id }).end())
  const requestCount = documents.requests.length
  const landed = await moved.authorize(person.id, { resource })
  assert.equal(landed.status, 400)
  assert.match(landed.text, /could not be fetched/)
  assert.deepEqual(documents.requests.slice(requestCount), [moved.path])
})

test('no request goes into the private network, and the reply does not say what is there', async () => {
  const guarded = await startTestServer({ documentFetch: { internalHosts: [], ca: documents.ca } })
  try {
    const open = await guarded.newWorkspace({ allowMetadataClients: true })
    const person = await guarded.newPerson(['api'], open.id)
    const requestCount = documents.requests.length
    const texts = new Set<string>()
    for (const host of ['localhost', '127.0.0.1', '127.1', '[::1]', '[::ffff:7f00:1]', '169.254.169.254'])
      for (const port of [documents.port, 1]) {
        const id = `https://${host}:${port}/client.json`
        const client = openTestClient(guarded, { id, redirectUri })
        const landed = await client.authorize(person.id, { resource: `${baseUrl}/4/${open.slug}` })
        assert.equal(landed.status, 400, id)
        texts.add(/could not be fetched[^<]*/.exec(landed.text)?.[0] ?? landed.text)
        const token = await client.token({ grant_type: 'refresh_token', refresh_token: 'x' })
        assert.equal(token.json.error, 'invalid_client', id)
      }
    assert.equal(texts.size, 1, [...texts].join('\n'))
    assert.equal(documents.requests.length, requestCount)
    assert.ok(guarded.logged.some(({ context }) => JSON.stringify(context).includes('not public')))
  } finally {
    await guarded.close()
  }
})

test('a URL that is no valid Client ID is never fetched', async () => {
  const person = await newMember()
  const requestCount = documents.requests.length
  const { origin, port } = documents
  const ids = [
    ...[
      `http://localhost:${port}/agent.json`,
      `${origin}/a#b`,
      `https://u@localhost:${port}/a`,
      `${origin}/a/../b`,
    ],
    ...[`${origin}/a/%2e%2e/b`, `${origin}/${'a'.repeat(300)}`, `${origin}\\a`],
  ]
  for (const id of ids) {
    const landed = await openTestClient(server, { id, redirectUri }).authorize(person.id, { resource })
    assert.equal(landed.status, 400, id)
  }
  assert.equal(documents.requests.length, requestCount)
})

test('fetches are limited per address of the caller', async () => {
  const limited = await startTestServer({
    documentFetch: { internalHosts: ['localhost'], ca: documents.ca },
    signInThrottle: 1,
  })
  try {
    const requestCount = documents.requests.length
    const statuses = new Set<number>()
    for (let attempt = 0; attempt < 30; attempt++) {
      const id = `${documents.origin}/none-${attempt}.json`
      const reply = await limited.form(
        '/oauth/token',
        `grant_type=refresh_token&refresh_token=x&client_id=${id}`,
      )
      statuses.add(reply.status)
    }
    assert.ok(statuses.has(429), [...statuses].join())
    assert.equal(documents.requests.length - requestCount, 10)
  } finally {
    await limited.close()
  }
})

test('it needs PKCE, exact redirect URIs, and any port on loopback addresses only', async () => {
  const person = await newMember()
  const loopback = 'http://127.0.0.1/callback'
  const agent = newAgent({ redirect_uris: [redirectUri, loopback] })
  const withoutPkce = await openBrowser(authUrl).authorize(agent.query({ resource }), person.id)
  assert.equal(withoutPkce.parameters.error, 'invalid_request')
  for (const redirect_uri of [
    `${redirectUri}/x`,
    'https://agent.example:8443/callback',
    'http://127.0.0.1/other',
  ])
    assert.equal((await agent.authorize(person.id, { resource, redirect_uri })).status, 400, redirect_uri)
  const redirect_uri = 'http://127.0.0.1:51004/callback'
  const { parameters, verifier, applicationUrl } = await agent.authorize(person.id, {
    resource,
    redirect_uri,
  })
  assert.equal(applicationUrl?.port, '51004')
  assert.equal((await agent.exchange(parameters.code, verifier, { redirect_uri })).status, 200)
})

test('it may use codes and refresh tokens only, whatever its document says', async () => {
  const grants = ['authorization_code', 'client_credentials', 'urn:ietf:params:oauth:grant-type:device_code']
  const agent = newAgent({ grant_types: grants, backchannel_logout_uri: `${documents.origin}/logout` })
  const machine = await agent.token({ grant_type: 'client_credentials', resource })
  assert.equal(machine.status, 400)
  assert.equal(machine.json.error, 'unauthorized_client')
  const device = await server.form('/oauth/device/code', `client_id=${agent.id}&resource=${resource}`)
  assert.equal(device.status, 400)
  const person = await newMember()
  const tokens = await agent.signIn(person.id, offline)
  assert.equal(tokens.refresh_token, undefined, 'its document does not ask for refresh tokens')
})

test('a client with keys authenticates by private_key_jwt, and by nothing else', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'a', alg: 'ES256', use: 'sig' }] }
  const agent = newAgent({ token_endpoint_auth_method: 'private_key_jwt', jwks })
  const assertion = (key = privateKey) =>
    new SignJWT({ jti: randomUUID() })
      .setProtectedHeader({ alg: 'ES256', kid: 'a' })
      .setIssuer(agent.id)
      .setSubject(agent.id)
      .setAudience(`${authUrl}/`)
      .setIssuedAt()
      .setExpirationTime('1m')
      .sign(key)
  const authenticate = async (key = privateKey) => ({
    client_assertion: await assertion(key),
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  })
  const person = await newMember()
  const { parameters, verifier } = await agent.authorize(person.id, offline)
  const unauthenticated = await agent.exchange(parameters.code, verifier)
  assert.equal(unauthenticated.json.error, 'invalid_client')
  const forger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const forged = await agent.exchange(parameters.code, verifier, await authenticate(forger))
  assert.deepEqual([forged.status, forged.json.error], [401, 'invalid_client'])
  const reply = await agent.exchange(parameters.code, verifier, await authenticate())
  assert.equal(reply.status, 200, reply.text)
  const token = String(reply.json.access_token)
  assert.equal(await server.query(token, workspace.slug), 200)

  const introspect = async (jwt: string, credentials: Record<string, string>) =>
    (await server.form('/oauth/introspect', new URLSearchParams({ token: jwt, ...credentials }).toString()))
      .json.active
  const colleague = await server.newAccount({}, workspace.id)
  const stranger = await server.newAccount()
  const credentials = ({ id, secret }: { id: string; secret: string }) => ({
    client_id: id,
    client_secret: secret,
  })
  assert.equal(await introspect(token, credentials(colleague)), true)
  assert.equal(await introspect(token, credentials(stranger)), false)
  const ownClient = await server.newOwnClient()
  const ownToken = String((await server.token(ownClient)).json.access_token)
  const asAgent = { client_id: agent.id, ...(await authenticate()) }
  assert.equal(await introspect(ownToken, asAgent), false, 'it learns nothing about tokens of others')
  assert.equal(await introspect(token, { client_id: agent.id, ...(await authenticate()) }), true)
})

test('keys at jwks_uri are fetched by the same rules as the document', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'a', alg: 'ES256', use: 'sig' }] }
  documents.answer('/keys', sendDocument(keys))
  const person = await newMember()
  const exchange = async (origin: string) => {
    const jwks_uri = `${origin}/keys`
    const agent = newAgent({ token_endpoint_auth_method: 'private_key_jwt', jwks_uri })
    const { parameters, verifier } = await agent.authorize(person.id, offline)
    const assertion = new SignJWT({ jti: randomUUID() })
      .setProtectedHeader({ alg: 'ES256', kid: 'a' })
      .setIssuer(agent.id)
      .setSubject(agent.id)
      .setAudience(`${authUrl}/`)
      .setIssuedAt()
      .setExpirationTime('1m')
    const reply = await agent.exchange(parameters.code, verifier, {
      client_assertion: await assertion.sign(privateKey),
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    })
    return reply.status
  }
  assert.equal(await exchange(documents.origin), 200)
  const keyRequests = () => documents.requests.filter(path => path === '/keys').length
  const requestCount = keyRequests()
  assert.notEqual(await exchange(`https://127.0.0.1:${documents.port}`), 200)
  assert.equal(keyRequests(), requestCount)
})

test('a page of another origin cannot read replies to it', async () => {
  const page = 'https://app.example'
  await server.newApplication({ redirectUris: [`${page}/callback`] })
  const reply = await server.form(
    '/oauth/token',
    `grant_type=refresh_token&refresh_token=x&client_id=${newAgent().id}`,
    `Origin: ${page}`,
  )
  assert.equal(reply.headers.get('access-control-allow-origin'), undefined)
})

test('a name cannot hide or reorder characters, and stays short', async () => {
  const person = await newMember()
  const seenPages: InteractionPage[] = []
  const name = `\u202eEvil\u200b \n\t agent ${'x'.repeat(500)}`
  await newAgent({ client_name: name }).signIn(person.id, { resource }, { seenPages })
  const title = String(seenPages.at(-1)?.application.title)
  assert.match(title, /^Evil agent x{49} \(localhost:\d+\)$/)
})
