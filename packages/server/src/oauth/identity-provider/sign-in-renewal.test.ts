/** A refresh asks the workspace's own OpenID provider again: who stays in, with which roles, and whom the provider ends. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, beforeEach, describe, test } from 'node:test'
import { inspect } from 'node:util'
import { startPages } from '#oauth/interactions/test-pages'
import { openTestClient } from '#oauth/test-application'
import { openTestNode } from '#oauth/test-node'
import { freshDatabase } from '#storage/test-postgres'
import { saveDefinition } from '#storage/workspaces'
import { patienceMs } from '#test-wait'
import { type CompanyApplication, makeTestCompany } from './test-company.ts'
import { openTestProvider } from './test-provider.ts'

const connection = await freshDatabase()
const pages = await startPages({ signInThrottle: 'off', connection })
const node = await openTestNode(pages, connection)
const provider = await openTestProvider()
after(async () => {
  await node.close()
  await pages.close()
  await provider.close()
})
const { storage } = pages
const company = makeTestCompany(pages, provider)
const { newEmail, openApplication, signIn, exchangeFor, findMemberByEmail, newUser, addMember } = company
const { providerRenewals } = pages.dependencies.counts

const newPerson = () => ({ sub: randomUUID(), email: newEmail(), groups: ['staff'] })
/** A person signs in to a new application. Returns a function that refreshes with the newest token. */
const start = async (person: Record<string, unknown> = newPerson(), application?: CompanyApplication) => {
  const usedApplication = application ?? (await openApplication())
  const { slug } = usedApplication.workspace
  const result = await signIn(usedApplication, person)
  let tokens = await exchangeFor(usedApplication, result)
  const refresh = async () => {
    const reply = await usedApplication.client.refresh(tokens.refresh)
    if (reply.status === 200)
      tokens = {
        ...tokens,
        access: String(reply.json.access_token),
        refresh: String(reply.json.refresh_token),
      }
    return [reply.status, reply.json.error]
  }
  const { access } = tokens
  return {
    ...usedApplication,
    ...result,
    refresh,
    person,
    firstRefresh: tokens.refresh,
    query: () => pages.query(access, slug),
  }
}
const endedReply = [400, 'invalid_grant']
const renewedReply = [200, undefined]

