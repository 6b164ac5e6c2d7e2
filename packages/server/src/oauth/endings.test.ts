/** A removed member, disabled user, revoked consent or ended session takes effect on the very next request. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { updateClient } from '#storage/clients'
import { endUserGrants } from '#storage/grants'
import { removeMember, setMember } from '#storage/members'
import { endUserSessions } from '#storage/sessions'
import { setUserDisabled } from '#storage/users'
import { openTestApplication, type TestApplication } from './test-application.ts'
import { startTestServer } from './test-server.ts'
import { type InteractionPage, openBrowser } from './test-sign-in.ts'

const server = await startTestServer()
after(() => server.close())
const { authUrl, baseUrl, storage, workspace } = server
const application = await openTestApplication(server)
const offline = { scope: 'openid offline_access', audience: baseUrl }

/** Someone signed in, with tokens of each kind. */
const signedIn = async (client: TestApplication = application) => {
  const person = await server.newPerson()
  const browser = openBrowser(authUrl)
  const forUserinfo = await client.signIn(person.id, {}, { browser })
  const earlier = await client.signIn(person.id, offline, { browser })
  const tokens = await client.signIn(person.id, offline, { browser })
  const code = await client.authorize(person.id, offline, { browser })
  return { person, browser, earlier, tokens, forUserinfo, code }
}
const userinfo = (token: unknown) => server.raw(`GET /userinfo HTTP/1.1\r\nAuthorization: Bearer ${token}`)

/** Everything that a token or code was good for is refused; with which status a query is. */
const nothingLeft = async (
  { earlier, tokens, forUserinfo, code }: Awaited<ReturnType<typeof signedIn>>,
  query: number,
) => {
  for (const { access_token, refresh_token } of [earlier, tokens]) {
    assert.equal(await server.query(String(access_token)), query)
    assert.equal((await application.refresh(refresh_token)).json.error, 'invalid_grant')
  }
  assert.equal((await userinfo(forUserinfo.access_token)).status, 401)
  assert.equal((await application.exchange(code.parameters.code, code.verifier)).json.error, 'invalid_grant')
}

test('while nothing ended, all of it works', async () => {
  const { earlier, tokens, forUserinfo, code } = await signedIn()
  for (const { access_token } of [earlier, tokens])
    assert.equal(await server.query(String(access_token)), 200)
  assert.equal((await userinfo(forUserinfo.access_token)).status, 200)
  assert.equal((await application.refresh(tokens.refresh_token)).status, 200)
  assert.equal((await application.exchange(code.parameters.code, code.verifier)).status, 200)
})

test('a removed member', async () => {
  const one = await signedIn()
  await storage.write(writer => removeMember(writer, workspace.id, one.person.id))
  await nothingLeft(one, 403)
  const seenPages: InteractionPage[] = []
  const landed = await application.authorize(one.person.id, offline, { browser: one.browser, seenPages })
  assert.deepEqual(
    seenPages.map(({ prompt }) => prompt),
    ['member'],
  )
  assert.equal(landed.applicationUrl, undefined, 'a page, and no code')
  const silent = await application.authorize(
    one.person.id,
    { ...offline, prompt: 'none' },
    { browser: one.browser },
  )
  assert.equal(silent.parameters.error, 'access_denied')
})

test('a member who may put documents in, but no longer query', async () => {
  const one = await signedIn()
  const subject = one.person.id
  await storage.write(writer =>
    setMember(writer, {
      workspaceId: workspace.id,
      subject,
      kind: 'user',
      roles: ['data-provider'],
      filter: undefined,
    }),
  )
  await nothingLeft(one, 403)
})

test('a disabled user, who has to sign in again and cannot', async () => {
  const one = await signedIn()
  await storage.write(writer => setUserDisabled(writer, one.person.id, true))
  await nothingLeft(one, 401)
  const seenPages: InteractionPage[] = []
  await application.authorize('nobody', offline, { browser: one.browser, seenPages })
  assert.deepEqual([...new Set(seenPages.map(({ prompt }) => prompt))], ['login'])
})

test('a revoked consent ends the tokens, and the next sign-in asks for it again', async () => {
  const one = await signedIn()
  await storage.write(writer => endUserGrants(writer, one.person.id, application.id))
  await nothingLeft(one, 401)
  const seenPages: InteractionPage[] = []
  const landed = await application.authorize(one.person.id, offline, { browser: one.browser, seenPages })
  assert.deepEqual(
    seenPages.map(({ prompt }) => prompt),
    ['consent'],
  )
  assert.ok(landed.parameters.code)
})

