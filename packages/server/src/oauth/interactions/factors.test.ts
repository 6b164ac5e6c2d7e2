/** The pages where people manage an authenticator app and recovery codes, and attacks on them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { listAuditAbout } from '#storage/audit'
import { findSecondFactors, hasSecondFactor } from '#storage/second-factors'
import { saveDefinition } from '#storage/workspaces'
import { makeCode, type Pages, type ShownPage, startPages } from './test-pages.ts'

let pages: Pages
let ownApplication: string
before(async () => {
  pages = await startPages()
  ownApplication = await pages.application('Own', { own: true })
})
after(() => pages.close())

type Reader = ReturnType<Pages['openReader']>
const readSecret = ({ text }: ShownPage): string =>
  (/<code class="secret">([^<]*)/.exec(text)?.[1] ?? '').replaceAll(' ', '')
const readCodes = ({ text }: ShownPage): string[] =>
  [...text.matchAll(/<li><code>([^<]*)<\/code>/g)].map(([, code = '']) => code)
/** Signs in where a page of factors asks for it. */
const openFactors = async (reader: Reader, email: string, path = '/factors/app') =>
  reader.signIn(await reader.go(path), email)
const setUp = async (reader: Reader, email: string) => {
  const page = await openFactors(reader, email)
  const secret = readSecret(page)
  const codesPage = await reader.send(page, { action: 'confirm', code: makeCode(secret) })
  return { secret, codes: readCodes(codesPage), codesPage }
}
const summarize = async (userId: string) => {
  const { app, passkeys, recoveryCodes } = await findSecondFactors(pages.storage.db, userId)
  return [app !== undefined, passkeys.length, recoveryCodes]
}
const auditedActions = async (email: string) =>
  (await listAuditAbout(pages.storage.db, { userId: '', email }, 100)).map(({ action }) => action)

test('a person sets an app up with a first code, gets ten recovery codes once and a mail, and stays signed in with two factors', async () => {
  const { id, email } = await pages.newPerson()
  const reader = pages.openReader()
  const page = await openFactors(reader, email)
  assert.match(page.text, /data:image\/svg\+xml;base64,/)
  assert.match(readSecret(page), /^[A-Z2-7]{32}$/)
  // A phone cannot scan its own screen.
  assert.match(
    page.text,
    new RegExp(`<a class="button second" href="otpauth://totp/[^"]*secret(?:=|&#61;)${readSecret(page)}`),
  )
  assert.match(page.text, /data-copy="\.secret"/)
  const wrong = await reader.send(page, { action: 'confirm', code: '000000' })
  assert.equal(wrong.status, 422)
  assert.equal(readSecret(wrong), readSecret(page), 'the QR code that was scanned stays good')
  assert.deepEqual(await summarize(id), [false, 0, 0])
  const codesPage = await reader.send(page, { action: 'confirm', code: makeCode(readSecret(page)) })
  assert.equal(new Set(readCodes(codesPage)).size, 10)
  assert.deepEqual(await summarize(id), [true, 0, 10])
  const rows = await pages.storage.db.selectFrom('authenticator_apps').selectAll().execute()
  assert.ok(!JSON.stringify(rows).includes(readSecret(page)), 'the secret is stored encrypted')
  const overview = await reader.send(codesPage, { action: 'saved' })
  assert.equal(overview.url.pathname, '/factors')
  assert.deepEqual(readCodes(await reader.go('/factors/recovery-codes')), [])
  await pages.noticesSettled()
  const letter = pages.letters.findLast(({ to }) => to === email)
  assert.match(letter?.text ?? '', /authenticator app was added/)
  assert.deepEqual(await auditedActions(email), ['setUpAuthenticatorApp'])
  const demand = { client_id: ownApplication, acr_values: 'urn:querent:acr:mfa', prompt: 'none' }
  assert.ok((await reader.authorize(demand)).parameters.code)
})

