/** Signing in with a code after the password, and attacks on it. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, type TestContext, test } from 'node:test'
import { twoFactorLevel } from '@querent/contract/authentication-levels'
import { decodeJwt } from 'jose'
import { createRecordEncryption } from '#keys/record-encryption'
import { openTestClient } from '#oauth/test-application'
import { newPkce } from '#oauth/test-sign-in'
import { createInvitation } from '#storage/invitations'
import { findMember } from '#storage/members'
import { createOneTimeLink } from '#storage/one-time-links'
import { countRecoveryCodes } from '#storage/second-factors'
import { listUserSessions } from '#storage/sessions'
import { setPassword } from '#storage/users'
import { saveDefinition } from '#storage/workspaces'
import { goodPassword, type Pages, type ShownPage, startPages } from './test-pages.ts'

let pages: Pages
let ownApplication: string
before(async () => {
  pages = await startPages({ signInThrottle: 5 })
  ownApplication = await pages.application('Own', { own: true })
})
after(() => pages.close())

/** Fixes the time in the middle of a time step, so that codes of neighboring steps stay good. */
const fixTime = (t: TestContext) =>
  t.mock.timers.enable({ apis: ['Date'], now: Math.floor(Date.now() / 30_000) * 30_000 + 15_000 })

type Reader = ReturnType<Pages['openReader']>
const asksForCode = ({ text }: ShownPage) => text.includes('name="code"')
const toCode = async (reader: Reader, email: string, more: Record<string, string> = {}) => {
  const page = await reader.signIn(await reader.authorize({ client_id: ownApplication, ...more }), email)
  assert.ok(asksForCode(page), page.text)
  return page
}
const sendCode = (reader: Reader, page: ShownPage, code: string) =>
  reader.send(page, { action: 'verify', code })

test('the password alone does not sign in a person with an authenticator app; a code does, and tokens say so', async () => {
  const person = await pages.newPerson()
  const code = await pages.giveApp(person)
  const reader = pages.openReader()
  const { verifier, challenge } = newPkce()
  const request = { code_challenge: challenge, resource: pages.baseUrl }
  const page = await toCode(reader, person.email, request)
  assert.deepEqual(await listUserSessions(pages.storage.db, person.id), [])
  assert.ok((await reader.authorize({ client_id: ownApplication })).text.includes('name="password"'))
  const landed = await sendCode(reader, page, code())
  assert.ok(landed.applicationUrl)
  const client = openTestClient(pages, { id: ownApplication, redirectUri: pages.redirectUri })
  const { json } = await client.exchange(landed.parameters.code, verifier)
  const identity = decodeJwt(String(json.id_token))
  assert.deepEqual([identity.amr, identity.acr], [['pwd', 'otp', 'mfa'], twoFactorLevel])
  const claims = decodeJwt(String(json.access_token))
  assert.deepEqual(
    [claims.amr, claims.acr, typeof claims.auth_time],
    [['pwd', 'otp', 'mfa'], twoFactorLevel, 'number'],
  )
})

test('code replay: a code works once, also in two browsers at the same moment', async t => {
  fixTime(t)
  const person = await pages.newPerson()
  const code = await pages.giveApp(person)
  const readers = [pages.openReader(), pages.openReader(), pages.openReader()]
  const openPages = await Promise.all(
    readers.map(async reader => ({ reader, page: await toCode(reader, person.email) })),
  )
  const landed = await Promise.all(openPages.map(({ reader, page }) => sendCode(reader, page, code())))
  assert.equal(landed.filter(({ applicationUrl }) => applicationUrl).length, 1)
  const [late] = [pages.openReader()]
  const page = await toCode(late, person.email)
  assert.equal((await sendCode(late, page, code())).status, 422)
  assert.equal((await sendCode(late, page, code(-1))).status, 422, 'an earlier one')
  assert.ok((await sendCode(late, page, code(1))).applicationUrl)
})

test('an app under an earlier encryption key: the page says so, counts no wrong code, and a recovery code works', async () => {
  const person = await pages.newPerson()
  const code = await pages.giveApp(person)
  const recoveryCodes = await pages.giveRecoveryCodes(person)
  const otherKey = createRecordEncryption({ derive: () => randomBytes(32) }, 'authenticator apps')
  await pages.storage.db
    .updateTable('authenticator_apps')
    .set({ encrypted_secret: await otherKey.encrypt(person.id, { secret: 'JBSWY3DPEHPK3PXP' }) })
    .where('user_id', '=', person.id)
    .execute()
  const reader = pages.openReader()
  let page = await toCode(reader, person.email)
  for (let tries = 0; tries < 7; tries++) {
    page = await sendCode(reader, page, code())
    assert.equal(page.status, 422)
  }
  assert.ok((await sendCode(reader, page, recoveryCodes[0] ?? '')).applicationUrl)
})

