/** Passkeys, and attacks on them, with an authenticator in software. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { twoFactorLevel } from '@querent/contract/authentication-levels'
import { decodeJwt } from 'jose'
import { openTestClient } from '#oauth/test-application'
import { newPkce } from '#oauth/test-sign-in'
import { findSecondFactors, listPasskeys, passkeysMax } from '#storage/second-factors'
import { listUserSessions } from '#storage/sessions'
import { setUserDisabled } from '#storage/users'
import { type Pages, type ShownPage, startPages } from './test-pages.ts'
import { createAuthenticator, type Deviation, readPasskeyOptions } from './test-passkey.ts'

let pages: Pages
let ownApplication: string
before(async () => {
  pages = await startPages({ hostname: 'localhost' })
  ownApplication = await pages.application('Own', { own: true })
})
after(() => pages.close())

type Reader = ReturnType<Pages['openReader']>
const addPasskey = async (reader: Reader, name = 'Laptop', deviation: Deviation = {}) => {
  const authenticator = createAuthenticator(pages.authUrl)
  const page = await reader.go('/factors/passkeys/add')
  const passkey = authenticator.create(readPasskeyOptions(page), deviation)
  return { authenticator, page, passkey, landed: await reader.send(page, { name, passkey }) }
}
/** A person with a passkey. */
const newOwner = async () => {
  const person = await pages.newPerson()
  const reader = pages.openReader()
  await reader.signIn(await reader.go('/factors/passkeys/add'), person.email)
  const { authenticator, landed } = await addPasskey(reader)
  return { person, reader, authenticator, landed }
}
const toLogin = (reader: Reader, more: Record<string, string> = {}): Promise<ShownPage> =>
  reader.authorize({ client_id: ownApplication, ...more })
const isRefused = ({ applicationUrl, status }: ShownPage) => applicationUrl === undefined && status === 422

test('a passkey signs in without an address, counts as two factors, and tokens say so', async () => {
  const { person, authenticator, landed } = await newOwner()
  assert.equal(
    [...landed.text.matchAll(/<li><code>/g)].length,
    10,
    'recovery codes come with the first factor',
  )
  const reader = pages.openReader()
  const { verifier, challenge } = newPkce()
  const page = await toLogin(reader, { code_challenge: challenge, acr_values: twoFactorLevel })
  const end = await reader.send(page, { passkey: authenticator.get(readPasskeyOptions(page)) })
  const client = openTestClient(pages, { id: ownApplication, redirectUri: pages.redirectUri })
  const { json } = await client.exchange(end.parameters.code, verifier)
  const { sub, amr, acr } = decodeJwt(String(json.id_token))
  assert.deepEqual([sub, amr, acr], [person.id, ['hwk', 'user', 'mfa'], twoFactorLevel])
  const [passkey] = await listPasskeys(pages.storage.db, person.id)
  assert.deepEqual([passkey?.name, passkey?.counter, passkey?.transports_json], ['Laptop', 1, '["internal"]'])
  assert.ok(Number(passkey?.last_used_at) > 0)
})

test('a passkey is the second factor after a password', async () => {
  const { person, authenticator } = await newOwner()
  const reader = pages.openReader()
  const page = await reader.signIn(await toLogin(reader), person.email)
  assert.deepEqual(await listUserSessions(pages.storage.db, person.id).then(rows => rows.length), 1)
  const landed = await reader.send(page, { passkey: authenticator.get(readPasskeyOptions(page)) })
  assert.ok(landed.applicationUrl)
})

test('challenge replay: a response signs in once, in its own browser and on its own page', async () => {
  const { authenticator } = await newOwner()
  const [reader, thief] = [pages.openReader(), pages.openReader()]
  const page = await toLogin(reader)
  const response = authenticator.get(readPasskeyOptions(page))
  assert.ok(isRefused(await thief.send(await toLogin(thief), { passkey: response })), 'another browser')
  assert.ok(isRefused(await reader.send(await toLogin(reader), { passkey: response })), 'another page')
  const current = await toLogin(reader)
  const passkey = authenticator.get(readPasskeyOptions(current))
  // Not the same form twice, which gets the same reply (repeated-forms.test.ts).
  const tries = await Promise.all([
    reader.send(current, { passkey }),
    reader.send(current, { passkey, action: 'passkey' }),
  ])
  assert.equal(tries.filter(({ applicationUrl }) => applicationUrl).length, 1)
})

test('challenge of our own making: only the server makes challenges, and they end with the page', async t => {
  const now = Date.now()
  t.mock.timers.enable({ apis: ['Date'], now })
  const { authenticator } = await newOwner()
  const reader = pages.openReader()
  const page = await toLogin(reader)
  const { challenge } = readPasskeyOptions(page)
  for (const forged of [Buffer.alloc(54).toString('base64url'), `${challenge.slice(0, -2)}AA`, 'AAAA', ''])
    assert.ok(
      isRefused(
        await reader.send(page, { passkey: authenticator.get({ challenge: forged, rpId: 'localhost' }) }),
      ),
    )
  const creation = await (async () => {
    const owner = await newOwner()
    return readPasskeyOptions(await owner.reader.go('/factors/passkeys/add'))
  })()
  assert.ok(
    isRefused(await reader.send(page, { passkey: authenticator.get({ ...creation, rpId: 'localhost' }) })),
  )
  t.mock.timers.setTime(now + 30 * 60_000)
  const late = await reader.send(page, { passkey: authenticator.get(readPasskeyOptions(page)) })
  assert.equal(late.applicationUrl, undefined)
})