test('replacing an app needs the old one, and ends it; recovery codes stay', async () => {
  const { id, email } = await pages.newPerson()
  const firstSetup = await setUp(pages.openReader(), email)
  const reader = pages.openReader()
  const confirm = await openFactors(reader, email)
  assert.ok(confirm.text.includes('name="code"') && !confirm.text.includes('class="secret"'))
  const page = await reader.send(confirm, { action: 'verify', code: makeCode(firstSetup.secret, 1) })
  const secret = readSecret(page)
  assert.notEqual(secret, firstSetup.secret)
  await reader.send(page, { action: 'confirm', code: makeCode(secret) })
  assert.deepEqual(await summarize(id), [true, 0, 10])
  const laterReader = pages.openReader()
  const step = await openFactors(laterReader, email)
  assert.equal(
    (await laterReader.send(step, { action: 'verify', code: makeCode(firstSetup.secret, 1) })).status,
    422,
  )
})

test('removing an app ends its recovery codes; the password alone signs in again', async () => {
  const { id, email } = await pages.newPerson()
  const reader = pages.openReader()
  await setUp(reader, email)
  const page = await reader.go('/factors/app/remove')
  await reader.send(page, { action: 'remove' })
  assert.deepEqual(await summarize(id), [false, 0, 0])
  assert.deepEqual(await auditedActions(email), ['removeAuthenticatorApp', 'setUpAuthenticatorApp'])
  await pages.noticesSettled()
  assert.ok(pages.letters.some(({ to, text }) => to === email && /app was removed/.test(text)))
  const laterReader = pages.openReader()
  const landed = await laterReader.signIn(await laterReader.authorize({ client_id: ownApplication }), email)
  assert.ok(landed.applicationUrl)
})

test('new recovery codes end the old ones', async () => {
  const { id, email } = await pages.newPerson()
  const reader = pages.openReader()
  const { codes } = await setUp(reader, email)
  await reader.send(await reader.go('/factors/recovery-codes'), { action: 'saved' })
  const newCodesPage = await reader.send(await reader.go('/factors/recovery-codes'), { action: 'create' })
  assert.equal(readCodes(newCodesPage).length, 10)
  assert.ok(readCodes(newCodesPage).every(code => !codes.includes(code)))
  assert.deepEqual(await summarize(id), [true, 0, 10])
  const laterReader = pages.openReader()
  const step = await openFactors(laterReader, email)
  assert.equal((await laterReader.send(step, { action: 'verify', code: codes[0] ?? '' })).status, 422)
  assert.ok(
    (
      await laterReader.send(step, { action: 'verify', code: readCodes(newCodesPage)[0] ?? '' })
    ).text.includes('secret'),
  )
})

test('removing a factor without a fresh sign-in: pages and forms ask for one after five minutes', async t => {
  const now = Date.now()
  t.mock.timers.enable({ apis: ['Date'], now })
  const { id, email } = await pages.newPerson()
  const reader = pages.openReader()
  const { secret } = await setUp(reader, email)
  const page = await reader.go('/factors/app/remove')
  t.mock.timers.setTime(now + 6 * 60_000)
  const landed = await reader.send(page, { action: 'remove' })
  assert.ok(landed.text.includes('name="password"'))
  for (const path of ['/factors/app', '/factors/recovery-codes', '/factors/app/remove'])
    assert.ok((await reader.go(path)).text.includes('name="password"'), path)
  assert.deepEqual(await summarize(id), [true, 0, 10])
  const step = await reader.signIn(await reader.go('/factors/app/remove'), email)
  const confirmed = await reader.send(step, { action: 'verify', code: makeCode(secret) })
  assert.equal(confirmed.url.pathname, '/factors/app/remove')
})

test('a session with the password alone changes nothing once there is a factor, however fresh it is', async () => {
  const { id, email } = await pages.newPerson()
  const thief = pages.openReader()
  const stolen = await openFactors(thief, email)
  // The owner keeps other sessions when asked.
  const owner = pages.openReader()
  const setup = await openFactors(owner, email)
  const code = makeCode(readSecret(setup))
  await owner.send(setup, { action: 'keep-sessions', code })
  const landed = await thief.send(stolen, { action: 'confirm', code: makeCode(readSecret(stolen)) })
  assert.ok(landed.text.includes('name="code"') && !landed.text.includes('class="secret"'))
  for (const path of ['/factors/app', '/factors/app/remove', '/factors/recovery-codes'])
    assert.equal((await thief.go(path)).text.includes('Confirm that it is you'), true, path)
  assert.deepEqual(await summarize(id), [true, 0, 10])
})

