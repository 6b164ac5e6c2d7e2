/** A session of a workspace's own OpenID provider: which parts of the account it reads, and how the audit log marks it. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { authUrl, baseUrl } from '#authz/test-tokens'
import { listAudit } from '#storage/audit'
import { saveRecord } from '#storage/oidc-records'
import { openTestServer, type Person } from './test-server.ts'

const server = await openTestServer()
after(() => server.close())

const issuer = 'https://login.corp.example'

/** Signs the person in through the provider of `books`. */
const signInByProvider = async (person: Person, audience = `${authUrl}/manage/`) => {
  const grantId = randomUUID()
  const providerSignIn = {
    workspaceId: server.books.id,
    workspace: 'books',
    issuer,
    subject: person,
    at: Math.floor(Date.now() / 1000),
  }
  const payload = { accountId: server.ids[person], clientId: 'console', providerSignIn }
  const expiresAt = Date.now() + 60_000
  await saveRecord(server.storage.db, { model: 'Grant', id: grantId, payload, expiresAt })
  const token = await server.token({
    subject: server.ids[person],
    clientId: 'console',
    audience,
    grantId,
    workspaceId: server.books.id,
  })
  return { token }
}

test('GET /me has only id, address and name in a session of the provider', async () => {
  const { status, body } = await server.call(await signInByProvider('ada'), 'GET', '/manage/v1/me')
  assert.equal(status, 200)
  assert.deepEqual(body, { id: server.ids.ada, email: 'ada@example.org', name: 'ada' })
  const ordinary = await server.call('ada', 'GET', '/manage/v1/me')
  assert.deepEqual(
    [ordinary.body.operator, ordinary.body.emailVerified, ordinary.body.pendingEmail],
    [false, true, null],
  )
})

test('a session of the provider never learns memberships of other workspaces from a token', async () => {
  const eve = await signInByProvider('eve', baseUrl)
  const inspect = (input: object) =>
    signInByProvider('eve').then(caller =>
      server.call(caller, 'POST', '/manage/v1/tokens/inspect', { token: eve.token, ...input }),
    )
  assert.equal((await inspect({ workspace: 'films' })).status, 403)
  assert.equal((await inspect({ workspace: 'nowhere' })).status, 403)
  assert.equal((await inspect({ workspace: 'books' })).status, 200)
  assert.equal((await inspect({})).status, 200)
})

test('a session of the provider reads refusals of its workspace only', async () => {
  const refuse = async (slug: string) =>
    (await server.call('dora', 'GET', `/manage/v1/workspaces/${slug}/members`)).headers.get('x-request-id')
  const read = async (caller: Parameters<typeof server.call>[0], requestId: string | null) =>
    (await server.call(caller, 'GET', `/manage/v1/refusals/${requestId}`)).status
  const [inBooks, inFilms] = [await refuse('books'), await refuse('films')]
  const dora = await signInByProvider('dora')
  assert.deepEqual([await read(dora, inBooks), await read(dora, inFilms)], [200, 404])
  assert.deepEqual([await read('dora', inBooks), await read('dora', inFilms)], [200, 200])
})

test('every entry of such a session names the provider, in the log of the workspace and of the server', async () => {
  const ada = await signInByProvider('ada')
  const settings = await server.call(ada, 'PATCH', '/manage/v1/workspaces/books/settings', {
    origins: ['https://x.example'],
  })
  assert.equal(settings.status, 200)
  const member = await server.call(ada, 'PUT', '/manage/v1/workspaces/books/members/nobody@example.org', {
    roles: ['api'],
  })
  assert.equal(member.status, 200)
  const source = 'workspace: books\ntitle: More books\n'
  assert.equal((await server.call(ada, 'POST', '/manage/v1/apply', { source })).status, 200)
  await server.call('ada', 'PATCH', '/manage/v1/workspaces/books/settings', { origins: [] })
  const logs = [
    await server.call('ada', 'GET', '/manage/v1/workspaces/books/audit'),
    await server.call('operator', 'GET', '/manage/v1/audit'),
  ]
  for (const { body } of logs) {
    const marks = body.items.map(
      ({ action, detail }: { action: string; detail: Record<string, unknown> }) => [
        action,
        detail.byProvider,
        detail.issuer,
      ],
    )
    assert.deepEqual(marks.slice(0, 4), [
      ['updateSettings', undefined, undefined],
      ['applyWorkspaceFile', true, issuer],
      ['setMember', true, issuer],
      ['updateSettings', true, issuer],
    ])
  }
})

test('the entry of a person who removes themselves names the provider too', async () => {
  await server.call('ada', 'PUT', '/manage/v1/workspaces/books/members/nobody@example.org', {
    roles: ['administrator'],
  })
  const ada = await signInByProvider('ada')
  const path = '/manage/v1/workspaces/books/members/ada@example.org'
  assert.equal((await server.call(ada, 'DELETE', path)).status, 204)
  const [entry] = await listAudit(server.storage.db, { workspaceId: server.books.id, count: 1 })
  assert.deepEqual([entry?.action, JSON.parse(entry?.detail_json ?? '').issuer], ['removeMember', issuer])
})
