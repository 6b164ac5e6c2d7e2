/** NIST SP 800-63B-4, section 3.1.1.2: a password that is the only factor has 15 characters. Operators set the number. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createInvitation } from '#storage/invitations'
import { createOneTimeLink } from '#storage/one-time-links'
import { findUser, findUserByEmail } from '#storage/users'
import { type Pages, startPages } from './test-pages.ts'

/** 14 characters that the estimator rates as good, so that only their number is against them. */
const short = 'pl3nty of 7ime'
const long = `${short}s`

let pages: Pages
before(async () => {
  pages = await startPages({ passwordLengthMin: 15 })
})
after(() => pages.close())

test('a new password by link has as many characters as the operator requires, and the page states the number', async () => {
  const { id: userId, email } = await pages.newPerson()
  const link = { purpose: 'password', userId, ttlMs: 60_000 } as const
  const { token } = await pages.storage.write(writer => createOneTimeLink(writer, link))
  const hashBefore = (await findUser(pages.storage.db, userId))?.password_hash
  const reader = pages.openReader()
  const page = await reader.go(`/password/reset/${token}`)
  assert.match(page.text, /\b15\b/)
  const refusedPage = await reader.send(page, { action: 'save', password: short })
  assert.equal(refusedPage.status, 422)
  assert.match(refusedPage.text, /id="password-fault"[^>]*>[^<]*\b15\b/)
  assert.equal((await findUser(pages.storage.db, userId))?.password_hash, hashBefore)
  const guess = await reader.signIn(await reader.authorize(), email, short)
  assert.equal(guess.status, 422, 'so nobody signs in by guessing it')
  assert.equal((await reader.send(page, { action: 'save', password: long })).status, 200)
})

test('the password of a person who accepts an invitation has the minimum length', async () => {
  const email = 'invited@example.org'
  const { id: invitedBy } = await pages.newInviter()
  const { workspace, storage } = pages
  const invitation = { workspaceId: workspace.id, email, roles: ['user' as const], invitedBy }
  const { token } = await storage.write(writer => createInvitation(writer, invitation))
  const reader = pages.openReader()
  const page = await reader.go(`/invitation/${token}`)
  assert.match(page.text, /\b15\b/)
  const fields = { action: 'register', name: 'Grace' }
  const refusedPage = await reader.send(page, { ...fields, password: short })
  assert.equal(refusedPage.status, 422)
  assert.match(refusedPage.text, /id="password-fault"[^>]*>[^<]*\b15\b/)
  assert.equal(await findUserByEmail(storage.db, email), undefined)
  assert.equal((await reader.send(page, { ...fields, password: long })).status, 200)
})