test("another person's setup: the secret and the codes in a cookie fit one person and session", async () => {
  const [person, attacker] = [await pages.newPerson(), await pages.newPerson()]
  const [reader, thief] = [pages.openReader(), pages.openReader()]
  const page = await openFactors(reader, person.email)
  const thiefPage = await openFactors(thief, attacker.email)
  const cookie = thief.browser.jar.get('querent_app_secret /')
  assert.ok(cookie)
  reader.browser.jar.set('querent_app_secret /', cookie)
  await reader.send(page, { action: 'confirm', code: makeCode(readSecret(thiefPage)) })
  assert.equal(await hasSecondFactor(pages.storage.db, person.id), false)
})

test('signing in for these pages leads back to them, and nowhere else', async () => {
  const { email } = await pages.newPerson()
  const reader = pages.openReader()
  await openFactors(reader, email)
  for (const state of ['https://evil.example', '//evil.example', '/factors//evil.example', '/logout', ''])
    assert.equal(
      (await reader.go(`/factors/signed-in?code=x&state=${encodeURIComponent(state)}`)).url.pathname,
      '/factors',
    )
  const canceled = pages.openReader()
  const landed = await canceled.send(await canceled.go('/factors/app'), { action: 'cancel' })
  assert.equal(landed.url.pathname, '/')
})

test('CSRF (RFC 9700, section 4.7): the forms about factors are taken from their own pages alone', async () => {
  const { id, email } = await pages.newPerson()
  const reader = pages.openReader()
  const { secret } = await setUp(reader, email)
  await reader.send(await reader.go('/factors/recovery-codes'), { action: 'saved' })
  const factorsBefore = await findSecondFactors(pages.storage.db, id)
  const forms: [string, Record<string, string>][] = [
    ['/factors/app', { action: 'confirm', code: makeCode(secret, 1) }],
    ['/factors/app/remove', { action: 'remove' }],
    ['/factors/recovery-codes', { action: 'create' }],
  ]
  for (const [path, fields] of forms) {
    const page = await reader.go(path)
    const attempts: [Record<string, string>, Record<string, string>][] = [
      [fields, { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
      [fields, { origin: 'null' }],
      [{ ...fields, form_token: '' }, {}],
      [{ ...fields, form_token: 'x'.repeat(43) }, {}],
    ]
    for (const [sent, headers] of attempts)
      assert.equal((await reader.send(page, sent, headers)).status, 403, path)
    assert.deepEqual(await findSecondFactors(pages.storage.db, id), factorsBefore)
  }
})

test('a member of a workspace that requires a second factor is led through setup to the application', async t => {
  const { slug: workspace, id } = pages.workspace
  const require = (requireSecondFactor: boolean) =>
    pages.storage.write(writer =>
      saveDefinition(writer, id, { workspace, settings: { requireSecondFactor } }),
    )
  await require(true)
  t.after(() => require(false))
  const { email } = await pages.newPerson()
  const reader = pages.openReader()
  const required = await reader.signIn(await reader.authorize({ client_id: ownApplication }), email)
  assert.equal(required.status, 403)
  const page = await reader.go('/factors/app')
  const codesPage = await reader.send(page, { action: 'confirm', code: makeCode(readSecret(page)) })
  const landed = await reader.send(codesPage, { action: 'saved' })
  assert.ok(landed.parameters.code, landed.text)
  const stranger = await pages.newPerson({ isMember: false })
  const laterReader = pages.openReader()
  const refusalPage = await laterReader.signIn(
    await laterReader.authorize({ client_id: ownApplication }),
    stranger.email,
  )
  assert.match(refusalPage.text, /not a member/)
  const canceled = pages.openReader()
  const otherMember = await pages.newPerson()
  const choice = await canceled.signIn(
    await canceled.authorize({ client_id: ownApplication }),
    otherMember.email,
  )
  assert.equal((await canceled.send(choice, { action: 'cancel' })).parameters.error, 'access_denied')
})

test('a mail about a change is in the language of the page', async () => {
  const { email } = await pages.newPerson()
  const reader = pages.openReader()
  const page = await openFactors(reader, email)
  const fields = { action: 'confirm', code: makeCode(readSecret(page)) }
  await reader.send(page, fields, { 'accept-language': 'nl' })
  await pages.noticesSettled()
  assert.match(pages.letters.findLast(({ to }) => to === email)?.subject ?? '', /tweede factoren/)
})
