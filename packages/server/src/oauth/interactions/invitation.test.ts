import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createInvitation, withdrawInvitation } from '#storage/invitations'
import { findMember, setMember } from '#storage/members'
import { findUserByEmail, type UserRow } from '#storage/users'
import { goodPassword, type Pages, startPages } from './test-pages.ts'

let pages: Pages
let inviter: UserRow
before(async () => {
  pages = await startPages()
  inviter = await pages.newInviter()
})
after(() => pages.close())

const invite = async (email: string) => {
  const { workspace, storage } = pages
  const invitation = { workspaceId: workspace.id, email, roles: ['user' as const], invitedBy: inviter.id }
  const { id, token, mailedToken } = await storage.write(writer => createInvitation(writer, invitation))
  return { id, path: `/invitation/${token}`, mailedPath: `/invitation/${mailedToken}` }
}
const isMember = async (email: string) => {
  const user = await findUserByEmail(pages.storage.db, email)
  return user !== undefined && (await findMember(pages.storage.db, pages.workspace.id, user.id)) !== undefined
}

test('a new person chooses name and password, is a member, and signed in', async () => {
  const email = 'new@example.org'
  const { path } = await invite(email)
  const reader = pages.openReader()
  const page = await reader.go(path)
  assert.match(page.text, /Ada Reader invited you to the workspace/)
  assert.match(page.text, /autocomplete="new-password"/)
  const weak = await reader.send(page, { action: 'register', name: '', password: 'password' })
  assert.equal(weak.status, 422)
  assert.match(weak.text, /id="name-fault"/)
  assert.match(weak.text, /id="password-fault"/)
  assert.equal(await isMember(email), false)
  const done = await reader.send(page, { action: 'register', name: ' Grace ', password: goodPassword })
  assert.match(done.text, /You are a member of/)
  assert.equal((await findUserByEmail(pages.storage.db, email))?.name, 'Grace')
  assert.match(done.text, new RegExp(`Signed in as ${email}`))
  const consent = await reader.authorize()
  assert.match(consent.text, /Allow Reader/, 'no page asks for the password just chosen')
  const loginPage = await reader.authorize({ prompt: 'login' })
  assert.match(loginPage.text, /<h1>Sign in<\/h1>/, 'but where the application asks for it')
  assert.match((await pages.openReader().authorize()).text, /<h1>Sign in<\/h1>/, 'nor in another browser')
  // Once.
  const usedPage = await pages.openReader().go(path)
  assert.equal(usedPage.status, 410)
  assert.match(usedPage.text, /This invitation was used/)
})

test('the link of the mail proves the address, the one that was handed over does not; both are one invitation', async () => {
  const join = async (email: string, by: 'path' | 'mailedPath') => {
    const invited = await invite(email)
    const reader = pages.openReader()
    const page = await reader.go(`${invited[by]}?ui_locales=nl`)
    await reader.send(page, { action: 'register', name: 'Grace', password: goodPassword })
    for (const path of [invited.path, invited.mailedPath]) assert.equal((await reader.go(path)).status, 410)
    const user = await findUserByEmail(pages.storage.db, email)
    return [user?.email_verified, user?.language]
  }
  assert.deepEqual(await join('mailed@example.org', 'mailedPath'), [1, 'nl'])
  assert.deepEqual(await join('handed@example.org', 'path'), [0, 'nl'])
})

test('a known person signs in and joins by one form; the throttle holds for it too', async () => {
  const { email } = await pages.newPerson({ isMember: false })
  const { path } = await invite(email)
  const reader = pages.openReader()
  const page = await reader.go(path)
  assert.match(page.text, /autocomplete="current-password"/)
  const wrong = await reader.send(page, { action: 'sign-in', password: 'wrong' })
  assert.equal(wrong.status, 422)
  // The address of the form is that of the invitation, whatever is sent.
  const done = await reader.send(page, { action: 'sign-in', email: inviter.email, password: goodPassword })
  assert.match(done.text, new RegExp(`Signed in as ${email}`))
  assert.ok(await isMember(email))
  assert.match((await reader.authorize()).text, /Allow Reader/)

  const another = await pages.newPerson({ isMember: false })
  const guesser = pages.openReader()
  const guessed = await guesser.go((await invite(another.email)).path)
  for (let guess = 0; guess < 10; guess++)
    await guesser.send(guessed, { action: 'sign-in', password: `${guess}` })
  assert.equal((await guesser.send(guessed, { action: 'sign-in', password: goodPassword })).status, 429)
})

