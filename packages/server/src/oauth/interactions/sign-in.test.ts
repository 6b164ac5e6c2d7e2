import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { toNetwork } from '#authz/network'
import { setUserDisabled } from '#storage/users'
import { goodPassword, type Pages, readFormToken, startPages } from './test-pages.ts'

let pages: Pages
before(async () => {
  pages = await startPages()
})
after(() => pages.close())

test('a person signs in, agrees and is back at the application, each by one form', async () => {
  const person = await pages.newPerson()
  const reader = pages.openReader()
  const login = await reader.authorize({ login_hint: person.email })
  assert.equal(login.status, 200)
  assert.match(login.text, new RegExp(`value="${person.email}"`))
  const consent = await reader.signIn(login, person.email)
  assert.match(consent.text, /<h1>Allow Reader to access your account\?<\/h1>/)
  assert.match(consent.text, /return to app\.example/)
  const back = await reader.send(consent, { action: 'allow' })
  assert.equal(back.applicationUrl?.origin, 'https://app.example')
  assert.ok(back.parameters.code)
  assert.equal(back.parameters.state, 's')
  // Asked once: the next time there is no page at all.
  assert.ok((await reader.authorize()).parameters.code)
})

test('a form sent without its button means the main one of its page; to agree takes the button', async () => {
  const person = await pages.newPerson()
  const reader = pages.openReader()
  const login = await reader.authorize()
  const missing = await reader.send(login, { email: person.email, password: '' })
  assert.equal(missing.status, 422)
  const consent = await reader.send(login, { email: person.email, password: goodPassword })
  assert.match(consent.text, /<h1>Allow Reader to access your account\?<\/h1>/)
  const undecided = await reader.send(consent, {})
  assert.equal(undecided.status, 422)
  assert.match(undecided.text, /role="alert">Choose “Allow”/)
  assert.ok((await reader.send(undecided, { action: 'allow' })).parameters.code)
  const stranger = await pages.newPerson({ isMember: false })
  const otherReader = pages.openReader()
  const memberPage = await otherReader.signIn(await otherReader.authorize(), stranger.email)
  assert.equal((await otherReader.send(memberPage, {})).parameters.error, 'access_denied')
})

test('a person who goes back from either page returns to the application as access_denied', async () => {
  const person = await pages.newPerson()
  const reader = pages.openReader()
  const back = await reader.send(await reader.authorize(), { action: 'cancel' })
  assert.equal(back.parameters.error, 'access_denied')
  const consent = await reader.signIn(await reader.authorize(), person.email)
  assert.equal((await reader.send(consent, { action: 'cancel' })).parameters.error, 'access_denied')
})

test('a person who is not a member sees the reason, gets no code, and may sign in as somebody else', async () => {
  const stranger = await pages.newPerson({ isMember: false })
  const person = await pages.newPerson()
  const reader = pages.openReader()
  const memberPage = await reader.signIn(await reader.authorize(), stranger.email)
  assert.equal(memberPage.status, 403)
  assert.match(memberPage.text, /You are not a member/)
  assert.match(memberPage.text, new RegExp(stranger.email))
  assert.match(memberPage.text, new RegExp(`administrator of ${pages.workspace.title}`))
  const login = await reader.go(`${memberPage.url.pathname}?account=other`)
  assert.match(login.text, /<h1>Sign in<\/h1>/)
  const consent = await reader.signIn(login, person.email)
  assert.match(consent.text, new RegExp(`Signed in as ${person.email}`))
  assert.ok((await reader.send(consent, { action: 'allow' })).parameters.code)
  const another = await reader.signIn(await pages.openReader().authorize(), stranger.email)
  assert.equal(another.status, 403)
})

test('ui_locales counts more than the browser, on each page of the sign-in', async () => {
  const reader = pages.openReader()
  const login = await reader.authorize({ ui_locales: 'fr nl' })
  assert.match(login.text, /<html lang="nl">/)
  const wrong = await reader.signIn(login, 'x@example.org', 'wrong')
  assert.match(wrong.text, /klopt niet/)
  assert.match(wrong.text, /id="password"[^>]* aria-describedby="form-fault"/)
  const [, href = ''] = /href="(\/password[^"]*)"/.exec(wrong.text) ?? []
  assert.match((await reader.go(href.replaceAll('&#38;', '&').replaceAll('&#61;', '='))).text, /lang="nl"/)
})

test('ASVS 6.3.8 user enumeration: unknown, wrong, disabled and password-less give the same bytes for the same work', async () => {
  const knownPerson = await pages.newPerson()
  const disabled = await pages.newPerson()
  await pages.storage.write(writer => setUserDisabled(writer, disabled.id, true))
  const passwordless = await pages.newPerson({ password: null })
  const reader = pages.openReader()
  const login = await reader.authorize()
  const replies = []
  for (const [email, password] of [
    [knownPerson.email, 'wrong'],
    ['nobody@example.org', 'wrong'],
    [disabled.email, goodPassword],
    [passwordless.email, ''.padEnd(5, 'x')],
  ] as const) {
    const verifiedBefore = pages.verified.length
    const { status, text, headers } = await reader.signIn(login, email, password)
    const lines = [...headers].filter(([name]) => !['date', 'x-request-id', 'content-length'].includes(name))
    replies.push({
      status,
      text: text.replaceAll(email, ''),
      lines,
      verified: pages.verified.length - verifiedBefore,
    })
  }
  assert.equal(replies[0]?.status, 422)
  assert.equal(replies[0]?.verified, 1)
  for (const one of replies) assert.deepEqual(one, replies[0])
})