test('brute force: after too many wrong codes no code is looked at, but the owner gets in on their own device or by a recovery code', async t => {
  fixTime(t)
  const person = await pages.newPerson()
  const code = await pages.giveApp(person)
  const recoveryCodes = await pages.giveRecoveryCodes(person)
  const owner = pages.openReader()
  assert.ok((await sendCode(owner, await toCode(owner, person.email), code(-1))).applicationUrl)
  const attacker = pages.openReader()
  const page = await toCode(attacker, person.email)
  for (let tries = 0; tries < 5; tries++)
    assert.equal((await sendCode(attacker, page, `00000${tries}`)).status, 422)
  assert.equal((await sendCode(attacker, page, code())).status, 429)
  owner.browser.jar.delete('querent_session /')
  assert.ok((await sendCode(owner, await toCode(owner, person.email), code())).applicationUrl)
  const elsewhere = pages.openReader()
  const otherPage = await toCode(elsewhere, person.email)
  assert.equal((await sendCode(elsewhere, otherPage, code(1))).status, 429)
  assert.ok((await sendCode(elsewhere, otherPage, recoveryCodes[0] ?? '')).applicationUrl)
})

test('brute force: waiting a minute at a time gives no more than three minutes of tries in an hour', async t => {
  const now = Date.now()
  t.mock.timers.enable({ apis: ['Date'], now })
  const person = await pages.newPerson()
  const code = await pages.giveApp(person)
  const statuses: number[] = []
  for (let minute = 0; minute < 5; minute++) {
    t.mock.timers.setTime(now + minute * 61_000)
    const attacker = pages.openReader()
    pages.from.address = `203.0.113.${minute}`
    const page = await toCode(attacker, person.email)
    for (let tries = 0; tries < 5; tries++)
      statuses.push((await sendCode(attacker, page, `00000${tries}`)).status)
  }
  assert.equal(statuses.filter(status => status === 422).length, 15)
  t.mock.timers.setTime(now + 70 * 60_000)
  const reader = pages.openReader()
  assert.ok((await sendCode(reader, await toCode(reader, person.email), code())).applicationUrl)
})

test('a device becomes known only after the second factor, so it gets no extra attempts', async t => {
  fixTime(t)
  const person = await pages.newPerson()
  const code = await pages.giveApp(person)
  const attacker = pages.openReader()
  const page = await toCode(attacker, person.email)
  for (let tries = 0; tries < 5; tries++) await sendCode(attacker, page, `00000${tries}`)
  const nextPage = await toCode(attacker, person.email)
  assert.equal((await sendCode(attacker, nextPage, code())).status, 429)
})

test('recovery code reuse: each works once, however it is typed', async () => {
  const person = await pages.newPerson()
  await pages.giveApp(person)
  const [first = '', second = ''] = await pages.giveRecoveryCodes(person)
  const reader = pages.openReader()
  const landed = await sendCode(
    reader,
    await toCode(reader, person.email),
    ` ${first.toUpperCase().replace('-', ' ')}`,
  )
  assert.ok(landed.applicationUrl)
  assert.equal(await countRecoveryCodes(pages.storage.db, person.id), 9)
  const readers = [pages.openReader(), pages.openReader()]
  const tries = await Promise.all(
    readers.map(async other => sendCode(other, await toCode(other, person.email), second)),
  )
  assert.equal(tries.filter(({ applicationUrl }) => applicationUrl).length, 1)
  const third = pages.openReader()
  assert.equal((await sendCode(third, await toCode(third, person.email), first)).status, 422)
})

test('the second factor must belong to the person whose password was right', async t => {
  fixTime(t)
  const [person, other] = [await pages.newPerson(), await pages.newPerson()]
  await pages.giveApp(person)
  const codeOfOther = await pages.giveApp(other)
  const [recoveryCode = ''] = await pages.giveRecoveryCodes(other)
  const reader = pages.openReader()
  const page = await toCode(reader, person.email)
  assert.equal((await sendCode(reader, page, codeOfOther())).status, 422)
  assert.equal((await sendCode(reader, page, recoveryCode)).status, 422)
})

