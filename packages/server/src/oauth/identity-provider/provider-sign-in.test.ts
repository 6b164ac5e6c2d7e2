/** Signing in through a workspace's own OpenID provider: who gets in, with which roles, and every attack that must not work. */
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { after, beforeEach, describe, test } from 'node:test'
import { passwordLevel, twoFactorLevel } from '@querent/contract/authentication-levels'
import { decodeJwt } from 'jose'
import { createProviderSecrets } from '#keys/provider-secrets'
import { ensureOwnClients } from '#oauth/clients/clients'
import { type ShownPage, startPages } from '#oauth/interactions/test-pages'
import { openTestClient } from '#oauth/test-application'
import { newPkce } from '#oauth/test-sign-in'
import { listAudit } from '#storage/audit'
import { findIdentity, saveProviderSecret } from '#storage/identity-providers'
import { createInvitation } from '#storage/invitations'
import { findMember, setMember } from '#storage/members'
import { listUserSessions } from '#storage/sessions'
import { findUserByEmail, setUserDisabled } from '#storage/users'
import { type CompanyApplication, makeTestCompany } from './test-company.ts'
import { openTestProvider, type TestProvider } from './test-provider.ts'

const pages = await startPages({ signInThrottle: 'off' })
const provider = await openTestProvider()
const secondProvider = await openTestProvider()
after(async () => {
  await pages.close()
  await provider.close()
  await secondProvider.close()
})
const { storage, authUrl } = pages

const company = makeTestCompany(pages, provider)
const { newEmail, define, newUser, addMember, findMemberByEmail } = company
const { openApplication, open, type, comeBack, signIn, exchangeFor } = company
const readFault = ({ text }: ShownPage) => /role="alert">([^<]*)</.exec(text)?.[1]

