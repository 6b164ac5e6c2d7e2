/** The page that confirms a new email address, and attacks on it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { listAuditAbout } from '#storage/audit'
import { createOneTimeLink, findOneTimeLink } from '#storage/one-time-links'
import { listUserSessions } from '#storage/sessions'
import { createUser, findUser } from '#storage/users'
import { type Pages, type ShownPage, startPages } from './test-pages.ts'

let pages: Pages
let ownApplication: string
before(async () => {
  pages = await startPages()
  ownApplication = await pages.application('Own', { own: true })
})
after(() => pages.close())

let addresses = 0
const newEmail = () => `new${++addresses}@example.net`
/** The management API makes such a link when a person changes their address. */
const makeLink = async (userId: string, email: string, ttlMs = 60_000): Promise<string> => {
  const link = { purpose: 'email', userId, ttlMs, mailed: true, email } as const
  return (await pages.storage.write(writer => createOneTimeLink(writer, link))).token
}
const open = (reader: ReturnType<Pages['openReader']>, link: string): Promise<ShownPage> =>
  reader.go(`/email/confirm/${link}`)
const readAddress = async (id: string) => {
  const user = await findUser(pages.storage.db, id)
  return [user?.email, user?.email_verified]
}

test('the person signs in, sees both addresses, and confirms; the old address gets a mail', async () => {
  const { id, email } = await pages.newPerson()
  const chosen = newEmail()
  const reader = pages.openReader()
  const login = await open(reader, await makeLink(id, chosen))
  assert.ok(login.text.includes('name="password"'))
  const page = await reader.signIn(login, email)
  assert.equal(page.url.pathname, '/email/confirm')
  assert.ok(page.text.includes(email.replace('@', '&#64;')) || page.text.includes(email))
  assert.deepEqual(await readAddress(id), [email, 0], 'opening the link changes nothing')
  const done = await reader.send(page, { action: 'confirm' })
  assert.equal(done.url.pathname, '/email/confirmed')
  assert.deepEqual(await readAddress(id), [chosen, 1])
  await pages.noticesSettled()
  const letter = pages.letters.findLast(({ to }) => to === email)
  assert.match(letter?.text ?? '', /n…@example\.net/)
  assert.ok(!letter?.text.includes(chosen), 'the old mailbox may belong to somebody else by now')
  const [entry] = await listAuditAbout(pages.storage.db, { userId: '', email: chosen }, 1)
  assert.deepEqual(
    [entry?.action, JSON.parse(entry?.detail_json ?? '')],
    ['confirmEmail', { before: { email } }],
  )
  const laterReader = pages.openReader()
  assert.equal(
    (await laterReader.signIn(await laterReader.authorize(), email)).status,
    422,
    'the old address signs in no more',
  )
  const landed = await laterReader.signIn(await laterReader.authorize({ client_id: ownApplication }), chosen)
  assert.ok(landed.applicationUrl)
})

test('the link is in no address after the first one, not even in that of the sign-in', async () => {
  const { id } = await pages.newPerson()
  const link = await makeLink(id, newEmail())
  const reply = await fetch(`${pages.authUrl}/email/confirm/${link}`, { redirect: 'manual' })
  assert.deepEqual([reply.status, reply.headers.get('location')], [303, '/email/confirm'])
  const cookie = reply.headers.getSetCookie().find(text => text.includes('email_link')) ?? ''
  assert.match(cookie, /HttpOnly; SameSite=Lax/)
  const headers = { cookie: cookie.split(';')[0] ?? '' }
  const signIn = await fetch(`${pages.authUrl}/email/confirm`, { redirect: 'manual', headers })
  assert.match(signIn.headers.get('location') ?? '', /^\/authorize\?/)
  assert.ok(!signIn.headers.get('location')?.includes(link))
})