test('an incomplete form shows the fault next to its field', async () => {
  const reader = pages.openReader()
  const login = await reader.authorize()
  const empty = await reader.send(login, { action: 'sign-in', email: '', password: 'x' })
  assert.equal(empty.status, 422)
  assert.match(empty.text, /aria-describedby="email-fault" aria-invalid="true" autofocus/)
  assert.match(empty.text, /<p class="wrong" id="email-fault" role="alert">/)
  const half = await reader.send(login, { action: 'sign-in', email: 'ada@example.org', password: '' })
  assert.match(half.text, /aria-describedby="password-fault"/)
  assert.match(half.text, /value="ada@example.org"/)
})

test('ASVS 6.3.1 guessing: 10 failures for an account close it to strangers for a minute, not to its owner', async () => {
  const person = await pages.newPerson()
  const owner = pages.openReader()
  // Signed in before on this device, and out again.
  await owner.signIn(await owner.authorize(), person.email)
  const attacker = pages.openReader()
  const login = await attacker.authorize()
  for (let guess = 0; guess < 10; guess++)
    assert.equal((await attacker.signIn(login, person.email, `guess ${guess}`)).status, 422)
  const verifiedBefore = pages.verified.length
  const closed = await attacker.signIn(login, person.email)
  assert.equal(closed.status, 429)
  assert.equal(closed.headers.get('retry-after'), '60')
  assert.match(closed.text, /Too many wrong passwords/)
  assert.match(closed.text, /role="alert"[^/]*<a href="\/password\/forgot/, 'the way that lets one in now')
  assert.equal(pages.verified.length, verifiedBefore, 'nothing is verified past the limit')

  const ownerLogin = await owner.authorize({ prompt: 'login' })
  assert.equal((await owner.signIn(ownerLogin, person.email)).status, 200, 'the owner gets in')
  // A device of somebody else is no known one.
  const otherPerson = await pages.newPerson()
  const neighbor = pages.openReader()
  await neighbor.signIn(await neighbor.authorize(), otherPerson.email)
  const fresh = await neighbor.authorize({ prompt: 'login' })
  assert.equal((await neighbor.signIn(fresh, person.email)).status, 429)
})

test('ASVS 6.3.1 guessing: an account that is not there is closed in the same way', async () => {
  const reader = pages.openReader()
  const login = await reader.authorize()
  for (let guess = 0; guess < 10; guess++) await reader.signIn(login, 'void@example.org', `x${guess}`)
  assert.equal((await reader.signIn(login, 'VOID@example.org ', 'x')).status, 429)
})

test('ASVS 6.3.1 guessing: many guesses at the same moment are no way round the limit', async () => {
  const person = await pages.newPerson()
  const reader = pages.openReader()
  const login = await reader.authorize()
  const verifiedBefore = pages.verified.length
  await Promise.all(Array.from({ length: 30 }, (_, at) => reader.signIn(login, person.email, `guess ${at}`)))
  const verified = pages.verified.length - verifiedBefore
  assert.ok(verified > 0 && verified <= 10, `${verified} were verified`)
})

test('a known device has its own limit, so a stolen cookie guesses no faster', async () => {
  const person = await pages.newPerson()
  const thief = pages.openReader()
  await thief.signIn(await thief.authorize(), person.email)
  const login = await thief.authorize({ prompt: 'login' })
  for (let guess = 0; guess < 10; guess++) await thief.signIn(login, person.email, `guess ${guess}`)
  assert.equal((await thief.signIn(login, person.email)).status, 429)
})

test('password spraying: an address is stopped after 100 failures over all accounts, others are not', async () => {
  pages.from.address = '198.51.100.7'
  const person = await pages.newPerson()
  const reader = pages.openReader()
  const owner = pages.openReader()
  await owner.signIn(await owner.authorize(), person.email)
  const login = await reader.authorize()
  for (let attempt = 0; attempt < 100; attempt++)
    await reader.signIn(login, `sprayed${attempt}@example.org`, 'Summer2026!')
  assert.equal((await reader.signIn(login, person.email)).status, 429)
  const ownerLogin = await owner.authorize({ prompt: 'login' })
  assert.equal(
    (await owner.signIn(ownerLogin, person.email)).status,
    200,
    'who signed in here before gets in',
  )
  pages.from.address = '198.51.100.8'
  assert.equal((await reader.signIn(login, ` ${person.email}`)).status, 200, 'not the same form again')
  pages.from.address = '192.0.2.1'
})

test('a network of IPv6 is one address', () => {
  assert.equal(toNetwork('192.0.2.1'), '192.0.2.1')
  assert.equal(toNetwork('::ffff:192.0.2.1'), '192.0.2.1')
  assert.equal(toNetwork('2001:db8::1'), toNetwork('2001:0db8:0:0:ffff::2'))
  assert.notEqual(toNetwork('2001:db8:0:1::1'), toNetwork('2001:db8::1'))
  assert.equal(toNetwork('::1'), '0:0:0:0::/64')
})

test('session fixation: the session after signing in is none that was there before', async () => {
  const person = await pages.newPerson()
  const reader = pages.openReader()
  const sessions = () =>
    [...reader.jar].filter(([name]) => name.includes('session')).map(([, { value }]) => value)
  const login = await reader.authorize()
  const planted = sessions()
  const consent = await reader.signIn(login, person.email)
  await reader.send(consent, { action: 'allow' })
  const first = sessions()
  for (const id of first) assert.ok(!planted.includes(id))
  const secondLogin = await reader.authorize({ prompt: 'login' })
  await reader.signIn(secondLogin, person.email)
  for (const id of sessions()) assert.ok(!first.includes(id))
  assert.ok(readFormToken(secondLogin))
})
