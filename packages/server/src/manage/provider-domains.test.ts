/** The domains of a workspace's own OpenID provider: who proves them, and how. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, test } from 'node:test'
import type { HealthCheck } from '@querent/contract/manage'
import {
  findProviderDomain,
  findProviderWorkspaces,
  proveDomain,
  recordDomainCheck,
} from '#storage/provider-domains'
import { openTestServer, type Person } from './test-server.ts'

const server = await openTestServer()
const issuer = 'https://login.example.org'

const apply = async (person: Person, workspace: string, domains: string[]) => {
  const source = JSON.stringify({ workspace, identityProvider: { issuer, clientId: 'q', domains } })
  const { status, body } = await server.call(person, 'POST', '/manage/v1/apply', { source })
  assert.equal(status, 200, JSON.stringify(body))
  return body.warnings.map(({ code }: { code?: string }) => code)
}
const provider = (workspace: string) => `/manage/v1/workspaces/${workspace}/identity-provider`
const act = (person: Person, workspace: string, domain: string, action: string, body?: object) =>
  server.call(person, 'POST', `${provider(workspace)}/domains/${domain}/${action}`, body)
const read = async (person: Person, workspace: string) =>
  (await server.call(person, 'GET', provider(workspace))).body.domains
const findWorkspaces = (domain: string) => findProviderWorkspaces(server.storage.db, domain, 10)

describe('the domains of a provider', () => {
  after(() => server.close())

  test('of an administrator are not proved, and a TXT record proves them for this workspace only', async () => {
    const domain = `${randomUUID()}.example`
    await apply('ada', 'books', [domain])
    await apply('eve', 'films', [domain])
    const [unproved] = await read('ada', 'books')
    assert.deepEqual(
      [unproved.domain, unproved.state, unproved.proof, unproved.lastCheck],
      [domain, 'unproved', null, null],
    )
    assert.match(unproved.record, /^querent-domain-verification=[\w-]{32}$/)
    assert.deepEqual(await findWorkspaces(domain), [])
    const missing = await act('ada', 'books', domain, 'check')
    assert.deepEqual(
      [missing.status, missing.body.state, missing.body.lastCheck],
      [200, 'unproved', 'missing'],
    )
    server.dns.records.add(`${domain} ${unproved.record}`)
    const proved = await act('ada', 'books', domain, 'check')
    assert.deepEqual(
      [proved.body.state, proved.body.proof, proved.body.lastCheck],
      ['proved', 'dns', 'found'],
    )
    assert.deepEqual(await findWorkspaces(domain), ['books'])
    const elsewhere = await act('eve', 'films', domain, 'check')
    assert.deepEqual([elsewhere.body.state, elsewhere.body.lastCheck], ['unproved', 'missing'])
    assert.notEqual(elsewhere.body.record, unproved.record)
    server.dns.isDown = true
    const down = await act('ada', 'books', domain, 'check')
    server.dns.isDown = false
    assert.deepEqual([down.body.state, down.body.lastCheck, down.body.endsAt], ['proved', 'no-answer', null])
  })

  test('that are not proved, or whose record has gone, are named by doctor with their workspace', async () => {
    const [unproved, failing] = [`${randomUUID()}.example`, `${randomUUID()}.example`]
    await apply('ada', 'books', [unproved, failing])
    const key = { workspaceId: server.books.id, domain: failing }
    await server.storage.write(writer => proveDomain(writer, key, 'dns'))
    const readCheck = async () => {
      const { body } = await server.call('operator', 'GET', '/manage/v1/diagnosis')
      return body.checks.find(({ name }: HealthCheck) => name === 'domains')
    }
    const unprovedCheck = await readCheck()
    assert.equal(unprovedCheck.state, 'warn')
    assert.ok(unprovedCheck.message.includes(`books/${unproved}`))
    assert.ok(!unprovedCheck.message.includes(failing))
    const row = await findProviderDomain(server.storage.db, key)
    assert.ok(row)
    await server.storage.write(writer => recordDomainCheck(writer, row, 'missing', { startsGrace: true }))
    assert.match((await readCheck()).message, new RegExp(`not found: .*books/${failing}`))
    await apply('operator', 'books', [unproved])
    assert.ok(!(await readCheck())?.message.includes('books/'))
  })

  test('are proved by the file of an operator, and by no other file', async () => {
    const domain = `${randomUUID()}.example`
    await apply('ada', 'books', [domain])
    assert.deepEqual(await findWorkspaces(domain), [])
    await apply('operator', 'books', [domain])
    const [row] = await read('ada', 'books')
    assert.deepEqual([row.state, row.proof], ['proved', 'operator'])
    const { body } = await server.call(
      'operator',
      'GET',
      '/manage/v1/audit?action=applyWorkspaceFile&count=1',
    )
    assert.deepEqual(body.items[0].detail.provedDomains, [domain])
    await apply('ada', 'books', [domain, `more.${domain}`])
    assert.deepEqual((await read('ada', 'books')).map(({ state }: { state: string }) => state).toSorted(), [
      'proved',
      'unproved',
    ])
  })

  test('are proved by an operator, which the audit log records', async () => {
    const domain = `${randomUUID()}.example`
    await apply('ada', 'books', [domain])
    assert.equal((await act('ada', 'books', domain, 'prove')).status, 403)
    assert.equal((await act('operator', 'books', domain, 'prove')).body.proof, 'operator')
    assert.equal((await act('operator', 'books', 'other.example', 'prove')).status, 404)
    assert.equal((await act('operator', 'nowhere', domain, 'prove')).status, 404)
    const { body } = await server.call('ada', 'GET', '/manage/v1/workspaces/books/audit?count=1')
    assert.deepEqual(
      [body.items[0].action, body.items[0].target, body.items[0].actor],
      ['proveProviderDomain', domain, 'operator@example.org'],
    )
  })

  test('of public mail services need an operator', async () => {
    for (const domain of ['gmail.com', 'outlook.com', 'proton.me', 'web.de']) {
      await apply('ada', 'books', [domain])
      const [row] = await read('ada', 'books')
      assert.equal(row.needsOperator, true)
      server.dns.records.add(`${domain} ${row.record}`)
      const replies = [
        await act('ada', 'books', domain, 'check'),
        await act('ada', 'books', domain, 'link', { to: 'postmaster' }),
      ]
      assert.deepEqual(
        replies.map(({ status, body }) => [status, body.code]),
        [
          [409, 'conflict'],
          [409, 'conflict'],
        ],
      )
      assert.deepEqual(await findWorkspaces(domain), [])
      assert.equal((await act('operator', 'books', domain, 'prove')).body.state, 'proved')
    }
  })

  test('get a link by mail, which is never in a reply, at most five an hour', async () => {
    const domain = `${randomUUID().slice(0, 8)}.example`
    await apply('ada', 'books', [domain])
    const reply = await act('ada', 'books', domain, 'link', { to: 'admin' })
    assert.deepEqual(
      [reply.status, reply.body.state, reply.body.link.address, reply.body.mail],
      [200, 'unproved', `admin@${domain}`, 'accepted'],
    )
    assert.doesNotMatch(JSON.stringify(reply.body), /qrd_/)
    for (let count = 0; count < 4; count += 1) await act('ada', 'books', domain, 'link', { to: 'admin' })
    assert.equal((await act('ada', 'books', domain, 'link', { to: 'admin' })).status, 429)
  })

  test('are answered with what the mail server said about their link', async () => {
    // Both are addresses that the mail server refuses, for now and for good.
    const [busy, unknown] = [
      `busy-${randomUUID().slice(0, 8)}.example`,
      `unknown-${randomUUID().slice(0, 8)}.example`,
    ]
    await apply('eve', 'films', [busy, unknown])
    for (const [domain, outcome] of [
      [busy, 'waiting'],
      [unknown, 'rejected'],
    ] as const) {
      const { status, body } = await act('eve', 'films', domain, 'link', { to: 'postmaster' })
      assert.deepEqual([status, body.mail], [200, outcome])
    }
  })
})