test('a code without the password signs nobody in, also with the cookie of another page, person or password', async t => {
  fixTime(t)
  const person = await pages.newPerson()
  const code = await pages.giveApp(person)
  const stranger = pages.openReader()
  const login = await stranger.authorize({ client_id: ownApplication })
  assert.equal((await sendCode(stranger, login, code())).applicationUrl, undefined)
  const reader = pages.openReader()
  await toCode(reader, person.email)
  const cookieKey = 'querent_pending_sign_in /'
  const pending = reader.browser.jar.get(cookieKey)
  assert.ok(pending)
  const nextLogin = await reader.authorize({ client_id: ownApplication })
  assert.equal(asksForCode(nextLogin), false, 'another page')
  assert.equal((await sendCode(reader, nextLogin, code())).applicationUrl, undefined)
  const otherPerson = await pages.newPerson()
  const page = await toCode(reader, person.email)
  const ownCookie = reader.browser.jar.get(cookieKey)?.value ?? ''
  const forged = ownCookie.replace(person.id, otherPerson.id)
  reader.browser.jar.set(cookieKey, { value: forged, path: '/' })
  assert.equal(asksForCode(await reader.go(page.url.pathname)), false, 'another person')
  reader.browser.jar.set(cookieKey, { value: ownCookie, path: '/' })
  assert.ok(asksForCode(await reader.go(page.url.pathname)))
  await pages.storage.write(writer => setPassword(writer, person.id, 'another hash'))
  assert.equal(asksForCode(await reader.go(page.url.pathname)), false, 'another password')
})

test('a right password waits ten minutes for the code', async t => {
  const now = Date.now()
  t.mock.timers.enable({ apis: ['Date'], now })
  const person = await pages.newPerson()
  const code = await pages.giveApp(person)
  const reader = pages.openReader()
  const page = await toCode(reader, person.email)
  t.mock.timers.setTime(now + 10 * 60_000 + 1)
  const late = await sendCode(reader, page, code())
  assert.deepEqual([late.applicationUrl, asksForCode(late)], [undefined, false])
})

test('an invitation is accepted with the second factor only', async t => {
  fixTime(t)
  const person = await pages.newPerson({ isMember: false })
  const code = await pages.giveApp(person)
  const inviter = await pages.newInviter()
  const { token } = await pages.storage.write(writer =>
    createInvitation(writer, {
      workspaceId: pages.workspace.id,
      email: person.email,
      roles: ['api'],
      invitedBy: inviter.id,
    }),
  )
  const reader = pages.openReader()
  const page = await reader.send(await reader.go(`/invitation/${token}`), {
    action: 'sign-in',
    password: goodPassword,
  })
  assert.ok(asksForCode(page))
  const findMembership = () => findMember(pages.storage.db, pages.workspace.id, person.id)
  assert.equal((await sendCode(reader, page, '000000')).status, 422)
  await reader.send(page, { action: 'join' })
  assert.equal(await findMembership(), undefined)
  assert.match((await sendCode(reader, page, code())).url.pathname, /\/joined$/)
  assert.ok(await findMembership())
})

test('step-up: an application that asks for two factors gets them, with the time of the sign-in', async t => {
  fixTime(t)
  const person = await pages.newPerson()
  const reader = pages.openReader()
  await reader.signIn(await reader.authorize({ client_id: ownApplication }), person.email)
  const weak = await reader.authorize({ client_id: ownApplication, prompt: 'none' })
  assert.ok(weak.parameters.code, 'signed in by password')
  const demand = { client_id: ownApplication, acr_values: twoFactorLevel }
  const withoutFactor = await reader.authorize({ ...demand, prompt: 'none' })
  assert.equal(withoutFactor.parameters.error, 'interaction_required')
  const code = await pages.giveApp(person)
  assert.equal((await reader.authorize({ ...demand, prompt: 'none' })).parameters.error, 'login_required')
  const eitherLevel = { client_id: ownApplication, acr_values: `${twoFactorLevel} urn:querent:acr:password` }
  assert.ok((await reader.authorize({ ...eitherLevel, prompt: 'none' })).parameters.code)
  const essential = JSON.stringify({ id_token: { acr: { essential: true, value: twoFactorLevel } } })
  for (const request of [demand, { client_id: ownApplication, claims: essential }])
    assert.ok(asksForCode(await reader.authorize(request)))
  const page = await reader.authorize(demand)
  assert.ok(!page.text.includes('name="password"'))
  const { verifier, challenge } = newPkce()
  const landed = await sendCode(
    reader,
    await reader.authorize({ ...demand, code_challenge: challenge }),
    code(),
  )
  const client = openTestClient(pages, { id: ownApplication, redirectUri: pages.redirectUri })
  const { json } = await client.exchange(landed.parameters.code, verifier)
  assert.equal(decodeJwt(String(json.id_token)).acr, twoFactorLevel)
  assert.ok((await reader.authorize({ ...demand, prompt: 'none' })).parameters.code)
})