describe('a refresh asks the provider', () => {
  beforeEach(() => {
    provider.reset()
    provider.says.isOffline = true
  })

  test('each time with its newest refresh token', async () => {
    const { refresh, led } = await start()
    assert.equal(led.applicationUrl?.searchParams.get('scope'), 'openid email profile offline_access')
    const countBefore = provider.refreshes().length
    for (let count = 0; count < 3; count++) assert.deepEqual(await refresh(), renewedReply)
    const tokens = provider.refreshes().slice(countBefore)
    assert.deepEqual([tokens.length, new Set(tokens).size], [3, 3])
  })

  test('changed groups change the roles, and without a group the person is out', async () => {
    const { refresh, person, workspace, query } = await start()
    const email = String(person.email)
    await addMember(workspace, await newUser(), ['administrator'])
    provider.says.claims = { ...provider.says.claims, groups: ['staff', 'admins'] }
    assert.deepEqual(await refresh(), renewedReply)
    assert.deepEqual((await findMemberByEmail(workspace, email))?.roles.toSorted(), ['administrator', 'api'])
    provider.says.claims = { ...provider.says.claims, groups: [] }
    assert.deepEqual(await refresh(), endedReply)
    assert.equal(await findMemberByEmail(workspace, email), undefined)
    assert.equal(await query(), 403)
  })

  test('a person whom the provider removed loses the session, every application, and tokens at the query service', async () => {
    const first = await start()
    const id = await pages.newApplication(
      { title: 'Second', redirectUris: [pages.redirectUri], own: true },
      first.workspace.id,
    )
    const client = openTestClient(pages, { id, redirectUri: pages.redirectUri })
    const silent = await company.open({ id }, first.reader, { prompt: 'none' })
    const second = await exchangeFor({ client }, { landed: silent.page, verifier: silent.verifier })
    provider.says.refreshError = { status: 400, error: 'invalid_grant' }
    assert.deepEqual(await first.refresh(), endedReply)
    assert.equal(await first.query(), 401)
    assert.equal(await pages.query(second.access, first.workspace.slug), 401)
    assert.equal((await client.refresh(second.refresh)).status, 400)
    const { page } = await company.open(first, first.reader, { prompt: 'none' })
    assert.equal(page.parameters.error, 'login_required')
    // Also if the provider takes the person back.
    provider.says.refreshError = undefined
    assert.deepEqual(await first.refresh(), endedReply)
  })

  test('a sign-in to another application, or a silent one, asks it too', async t => {
    const { reader, query, workspace, refresh, person } = await start()
    const id = await pages.newApplication(
      { title: 'Second', redirectUris: [pages.redirectUri], own: true },
      workspace.id,
    )
    const silently = async () => {
      const { page } = await company.open({ id }, reader, { prompt: 'none' })
      return page.parameters.error ?? 'code'
    }
    provider.says.refreshError = { status: 400, error: 'invalid_grant' }
    assert.equal(await silently(), 'code', 'the provider was asked in the last minute')
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 90_000 })
    provider.says.isDown = true
    assert.equal(await silently(), 'code')
    provider.says.isDown = false
    t.mock.timers.setTime(Date.now() + 90_000)
    const { page } = await company.open({ id }, reader)
    assert.equal(page.parameters.code, undefined)
    assert.equal(await query(), 401)
    provider.says.refreshError = undefined
    assert.equal(await silently(), 'login_required')
    assert.deepEqual(await refresh(), endedReply)
    // The same browser may sign in again.
    const repeatedSignIn = await signIn({ id }, person, { reader })
    assert.ok(repeatedSignIn.landed.parameters.code, repeatedSignIn.landed.text)
    assert.equal(await silently(), 'code')
  })

  const attacks: [name: string, says: (person: { email: string }) => object][] = [
    ['another sub', () => ({ claims: { sub: randomUUID() } })],
    ['an address of another domain', () => ({ claims: { email: newEmail('victim.example') } })],
    ['an address that is no longer verified', () => ({ claims: { email_verified: false } })],
    ['no address', () => ({ claims: { email: undefined } })],
    ['another issuer', () => ({ idToken: { iss: 'https://another.example' } })],
    ['another audience', () => ({ idToken: { aud: 'another' } })],
    ['an expired ID token', () => ({ idToken: { exp: 1 } })],
    ['a foreign signature', () => ({ isForged: true })],
    ['UserInfo of another sub', () => ({ refreshesIdToken: false, userInfo: { sub: randomUUID() } })],
    [
      'UserInfo with an address of another domain',
      ({ email }) => ({
        refreshesIdToken: false,
        userInfo: { email: email.replace('corp', 'victim') },
      }),
    ],
  ]
  for (const [name, says] of attacks)
    test(`ends the session for ${name}`, async () => {
      const person = newPerson()
      const { refresh, query } = await start(person)
      const { claims = {}, userInfo, ...others } = says(person) as Record<string, Record<string, unknown>>
      Object.assign(provider.says, others, {
        claims: { ...provider.says.claims, ...claims },
        userInfo: userInfo && { sub: person.sub, ...userInfo },
      })
      assert.deepEqual(await refresh(), endedReply)
      assert.equal(await query(), 401)
    })

  test('an ID token is not needed: claims that UserInfo leaves out stay as they were', async () => {
    const { refresh, person, workspace } = await start()
    provider.says.refreshesIdToken = false
    assert.deepEqual(await refresh(), renewedReply)
    assert.deepEqual((await findMemberByEmail(workspace, String(person.email)))?.roles, ['api'])
    await addMember(workspace, await newUser(), ['administrator'])
    provider.says.userInfo = { sub: person.sub, groups: ['admins'] }
    assert.deepEqual(await refresh(), renewedReply)
    assert.deepEqual((await findMemberByEmail(workspace, String(person.email)))?.roles, ['administrator'])
  })

  test('a provider that is down, or does not accept this server, ends nothing; it is logged and counted', async () => {
    const { refresh, query } = await start()
    const countBefore = providerRenewals.get('unavailable') ?? 0
    provider.says.isDown = true
    assert.deepEqual(await refresh(), renewedReply)
    // Nobody waits for it again within ten seconds.
    const requestsBefore = provider.requests.length
    assert.deepEqual(await refresh(), renewedReply)
    assert.equal(provider.requests.length, requestsBefore)
    provider.says.isDown = false
    provider.says.refreshError = { status: 401, error: 'invalid_client' }
    // The first attempt used the token, before the provider failed.
    const second = await start()
    assert.deepEqual(await second.refresh(), renewedReply)
    assert.equal(await query(), 200)
    assert.equal((providerRenewals.get('unavailable') ?? 0) - countBefore, 3)
    assert.ok(pages.logged.some(({ level, message }) => level === 'warn' && /did not say/.test(message)))
  })

  test('a provider without refresh tokens is not asked, and the session bounds its word', async t => {
    provider.says.isOffline = false
    const { refresh } = await start()
    const countBefore = provider.requests.length
    assert.deepEqual(await refresh(), renewedReply)
    assert.equal(provider.requests.length, countBefore)
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 13 * 60 * 60 * 1000 })
    assert.deepEqual(await refresh(), endedReply)
  })

  test('the word of a provider with refresh tokens ends with the session too', async t => {
    const { refresh } = await start()
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 13 * 60 * 60 * 1000 })
    assert.deepEqual(await refresh(), endedReply)
  })

  test('an exchange of a code and a replayed refresh token do not ask it', async () => {
    const { refresh, client, firstRefresh } = await start()
    const countAtFirst = provider.refreshes().length
    assert.deepEqual(await refresh(), renewedReply)
    assert.deepEqual(await refresh(), renewedReply)
    const countBefore = provider.refreshes().length
    assert.equal(countBefore - countAtFirst, 2)
    assert.equal((await client.refresh(firstRefresh)).status, 400)
    assert.equal(provider.refreshes().length, countBefore)
  })

  test('after a logout, grants with offline_access still depend on it', async () => {
    const { refresh, reader, id } = await start()
    const page = await reader.go(`/logout?client_id=${id}`)
    assert.equal(page.status, 200)
    const { action = '', xsrf = '' } =
      /action="(?<action>[^"]*)"[\s\S]*name="xsrf" value="(?<xsrf>[^"]*)"/.exec(page.text)?.groups ?? {}
    await reader.go(action, { method: 'POST', body: new URLSearchParams({ xsrf, logout: 'yes' }) })
    assert.deepEqual(await refresh(), renewedReply)
    provider.says.refreshError = { status: 400, error: 'invalid_grant' }
    assert.deepEqual(await refresh(), endedReply)
  })

  test('offline_access is given up if the client or the person may not have it', async () => {
    for (const refusal of [{ error: 'invalid_scope' }, { exchangeError: 'not_allowed' }]) {
      const application = await openApplication()
      provider.says.claims = { email_verified: true, ...newPerson() }
      Object.assign(provider.says, refusal)
      const { reader, page, verifier } = await company.open(application)
      const led = await company.type(reader, page, newEmail())
      const retried = await company.comeBack(reader, led.applicationUrl)
      const request = retried.applicationUrl?.searchParams
      assert.deepEqual(
        [request?.get('scope'), request?.get('login_hint')],
        ['openid email profile', led.applicationUrl?.searchParams.get('login_hint')],
      )
      Object.assign(provider.says, { error: undefined, exchangeError: undefined, isOffline: false })
      const landed = await company.comeBack(reader, retried.applicationUrl)
      await exchangeFor(application, { landed, verifier })
      // Once only.
      Object.assign(provider.says, refusal)
      const second = await company.open(application)
      const secondLed = await company.type(second.reader, second.page, newEmail())
      const secondRetried = await company.comeBack(second.reader, secondLed.applicationUrl)
      assert.equal((await company.comeBack(second.reader, secondRetried.applicationUrl)).status, 422)
      provider.reset()
    }
  })

  test('offline_access is requested only if the metadata has it, and not from Keycloak', async () => {
    for (const metadata of [{ scopes: ['openid'] }, { tokenPath: '/protocol/openid-connect/token' }]) {
      Object.assign(provider.says, metadata)
      const { led, refresh } = await start()
      assert.equal(led.applicationUrl?.searchParams.get('scope'), 'openid email profile')
      // The server uses a refresh token that it gives all the same.
      const countBefore = provider.refreshes().length
      assert.deepEqual(await refresh(), renewedReply)
      assert.equal(provider.refreshes().length, countBefore + 1)
    }
  })

  test('its refresh token is stored encrypted, goes to its issuer and Client ID only, and is in no log', async () => {
    const { refresh, workspace } = await start()
    assert.deepEqual(await refresh(), renewedReply)
    const rows = JSON.stringify(await storage.db.selectFrom('provider_tokens').selectAll().execute())
    const records = JSON.stringify(await storage.db.selectFrom('oidc_records').selectAll().execute())
    assert.doesNotMatch(rows + records, /refresh-[0-9a-f-]{36}/)
    provider.says.isForged = true
    const second = await start(newPerson()).catch(() => undefined)
    assert.equal(second, undefined)
    provider.says.isForged = false
    const third = await start()
    provider.says.idToken = { sub: 7 }
    assert.deepEqual(await third.refresh(), endedReply)
    assert.doesNotMatch(inspect(pages.logged, { depth: 20 }), /refresh-[0-9a-f-]{36}/)
    const countBefore = provider.refreshes().length
    await storage.write(writer =>
      saveDefinition(writer, workspace.id, {
        workspace: workspace.slug,
        identityProvider: {
          issuer: provider.issuer,
          clientId: 'another',
          domains: ['corp.example'],
          roles: { staff: ['api'] },
        },
      }),
    )
    assert.deepEqual(await refresh(), endedReply)
    assert.equal(provider.refreshes().length, countBefore)
  })
})

