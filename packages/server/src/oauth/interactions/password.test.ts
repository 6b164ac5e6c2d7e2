import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createOneTimeLink } from '#storage/one-time-links'
import { listUserSessions } from '#storage/sessions'
import { findUser, setUserDisabled } from '#storage/users'
import { waitUntil } from '#test-wait'
import { goodPassword, type Pages, startPages } from './test-pages.ts'

let pages: Pages
before(async () => {
  pages = await startPages()
})
after(() => pages.close())

const newPassword = 'seven purple walruses hum'

/** The letter comes after the page. */
const nextLetter = async (count: number) => {
  await waitUntil(() => pages.letters.length >= count)
  return pages.letters.at(-1)
}
const nextLetterTo = async (address: string, count: number) => {
  await waitUntil(() => pages.letters.filter(({ to }) => to === address).length >= count)
}
const ask = async (email: string) => {
  const reader = pages.openReader()
  return reader.send(await reader.go('/password/forgot'), { action: 'send', email })
}

test('a forgotten password: letter, link, new password, back to the sign-in, and signed out everywhere', async () => {
  const person = await pages.newPerson()
  const elsewhere = pages.openReader()
  await elsewhere.signIn(await elsewhere.authorize(), person.email)
  assert.equal((await listUserSessions(pages.storage.db, person.id)).length, 1)

  const reader = pages.openReader()
  const login = await reader.authorize()
  const [, href = ''] = /href="(\/password[^"]*)"/.exec(login.text) ?? []
  const forgotten = await reader.go(href.replaceAll('&#38;', '&').replaceAll('&#61;', '='))
  const sentPage = await reader.send(forgotten, { action: 'send', email: ` ${person.email.toUpperCase()}` })
  assert.match(sentPage.text, /Check your e-mail/)
  const letter = await nextLetter(1)
  assert.equal(letter?.to, person.email)
  const path = /\/password\/reset\/[\w-]+/.exec(letter?.text ?? '')?.[0] ?? ''
  assert.deepEqual(letter?.link, { kind: 'one-time', token: path.split('/').at(-1) })

  const page = await reader.go(path)
  assert.equal(page.status, 200)
  assert.match(page.text, /autocomplete="new-password"/)
  const weak = await reader.send(page, { action: 'save', password: person.email })
  assert.equal(weak.status, 422)
  assert.match(weak.text, /your own name or address/)
  const done = await reader.send(page, { action: 'save', password: newPassword })
  assert.match(done.text, /role="status">Your password is saved/)
  assert.match(done.text, /<h1>Sign in<\/h1>/)
  assert.ok(done.text.includes(`value="${person.email}"`), 'with the address')
  assert.equal((await listUserSessions(pages.storage.db, person.id)).length, 0)
  assert.match((await nextLetter(2))?.subject ?? '', /changed/)
  const owner = await findUser(pages.storage.db, person.id)
  assert.deepEqual([owner?.email_verified, owner?.language], [1, 'en'])

  const reopened = await reader.go(done.url.pathname)
  assert.doesNotMatch(reopened.text, /role="status"/, 'once')
  assert.match((await reader.signIn(reopened, person.email, newPassword)).text, /Allow Reader/)
  assert.equal((await reader.signIn(await pages.openReader().authorize(), person.email)).status, 403)
  // Once.
  const usedPage = await reader.go(path)
  assert.equal(usedPage.status, 410)
  assert.match(usedPage.text, /no longer works/)
})

test('an owner on a new device, while somebody guesses, gets in by a new password', async () => {
  const person = await pages.newPerson()
  const attacker = pages.openReader()
  const guessed = await attacker.authorize()
  for (let guess = 0; guess < 10; guess++) await attacker.signIn(guessed, person.email, `guess ${guess}`)
  const owner = pages.openReader()
  const login = await owner.authorize()
  assert.equal((await owner.signIn(login, person.email)).status, 429)
  const { token } = await pages.storage.write(writer =>
    createOneTimeLink(writer, { purpose: 'password', userId: person.id, ttlMs: 60_000 }),
  )
  await owner.send(await owner.go(`/password/reset/${token}`), { action: 'save', password: newPassword })
  // Handing this link over does not prove that the address is theirs.
  assert.equal((await findUser(pages.storage.db, person.id))?.email_verified, 0)
  assert.equal((await owner.signIn(login, person.email, newPassword)).status, 200)
})

test('only one of two concurrent uses of a link sets the password', async () => {
  const { id } = await pages.newPerson()
  const { token } = await pages.storage.write(writer =>
    createOneTimeLink(writer, { purpose: 'password', userId: id, ttlMs: 60_000 }),
  )
  const readers = [pages.openReader(), pages.openReader()]
  const openedPages = await Promise.all(readers.map(reader => reader.go(`/password/reset/${token}`)))
  const answers = await Promise.all(
    readers.map((reader, at) =>
      // Both pages were opened.
      reader.send(openedPages[at] ?? assert.fail(), { action: 'save', password: `${newPassword} ${at}` }),
    ),
  )
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 410])
})

