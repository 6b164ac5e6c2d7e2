/** Proofs of domains by DNS, with a name server: what counts as the record, and what happens when it is gone. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { listAudit } from '#storage/audit'
import { openStorage } from '#storage/db'
import { setMember } from '#storage/members'
import { findProviderDomain, findProviderWorkspaces, proveDomain } from '#storage/provider-domains'
import { createUser } from '#storage/users'
import { createWorkspace } from '#storage/workspaces'
import { checkDueDomains } from './domain-checks.ts'
import { createDomainDns, makeDomainRecord } from './domain-dns.ts'
import { openTestDns } from './test-dns.ts'

const dns = await openTestDns()
const folder = await mkdtemp(join(tmpdir(), 'querent-test-'))
const storage = await openStorage({ file: join(folder, 'querent.db') })
const domainDns = createDomainDns([dns.server])
const letters: { to: string; subject: string }[] = []
const deps = {
  storage,
  domainDns,
  mail: {
    async send(letter: { to: string; subject: string }) {
      letters.push(letter)
      return 'accepted' as const
    },
  },
  authUrl: 'https://auth.example.org',
  log: { warn: () => {} },
}
const dayMs = 24 * 60 * 60 * 1000

describe('the TXT record of a domain', () => {
  after(async () => {
    await dns.close()
    await storage.close()
    await rm(folder, { recursive: true })
  })

  const record = makeDomainRecord('abc')
  const cases: [name: string, answer: Parameters<typeof dns.answers.set>[1], outcome: string][] = [
    ['among others', ['v=spf1 -all', record], 'found'],
    ['of another workspace', [makeDomainRecord('xyz')], 'missing'],
    ['with something behind it', [`${record}x`], 'missing'],
    ['in a longer text', [`a ${record}`], 'missing'],
    ['of a domain without records', [], 'missing'],
    ['of a domain that is not there', 'no-such-domain', 'missing'],
    ['of a name server that fails', 'failure', 'no-answer'],
  ]
  for (const [name, answer, outcome] of cases)
    test(`${name}: ${outcome}`, async () => {
      dns.answers.set('corp.example', answer)
      assert.equal(await domainDns.check('corp.example', record), outcome)
    })

  test('that is gone after 30 days is reported, and two weeks later the domain does not count', async t => {
    const workspace = await storage.write(async writer => {
      const row = await createWorkspace(writer, {
        workspace: 'books',
        identityProvider: { issuer: 'https://login.corp.example', clientId: 'q', domains: ['books.example'] },
      })
      const ada = await createUser(writer, { email: 'ada@example.org', emailVerified: true })
      assert.ok(row && ada)
      await setMember(writer, {
        workspaceId: row.id,
        subject: ada.id,
        kind: 'user',
        roles: ['administrator'],
        filter: undefined,
      })
      return row
    })
    const key = { workspaceId: workspace.id, domain: 'books.example' }
    const read = async () => {
      const row = await findProviderDomain(storage.db, key)
      assert.ok(row)
      return row
    }
    const rightRecord = makeDomainRecord((await read()).token)
    await storage.write(writer => proveDomain(writer, key, 'dns'))
    let now = Date.now()
    t.mock.timers.enable({ apis: ['Date'], now })
    /** Looks up what is due some days later. */
    const checkAfter = async (days: number) => {
      now += days * dayMs
      t.mock.timers.setTime(now)
      await checkDueDomains(deps)
      const counts = (await findProviderWorkspaces(storage.db, 'books.example', 1)).length === 1
      return { counts, lastCheck: (await read()).last_check, mails: letters.length }
    }
    dns.answers.set('books.example', [rightRecord])
    assert.deepEqual(await checkAfter(0), { counts: true, lastCheck: 'found', mails: 0 })
    dns.answers.set('books.example', [])
    assert.deepEqual(await checkAfter(29), { counts: true, lastCheck: 'found', mails: 0 }, 'not due')
    assert.deepEqual(await checkAfter(1), { counts: true, lastCheck: 'missing', mails: 1 })
    assert.deepEqual(await checkAfter(13), { counts: true, lastCheck: 'missing', mails: 1 })
    dns.answers.set('books.example', 'failure')
    assert.deepEqual(
      await checkAfter(5),
      { counts: true, lastCheck: 'no-answer', mails: 1 },
      'nobody can tell',
    )
    dns.answers.set('books.example', [rightRecord])
    assert.deepEqual(await checkAfter(1), { counts: true, lastCheck: 'found', mails: 1 }, 'it is back')
    dns.answers.set('books.example', 'no-such-domain')
    assert.deepEqual(await checkAfter(30), { counts: true, lastCheck: 'missing', mails: 2 })
    assert.deepEqual(await checkAfter(14), { counts: false, lastCheck: 'missing', mails: 3 })
    assert.deepEqual(
      letters.map(({ to }) => to),
      ['ada@example.org', 'ada@example.org', 'ada@example.org'],
    )
    const [entry] = await listAudit(storage.db, { workspaceId: workspace.id, count: 1 })
    assert.deepEqual([entry?.action, entry?.target], ['checkProviderDomain', 'books.example'])
    assert.deepEqual(await checkAfter(60), { counts: false, lastCheck: 'missing', mails: 3 })

    // A name server that is silent for long starts no grace period.
    await storage.write(writer => proveDomain(writer, key, 'dns'))
    dns.answers.set('books.example', 'failure')
    assert.deepEqual(await checkAfter(30), { counts: true, lastCheck: 'no-answer', mails: 3 })
    assert.deepEqual(await checkAfter(50), { counts: true, lastCheck: 'no-answer', mails: 3 })
    dns.answers.set('books.example', [])
    assert.deepEqual(await checkAfter(1), { counts: true, lastCheck: 'missing', mails: 4 })
    assert.deepEqual(await checkAfter(13), { counts: true, lastCheck: 'missing', mails: 4 })
    assert.deepEqual(await checkAfter(1), { counts: false, lastCheck: 'missing', mails: 5 })
  })
})