test('a session that its owner ended from elsewhere', async () => {
  const one = await signedIn()
  await storage.write(writer => endUserSessions(writer, one.person.id))
  await nothingLeft(one, 401)
  const seenPages: InteractionPage[] = []
  await application.authorize(one.person.id, offline, { browser: one.browser, seenPages })
  assert.deepEqual(
    seenPages.map(({ prompt }) => prompt),
    ['login'],
    'the consent stays',
  )
})

test('a disabled application', async () => {
  const otherApplication = await openTestApplication(server)
  const one = await signedIn(otherApplication)
  await storage.write(writer => updateClient(writer, otherApplication.id, { disabled: true }))
  assert.equal(await server.query(String(one.tokens.access_token)), 401)
  assert.equal((await userinfo(one.forUserinfo.access_token)).status, 401)
  assert.equal((await otherApplication.refresh(one.tokens.refresh_token)).status, 401)
  assert.equal((await otherApplication.authorize(one.person.id)).applicationUrl, undefined)
})

test('consent is asked once for an application and permission set, in whatever browser; more permissions are asked for', async () => {
  const person = await server.newPerson()
  const prompts = async (parameters: Record<string, string>, client = application) => {
    const seenPages: InteractionPage[] = []
    await client.signIn(person.id, parameters, { seenPages })
    return seenPages.map(({ prompt }) => prompt)
  }
  assert.deepEqual(await prompts({ scope: 'openid' }), ['login', 'consent'])
  assert.deepEqual(await prompts({ scope: 'openid' }), ['login'])
  assert.deepEqual(await prompts({ scope: 'openid', audience: baseUrl }), ['login', 'consent'])
  assert.deepEqual(await prompts({ scope: 'openid email', audience: baseUrl }), ['login', 'consent'])
  assert.deepEqual(await prompts({ scope: 'openid email', audience: `${baseUrl}/` }), ['login'])
  // Consent for the whole service covers each part of it.
  const part = `${baseUrl}/4/${workspace.slug}/api/dictionary`
  assert.deepEqual(await prompts({ scope: 'openid email', resource: part }), ['login'])
  assert.deepEqual(await prompts({ scope: 'openid' }, await openTestApplication(server)), [
    'login',
    'consent',
  ])
  const ownApplication = await openTestApplication(server, { own: true })
  assert.deepEqual(
    await prompts({ scope: 'openid email offline_access', audience: baseUrl }, ownApplication),
    ['login'],
  )
})

test('another person at the same browser signs in: the former session ends, and gives nothing to the new one', async () => {
  const former = await server.newPerson()
  const next = await server.newPerson()
  const browser = openBrowser(authUrl)
  const tokens = await application.signIn(former.id, { audience: baseUrl }, { browser })
  const newTokens = await application.signIn(next.id, { audience: baseUrl, prompt: 'login' }, { browser })
  assert.equal(await server.query(String(tokens.access_token)), 401)
  assert.equal(await server.query(String(newTokens.access_token)), 200)
  assert.equal((await server.bearer.read(String(newTokens.access_token)))?.subject, next.id)
})

test('a member who was removed and added again signs in again: only an access token lives until it expires', async t => {
  const one = await signedIn()
  const addAgain = () =>
    storage.write(async writer => {
      await removeMember(writer, workspace.id, one.person.id)
      const subject = one.person.id
      await setMember(writer, {
        workspaceId: workspace.id,
        subject,
        kind: 'user',
        roles: ['api'],
        filter: undefined,
      })
    })
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 5000 })
  await addAgain()
  await nothingLeft(one, 200)
  const next = await application.signIn(one.person.id, offline, { browser: one.browser })
  assert.equal((await application.refresh(next.refresh_token)).status, 200, 'a new one is good at once')
  await storage.write(writer =>
    setMember(writer, {
      workspaceId: workspace.id,
      subject: one.person.id,
      kind: 'user',
      roles: ['user'],
      filter: undefined,
    }),
  )
  assert.equal(await server.query(String(next.access_token)), 200, 'other roles begin no other membership')
  await addAgain()
  const last = await application.signIn(one.person.id, offline, { browser: one.browser })
  assert.equal(await server.query(String(last.access_token)), 200)
  assert.equal((await application.refresh(last.refresh_token)).status, 200)
})