for (const [attack, deviation] of Object.entries<Deviation>({
  'other origin': { origin: 'https://localhost.evil.example' },
  'other port of the same host': { origin: 'http://localhost:1' },
  'other rpId': { rpId: 'evil.example' },
  'no user verification': { isVerified: false },
  'response of a registration': { type: 'webauthn.create' },
  "another person's user handle": { userHandle: Buffer.from('somebody').toString('base64url') },
}))
  test(`${attack}: the passkey is refused`, async () => {
    const { authenticator } = await newOwner()
    const reader = pages.openReader()
    const page = await toLogin(reader)
    assert.ok(
      isRefused(await reader.send(page, { passkey: authenticator.get(readPasskeyOptions(page), deviation) })),
    )
    const next = await toLogin(reader)
    assert.ok(
      (await reader.send(next, { passkey: authenticator.get(readPasskeyOptions(next)) })).applicationUrl,
    )
  })

test('cloned counter: a copy that has signed less often than the original is refused', async () => {
  const { authenticator } = await newOwner()
  const signIn = async (counter: number) => {
    const reader = pages.openReader()
    const page = await toLogin(reader)
    return reader.send(page, { passkey: authenticator.get(readPasskeyOptions(page), { counter }) })
  }
  assert.ok((await signIn(10)).applicationUrl)
  assert.ok(isRefused(await signIn(10)))
  assert.ok(isRefused(await signIn(4)))
  assert.ok(isRefused(await signIn(0)))
  assert.ok((await signIn(11)).applicationUrl)
})

test("another user's credential: after a password it confirms nobody else, and cannot be registered again", async () => {
  const [owner, thief] = [await newOwner(), await newOwner()]
  const reader = pages.openReader()
  const page = await reader.signIn(await toLogin(reader), owner.person.email)
  const passkey = thief.authenticator.get(readPasskeyOptions(page))
  assert.ok(isRefused(await reader.send(page, { passkey })))
  const add = await thief.reader.go('/factors/passkeys/add')
  const copy = owner.authenticator.create(readPasskeyOptions(add))
  assert.ok(isRefused(await thief.reader.send(add, { name: 'x', passkey: copy })))
  assert.equal((await listPasskeys(pages.storage.db, thief.person.id)).length, 1)
  await thief.reader.send(await thief.reader.go(`/factors/passkeys/${owner.authenticator.id}`), {
    action: 'remove',
  })
  assert.equal((await listPasskeys(pages.storage.db, owner.person.id)).length, 1)
})

test('a disabled person, a removed passkey and anything else than a response sign nobody in', async () => {
  const { person, reader: owner, authenticator } = await newOwner()
  const reader = pages.openReader()
  const page = await toLogin(reader)
  for (const passkey of [
    '{}',
    '[]',
    'null',
    'x',
    '{"id":1}',
    JSON.stringify({ id: authenticator.id }),
    'x'.repeat(9000),
  ])
    assert.ok(isRefused(await reader.send(page, { passkey })), passkey.slice(0, 40))
  await pages.storage.write(writer => setUserDisabled(writer, person.id, true))
  assert.ok(isRefused(await reader.send(page, { passkey: authenticator.get(readPasskeyOptions(page)) })))
  await pages.storage.write(writer => setUserDisabled(writer, person.id, false))
  const change = await owner.go(`/factors/passkeys/${authenticator.id}`)
  await owner.send(change, { action: 'remove' })
  const next = await toLogin(reader)
  assert.ok(isRefused(await reader.send(next, { passkey: authenticator.get(readPasskeyOptions(next)) })))
})

test('registration: a response of another origin, without user verification, or of another page adds nothing', async () => {
  const person = await pages.newPerson()
  const reader = pages.openReader()
  await reader.signIn(await reader.go('/factors/passkeys/add'), person.email)
  for (const deviation of [
    { origin: 'https://evil.example' },
    { rpId: 'evil.example' },
    { isVerified: false },
    { challenge: Buffer.alloc(54).toString('base64url') },
  ])
    assert.ok(isRefused((await addPasskey(reader, 'x', deviation)).landed))
  const { page, passkey } = await addPasskey(reader)
  await reader.send(await reader.go('/factors/passkeys/add'), { name: 'again', passkey })
  assert.ok(page)
  assert.equal((await listPasskeys(pages.storage.db, person.id)).length, 1)
})