test('user enumeration: the answer to a forgotten password is the same for everybody, and a stranger gets a letter too', async () => {
  const person = await pages.newPerson()
  const disabled = await pages.newPerson()
  await pages.storage.write(writer => setUserDisabled(writer, disabled.id, true))
  const mailsBefore = pages.letters.length
  const replies = []
  for (const email of [person.email, disabled.email, 'nobody@example.net']) {
    const { status, text } = await ask(email)
    replies.push({ status, text: text.replaceAll(email, '') })
  }
  for (const one of replies) assert.deepEqual(one, replies[0])
  await nextLetter(mailsBefore + 3)
  const letters = pages.letters.slice(mailsBefore)
  assert.deepEqual(
    letters.filter(({ text }) => text.includes('/reset/')).map(({ to }) => to),
    [person.email],
  )
  assert.equal(letters.length, 3)
})

/** The field against forged requests differs for each browser. */
const withoutToken = (text: string): string => text.replaceAll(/name="form_token" value="[^"]*"/g, '')

const hourMs = 60 * 60 * 1000

/** Letters to the address so far, once all work is done that follows a page. */
const lettersTo = (address: string) => pages.letters.filter(({ to }) => to === address).length

test('nobody fills a mailbox: five letters an hour, then the page says how long to wait, with and without an account', async () => {
  const { email } = await pages.newPerson()
  const replies = []
  for (const address of [email, 'somebody@example.net']) {
    for (let attempt = 0; attempt < 5; attempt++) assert.match((await ask(address)).text, /Check your e-mail/)
    const { status, headers, text } = await ask(address)
    assert.ok(Number(headers.get('retry-after')) > 3500)
    replies.push({ status, text: withoutToken(text).replaceAll(address, '') })
  }
  assert.equal(replies[0]?.status, 429)
  assert.match(replies[0]?.text ?? '', /try again in 60 minutes/)
  assert.deepEqual(replies[1], replies[0])
  await nextLetterTo(email, 5)
  await nextLetterTo('somebody@example.net', 1)
  assert.deepEqual([lettersTo(email), lettersTo('somebody@example.net')], [5, 1])
})

test('beyond ten requests a day an address gets one letter an hour, so its owner always has a link that works', async t => {
  const { email } = await pages.newPerson()
  const now = Date.now()
  const statuses = []
  for (let hour = 0; hour < 4; hour++) {
    t.mock.timers.enable({ apis: ['Date'], now: now + hour * (hourMs + 1000) })
    const hourStatuses = []
    for (let attempt = 0; attempt < 6; attempt++) hourStatuses.push((await ask(email)).status)
    statuses.push(hourStatuses.filter(status => status === 200).length)
    t.mock.timers.reset()
  }
  assert.deepEqual(statuses, [5, 5, 1, 1])
  await nextLetterTo(email, 12)
})

test('a network that requests too many links sees the limit, the log has it, and people with an account still get links', async () => {
  const busy = await startPages({ signInThrottle: 2 })
  try {
    const request = async (email: string) => {
      const reader = busy.openReader()
      return reader.send(await reader.go('/password/forgot'), { action: 'send', email })
    }
    const person = await busy.newPerson()
    for (let stranger = 0; stranger < 10; stranger++)
      assert.equal((await request(`stranger${stranger}@example.net`)).status, 200)
    const replies = []
    for (const email of ['another@example.net', person.email]) {
      const { status, headers, text } = await request(email)
      assert.ok(Number(headers.get('retry-after')) > 3500)
      replies.push({ status, text: withoutToken(text).replaceAll(email, '') })
    }
    assert.equal(replies[0]?.status, 429)
    assert.deepEqual(replies[1], replies[0], 'an account is not told apart')
    await waitUntil(() => busy.letters.some(({ to }) => to === person.email))
    assert.equal(busy.letters.filter(({ to }) => to === 'another@example.net').length, 0)
    const lines = busy.logged.filter(({ message }) => message === 'too many requests for a new password')
    assert.deepEqual(
      lines.map(({ level, context }) => [level, Object(context).limit, Object(context).network]),
      [['warn', 'network', '192.0.2.1']],
      'once an hour',
    )
    busy.from.address = '192.0.2.99'
    assert.equal((await request('third@example.net')).status, 200, 'other networks are not limited')
  } finally {
    await busy.close()
  }
})

test('an address that the mail server cannot write to is refused on the page, with and without an account', async () => {
  const mailsBefore = pages.letters.length
  const { status, text } = await ask('jörg@example.org')
  assert.equal(status, 422)
  assert.match(text, /cannot send e-mail to an address with such letters/)
  assert.equal(pages.letters.length, mailsBefore)
})

test('a form of a page with a content coding is refused with 415 and Accept-Encoding (RFC 9110, section 15.5.16)', async () => {
  for (const path of [
    '/password/forgot',
    '/password/reset/x',
    '/interaction/x',
    '/invitation/x',
    '/email/confirm',
    '/domain/x',
    '/factors/app',
    '/factors/passkeys/add',
  ]) {
    const reply = await pages.form(path, 'email=ada@example.org', 'Content-Encoding: gzip')
    assert.deepEqual([path, reply.status, reply.headers.get('accept-encoding')], [path, 415, 'identity'])
  }
})