test('session fixation: who joins gets a new session, whatever cookie was there, and nobody else’s goes on', async () => {
  const stranger = await pages.newPerson()
  const reader = pages.openReader()
  await reader.signIn(await reader.authorize(), stranger.email)
  const planted = new Map(reader.jar)
  const { email } = await pages.newPerson({ isMember: false })
  const otherReader = pages.openReader()
  const form = await otherReader.go((await invite(email)).path)
  for (const [name, cookie] of planted)
    if (!name.startsWith('querent_form')) otherReader.jar.set(name, cookie)
  const done = await otherReader.send(form, { action: 'sign-in', password: goodPassword })
  assert.match(done.text, new RegExp(`Signed in as ${email}`))
  assert.match((await otherReader.authorize()).text, new RegExp(`Signed in as ${email}`))
  assert.match((await reader.authorize()).text, /<h1>Sign in<\/h1>/)
})

test('the invited person, once signed in, joins with one button', async () => {
  const person = await pages.newPerson({ isMember: false })
  const reader = pages.openReader()
  await reader.signIn(await reader.authorize(), person.email)
  const page = await reader.go((await invite(person.email)).path)
  assert.match(page.text, new RegExp(`Signed in as ${person.email}`))
  assert.doesNotMatch(page.text, /type="password"/)
  assert.match((await reader.send(page, { action: 'join' })).text, /You are a member of/)
  assert.ok(await isMember(person.email))
})

test('another person who is signed in cannot join, and may switch', async () => {
  const person = await pages.newPerson()
  const email = 'intended@example.org'
  const reader = pages.openReader()
  const consent = await reader.signIn(await reader.authorize(), person.email)
  await reader.send(consent, { action: 'allow' })
  const { path } = await invite(email)
  const page = await reader.go(path)
  assert.equal(page.status, 403)
  assert.match(page.text, /for someone else/)
  assert.match(page.text, new RegExp(`Signed in as ${person.email}`))
  for (const action of ['join', 'register'])
    assert.equal((await reader.send(page, { action, name: 'X', password: goodPassword })).status, 403)
  assert.equal(await isMember(email), false)
  const switched = await reader.send(page, { action: 'switch' })
  assert.equal(switched.url.pathname, path)
  assert.match(switched.text, /autocomplete="new-password"/)
  // Signed out: the application asks anew.
  assert.match((await reader.authorize()).text, /<h1>Sign in<\/h1>/)
})

test('an expired, a withdrawn and an unknown invitation have a page each, and nothing joins by them', async () => {
  const reader = pages.openReader()
  const expired = await invite('late@example.org')
  const open = await reader.go(expired.path)
  await pages.storage.db
    .updateTable('invitations')
    .set({ expires_at: 1 })
    .where('id', '=', expired.id)
    .execute()
  const late = await reader.send(open, { action: 'register', name: 'Late', password: goodPassword })
  assert.equal(late.status, 410)
  assert.match(late.text, /has expired/)

  const withdrawn = await invite('withdrawn@example.org')
  await pages.storage.write(writer => withdrawInvitation(writer, withdrawn.id))
  assert.match((await reader.go(withdrawn.path)).text, /was withdrawn/)
  assert.match((await reader.go(`${withdrawn.path}/joined`)).text, /was withdrawn/)

  const unknown = await reader.go('/invitation/qri_none')
  assert.equal(unknown.status, 404)
  assert.match(unknown.text, /Invitation not found/)
  assert.equal(await isMember('late@example.org'), false)
})

test('an invitation sets nobody’s password: an account that is there is signed in to', async () => {
  const { email } = await pages.newPerson({ isMember: false, password: null })
  const { path } = await invite(email)
  const reader = pages.openReader()
  const page = await reader.go(path)
  await reader.send(page, { action: 'register', name: 'Mallory', password: goodPassword })
  assert.equal((await findUserByEmail(pages.storage.db, email))?.password_hash, null)
  assert.match(page.text, /href="\/password\/forgot"/)
})

test('an invitation ends with the rights of its inviter: the page says so, and nobody joins', async () => {
  const email = 'accomplice@example.org'
  const { path } = await invite(email)
  const reader = pages.openReader()
  const page = await reader.go(path)
  const { workspace, storage } = pages
  const membership = {
    workspaceId: workspace.id,
    subject: inviter.id,
    kind: 'user',
    filter: undefined,
  } as const
  // Somebody else stays an administrator.
  await pages.newInviter()
  await storage.write(writer => setMember(writer, { ...membership, roles: ['user'] }))
  const refusedPage = await reader.send(page, { action: 'register', name: 'Grace', password: goodPassword })
  assert.equal(refusedPage.status, 410)
  assert.match(refusedPage.text, /may no longer invite/)
  assert.equal(await isMember(email), false)
  assert.equal(await findUserByEmail(storage.db, email), undefined, 'nor is there an account')
  await storage.write(writer => setMember(writer, { ...membership, roles: ['administrator'] }))
})
