import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createOneTimeLink } from '#storage/one-time-links'
import { listSessionsOf } from '#storage/sessions'
import { findUser, setUserDisabled } from '#storage/users'
import { goodPassword, type Pages, startPages } from './test-pages.ts'

let pages: Pages
before(async () => {
  pages = await startPages()
})
after(() => pages.close())

const newPassword = 'seven purple walruses hum'

/** The letter comes after the page. */
const nextLetter = async (count: number) => {
  for (let tries = 0; pages.letters.length < count && tries < 500; tries++)
    await new Promise(resolve => setTimeout(resolve, 20))
  return pages.letters.at(-1)
}
const ask = async (email: string) => {
  const reader = pages.openReader()
  return reader.send(await reader.go('/password/forgot'), { action: 'send', email })
}

test('a forgotten password: letter, link, new password, back to the sign-in, and signed out everywhere', async () => {
  const person = await pages.newPerson()
  const elsewhere = pages.openReader()
  await elsewhere.signIn(await elsewhere.authorize(), person.email)
  assert.equal((await listSessionsOf(pages.storage.db, person.id)).length, 1)

  const reader = pages.openReader()
  const login = await reader.authorize()
  const [, href = ''] = /href="(\/password[^"]*)"/.exec(login.text) ?? []
  const forgotten = await reader.go(href.replaceAll('&#38;', '&').replaceAll('&#61;', '='))
  const sent = await reader.send(forgotten, { action: 'send', email: ` ${person.email.toUpperCase()}` })
  assert.match(sent.text, /Look into your mail/)
  const letter = await nextLetter(1)
  assert.equal(letter?.to, person.email)
  const path = /\/password\/reset\/[\w-]+/.exec(letter?.text ?? '')?.[0] ?? ''

  const page = await reader.go(path)
  assert.equal(page.status, 200)
  assert.match(page.text, /autocomplete="new-password"/)
  const weak = await reader.send(page, { action: 'save', password: person.email })
  assert.equal(weak.status, 422)
  assert.match(weak.text, /your own name or address/)
  const done = await reader.send(page, { action: 'save', password: newPassword })
  assert.match(done.text, /Your password is saved/)
  assert.equal((await listSessionsOf(pages.storage.db, person.id)).length, 0)
  assert.match((await nextLetter(2))?.subject ?? '', /changed/)
  const owner = await findUser(pages.storage.db, person.id)
  assert.deepEqual([owner?.email_verified, owner?.language], [1, 'en'])

  const [, back = ''] = /href="(\/interaction\/[\w-]+)"/.exec(done.text) ?? []
  const again = await reader.go(back)
  assert.match((await reader.signIn(again, person.email, newPassword)).text, /Allow Reader/)
  assert.equal((await reader.signIn(await pages.openReader().authorize(), person.email)).status, 403)
  // Once.
  const used = await reader.go(path)
  assert.equal(used.status, 410)
  assert.match(used.text, /no longer works/)
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
  // Whoever handed this link over did not prove that the address is theirs.
  assert.equal((await findUser(pages.storage.db, person.id))?.email_verified, 0)
  assert.equal((await owner.signIn(login, person.email, newPassword)).status, 200)
})

test('of two that send the same link at the same time one sets the password', async () => {
  const { id } = await pages.newPerson()
  const { token } = await pages.storage.write(writer =>
    createOneTimeLink(writer, { purpose: 'password', userId: id, ttlMs: 60_000 }),
  )
  const readers = [pages.openReader(), pages.openReader()]
  const opened = await Promise.all(readers.map(reader => reader.go(`/password/reset/${token}`)))
  const answers = await Promise.all(
    readers.map((reader, at) =>
      // Both pages were opened.
      reader.send(opened[at] ?? assert.fail(), { action: 'save', password: `${newPassword} ${at}` }),
    ),
  )
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 410])
})

test('user enumeration: the answer to a forgotten password is the same for everybody, and a stranger gets a letter too', async () => {
  const person = await pages.newPerson()
  const disabled = await pages.newPerson()
  await pages.storage.write(writer => setUserDisabled(writer, disabled.id, true))
  const before = pages.letters.length
  const seen = []
  for (const email of [person.email, disabled.email, 'nobody@example.net']) {
    const { status, text } = await ask(email)
    seen.push({ status, text: text.replaceAll(email, '') })
  }
  for (const one of seen) assert.deepEqual(one, seen[0])
  await nextLetter(before + 3)
  const letters = pages.letters.slice(before)
  assert.deepEqual(
    letters.filter(({ text }) => text.includes('/reset/')).map(({ to }) => to),
    [person.email],
  )
  assert.equal(letters.length, 3)
})

test('nobody fills a mailbox: five letters an hour, and the page stays the same', async () => {
  const { email } = await pages.newPerson()
  const before = pages.letters.length
  for (let at = 0; at < 8; at++) assert.match((await ask(email)).text, /Look into your mail/)
  await nextLetter(before + 5)
  await new Promise(resolve => setTimeout(resolve, 100))
  assert.equal(pages.letters.length, before + 5)
})

test('a page shown does not use a link up: mail scanners open them', async () => {
  const { id } = await pages.newPerson()
  const { token } = await pages.storage.write(writer =>
    createOneTimeLink(writer, { purpose: 'password', userId: id, ttlMs: 60_000 }),
  )
  const reader = pages.openReader()
  for (let at = 0; at < 3; at++) assert.equal((await reader.go(`/password/reset/${token}`)).status, 200)
  const { status } = await fetch(`${pages.authUrl}/password/reset/${token}`, { method: 'HEAD' })
  assert.equal(status, 200)
})

test('a first password signs in; one that was forgotten is typed once more', async () => {
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

test('what is no e-mail address is not taken for one', async () => {
  const before = pages.letters.length
  for (const address of ['a@b.c\r\nBcc: x@y.z', 'a b@example.org', 'a@b@c', '@example.org', 'a', '<a@b.c>']) {
    const { status, text } = await ask(address)
    assert.equal(status, 422, address)
    assert.match(text, /Enter your e-mail address/)
  }
  assert.equal(pages.letters.length, before)
})

test('without a mail server the pages say whom to ask, and promise no mail', async () => {
  const others = await startPages({ mailAvailable: false })
  const reader = others.openReader()
  const login = await reader.authorize()
  for (let guess = 0; guess < 10; guess++) await reader.signIn(login, 'ada@example.org', `${guess}`)
  const throttled = await reader.signIn(login, 'ada@example.org', 'x')
  assert.equal(throttled.status, 429)
  assert.match(throttled.text, /ask the people who run this server for a link/)
  assert.doesNotMatch(throttled.text, /by mail/)
  const { text } = await others.openReader().go('/password/forgotten')
  assert.match(text, /Ask the people who run it/)
  assert.doesNotMatch(text, /<form/)
  await others.close()
})
