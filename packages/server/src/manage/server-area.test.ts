/** The operators' pages of the console: test mail, backup with a password, memberships, sizes of workspaces. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { hashPassword } from '#accounts/password-hash'
import { setPassword } from '#storage/users'
import { openTestServer } from './test-server.ts'

let server: Awaited<ReturnType<typeof openTestServer>>
before(async () => {
  server = await openTestServer()
})
after(() => server.close())

const latestAudit = async () =>
  (await server.call('operator', 'GET', '/manage/v1/audit?count=1')).body.items[0]

describe('a test mail', () => {
  const sendTo = (to: string) => server.call('operator', 'POST', '/manage/v1/server/test-mail', { to })

  it('arrives, shows the answer of the mail server, and is in the audit log', async () => {
    const { body } = await sendTo('ada@example.org')
    assert.equal(body.accepted, true)
    assert.match(body.answer, /^250 /)
    const mail = server.mailServer.letters.at(-1)
    assert.deepEqual(mail?.to, ['ada@example.org'])
    const { action, target } = await latestAudit()
    assert.deepEqual([action, target], ['sendTestMail', 'ada@example.org'])
  })
  it('that is rejected shows why', async () => {
    const { status, body } = await sendTo('unknown@example.org')
    assert.deepEqual([status, body.accepted], [200, false])
    assert.match(body.answer, /^550 .*no mailbox/)
  })
})

describe('a backup through the console', () => {
  const download = (password: string) =>
    server.call('operator', 'POST', '/manage/v1/backup/download', { password })

  it('needs the password of the operator, which cannot be guessed with a stolen token', async () => {
    const noPassword = await download('battery staple 9')
    assert.deepEqual([noPassword.status, noPassword.body.code], [409, 'conflict'])
    const passwordHash = await hashPassword('battery staple 9')
    await server.storage.write(writer => setPassword(writer, server.ids.operator, passwordHash))
    for (let attempt = 0; attempt < 10; attempt++) {
      const wrong = await download(`guess ${attempt}`)
      assert.deepEqual([wrong.status, wrong.body.code], [400, 'bad-parameter'])
    }
    const throttled = await download('battery staple 9')
    assert.deepEqual([throttled.status, throttled.body.code], [429, 'too-many-requests'])
    assert.notEqual((await latestAudit()).action, 'downloadBackup')
  })
})

describe('the list of workspaces', () => {
  it('has all of them in pages, with their members and documents', async () => {
    const page = await server.call('operator', 'GET', '/manage/v1/server/workspaces?count=1')
    const { createdAt, ...books } = page.body.items[0]
    assert.ok(Date.parse(createdAt) <= Date.now())
    assert.deepEqual(books, {
      workspace: 'books',
      title: 'Books',
      people: 4,
      systemToSystem: 0,
      collections: 1,
      documents: 10,
    })
    const rest = await server.call('operator', 'GET', `/manage/v1/server/workspaces?after=${page.body.next}`)
    assert.deepEqual(
      [rest.body.items.map(({ workspace }: { workspace: string }) => workspace), rest.body.next],
      [['films'], null],
    )
  })
})

describe('memberships of a user', () => {
  it('name the workspaces, roles and row filter', async () => {
    const filtered = { roles: ['api'], filter: { genre: 'crime' } }
    await server.call('operator', 'PUT', '/manage/v1/workspaces/books/members/eve@example.org', filtered)
    const { body } = await server.call('operator', 'GET', '/manage/v1/users/EVE@example.org/memberships')
    assert.deepEqual(
      body.items.map(({ workspace, title, roles, hasFilter }: Record<string, unknown>) => [
        workspace,
        title,
        roles,
        hasFilter,
      ]),
      [
        ['books', 'Books', ['api'], true],
        ['films', 'films', ['administrator'], false],
      ],
    )
  })

  it('name the groups, and the filters that they or the defaults give', async () => {
    const change = (path: string, input: object) =>
      server.call('operator', 'PUT', `/manage/v1/workspaces/books/${path}`, input)
    assert.equal((await change('member-defaults', { filter: { genre: 'drama' } })).status, 200)
    assert.ok(
      (await change('groups/crime', { title: 'Crime club', filter: { genre: 'crime' } })).status < 300,
    )
    const read = async () => {
      const { body } = await server.call('operator', 'GET', '/manage/v1/users/eve@example.org/memberships')
      const { hasFilter, filters, groups, ended } = body.items[0]
      return { hasFilter, filters, groups, ended }
    }
    await change('members/eve@example.org', { roles: ['api'], filter: null, groups: ['crime'] })
    assert.deepEqual(await read(), {
      hasFilter: true,
      filters: [{ source: 'group', group: 'crime', filter: { genre: 'crime' } }],
      groups: [{ group: 'crime', title: 'Crime club' }],
      ended: false,
    })
    await change('members/eve@example.org', { roles: ['api'], groups: [] })
    assert.deepEqual(await read(), {
      hasFilter: true,
      filters: [{ source: 'memberDefaults', filter: { genre: 'drama' } }],
      groups: [],
      ended: false,
    })
  })
})

describe('the server', () => {
  it('tells its version, storage, engine and mail server, and no password', async () => {
    const { body } = await server.call('operator', 'GET', '/manage/v1/server')
    const { version, storage, engine, mail } = body
    assert.deepEqual([version, storage, engine], ['0.0.0', 'sqlite', 'embedded'])
    assert.equal(mail.from, 'search@example.org')
    assert.match(mail.server, /^127\.0\.0\.1:\d+$/)
  })
})