test('max_age asks for both factors again', async t => {
  const now = Math.floor(Date.now() / 30_000) * 30_000 + 15_000
  t.mock.timers.enable({ apis: ['Date'], now })
  const person = await pages.newPerson()
  const code = await pages.giveApp(person)
  const reader = pages.openReader()
  await sendCode(reader, await toCode(reader, person.email), code())
  t.mock.timers.setTime(now + 120_000)
  const repeated = await reader.authorize({ client_id: ownApplication, max_age: '60' })
  assert.ok(repeated.text.includes('name="password"'))
  const page = await reader.signIn(repeated, person.email)
  assert.ok(asksForCode(page))
  assert.ok((await sendCode(reader, page, code())).applicationUrl)
})

test('a session is not raised by a cookie of another session: who steps up in one browser stays weak in the other', async t => {
  fixTime(t)
  const person = await pages.newPerson()
  const [thief, owner] = [pages.openReader(), pages.openReader()]
  for (const reader of [thief, owner])
    await reader.signIn(await reader.authorize({ client_id: ownApplication }), person.email)
  const code = await pages.giveApp(person)
  const demand = { client_id: ownApplication, acr_values: twoFactorLevel }
  const stolen = await thief.authorize(demand)
  const page = await owner.authorize(demand)
  assert.ok((await sendCode(owner, page, code())).applicationUrl)
  assert.equal((await thief.authorize({ ...demand, prompt: 'none' })).parameters.error, 'login_required')
  // The thief's page, with the owner's session instead of the thief's.
  const mixed = pages.openReader()
  for (const [key, cookie] of thief.browser.jar) mixed.browser.jar.set(key, cookie)
  for (const key of ['querent_session /', 'querent_session.sig /']) {
    const cookie = owner.browser.jar.get(key)
    if (cookie) mixed.browser.jar.set(key, cookie)
  }
  const landed = await mixed.go(stolen.url.pathname)
  assert.equal(landed.applicationUrl, undefined)
  assert.equal((await sendCode(mixed, stolen, code(1))).applicationUrl, undefined)
})

test('members of a workspace that requires a second factor confirm with it, though they are signed in', async t => {
  fixTime(t)
  const person = await pages.newPerson()
  const reader = pages.openReader()
  await reader.signIn(await reader.authorize({ client_id: ownApplication }), person.email)
  const code = await pages.giveApp(person)
  const { slug: workspace, id } = pages.workspace
  const require = (requireSecondFactor: boolean) =>
    pages.storage.write(writer =>
      saveDefinition(writer, id, { workspace, settings: { requireSecondFactor } }),
    )
  await require(true)
  t.after(() => require(false))
  const page = await reader.authorize({ client_id: ownApplication })
  assert.ok(asksForCode(page))
  assert.ok((await sendCode(reader, page, code())).applicationUrl)
  const otherPerson = await pages.newPerson()
  const withoutFactor = pages.openReader()
  const setUp = await withoutFactor.signIn(
    await withoutFactor.authorize({ client_id: ownApplication }),
    otherPerson.email,
  )
  assert.equal(setUp.applicationUrl, undefined)
  assert.match(setUp.text, /\/factors\/app/)
})

test('ASVS 6.4.3: a new password by a mailed link signs nobody in without the second factor, and leaves it in place', async () => {
  const person = await pages.newPerson()
  const app = await pages.giveApp(person)
  const { token } = await pages.storage.write(writer =>
    createOneTimeLink(writer, { purpose: 'password', userId: person.id, ttlMs: 60_000 }),
  )
  const reader = pages.openReader()
  const password = 'seven purple walruses hum'
  await reader.send(await reader.go(`/password/reset/${token}`), { action: 'save', password })
  assert.equal((await reader.authorize({ prompt: 'none' })).parameters.error, 'login_required')
  const code = await reader.signIn(await reader.authorize(), person.email, password)
  assert.match(code.text, /name="code"/)
  assert.match((await reader.send(code, { code: app() })).text, /name="action" value="allow"/)
})