test('/.well-known/change-password leads to the account page, where a person changes the password (W3C)', async () => {
  for (const method of ['GET', 'HEAD']) {
    const address = `${pages.authUrl}/.well-known/change-password`
    const { status, headers } = await fetch(address, { method, redirect: 'manual' })
    assert.deepEqual([status, headers.get('location')], [303, '/console/you'])
  }
  // Programs ask whether the server answers everything with 200.
  const missing = await fetch(
    `${pages.authUrl}/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200`,
  )
  assert.equal(missing.status, 404)
})

test('a page shown does not use a link up: mail scanners open them', async () => {
  const { id } = await pages.newPerson()
  const { token } = await pages.storage.write(writer =>
    createOneTimeLink(writer, { purpose: 'password', userId: id, ttlMs: 60_000 }),
  )
  const reader = pages.openReader()
  for (let attempt = 0; attempt < 3; attempt++)
    assert.equal((await reader.go(`/password/reset/${token}`)).status, 200)
  const { status } = await fetch(`${pages.authUrl}/password/reset/${token}`, { method: 'HEAD' })
  assert.equal(status, 200)
})

test('a first password signs in; a forgotten one is typed again after the change', async () => {
  const save = async (password: string | null) => {
    const { id, email } = await pages.newPerson({ password })
    const { token } = await pages.storage.write(writer =>
      createOneTimeLink(writer, { purpose: 'password', userId: id, ttlMs: 60_000 }),
    )
    const reader = pages.openReader()
    const page = await reader.go(`/password/reset/${token}`)
    const done = await reader.send(page, { action: 'save', password: newPassword })
    assert.match(done.text, /Your password is saved/)
    return { isNamed: done.text.includes(`Signed in as ${email}`), next: (await reader.authorize()).text }
  }
  const [first, forgotten] = [await save(null), await save(goodPassword)]
  assert.deepEqual([first.isNamed, forgotten.isNamed], [true, false])
  assert.match(first.next, /Allow Reader/)
  assert.match(forgotten.next, /<h1>Sign in<\/h1>/)
})

test('a malformed email address is rejected', async () => {
  const mailsBefore = pages.letters.length
  for (const address of ['a@b.c\r\nBcc: x@y.z', 'a b@example.org', 'a@b@c', '@example.org', 'a', '<a@b.c>']) {
    const { status, text } = await ask(address)
    assert.equal(status, 422, address)
    assert.match(text, /Enter your e-mail address/)
  }
  assert.equal(pages.letters.length, mailsBefore)
})

test('without a mail server, the pages name a person to ask and promise no mail', async () => {
  const mailless = await startPages({ mailAvailable: false })
  const reader = mailless.openReader()
  const login = await reader.authorize()
  for (let guess = 0; guess < 10; guess++) await reader.signIn(login, 'ada@example.org', `${guess}`)
  const throttled = await reader.signIn(login, 'ada@example.org', 'x')
  assert.equal(throttled.status, 429)
  assert.match(throttled.text, /ask the people who run this server for a link/)
  assert.doesNotMatch(throttled.text, /by mail/)
  const { text } = await mailless.openReader().go('/password/forgotten')
  assert.match(text, /Ask the people who run it/)
  assert.match(text, /<a href="\/console\/">Back to sign-in<\/a>/)
  assert.doesNotMatch(text, /<form/)
  await mailless.close()
})

test('the server limits the weak passwords that it estimates per link and per network', async () => {
  const limited = await startPages({ signInThrottle: 2 })
  try {
    const newLink = async () => {
      const { id: userId } = await limited.newPerson()
      const link = { purpose: 'password', userId, ttlMs: 60_000 } as const
      return `/password/reset/${(await limited.storage.write(writer => createOneTimeLink(writer, link))).token}`
    }
    const choose = async (path: string, password: string) => {
      const reader = limited.openReader()
      return (await reader.send(await reader.go(path), { action: 'save', password })).status
    }
    const weak = '19741974'.repeat(8)
    const [first, second, third] = [await newLink(), await newLink(), await newLink()]
    // At the same time, as an attacker sends them. Those that count at one moment may refuse each other, so fewer than two may be estimated.
    const answers = await Promise.all(Array.from({ length: 6 }, () => choose(first, weak)))
    const estimated = answers.filter(status => status === 422).length
    assert.ok(estimated <= 2, `${estimated} passwords were estimated`)
    assert.deepEqual(new Set(answers.filter(status => status !== 422)), new Set([429]))
    for (let count = estimated; count < 2; count++) assert.equal(await choose(first, weak), 422)
    assert.equal(await choose(first, goodPassword), 429, 'nor is a good one, until the minute is over')
    limited.from.address = '192.0.2.2'
    for (const path of [second, third]) for (const _ of [1, 2]) assert.equal(await choose(path, weak), 422)
    const fourth = await newLink()
    for (const status of [422, 422, 429]) assert.equal(await choose(fourth, weak), status)
    limited.from.address = '192.0.2.3'
    assert.equal(await choose(await newLink(), goodPassword), 200, 'others choose theirs meanwhile')
  } finally {
    await limited.close()
  }
})
