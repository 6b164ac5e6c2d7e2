/** Audiences of people's access tokens: the default of an application, and `/userinfo` beside the query service. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { decodeJwt } from 'jose'
import { endUserGrants } from '#storage/grants'
import { freshDatabase } from '#storage/test-postgres'
import { openTestApplication } from './test-application.ts'
import { startTestServer, type TestServer } from './test-server.ts'
import { openBrowser } from './test-sign-in.ts'

const server = await startTestServer()
after(() => server.close())
const { authUrl, baseUrl, workspace } = server
const person = await server.newPerson()
const application = await openTestApplication(server)
const readAudience = (token: unknown) => decodeJwt(String(token)).aud
const userinfo = (token: unknown, at: TestServer = server) =>
  at.raw(`GET /userinfo HTTP/1.1\r\nAuthorization: Bearer ${token}`)

test('a request without audience and resource uses the default audience of the application', async () => {
  for (const [defaultAudience, expected] of [
    [`${baseUrl}/`, baseUrl],
    [`${baseUrl}/4/${workspace.slug}/`, `${baseUrl}/4/${workspace.slug}`],
  ] as const) {
    const withDefault = await openTestApplication(server, { defaultAudience })
    const tokens = await withDefault.signIn(person.id, { scope: 'openid offline_access' })
    assert.deepEqual(readAudience(tokens.access_token), [expected, `${authUrl}/userinfo`])
    assert.equal(await server.query(String(tokens.access_token)), 200)
    const renewed = await withDefault.refresh(tokens.refresh_token)
    assert.deepEqual(readAudience(renewed.json.access_token), [expected, `${authUrl}/userinfo`])
  }
})

test('a requested audience or resource replaces the default', async () => {
  const withDefault = await openTestApplication(server, { defaultAudience: baseUrl })
  const resource = `${baseUrl}/4/${workspace.slug}/api/main`
  for (const name of ['resource', 'audience']) {
    const tokens = await withDefault.signIn(person.id, { [name]: resource })
    assert.deepEqual(readAudience(tokens.access_token), [resource, `${authUrl}/userinfo`])
  }
})

test('consent names the default audience, and a person who agreed to less is asked', async () => {
  const withDefault = await openTestApplication(server, { defaultAudience: baseUrl })
  const otherPerson = await server.newPerson()
  const seenPages: NonNullable<Parameters<typeof withDefault.authorize>[2]>['seenPages'] = []
  await withDefault.authorize(otherPerson.id, {}, { seenPages })
  assert.deepEqual(seenPages.at(-1)?.consent?.resources, [baseUrl])
})

test('a default audience of another service or workspace is invalid_target', async () => {
  const otherWorkspace = await server.newWorkspace()
  for (const defaultAudience of [
    'https://elsewhere.example',
    `${authUrl}/manage/`,
    `${baseUrl}/4/${otherWorkspace.slug}`,
  ]) {
    const wrong = await openTestApplication(server, { defaultAudience })
    const landed = await wrong.authorize(person.id)
    assert.equal(landed.parameters.error, 'invalid_target', defaultAudience)
  }
})

test('without any audience, a refresh gives no more than the sign-in did', async () => {
  const { refresh_token } = await application.signIn(person.id, { scope: 'openid offline_access' })
  const renewed = await application.refresh(refresh_token)
  assert.equal(readAudience(renewed.json.access_token), `${authUrl}/userinfo`)
  assert.equal(await server.query(String(renewed.json.access_token)), 401)
})

test('/userinfo accepts the access token of a request with an audience', async () => {
  const request = { audience: baseUrl, scope: 'openid email offline_access' }
  const tokens = await application.signIn(person.id, request)
  assert.deepEqual(readAudience(tokens.access_token), [baseUrl, `${authUrl}/userinfo`])
  assert.equal(await server.query(String(tokens.access_token)), 200)
  const expected = { sub: person.id, email: person.email, email_verified: false }
  const reply = await userinfo(tokens.access_token)
  assert.equal(reply.status, 200, reply.text)
  assert.deepEqual(reply.json, expected)
  const posted = await server.form('/userinfo', `access_token=${tokens.access_token}`)
  assert.deepEqual(posted.json, expected)
  const renewed = await application.refresh(tokens.refresh_token, { scope: 'openid' })
  const narrow = await userinfo(renewed.json.access_token)
  assert.deepEqual(narrow.json, { sub: person.id }, 'as narrow as its scope')
})

test('/userinfo returns individually requested claims to a token with an audience', async () => {
  const claims = JSON.stringify({ userinfo: { name: { essential: true } } })
  const tokens = await application.signIn(person.id, { audience: baseUrl, claims, prompt: 'consent' })
  const { json } = await userinfo(tokens.access_token)
  assert.deepEqual(json, { sub: person.id, name: person.name })
})

test('/userinfo rejects the token of a machine, of another audience, and an altered one', async () => {
  const account = await server.newAccount()
  const { json: machine } = await server.token(account, `&audience=${baseUrl}&scope=openid`)
  const tokens = await application.signIn(person.id, { audience: baseUrl })
  const [header, payload, signature] = String(tokens.access_token).split('.')
  const claims = JSON.parse(Buffer.from(payload ?? '', 'base64url').toString())
  const forged = Buffer.from(JSON.stringify({ ...claims, sub: 'someone-else' })).toString('base64url')
  for (const token of [
    machine.access_token,
    `${header}.${forged}.${signature}`,
    claims.jti,
    tokens.id_token,
  ]) {
    const reply = await userinfo(token)
    assert.deepEqual([reply.status, reply.json.error], [401, 'invalid_token'])
  }
})

test('/userinfo rejects a token with an audience once it is revoked or its consent, session or member ended', async () => {
  const signIn = async () => {
    const someone = await server.newPerson()
    const browser = openBrowser(authUrl)
    const tokens = await application.signIn(someone.id, { audience: baseUrl }, { browser })
    assert.equal((await userinfo(tokens.access_token)).status, 200)
    return { someone, browser, tokens }
  }
  const revoked = await signIn()
  await server.form('/oauth/revoke', `client_id=${application.id}&token=${revoked.tokens.access_token}`)
  assert.equal((await userinfo(revoked.tokens.access_token)).status, 401)
  const withdrawn = await signIn()
  await server.storage.write(writer => endUserGrants(writer, withdrawn.someone.id, application.id))
  assert.equal((await userinfo(withdrawn.tokens.access_token)).status, 401)
  const loggedOut = await signIn()
  await loggedOut.browser.go(`/logout?id_token_hint=${loggedOut.tokens.id_token}`)
  assert.equal((await userinfo(loggedOut.tokens.access_token)).status, 401)
})

test('the query service rejects the token elsewhere, though its audience is a list', async () => {
  const resource = `${baseUrl}/4/${workspace.slug}/api/main`
  const { access_token } = await application.signIn(person.id, { resource })
  await server.identify(String(access_token), `${resource}/e/all/results`)
  for (const address of [`${baseUrl}/4/${workspace.slug}/api/other`, `${authUrl}/manage/v1/me`, baseUrl])
    await assert.rejects(server.identify(String(access_token), address), { code: 'invalid-token' })
})

test('/userinfo accepts such a token on PostgreSQL', async t => {
  const node = await startTestServer({ connection: await freshDatabase() })
  t.after(() => node.close())
  const someone = await node.newPerson()
  const finder = await openTestApplication(node, { defaultAudience: baseUrl })
  const tokens = await finder.signIn(someone.id, { scope: 'openid email' })
  assert.equal((await userinfo(tokens.access_token, node)).json.email, someone.email)
})