describe("a workspace's own OpenID provider", () => {
  beforeEach(() => {
    for (const { reset } of [provider, secondProvider]) reset()
  })

  test('a person of the domain types the address, signs in there, and queries', async () => {
    const application = await openApplication()
    const email = newEmail()
    const result = await signIn(application, {
      sub: randomUUID(),
      email,
      name: 'Ada Byron',
      groups: ['staff'],
    })
    const request = result.led.applicationUrl?.searchParams
    assert.equal(request?.get('redirect_uri'), `${authUrl}/provider/${application.workspace.slug}/callback`)
    assert.equal(request?.get('code_challenge_method'), 'S256')
    assert.equal(request?.get('login_hint'), email)
    assert.ok(request?.get('nonce') && request.get('state'))
    const { access, claims } = await exchangeFor(application, result)
    assert.equal(await pages.query(access, application.workspace.slug), 200)
    assert.deepEqual([claims.acr, claims.amr], [passwordLevel, ['fed']])
    const member = await findMemberByEmail(application.workspace, email)
    assert.deepEqual([member?.roles, member?.isFromProvider], [['api'], true])
    assert.equal((await findUserByEmail(storage.db, email))?.name, 'Ada Byron')
  })

  test('others use their password, also while the provider is down', async () => {
    const application = await openApplication()
    const person = await newUser({ email: newEmail('elsewhere.example') })
    await addMember(application.workspace, person)
    provider.says.isDown = true
    const { reader, page } = await open(application)
    assert.doesNotMatch(page.text, /type="password"/)
    const next = await type(reader, page, person.email)
    assert.match(next.text, /type="password"/)
    const landed = await reader.signIn(next, person.email)
    assert.ok(landed.parameters.code)
  })

  test('a provider that is down gives a page that says so, with the password as another way', async () => {
    const workspace = await openApplication({ issuer: secondProvider.issuer })
    const person = await newUser()
    await addMember(workspace.workspace, person)
    secondProvider.says.isDown = true
    const { reader, page } = await open(workspace)
    const back = await type(reader, page, person.email)
    assert.equal(back.status, 503)
    assert.match(readFault(back) ?? '', /does not answer/)
    assert.match(back.text, /type="password"/)
    assert.ok((await reader.signIn(back, person.email)).parameters.code)
  })

  test('a provider that fails during the exchange of the code counts as down', async () => {
    const application = await openApplication()
    const { reader, page } = await open(application)
    const led = await type(reader, page, newEmail())
    assert.ok(led.applicationUrl)
    const back = provider.answer(led.applicationUrl)
    provider.says.isDown = true
    const landed = await reader.go(back.href)
    assert.equal(landed.status, 503)
    assert.match(landed.text, /type="password"/)
  })

  test('a person who cancels there comes back to the page', async () => {
    const application = await openApplication()
    provider.says.error = 'access_denied'
    const email = newEmail()
    const { landed } = await signIn(application, { sub: randomUUID(), email })
    assert.equal(landed.status, 422)
    assert.match(readFault(landed) ?? '', /canceled/)
    assert.ok(landed.text.includes(`value="${email}"`), 'with the address that they typed')
  })

  test('a person who cancels there and at once tries the same address again is signed in', async () => {
    const application = await openApplication()
    const person = { sub: randomUUID(), email: newEmail(), groups: ['staff'] }
    provider.says.error = 'access_denied'
    const { landed, reader } = await signIn(application, person)
    provider.says.error = undefined
    const led = await company.type(reader, landed, person.email)
    const signedIn = await company.comeBack(reader, led.applicationUrl)
    assert.ok(signedIn.parameters.code, signedIn.text)
  })

  describe('roles', () => {
    test('follow the groups at each sign-in, and the membership ends with the last one', async () => {
      const application = await openApplication()
      const person = { sub: randomUUID(), email: newEmail() }
      const rolesAfter = async (groups: string[]) => {
        await signIn(application, { ...person, groups })
        return (await findMemberByEmail(application.workspace, person.email))?.roles
      }
      assert.deepEqual(await rolesAfter(['staff', 'chess club']), ['api'])
      const tokens = await exchangeFor(
        application,
        await signIn(application, { ...person, groups: ['staff'] }),
      )
      const keeper = await newUser()
      await addMember(application.workspace, keeper, ['administrator'])
      assert.deepEqual((await rolesAfter(['staff', 'admins']))?.toSorted(), ['administrator', 'api'])
      assert.deepEqual(await rolesAfter(['admins']), ['administrator'])
      assert.equal(await rolesAfter([]), undefined)
      assert.equal(await pages.query(tokens.access, application.workspace.slug), 403)
      assert.equal((await application.client.refresh(tokens.refresh)).status, 400)
      const { db } = storage
      const entries = await listAudit(db, { workspaceId: application.workspace.id, count: 20 })
      assert.deepEqual(
        entries.map(({ action }) => action),
        ['removeMember', 'setMember', 'setMember', 'setMember'],
      )
    })

    test('come from another claim, and from UserInfo if the ID token has none', async () => {
      const application = await openApplication({ rolesClaim: 'app_roles', roles: { Search: ['user'] } })
      const person = { sub: randomUUID(), email: newEmail() }
      provider.says.userInfo = { sub: person.sub, app_roles: 'Search' }
      await signIn(application, person)
      assert.deepEqual((await findMemberByEmail(application.workspace, person.email))?.roles, ['user'])
    })

    test('of everybody come with *, which no group of that name gives', async () => {
      const open = await openApplication({ roles: { '*': ['api'] } })
      const email = newEmail()
      await signIn(open, { sub: randomUUID(), email, groups: ['*'] })
      assert.deepEqual((await findMemberByEmail(open.workspace, email))?.roles, ['api'])
    })

    test('of members whom an administrator added are not changed', async () => {
      const application = await openApplication()
      const person = await newUser()
      await addMember(application.workspace, person, ['user'])
      const result = await signIn(application, { sub: randomUUID(), email: person.email, groups: [] })
      assert.ok(result.landed.parameters.code)
      const member = await findMemberByEmail(application.workspace, person.email)
      assert.deepEqual([member?.roles, member?.isFromProvider], [['user'], false])
    })

    test('of the last administrator stay, because a workspace always has one', async () => {
      const application = await openApplication()
      const person = { sub: randomUUID(), email: newEmail() }
      await signIn(application, { ...person, groups: ['admins'] })
      await signIn(application, { ...person, groups: ['staff'] })
      assert.deepEqual((await findMemberByEmail(application.workspace, person.email))?.roles, [
        'administrator',
      ])
    })

    test('none give no account, and no code', async () => {
      const application = await openApplication()
      const email = newEmail()
      const { landed } = await signIn(application, { sub: randomUUID(), email, groups: ['chess club'] })
      assert.match(readFault(landed) ?? '', /no role/)
      assert.equal(await findUserByEmail(storage.db, email), undefined)
    })

    test('of an invitation are accepted by signing in', async () => {
      const application = await openApplication({ roles: {} })
      const email = newEmail()
      const inviter = await newUser()
      await storage.write(writer =>
        setMember(writer, {
          workspaceId: application.workspace.id,
          subject: inviter.id,
          kind: 'user',
          roles: ['administrator'],
          filter: undefined,
        }),
      )
      await storage.write(writer =>
        createInvitation(writer, {
          workspaceId: application.workspace.id,
          email,
          roles: ['user'],
          filter: undefined,
          invitedBy: inviter.id,
        }),
      )
      const { landed } = await signIn(application, { sub: randomUUID(), email })
      assert.ok(landed.parameters.code)
      assert.deepEqual((await findMemberByEmail(application.workspace, email))?.roles, ['user'])
    })
  })

  describe('refuses', () => {
    const refusals: [name: string, claims: (email: string) => Record<string, unknown>, pattern: RegExp][] = [
      ['an address that is not verified', email => ({ email, email_verified: false }), /not verified/],
      ['an address of unknown verification', email => ({ email, email_verified: undefined }), /not verified/],
      [
        "Microsoft's verification from elsewhere",
        email => ({ email, email_verified: undefined, xms_edov: true }),
        /not verified/,
      ],
      ['an address of another domain', () => ({ email: newEmail('victim.example') }), /domain/],
      ['an address of a subdomain', () => ({ email: newEmail('sub.corp.example') }), /domain/],
      [
        'a domain behind a second @',
        () => ({ email: `victim@victim.example@corp.example` }),
        /no e-mail address/,
      ],
      ['no address', () => ({ email: undefined }), /no e-mail address/],
    ]
    for (const [name, makeClaims, pattern] of refusals)
      test(name, async () => {
        const application = await openApplication({ roles: { '*': ['api'] } })
        const email = newEmail()
        provider.says.claims = { sub: randomUUID(), email_verified: true, ...makeClaims(email) }
        const { reader, page } = await open(application)
        const led = await type(reader, page, email)
        const landed = await comeBack(reader, led.applicationUrl)
        assert.match(readFault(landed) ?? landed.text, pattern)
        assert.equal(await findUserByEmail(storage.db, String(provider.says.claims.email)), undefined)
      })

    const badTokens: [name: string, says: Partial<TestProvider['says']>][] = [
      ['of another audience', { idToken: { aud: 'another-client' } }],
      ['for another party', { idToken: { aud: ['querent', 'another'], azp: 'another' } }],
      ['with another nonce', { idToken: { nonce: 'another' } }],
      ['without a nonce', { idToken: { nonce: undefined } }],
      ['of another issuer', { idToken: { iss: 'https://another.example' } }],
      ['that has expired', { idToken: { exp: Math.floor(Date.now() / 1000) - 3600 } }],
      ['with a foreign signature', { isForged: true }],
    ]
    for (const [name, says] of badTokens)
      test(`an ID token ${name}`, async () => {
        const application = await openApplication({ roles: { '*': ['api'] } })
        Object.assign(provider.says, says)
        const email = newEmail()
        const { landed } = await signIn(application, { sub: randomUUID(), email })
        assert.match(readFault(landed) ?? '', /not accepted/)
        assert.equal(await findUserByEmail(storage.db, email), undefined)
      })

    test('UserInfo of another subject', async () => {
      const application = await openApplication({ roles: { '*': ['api'] } })
      provider.says.userInfo = { sub: 'another', email: newEmail(), email_verified: true }
      provider.says.claims = { sub: randomUUID() }
      const { reader, page } = await open(application)
      const led = await type(reader, page, newEmail())
      assert.match(readFault(await comeBack(reader, led.applicationUrl)) ?? '', /not accepted/)
    })

    test('an answer that names another issuer (mix-up, RFC 9207)', async () => {
      const application = await openApplication({ roles: { '*': ['api'] } })
      provider.says.iss = secondProvider.issuer
      const { landed } = await signIn(application, { sub: randomUUID(), email: newEmail() })
      assert.match(readFault(landed) ?? '', /not accepted/)
    })

    test("an answer at another workspace's callback (mix-up)", async () => {
      const application = await openApplication({ roles: { '*': ['api'] } })
      const victim = await openApplication({ roles: { '*': ['api'] } })
      provider.says.claims = { sub: randomUUID(), email: newEmail(), email_verified: true }
      const { reader, page } = await open(application)
      const led = await type(reader, page, newEmail())
      assert.ok(led.applicationUrl)
      const back = provider.answer(led.applicationUrl)
      back.pathname = `/provider/${victim.workspace.slug}/callback`
      const landed = await reader.go(back.href)
      assert.equal(landed.status, 400)
    })

    test('a callback in another browser (login CSRF)', async () => {
      const application = await openApplication({ roles: { '*': ['api'] } })
      provider.says.claims = { sub: randomUUID(), email: newEmail(), email_verified: true }
      const attacker = await open(application)
      const led = await type(attacker.reader, attacker.page, newEmail())
      assert.ok(led.applicationUrl)
      const back = provider.answer(led.applicationUrl)
      const victim = await open(application)
      const landed = await victim.reader.go(back.href)
      assert.equal(landed.status, 400)
      const silent = await victim.reader.authorize({ client_id: application.id, prompt: 'none' })
      assert.equal(silent.parameters.error, 'login_required')
    })

    test('a callback without a sign-in, with an unknown state, or with a state that was used', async () => {
      const application = await openApplication({ roles: { '*': ['api'] } })
      const { slug } = application.workspace
      const unsolicited = await pages
        .openReader()
        .go(`/provider/${slug}/callback?code=x&state=y&iss=${provider.issuer}`)
      assert.equal(unsolicited.status, 400)
      provider.says.claims = { sub: randomUUID(), email: newEmail(), email_verified: true }
      const { reader, page } = await open(application)
      const led = await type(reader, page, newEmail())
      assert.ok(led.applicationUrl)
      const cookies = new Map(reader.jar)
      const landed = await reader.go(provider.answer(led.applicationUrl).href)
      assert.ok(landed.parameters.code)
      // The browser has the cookie again, and the provider gives another code.
      for (const [name, cookie] of cookies) reader.jar.set(name, cookie)
      const replayed = await reader.go(provider.answer(led.applicationUrl).href)
      assert.equal(replayed.status, 400)
    })

    test('an answer after the workspace chose another provider', async () => {
      const application = await openApplication({ roles: { '*': ['api'] } })
      provider.says.claims = { sub: randomUUID(), email: newEmail(), email_verified: true }
      const { reader, page } = await open(application)
      const led = await type(reader, page, newEmail())
      await define(application.workspace, { issuer: secondProvider.issuer })
      assert.equal((await comeBack(reader, led.applicationUrl)).status, 400)
    })
  })

  describe('never takes over an account', () => {
    test('a changed address stays the same person, and gives no access to the account of its owner', async () => {
      const application = await openApplication()
      const sub = randomUUID()
      const email = newEmail()
      await signIn(application, { sub, email, groups: ['staff'] })
      const formerUser = await findUserByEmail(storage.db, email)
      const owner = await newUser()
      await addMember(application.workspace, owner, ['administrator'])
      const result = await signIn(application, { sub, email: owner.email, groups: ['staff'] })
      const { claims } = await exchangeFor(application, result)
      assert.equal(claims.sub, formerUser?.id)
      assert.equal((await findUserByEmail(storage.db, owner.email))?.id, owner.id)
    })

    test('a changed address of another domain, or unverified, does not get in', async () => {
      const application = await openApplication()
      const sub = randomUUID()
      await signIn(application, { sub, email: newEmail(), groups: ['staff'] })
      provider.says.claims = {
        sub,
        email: newEmail('victim.example'),
        email_verified: true,
        groups: ['staff'],
      }
      const { reader, page } = await open(application)
      const led = await type(reader, page, newEmail())
      assert.match(readFault(await comeBack(reader, led.applicationUrl)) ?? '', /domain/)
    })

    test('a new person with the address of an earlier one does not become them', async () => {
      const application = await openApplication()
      const email = newEmail()
      await signIn(application, { sub: randomUUID(), email, groups: ['staff'] })
      const { landed } = await signIn(application, { sub: randomUUID(), email, groups: ['staff'] })
      assert.match(readFault(landed) ?? '', /another person/)
    })

    test('ASVS 6.8.1: the same sub at another provider, or in another workspace, is another person', async () => {
      const sub = randomUUID()
      const one = await openApplication()
      const two = await openApplication({ issuer: secondProvider.issuer })
      const emails = [newEmail(), newEmail(), newEmail()]
      await signIn(one, { sub, email: emails[0], groups: ['staff'] })
      await signIn(two, { sub, email: emails[1], groups: ['staff'] }, { from: secondProvider })
      const three = await openApplication()
      await signIn(three, { sub, email: emails[2], groups: ['staff'] })
      const users = await Promise.all(emails.map(email => findUserByEmail(storage.db, email ?? '')))
      assert.equal(new Set(users.map(user => user?.id)).size, 3)
      assert.equal(
        await findIdentity(storage.db, {
          workspaceId: two.workspace.id,
          issuer: provider.issuer,
          subject: sub,
        }),
        undefined,
      )
    })

    test('a workspace that claims the domain of others opens only itself', async () => {
      const victim = await newUser({ operator: true })
      const home = await openApplication({ issuer: secondProvider.issuer })
      await addMember(home.workspace, victim, ['administrator'])
      const evil = await openApplication({ roles: { '*': ['administrator'] } })
      const result = await signIn(evil, { sub: randomUUID(), email: victim.email })
      const tokens = await exchangeFor(evil, result)
      assert.equal(await pages.query(tokens.access, evil.workspace.slug), 200)
      assert.equal(await pages.query(tokens.access, home.workspace.slug), 403)
      // The session opens no application of another workspace, and not the pages of the account.
      const elsewhere = await open(home, result.reader)
      assert.equal(elsewhere.page.applicationUrl, undefined)
      assert.match(elsewhere.page.text, /name="email"/)
      assert.equal(
        (await open(home, result.reader, { prompt: 'none' })).page.parameters.error,
        'login_required',
      )
      assert.equal((await result.reader.go('/factors')).status, 403)
      assert.equal((await result.reader.go('/factors/passkeys/add')).status, 403)
      assert.equal((await result.reader.go('/factors/app')).status, 403)
    })

    test('an invitation to another workspace is not accepted in such a session', async () => {
      const victim = await newUser()
      const home = await pages.newWorkspace()
      const inviter = await newUser()
      await storage.write(writer =>
        setMember(writer, {
          workspaceId: home.id,
          subject: inviter.id,
          kind: 'user',
          roles: ['administrator'],
          filter: undefined,
        }),
      )
      const evil = await openApplication({ roles: { '*': ['administrator'] } })
      const { reader } = await signIn(evil, { sub: randomUUID(), email: victim.email })
      const { token } = await storage.write(writer =>
        createInvitation(writer, {
          workspaceId: home.id,
          email: victim.email,
          roles: ['user'],
          filter: undefined,
          invitedBy: inviter.id,
        }),
      )
      const page = await reader.go(`/invitation/${token}`)
      assert.match(page.text, /type="password"/)
      await reader.send(page, { action: 'join' })
      assert.equal(await findMember(storage.db, home.id, victim.id), undefined)
    })

    test('a disabled user does not get in', async () => {
      const application = await openApplication({ roles: { '*': ['api'] } })
      const person = { sub: randomUUID(), email: newEmail() }
      await signIn(application, person)
      const user = await findUserByEmail(storage.db, person.email)
      await storage.write(writer => setUserDisabled(writer, user?.id ?? '', true))
      const { landed } = await signIn(application, person)
      assert.match(readFault(landed) ?? '', /disabled/)
    })
  })

  describe('second factors', () => {
    const levels: [claims: Record<string, unknown>, acr: string, amr: string[]][] = [
      [{ amr: ['pwd', 'mfa'] }, twoFactorLevel, ['fed', 'pwd', 'mfa']],
      [{ amr: ['pwd', 'otp'] }, twoFactorLevel, ['fed', 'pwd', 'otp', 'mfa']],
      [{ acr: 'phr' }, twoFactorLevel, ['fed', 'mfa']],
      [{ amr: ['pwd', 'pin'] }, passwordLevel, ['fed', 'pwd', 'pin']],
      [{ amr: ['pwd', 'made-up'], acr: '1' }, passwordLevel, ['fed', 'pwd']],
      [{ amr: 'mfa' }, twoFactorLevel, ['fed', 'mfa']],
    ]
    for (const [says, acr, amr] of levels)
      test(`${JSON.stringify(says)} is ${acr}`, async () => {
        const application = await openApplication({ roles: { '*': ['api'] } })
        const result = await signIn(application, { sub: randomUUID(), email: newEmail(), ...says })
        const { claims } = await exchangeFor(application, result)
        assert.deepEqual([claims.acr, claims.amr], [acr, amr])
      })

    test('of the provider satisfy a workspace that requires one; without, the page says where to set one up', async () => {
      const application = await openApplication({ roles: { '*': ['api'] } }, { requireSecondFactor: true })
      const person = { sub: randomUUID(), email: newEmail() }
      const strong = await signIn(application, { ...person, amr: ['mfa'] })
      const { access } = await exchangeFor(application, strong)
      assert.equal(await pages.query(access, application.workspace.slug), 200)
      const weak = await signIn(application, { ...person, amr: ['pwd'] })
      assert.equal(weak.landed.status, 403)
      assert.match(weak.landed.text, /two-step verification/)
      assert.doesNotMatch(weak.landed.text, /\/factors\//)
    })

    test('of the person raise the session, which still opens its workspace only', async () => {
      const application = await openApplication({ roles: { '*': ['api'] } }, { requireSecondFactor: true })
      const person = await newUser()
      const code = await pages.giveApp(person)
      const { reader, landed } = await signIn(application, { sub: randomUUID(), email: person.email })
      assert.match(landed.text, /name="code"/)
      const done = await reader.send(landed, { action: 'verify', code: code() })
      assert.ok(done.parameters.code, done.text)
      assert.equal((await reader.go('/factors')).status, 403)
    })
  })

  test("the server's own clients let the person choose, and get tokens for that workspace only", async () => {
    await ensureOwnClients(storage)
    const domain = `d${randomUUID().slice(0, 8)}.example`
    const application = await openApplication({
      domains: [domain],
      roles: { '*': ['administrator'] },
      name: 'Corp',
    })
    const victim = await newUser({ email: newEmail(domain), operator: true })
    const elsewhere = await pages.newWorkspace()
    await addMember(elsewhere, victim, ['administrator'])
    const reader = pages.openReader()
    const { verifier, challenge } = newPkce()
    const page = await reader.authorize({
      client_id: 'console',
      redirect_uri: `${authUrl}/console/callback`,
      code_challenge: challenge,
      scope: 'openid',
      resource: `${authUrl}/manage/`,
    })
    const unknown = await reader.send(page, { action: 'organization', email: 'a@unknown.example' })
    assert.equal(unknown.status, 422)
    const choice = await reader.send(page, { action: 'organization', email: victim.email })
    assert.match(choice.text, /Corp/)
    assert.match(choice.text, new RegExp(new URL(provider.issuer).host))
    provider.says.claims = { sub: randomUUID(), email: victim.email, email_verified: true }
    const led = await reader.send(choice, {
      action: 'provider',
      email: victim.email,
      workspace: application.workspace.slug,
    })
    assert.ok(led.applicationUrl, led.text)
    const callback = provider.answer(led.applicationUrl)
    const landed = await reader.go(callback.pathname + callback.search)
    const code = landed.url.searchParams.get('code')
    const reply = await openTestClient(pages, {
      id: 'console',
      redirectUri: `${authUrl}/console/callback`,
    }).exchange(code ?? '', verifier)
    assert.equal(reply.status, 200, landed.text)
    const { workspace_id } = decodeJwt(String(reply.json.access_token))
    assert.equal(workspace_id, application.workspace.id)
    const principal = await pages.identify(String(reply.json.access_token), `${authUrl}/manage/v1/me`)
    assert.equal(principal.operator, false)
  })

  describe('sessions', () => {
    test('and refresh tokens end with the provider’s word, and when the workspace drops the provider', async t => {
      const application = await openApplication({ roles: { '*': ['api'] } })
      const result = await signIn(application, { sub: randomUUID(), email: newEmail() })
      const { refresh } = await exchangeFor(application, result)
      const renewed = await application.client.refresh(refresh)
      assert.equal(renewed.status, 200)
      t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 13 * 60 * 60 * 1000 })
      assert.equal((await application.client.refresh(renewed.json.refresh_token)).status, 400)
      const silent = await open(application, result.reader, { prompt: 'none' })
      assert.equal(silent.page.parameters.error, 'login_required')
      t.mock.timers.reset()
      const fresh = await signIn(application, { ...provider.says.claims })
      const tokens = await exchangeFor(application, fresh)
      await define(application.workspace, null)
      assert.equal((await application.client.refresh(tokens.refresh)).status, 400)
    })

    test('prompt=login and max_age are passed on, and an old sign-in there does not count', async () => {
      const application = await openApplication({ roles: { '*': ['api'] } })
      const person = { sub: randomUUID(), email: newEmail(), auth_time: Math.floor(Date.now() / 1000) }
      const { led, landed } = await signIn(application, person, {
        parameters: { prompt: 'login', max_age: '60' },
      })
      assert.equal(led.applicationUrl?.searchParams.get('prompt'), 'login')
      assert.equal(led.applicationUrl?.searchParams.get('max_age'), '60')
      assert.ok(landed.parameters.code)
      const old = await signIn(
        application,
        { ...person, auth_time: person.auth_time - 3600 },
        { parameters: { max_age: '60' } },
      )
      assert.match(readFault(old.landed) ?? '', /not accepted/)
    })

    const send = (application: CompanyApplication, token: string) =>
      pages.form(`/provider/${application.workspace.slug}/backchannel-logout`, `logout_token=${token}`)
    const event = 'http://schemas.openid.net/event/backchannel-logout'
    const right = () => ({ aud: 'querent', events: { [event]: {} }, jti: randomUUID() })

    test('end at once by back-channel logout, of the session or of the person, on every node', async () => {
      const application = await openApplication({ roles: { '*': ['api'] } })
      const sub = randomUUID()
      const email = newEmail()
      const one = await exchangeFor(application, await signIn(application, { sub, email, sid: 'session-1' }))
      const two = await exchangeFor(application, await signIn(application, { sub, email, sid: 'session%2' }))
      const reply = await send(application, await provider.sign({ ...right(), sid: 'session-1' }))
      assert.deepEqual([reply.status, reply.headers.get('cache-control')], [200, 'no-store'])
      assert.equal(await pages.query(one.access, application.workspace.slug), 401)
      assert.equal((await application.client.refresh(one.refresh)).status, 400)
      assert.equal(await pages.query(two.access, application.workspace.slug), 200)
      // A pattern names no session.
      await send(application, await provider.sign({ ...right(), sid: 'session_2' }))
      assert.equal(await pages.query(two.access, application.workspace.slug), 200)
      const personReply = await send(
        application,
        await provider.sign({ ...right(), sub }, { typ: 'logout+jwt' }),
      )
      assert.equal(personReply.status, 200)
      assert.equal(await pages.query(two.access, application.workspace.slug), 401)
    })

    test('that began otherwise, or in another workspace, do not end by back-channel logout', async () => {
      const application = await openApplication({ roles: { '*': ['api'] } })
      const second = await openApplication({ roles: { '*': ['api'] } })
      const person = await newUser()
      await addMember(application.workspace, person)
      const sub = randomUUID()
      await signIn(application, { sub, email: person.email })
      const elsewhere = await exchangeFor(second, await signIn(second, { sub, email: person.email }))
      const { reader, page } = await open(application)
      const byPassword = await reader.signIn(
        await reader.go(`${page.url.pathname}?with=password`),
        person.email,
      )
      assert.ok(byPassword.parameters.code)
      await send(application, await provider.sign({ ...right(), sub }))
      assert.equal(await pages.query(elsewhere.access, second.workspace.slug), 200)
      assert.equal((await listUserSessions(storage.db, person.id)).length, 2)
    })

    const badLogouts: [name: string, claims: Record<string, unknown>, header?: Record<string, unknown>][] = [
      ['of another audience', { aud: 'another' }],
      ['of another issuer', { iss: 'https://another.example' }],
      ['without events', { events: undefined }],
      ['with another event', { events: { 'https://example.org/event': {} } }],
      ['with an event that is no object', { events: { [event]: true } }],
      ['with a nonce', { nonce: 'n' }],
      ['without a jti', { jti: undefined }],
      ['that names nobody', { sub: undefined }],
      ['that is old', { iat: Math.floor(Date.now() / 1000) - 3600 }],
      ['of the future', { iat: Math.floor(Date.now() / 1000) + 3600 }],
      ['that has expired', { exp: Math.floor(Date.now() / 1000) - 3600 }],
      ['of another type', {}, { typ: 'at+jwt' }],
    ]
    for (const [name, claims, header] of badLogouts)
      test(`do not end by a logout token ${name}`, async () => {
        const application = await openApplication({ roles: { '*': ['api'] } })
        const sub = randomUUID()
        const { access } = await exchangeFor(
          application,
          await signIn(application, { sub, email: newEmail() }),
        )
        const reply = await send(application, await provider.sign({ ...right(), sub, ...claims }, header))
        assert.deepEqual([reply.status, reply.json.error], [400, 'invalid_request'])
        assert.equal(await pages.query(access, application.workspace.slug), 200)
      })

    test('do not end by a logout token with a foreign signature, none, or a second time', async () => {
      const application = await openApplication({ roles: { '*': ['api'] } })
      const sub = randomUUID()
      const email = newEmail()
      const first = await exchangeFor(application, await signIn(application, { sub, email }))
      provider.says.isForged = true
      assert.equal((await send(application, await provider.sign({ ...right(), sub }))).status, 400)
      provider.says.isForged = false
      const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${(await provider.sign({ ...right(), sub })).split('.')[1]}.`
      assert.equal((await send(application, unsigned)).status, 400)
      assert.equal((await send(application, 'no-jwt')).status, 400)
      assert.equal(await pages.query(first.access, application.workspace.slug), 200)
      const token = await provider.sign({ ...right(), sub })
      const replies = await Promise.all([send(application, token), send(application, token)])
      assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 400])
      const second = await exchangeFor(application, await signIn(application, { sub, email }))
      assert.equal((await send(application, token)).status, 400)
      assert.equal(await pages.query(second.access, application.workspace.slug), 200)
    })
  })

  test('a client secret under an earlier encryption key: the sign-in is refused, and no request goes out as a public client', async () => {
    const application = await openApplication({ roles: { '*': ['api'] } })
    const otherKey = createProviderSecrets({ derive: () => randomBytes(32) })
    const receiver = { issuer: provider.issuer, clientId: 'querent' }
    const encrypted = await otherKey.encrypt(application.workspace.id, receiver, 'lost')
    await storage.write(writer => saveProviderSecret(writer, application.workspace.id, encrypted))
    const requestsBefore = provider.requests.filter(({ path }) => path === '/token').length
    const { reader, page } = await open(application)
    const refusal = await type(reader, page, newEmail())
    assert.equal(refusal.status, 503)
    assert.equal(refusal.applicationUrl, undefined)
    assert.equal(provider.requests.filter(({ path }) => path === '/token').length, requestsBefore)
  })

  test('the client secret goes to its issuer only, and is in no log', async () => {
    const application = await openApplication({ roles: { '*': ['api'] } })
    const secrets = createProviderSecrets(pages.keyring)
    const secret = 'a secret of the provider'
    const encrypted = await secrets.encrypt(
      application.workspace.id,
      { issuer: provider.issuer, clientId: 'querent' },
      secret,
    )
    assert.doesNotMatch(encrypted, new RegExp(secret))
    await storage.write(writer => saveProviderSecret(writer, application.workspace.id, encrypted))
    await signIn(application, { sub: randomUUID(), email: newEmail() })
    const tokenRequest = provider.requests.findLast(({ path }) => path === '/token')
    const basic = Buffer.from(tokenRequest?.authorization.slice('Basic '.length) ?? '', 'base64').toString()
    assert.equal(decodeURIComponent(basic.replaceAll('+', ' ')), `querent:${secret}`)
    // An administrator names another issuer, to see the secret there.
    await define(application.workspace, { issuer: secondProvider.issuer, roles: { '*': ['api'] } })
    await signIn(application, { sub: randomUUID(), email: newEmail() }, { from: secondProvider })
    const requestTexts = JSON.stringify(
      secondProvider.requests.map(({ authorization, body }) => [authorization, String(body)]),
    )
    assert.doesNotMatch(requestTexts, /Basic|client_secret/)
    assert.doesNotMatch(
      JSON.stringify(pages.logged, (_, value) => (value instanceof Error ? String(value) : value)),
      new RegExp(secret),
    )
  })
})