describe('on two nodes', () => {
  beforeEach(() => {
    provider.reset()
    provider.says.isOffline = true
  })

  test('a sign-in that starts at one comes back at the other, and works once', async () => {
    const application = await openApplication()
    const person = newPerson()
    provider.says.claims = { email_verified: true, ...person }
    const { reader, page, verifier } = await company.open(application)
    const led = await company.type(reader, page, person.email)
    assert.ok(led.applicationUrl)
    const back = provider.answer(led.applicationUrl).href
    reader.node.url = node.url
    const landed = await reader.go(back)
    const { access } = await exchangeFor(application, { landed, verifier })
    assert.equal(await pages.query(access, application.workspace.slug), 200)
    reader.node.url = pages.authUrl
    // The application would redeem the code twice, which ends its tokens.
    const reloaded = await reader.go(back)
    assert.deepEqual([reloaded.status, reloaded.parameters.code], [400, undefined])
    assert.equal(await pages.query(access, application.workspace.slug), 200)
  })

  test('a double click at the provider comes back twice before the browser has an answer, and both get one', async () => {
    const application = await openApplication()
    const person = newPerson()
    provider.says.claims = { email_verified: true, ...person }
    const { reader, page } = await company.open(application)
    const led = await company.type(reader, page, person.email)
    assert.ok(led.applicationUrl)
    const back = provider.answer(led.applicationUrl)
    const cookie = [...reader.jar]
      .filter(([, { path }]) => back.pathname.startsWith(path))
      .map(([key, { value }]) => `${key.slice(0, key.indexOf(' '))}=${value}`)
      .join('; ')
    const replies = await Promise.all(
      [pages.authUrl, node.url].map(async at => {
        const { status, headers } = await fetch(new URL(back.pathname + back.search, at), {
          redirect: 'manual',
          headers: { accept: 'text/html', cookie },
        })
        return [status, headers.get('location'), headers.getSetCookie().length]
      }),
    )
    assert.deepEqual(replies[0]?.slice(0, 2), [303, page.url.pathname])
    assert.deepEqual(replies[1], replies[0])
  })

  test('a logout token at one ends the session at the other', async t => {
    const person = { ...newPerson(), sid: randomUUID() }
    const { query, refresh, workspace, reader, id } = await start(person)
    assert.equal(await query(), 200)
    const token = await provider.sign({
      aud: 'querent',
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      jti: randomUUID(),
      sid: person.sid,
    })
    const reply = await node.form(`/provider/${workspace.slug}/backchannel-logout`, `logout_token=${token}`)
    assert.equal(reply.status, 200)
    await t.waitFor(async () => assert.equal(await query(), 401), { timeout: patienceMs })
    assert.deepEqual(await refresh(), endedReply)
    const { page } = await company.open({ id }, reader, { prompt: 'none' })
    assert.equal(page.parameters.error, 'login_required')
  })

  test('concurrent refreshes use the refresh token of the provider one after the other', async t => {
    const first = await start()
    const id = await pages.newApplication(
      { title: 'Second', redirectUris: [pages.redirectUri], own: true },
      first.workspace.id,
    )
    const client = openTestClient({ ...pages, form: node.form }, { id, redirectUri: pages.redirectUri })
    const silent = await company.open({ id }, first.reader, { prompt: 'none' })
    const second = await exchangeFor({ client }, { landed: silent.page, verifier: silent.verifier })
    const countBefore = provider.refreshes().length
    const release = Promise.withResolvers<void>()
    provider.says.holdsRefresh = release.promise
    const replies = [first.refresh(), client.refresh(second.refresh)] as const
    await t.waitFor(() => assert.equal(provider.refreshes().length, countBefore + 1), { timeout: patienceMs })
    release.resolve()
    const [atFirst, atSecond] = await Promise.all(replies)
    assert.deepEqual([atFirst, atSecond.status], [renewedReply, 200])
    assert.equal(
      new Set(provider.refreshes().slice(countBefore)).size,
      provider.refreshes().length - countBefore,
    )
    // The newest one is not lost.
    assert.deepEqual(await first.refresh(), renewedReply)
    assert.equal((await client.refresh(atSecond.json.refresh_token)).status, 200)
  })
})
