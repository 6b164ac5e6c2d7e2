/** Client ID Metadata Documents: applications that nobody registered, their consents and their workspace. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, test } from 'node:test'
import { exportJWK } from 'jose'
import { endUserGrants } from '#storage/grants'
import { removeMember } from '#storage/members'
import { freshDatabase } from '#storage/test-postgres'
import { createWorkspace, removeWorkspace } from '#storage/workspaces'
import { patienceMs } from '#test-wait'
import { agentRedirectUri as redirectUri, startAgentServer } from './test-agents.ts'
import { openTestNode } from './test-node.ts'
import { type InteractionPage, newPkce, openBrowser } from './test-sign-in.ts'

const agents = await startAgentServer()
after(() => agents.close())
const { documents, server, workspace, addressIn, resource, offline, newMember, newAgent, setAllowed, join } =
  agents
const { baseUrl, authUrl } = server

test('an application that nobody registered signs people in, queries and refreshes', async () => {
  const agent = newAgent()
  const person = await newMember()
  const seenPages: InteractionPage[] = []
  const tokens = await agent.signIn(person.id, offline, { seenPages })
  assert.deepEqual(
    seenPages.map(({ prompt }) => prompt),
    ['login', 'consent'],
  )
  const { application, consent } = seenPages[1] ?? {}
  assert.equal(application?.title, `Agent (localhost:${documents.port})`)
  assert.equal(application?.host, `localhost:${documents.port}`)
  assert.deepEqual(consent?.resources, [resource])
  assert.equal(tokens.expires_in, 300, 'the lifetime of its workspace')
  assert.equal(await server.query(String(tokens.access_token), workspace.slug), 200)
  const refreshed = await agent.refresh(tokens.refresh_token)
  assert.equal(refreshed.status, 200, refreshed.text)
  assert.equal(await server.query(String(refreshed.json.access_token), workspace.slug), 200)
  const userinfo = await server.raw(
    `GET /userinfo HTTP/1.1\r\nAuthorization: Bearer ${refreshed.json.access_token}`,
  )
  assert.deepEqual([userinfo.status, userinfo.json.sub], [200, person.id])
})

test('its tokens open the workspace of the resource only, even where the person is a member of another', async () => {
  const otherWorkspace = await server.newWorkspace({ allowMetadataClients: true })
  const person = await newMember()
  await join(person.id, otherWorkspace.id)
  const tokens = await newAgent().signIn(person.id, offline)
  assert.equal(await server.query(String(tokens.access_token), otherWorkspace.slug), 401)
  const management = server.identify(String(tokens.access_token), `${authUrl}/manage/v1/me`)
  await assert.rejects(management, /audience/)
})

test('without a resource in one workspace that allows it, nothing is even fetched', async () => {
  const closed = await server.newWorkspace()
  const agent = newAgent()
  const person = await newMember()
  const requestCount = documents.requests.length
  const wrong: Record<string, string | undefined>[] = [
    {},
    { resource: baseUrl },
    { audience: `${baseUrl}/` },
    { resource: addressIn(closed.slug) },
    { resource: addressIn('no-such-workspace') },
    { resource: 'https://elsewhere.example/4/a' },
    { resource: `${authUrl}/manage/` },
  ]
  for (const parameters of wrong) {
    const landed = await agent.authorize(person.id, parameters)
    assert.equal(landed.status, 400, JSON.stringify(parameters))
    assert.match(landed.text, /invalid_target/)
  }
  const query = `${agent.query({ code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' })}`
  const several = [resource, addressIn(closed.slug)].map(value => `&resource=${value}`).join('')
  assert.equal((await openBrowser(authUrl).go(`/authorize?${query}${several}`)).status, 400)
  const push = new URLSearchParams({ client_id: agent.id, response_type: 'code', redirect_uri: redirectUri })
  const pushed = await server.form('/oauth/par', push.toString())
  assert.deepEqual([pushed.status, pushed.json.error], [400, 'invalid_target'])
  const unknown = new URLSearchParams({
    client_id: agent.id,
    request_uri: 'urn:ietf:params:oauth:request_uri:x',
  })
  assert.equal((await openBrowser(authUrl).go(`/authorize?${unknown}`)).status, 400)
  assert.equal(documents.requests.length, requestCount)
})

test('a pushed request needs such a resource as well, and works with one', async () => {
  const agent = newAgent()
  const person = await newMember()
  const { verifier, challenge } = newPkce()
  const form = new URLSearchParams({
    ...{ client_id: agent.id, response_type: 'code', redirect_uri: redirectUri, resource },
    ...{ code_challenge: challenge, code_challenge_method: 'S256' },
  })
  const pushed = await server.form('/oauth/par', form.toString())
  assert.equal(pushed.status, 201, pushed.text)
  const stored = new URLSearchParams({
    client_id: agent.id,
    request_uri: String(pushed.json.request_uri),
  }).toString()
  const landed = await openBrowser(authUrl).authorize(stored, person.id)
  const reply = await agent.exchange(landed.parameters.code, verifier)
  assert.equal(reply.status, 200, reply.text)
  assert.equal(await server.query(String(reply.json.access_token), workspace.slug), 200)
})

test('people who are no members get a page that says so, and no code', async () => {
  const stranger = await server.newPerson()
  const landed = await newAgent().authorize(stranger.id, offline)
  assert.equal(JSON.parse(landed.text).prompt, 'member')
})

test('consent is asked once per person, document and permission set', async () => {
  const agent = newAgent()
  const person = await newMember()
  const prompts = async (parameters: Record<string, string>, client = agent) => {
    const seenPages: InteractionPage[] = []
    await client.signIn(person.id, parameters, { seenPages })
    return seenPages.map(({ prompt }) => prompt).filter(prompt => prompt === 'consent').length
  }
  assert.equal(await prompts({ resource }), 1)
  assert.equal(await prompts({ resource }), 0)
  assert.equal(await prompts({ resource: `${resource}/api/main` }), 0, 'a part of it')
  assert.equal(await prompts({ resource, scope: 'openid email' }), 1)
  assert.equal(await prompts({ resource, scope: 'openid email' }), 0)
  assert.equal(await prompts({ resource }, newAgent()), 1, 'another document')
  const otherWorkspace = await server.newWorkspace({ allowMetadataClients: true })
  await join(person.id, otherWorkspace.id)
  assert.equal(await prompts({ resource: addressIn(otherWorkspace.slug) }), 1, 'another workspace')
})

test('consent is asked again when name, redirect URIs or keys of the document change, and only then', async () => {
  const agent = newAgent()
  const person = await newMember()
  const consents = async () => {
    const seenPages: InteractionPage[] = []
    await agent.authorize(person.id, offline, { seenPages })
    return seenPages.filter(({ prompt }) => prompt === 'consent').length
  }
  assert.equal(await consents(), 1)
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const keys = { jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: 'a', alg: 'ES256', use: 'sig' }] } }
  const changes: Record<string, unknown>[] = [
    { client_name: 'Another agent' },
    { redirect_uris: [redirectUri, 'https://evil.example/callback'] },
    { ...keys, token_endpoint_auth_method: 'private_key_jwt' },
    {},
  ]
  for (const change of changes) {
    documents.publish(agent.path, change)
    assert.equal(await consents(), 1, JSON.stringify(change))
    assert.equal(await consents(), 0, JSON.stringify(change))
  }
  documents.publish(agent.path, { logo_uri: 'https://agent.example/logo.png', contacts: ['a@agent.example'] })
  assert.equal(await consents(), 0)
})

test('a document that changes while the page is open has no consent: people agree to what they saw', async () => {
  const agent = newAgent()
  const person = await newMember()
  const browser = openBrowser(authUrl)
  const challenge = { code_challenge: newPkce().challenge, code_challenge_method: 'S256' }
  const login = await browser.go(`/authorize?${agent.query({ ...offline, ...challenge })}`)
  const page = await browser.post(`${login.url.pathname}/login?account=${person.id}`)
  assert.equal(JSON.parse(page.text).prompt, 'consent')
  documents.publish(agent.path, { redirect_uris: [redirectUri, 'https://evil.example/callback'] })
  const next = await browser.post(`${page.url.pathname}/consent`)
  assert.equal(next.applicationUrl, undefined)
  assert.equal(JSON.parse(next.text).prompt, 'consent', 'asked again')
})

test('consent is never skipped, and prompt=none does not help', async () => {
  const agent = newAgent({ own: true, first_party: true })
  const person = await newMember()
  const browser = openBrowser(authUrl)
  const first = await agent.authorize(person.id, offline, { browser })
  assert.ok(first.parameters.code)
  const otherAgent = newAgent()
  const silent = await otherAgent.authorize(person.id, { ...offline, prompt: 'none' }, { browser })
  assert.equal(silent.parameters.error, 'consent_required')
})

test('when the workspace no longer allows them, tokens stop at the next request and refresh', async () => {
  const row = await server.newWorkspace({ allowMetadataClients: true })
  const person = await newMember(row.id)
  const agent = newAgent()
  const tokens = await agent.signIn(person.id, { resource: addressIn(row.slug), scope: 'offline_access' })
  const access = String(tokens.access_token)
  assert.equal(await server.query(access, row.slug), 200)
  const { parameters, verifier } = await agent.authorize(person.id, { resource: addressIn(row.slug) })
  await setAllowed(false, row)
  assert.equal(await server.query(access, row.slug), 403)
  const userinfo = await server.raw(`GET /userinfo HTTP/1.1\r\nAuthorization: Bearer ${access}`)
  assert.equal(userinfo.status, 401)
  const refusal = await agent.refresh(tokens.refresh_token)
  assert.deepEqual([refusal.status, refusal.json.error], [400, 'invalid_grant'])
  const exchanged = await agent.exchange(parameters.code, verifier)
  assert.deepEqual([exchanged.status, exchanged.json.error], [400, 'invalid_grant'])
  assert.equal((await agent.authorize(person.id, { resource: addressIn(row.slug) })).status, 400)
  await setAllowed(true, row)
  assert.equal(await server.query(access, row.slug), 200)
})

test('tokens stop when the person leaves the workspace, or withdraws the consent', async () => {
  const agent = newAgent()
  const [leaver, withdrawer] = [await newMember(), await newMember()]
  const leaverTokens = await agent.signIn(leaver.id, offline)
  await server.storage.write(writer => removeMember(writer, workspace.id, leaver.id))
  assert.equal(await server.query(String(leaverTokens.access_token), workspace.slug), 403)
  assert.equal((await agent.refresh(leaverTokens.refresh_token)).json.error, 'invalid_grant')
  const tokens = await agent.signIn(withdrawer.id, offline)
  await server.storage.write(writer => endUserGrants(writer, withdrawer.id, agent.id))
  assert.equal(await server.query(String(tokens.access_token), workspace.slug), 401)
  assert.equal((await agent.refresh(tokens.refresh_token)).json.error, 'invalid_grant')
  const seenPages: InteractionPage[] = []
  await agent.signIn(withdrawer.id, offline, { seenPages })
  assert.ok(seenPages.some(({ prompt }) => prompt === 'consent'))
})

test('a workspace that is deleted and created again under its name gives nothing to earlier tokens', async () => {
  const row = await server.newWorkspace({ allowMetadataClients: true })
  const person = await newMember(row.id)
  const tokens = await newAgent().signIn(person.id, { resource: addressIn(row.slug) })
  await server.storage.write(writer => removeWorkspace(writer, row))
  const namesake = await server.storage.write(writer => createWorkspace(writer, row.definition))
  assert.ok(namesake)
  await join(person.id, namesake.id)
  await server.storage.db
    .updateTable('workspaces')
    .set({ created_at: Date.now() + 2000 })
    .where('id', '=', namesake.id)
    .execute()
  assert.equal(await server.query(String(tokens.access_token), row.slug), 403)
})

test('every node takes such an application, and stops its tokens within a second', async t => {
  const connection = await freshDatabase()
  const first = await startAgentServer({ connection })
  const second = await openTestNode(first.server, connection)
  try {
    const person = await first.newMember()
    const agent = first.newAgent()
    const { parameters, verifier } = await agent.authorize(person.id, first.offline)
    const send = (form: Record<string, string>) =>
      second.form('/oauth/token', new URLSearchParams({ client_id: agent.id, ...form }).toString())
    const exchanged = await send({
      ...{ grant_type: 'authorization_code', code: parameters.code ?? '', code_verifier: verifier },
      redirect_uri: redirectUri,
    })
    assert.equal(exchanged.status, 200, exchanged.text)
    const refresh = (token: unknown) => send({ grant_type: 'refresh_token', refresh_token: String(token) })
    const refreshed = await refresh(exchanged.json.refresh_token)
    assert.equal(refreshed.status, 200, refreshed.text)
    const token = String(refreshed.json.access_token)
    assert.equal(await first.server.query(token, first.workspace.slug), 200)
    await first.setAllowed(false)
    assert.equal(await first.server.query(token, first.workspace.slug), 403)
    await t.waitFor(
      async () => {
        const { status, json } = await refresh(refreshed.json.refresh_token)
        assert.deepEqual([status, json.error], [400, 'invalid_grant'])
      },
      { timeout: patienceMs },
    )
  } finally {
    await second.close()
    await first.close()
  }
})