test('all other sessions, and a link for a new password in the old mailbox, end with the old address', async () => {
  const { id, email } = await pages.newPerson()
  const [reader, thief] = [pages.openReader(), pages.openReader()]
  await thief.signIn(await thief.authorize(), email)
  const page = await reader.signIn(await open(reader, await makeLink(id, newEmail())), email)
  assert.equal((await listUserSessions(pages.storage.db, id)).length, 2)
  const reset = await pages.storage.write(writer =>
    createOneTimeLink(writer, { purpose: 'password', userId: id, ttlMs: 60_000, mailed: true }),
  )
  await reader.send(page, { action: 'confirm' })
  assert.equal((await listUserSessions(pages.storage.db, id)).length, 1)
  assert.equal(await findOneTimeLink(pages.storage.db, reset.token), undefined)
  assert.equal(
    (await thief.authorize({ client_id: ownApplication, prompt: 'none' })).parameters.error,
    'login_required',
  )
  assert.ok((await reader.authorize({ client_id: ownApplication, prompt: 'none' })).parameters.code)
})

test('a link works once, and not when it has expired', async () => {
  const { id, email } = await pages.newPerson()
  const reader = pages.openReader()
  const link = await makeLink(id, newEmail())
  const page = await reader.signIn(await open(reader, link), email)
  await reader.send(page, { action: 'confirm' })
  assert.equal((await open(reader, link)).status, 410)
  assert.equal((await open(reader, await makeLink(id, newEmail(), -1))).status, 410)
  assert.equal((await open(reader, 'qrl_none')).status, 410)
})

test("a stranger who opens another person's link attaches their address to no other account", async () => {
  const [attacker, victim] = [await pages.newPerson(), await pages.newPerson()]
  const link = await makeLink(attacker.id, 'victim@example.net')
  const reader = pages.openReader()
  await reader.signIn(await reader.authorize({ client_id: ownApplication }), victim.email)
  const page = await open(reader, link)
  assert.equal(page.status, 403)
  assert.ok(!page.text.includes('name="form_token"'))
  const ownPage = await reader.go('/factors')
  const forced = await reader.browser.go('/email/confirm', {
    method: 'POST',
    headers: { origin: pages.authUrl, 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ action: 'confirm' }),
  })
  assert.ok(forced.status >= 400 && ownPage.status === 200)
  assert.deepEqual(await readAddress(attacker.id), [attacker.email, 0])
  assert.deepEqual(await readAddress(victim.id), [victim.email, 0])
})

test('a foreign page cannot send the form', async () => {
  const { id, email } = await pages.newPerson()
  const reader = pages.openReader()
  const page = await reader.signIn(await open(reader, await makeLink(id, newEmail())), email)
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  const reply = await reader.send(page, { action: 'confirm' }, foreign)
  assert.ok(reply.status >= 400)
  assert.deepEqual(await readAddress(id), [email, 0])
})

test('an address that has got an account is not taken over, and the page does not reveal why', async () => {
  const { id, email } = await pages.newPerson()
  const chosen = newEmail()
  const reader = pages.openReader()
  const page = await reader.signIn(await open(reader, await makeLink(id, chosen)), email)
  const owner = await pages.storage.write(writer => createUser(writer, { email: chosen }))
  const reply = await reader.send(page, { action: 'confirm' })
  assert.equal(reply.status, 410)
  assert.deepEqual(await readAddress(id), [email, 0])
  assert.deepEqual((await findUser(pages.storage.db, owner?.id ?? ''))?.email, chosen)
})

test('a link for an address sets no password, and a link for a password confirms no address', async () => {
  const { id, email } = await pages.newPerson()
  const reader = pages.openReader()
  const emailLink = await makeLink(id, newEmail())
  assert.equal((await reader.go(`/password/reset/${emailLink}`)).status, 410)
  const { token } = await pages.storage.write(writer =>
    createOneTimeLink(writer, { purpose: 'password', userId: id, ttlMs: 60_000 }),
  )
  assert.equal((await open(reader, token)).status, 410)
  assert.deepEqual(await readAddress(id), [email, 0])
})

test('a disabled person confirms nothing', async () => {
  const { id, email } = await pages.newPerson()
  const reader = pages.openReader()
  const page = await reader.signIn(await open(reader, await makeLink(id, newEmail())), email)
  await pages.storage.db.updateTable('users').set({ disabled: 1 }).where('id', '=', id).execute()
  await pages.storage.write(async writer => writer.announce('user', id))
  const reply = await reader.send(page, { action: 'confirm' })
  assert.ok(reply.text.includes('name="password"'))
  assert.deepEqual(await readAddress(id), [email, 0])
})
