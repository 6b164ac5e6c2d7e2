/** Invitations and registration tokens of a person work only as long as the person may give them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { acceptInvitation, createInvitation, findInvitationByToken } from '#storage/invitations'
import { removeMember, setMember } from '#storage/members'
import {
  createRegistrationToken,
  findRegistrationToken,
  useRegistrationToken,
} from '#storage/registration-tokens'
import { createUser } from '#storage/users'
import { openTestServer, type Person } from './test-server.ts'

let server: Awaited<ReturnType<typeof openTestServer>>
before(async () => {
  server = await openTestServer()
})
after(() => server.close())

const book = '/manage/v1/workspaces/books'
let people = 0

/** An administrator of the workspace who has invited somebody and created a registration token. */
const newInviter = async () => {
  const email = `mallory${++people}@example.org`
  const guest = `guest${people}@example.org`
  const user = await server.storage.write(writer => createUser(writer, { email, emailVerified: true }))
  assert.ok(user)
  const membership = {
    workspaceId: server.books.id,
    subject: user.id,
    kind: 'user',
    filter: undefined,
  } as const
  await server.storage.write(writer => setMember(writer, { ...membership, roles: ['administrator'] }))
  const { books, storage } = server
  const name = `agents ${people}`
  const expiresAt = Date.now() + 60_000
  const invitation = await storage.write(writer =>
    createInvitation(writer, { workspaceId: books.id, email: guest, roles: ['user'], invitedBy: user.id }),
  )
  const registration = await storage.write(writer =>
    createRegistrationToken(writer, {
      workspaceId: books.id,
      name,
      usesMax: 50,
      expiresAt,
      createdBy: user.id,
    }),
  )
  return {
    user,
    email,
    guest,
    invitationId: invitation.id,
    link: invitation.token,
    registrationToken: registration.token,
    withdrawn: {
      invitations: [{ workspace: 'books', email: guest }],
      registrationTokens: [{ workspace: 'books', name }],
    },
  }
}
type Inviter = Awaited<ReturnType<typeof newInviter>>

const readStates = async ({ link, registrationToken }: Inviter) => [
  (await findInvitationByToken(server.storage.db, link))?.state,
  (await findRegistrationToken(server.storage.db, registrationToken)) !== undefined,
]

const call = (person: Person, method: string, path: string, body?: unknown) =>
  server.call(person, method, path, body)

const endings: Record<
  string,
  (inviter: Inviter) => Promise<{ status: number; body: Record<string, unknown> }>
> = {
  'removing a member': ({ email }) => call('ada', 'DELETE', `${book}/members/${email}`),
  'a role without invitations': ({ email }) =>
    call('ada', 'PUT', `${book}/members/${email}`, { roles: ['api'] }),
  'a workspace file': ({ email }) =>
    call('operator', 'POST', '/manage/v1/apply', {
      source: `workspace: books\nmembers: { "${email}": { roles: [user] } }\n`,
    }),
  'disabling a user': ({ email }) =>
    call('operator', 'PATCH', `/manage/v1/users/${email}`, { disabled: true }),
  'removing a user': ({ email }) => call('operator', 'DELETE', `/manage/v1/users/${email}`),
}

for (const [name, end] of Object.entries(endings))
  test(`${name} lists and withdraws open invitations and registration tokens`, async () => {
    const inviter = await newInviter()
    assert.deepEqual(await readStates(inviter), ['open', true])
    const { status, body } = await end(inviter)
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(body.withdrawn, inviter.withdrawn)
    assert.deepEqual(await readStates(inviter), ['withdrawn', false])
    const entries = await server.storage.db
      .selectFrom('audit')
      .selectAll()
      .orderBy('seq', 'desc')
      .limit(1)
      .execute()
    assert.deepEqual(JSON.parse(entries[0]?.detail_json ?? '{}').withdrawn, inviter.withdrawn)
  })

test('a removal that withdraws nothing has no body, and an operator keeps what they gave', async () => {
  const inviter = await newInviter()
  await server.storage.db
    .updateTable('users')
    .set({ operator: 1 })
    .where('id', '=', inviter.user.id)
    .execute()
  assert.equal((await call('ada', 'DELETE', `${book}/members/${inviter.email}`)).status, 204)
  assert.deepEqual(await readStates(inviter), ['open', true])
})

test('an invitation and a token that slipped through a removal are refused when they are used', async () => {
  const inviter = await newInviter()
  const guest = await server.storage.write(writer => createUser(writer, { email: inviter.guest }))
  assert.ok(guest)
  const row = await findRegistrationToken(server.storage.db, inviter.registrationToken)
  assert.ok(row)
  // As if they had been created while the removal was under way.
  await server.storage.write(writer => removeMember(writer, server.books.id, inviter.user.id))
  assert.equal(
    await server.storage.write(writer => acceptInvitation(writer, inviter.invitationId, guest.id)),
    false,
  )
  assert.equal(await server.storage.write(writer => useRegistrationToken(writer, row.id)), false)
  assert.deepEqual(await readStates(inviter), ['withdrawn', false])
})

test('a registration token belongs to the administrator who created it', async () => {
  const created = await call('ada', 'POST', `${book}/registration-tokens`, { name: 'of ada' })
  assert.equal(created.status, 201)
  const rows = await server.storage.db
    .selectFrom('registration_tokens')
    .select('created_by')
    .where('id', '=', String(created.body.id))
    .execute()
  assert.deepEqual(rows, [{ created_by: server.ids.ada }])
})