test('a person has several passkeys, renames and removes them; mails and the last one end with a notice', async () => {
  const { person, reader, authenticator } = await newOwner()
  await reader.send(await reader.go('/factors/recovery-codes'), { action: 'saved' })
  const second = await addPasskey(reader, `  ${'n'.repeat(80)}`)
  assert.equal(second.landed.url.pathname, '/factors')
  const names = async () => (await listPasskeys(pages.storage.db, person.id)).map(({ name }) => name)
  assert.deepEqual(await names(), ['Laptop', 'n'.repeat(60)])
  const change = await reader.go(`/factors/passkeys/${authenticator.id}`)
  await reader.send(change, { action: 'rename', name: '<b>Blue</b> key' })
  assert.match((await reader.go('/factors')).text, /&#60;b&#62;Blue&#60;\/b&#62; key/)
  for (const id of [authenticator.id, second.authenticator.id])
    await reader.send(await reader.go(`/factors/passkeys/${id}`), { action: 'remove' })
  assert.deepEqual(await findSecondFactors(pages.storage.db, person.id), {
    app: undefined,
    passkeys: [],
    recoveryCodes: 0,
  })
  await pages.noticesSettled()
  const subjects = pages.letters
    .filter(({ to, text }) => to === person.email && text.includes('passkey was'))
    .map(({ text }) => text.split('\n')[0])
  assert.deepEqual(
    subjects.map(text => /passkey was (\w+)/.exec(text ?? '')?.[1]),
    ['added', 'added', 'removed', 'removed'],
  )
})

test('beyond the bound, no passkey is added', async () => {
  const { person, reader } = await newOwner()
  for (let count = 1; count < passkeysMax; count++) await addPasskey(reader, `Key ${count}`)
  assert.ok(isRefused((await addPasskey(reader, 'one more')).landed))
  assert.equal((await listPasskeys(pages.storage.db, person.id)).length, passkeysMax)
})

test('a passkey is offered after a password where the device can keep one, and not again after "Not now"', async () => {
  const person = await pages.newPerson()
  const reader = pages.openReader()
  const signIn = async (browser: Reader, offer_passkey: string) => {
    const fields = { action: 'sign-in', email: person.email, password: 'correct horse battery staple' }
    return browser.send(await toLogin(browser, { prompt: 'login' }), { ...fields, offer_passkey })
  }
  assert.ok((await signIn(reader, '')).applicationUrl, 'no authenticator')
  const offer = await signIn(reader, 'yes')
  assert.match(offer.text, /\/factors\/passkeys\/add/)
  assert.ok((await reader.send(offer, { action: 'later' })).parameters.code)
  assert.ok((await signIn(reader, 'yes')).parameters.code)
  const elsewhere = pages.openReader()
  assert.match((await signIn(elsewhere, 'yes')).text, /\/factors\/passkeys\/add/)
  const { landed } = await addPasskey(elsewhere)
  const end = await elsewhere.send(landed, { action: 'saved' })
  assert.ok(end.parameters.code)
  const strong = await toLogin(elsewhere, { prompt: 'none', acr_values: twoFactorLevel })
  assert.ok(strong.parameters.code, 'the session has two factors')
})

/** The signals of a page, as its script reads them. */
const readSignals = ({ text }: { text: string }): Record<string, Record<string, unknown>> => {
  const [, escaped = ''] = /data-passkey-signals="([^"]*)"/.exec(text) ?? []
  if (escaped === '') return {}
  return JSON.parse(escaped.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))))
}

test('a passkey that was removed here is not known: the page says so, and tells the browser (Web Authentication Level 3, section 5.1.10)', async () => {
  const { person, reader, authenticator } = await newOwner()
  const phone = await addPasskey(reader, 'Phone')
  const userId = Buffer.from(person.id).toString('base64url')
  const account = { rpId: 'localhost', userId }
  const overview = await reader.go('/factors')
  const { signalAllAcceptedCredentials: accepted, signalCurrentUserDetails: details } = readSignals(overview)
  assert.deepEqual(
    new Set(accepted?.allAcceptedCredentialIds as string[]),
    new Set([authenticator.id, phone.authenticator.id]),
  )
  assert.deepEqual(details, { ...account, name: person.email, displayName: 'Ada Reader' })

  const page = await reader.go(`/factors/passkeys/${authenticator.id}`)
  const landed = await reader.send(page, { action: 'remove' })
  assert.deepEqual(readSignals(landed).signalAllAcceptedCredentials, {
    ...account,
    allAcceptedCredentialIds: [phone.authenticator.id],
  })

  const visitor = pages.openReader()
  const login = await toLogin(visitor)
  const refusal = await visitor.send(login, { passkey: authenticator.get(readPasskeyOptions(login)) })
  assert.ok(isRefused(refusal))
  assert.match(refusal.text, /not known here any more/)
  assert.deepEqual(readSignals(refusal), {
    signalUnknownCredential: { rpId: 'localhost', credentialId: authenticator.id },
  })
})

test('a passkey that an account has stays in the browser, also if it is refused', async () => {
  const { authenticator } = await newOwner()
  const visitor = pages.openReader()
  const login = await toLogin(visitor)
  const wrong = { ...readPasskeyOptions(login), challenge: 'AAAA' }
  const refusal = await visitor.send(login, { passkey: authenticator.get(wrong) })
  assert.ok(isRefused(refusal))
  assert.match(refusal.text, /was not accepted/)
  assert.deepEqual(readSignals(refusal), {})
})
