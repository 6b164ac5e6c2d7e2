/** Device details of a session, by which its owner recognizes it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createInvitation } from '#storage/invitations'
import { listUserSessions } from '#storage/sessions'
import { findUserByEmail } from '#storage/users'
import { goodPassword, type Pages, startPages } from './test-pages.ts'

let pages: Pages
before(async () => {
  pages = await startPages()
})
after(() => pages.close())

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'
const safari =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1'
const openings = async (userId: string) =>
  (await listUserSessions(pages.storage.db, userId)).map(({ opened }) => opened)

test('a session keeps browser, system and address of the sign-in, also when it is used again', async () => {
  const { id, email } = await pages.newPerson()
  const reader = pages.openReader(firefox)
  await reader.send(await reader.signIn(await reader.authorize(), email), { action: 'allow' })
  const expectedOpenings = [{ browser: 'Firefox 145', system: 'Linux', address: pages.from.address }]
  assert.deepEqual(await openings(id), expectedOpenings)
  assert.ok((await reader.authorize()).applicationUrl, 'no login, no question')
  assert.deepEqual(await openings(id), expectedOpenings)
})

test('a session that began with an invitation keeps the same', async () => {
  const inviter = await pages.newInviter()
  const email = 'phone@example.org'
  const { token } = await pages.storage.write(writer =>
    createInvitation(writer, {
      workspaceId: pages.workspace.id,
      email,
      roles: ['api'],
      invitedBy: inviter.id,
    }),
  )
  const reader = pages.openReader(safari)
  const page = await reader.go(`/invitation/${token}`)
  await reader.send(page, { action: 'register', name: 'Grace', password: goodPassword })
  const person = await findUserByEmail(pages.storage.db, email)
  assert.deepEqual(await openings(person?.id ?? ''), [
    { browser: 'Safari 18', system: 'iOS', address: pages.from.address },
  ])
})

test('a user agent that no browser sends counts as no browser, however long it is', async () => {
  for (const userAgent of ['a test', '-', `<b>x</b>/${'y'.repeat(5000)}`]) {
    const { id, email } = await pages.newPerson()
    const reader = pages.openReader(userAgent)
    await reader.signIn(await reader.authorize(), email)
    assert.deepEqual(
      await openings(id),
      [{ browser: null, system: null, address: pages.from.address }],
      userAgent,
    )
  }
})

test('ASVS 7.3: a session ends after 14 days without use, and 30 days after the sign-in however it is used', async t => {
  const dayMs = 24 * 60 * 60 * 1000
  const person = await pages.newPerson()
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const signIn = async () => {
    const reader = pages.openReader()
    const consent = await reader.signIn(await reader.authorize(), person.email)
    if (!consent.parameters.code) await reader.send(consent, { action: 'allow' })
    return reader
  }
  const idleReader = await signIn()
  t.mock.timers.tick(14 * dayMs + 1000)
  assert.equal((await idleReader.authorize({ prompt: 'none' })).parameters.error, 'login_required')
  const activeReader = await signIn()
  for (const days of [13, 13]) {
    t.mock.timers.tick(days * dayMs)
    assert.ok((await activeReader.authorize({ prompt: 'none' })).parameters.code)
  }
  t.mock.timers.tick(4 * dayMs + 1000)
  assert.equal((await activeReader.authorize({ prompt: 'none' })).parameters.error, 'login_required')
})
