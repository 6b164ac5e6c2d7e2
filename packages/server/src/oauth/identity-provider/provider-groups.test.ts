/** A workspace's own OpenID provider gives its people groups and attributes, at each sign-in and refresh. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { findRights } from '#authz/rights'
import { startPages } from '#oauth/interactions/test-pages'
import { setMember } from '#storage/members'
import { findWorkspaceById } from '#storage/workspaces'
import { waitUntil } from '#test-wait'
import { makeTestCompany } from './test-company.ts'
import { openTestProvider } from './test-provider.ts'

const pages = await startPages({ signInThrottle: 'off' })
const provider = await openTestProvider()
after(async () => {
  await pages.close()
  await provider.close()
})
const { storage } = pages
const company = makeTestCompany(pages, provider)

const mapping = {
  groups: { claim: 'groups', map: { Legal: ['legal'], Press: ['press'] } },
  attributes: { department: 'department' },
}
const parts = {
  groups: {
    legal: { filter: { section: 'legal' } },
    press: { filter: { section: { member: 'department' } } },
  },
  memberDefaults: { filter: { section: 'public' } },
}
const everybody = { '*': ['api' as const] }
let application: Awaited<ReturnType<typeof company.openApplication>>
const start = async (claims: Record<string, unknown>) => {
  const person = { sub: randomUUID(), email: company.newEmail(), ...claims }
  let tokens = await company.exchangeFor(application, await company.signIn(application, person))
  return {
    ...person,
    refresh: async (changed: Record<string, unknown>) => {
      provider.says.claims = { ...person, email_verified: true, ...changed }
      const reply = await application.client.refresh(tokens.refresh)
      assert.equal(reply.status, 200, reply.text)
      tokens = { ...tokens, refresh: String(reply.json.refresh_token) }
    },
  }
}
const findPersonRights = async (email: string) => {
  const member = await company.findMemberByEmail(application.workspace, email)
  const workspace = await findWorkspaceById(storage.db, application.workspace.id)
  assert.ok(member && workspace)
  const { groups, filter } = findRights(workspace.definition, member)
  return { groups, sees: filter?.alternatives, member }
}
const listResults = async (email: string): Promise<string[]> => {
  const rows = await storage.db
    .selectFrom('sign_ins')
    .innerJoin('users', 'users.id', 'sign_ins.user_id')
    .select('result')
    .where('email', '=', email)
    .execute()
  return rows.map(({ result }) => result)
}

describe('a provider', () => {
  before(async () => {
    application = await company.openApplication({ ...mapping, roles: everybody }, {}, parts)
  })
  beforeEach(() => {
    provider.reset()
    provider.says.isOffline = true
  })

  test('a sign-in gives groups and attributes, and each refresh replaces them', async () => {
    const { email, refresh } = await start({ groups: ['Legal', 'Unknown'], department: ['x', 'y'] })
    const { groups, sees } = await findPersonRights(email)
    assert.deepEqual([groups, sees], [['legal'], [{ section: 'legal' }]])
    await refresh({ groups: ['Press'] })
    const refreshed = await findPersonRights(email)
    assert.deepEqual([refreshed.groups, refreshed.sees], [['press'], [{ section: ['x', 'y'] }]])
    // A stale session after a claim was removed: the next refresh closes what it opened.
    await refresh({ groups: [] })
    assert.deepEqual((await findPersonRights(email)).sees, [{ section: 'public' }])
  })

  test('a claim that is missing or incomplete gives none, and the sign-in log says so', async () => {
    const { email, refresh } = await start({ department: 'x' })
    assert.deepEqual((await findPersonRights(email)).groups, [])
    await refresh({ groups: ['Legal'] })
    assert.deepEqual((await findPersonRights(email)).groups, ['legal'])
    await refresh({ groups: undefined, _claim_names: { groups: 'src1' } })
    assert.deepEqual((await findPersonRights(email)).groups, [])
    await waitUntil(
      async () => (await listResults(email)).includes('claim-incomplete'),
      () => 'the sign-in log has the incomplete claim',
    )
    assert.ok((await listResults(email)).includes('claim-missing'))
  })

  test('the groups of the workspace and of a claim add up, and each source replaces only its own', async () => {
    const { email, refresh } = await start({ groups: ['Legal'], department: 'x' })
    const { member } = await findPersonRights(email)
    const set = (groups: string[]) =>
      storage.write(writer => setMember(writer, { ...member, rights: { groups } }))
    await set(['legal', 'press'])
    assert.deepEqual((await findPersonRights(email)).groups, ['legal', 'press'])
    await refresh({ groups: [] })
    assert.deepEqual((await findPersonRights(email)).groups, ['legal', 'press'], 'the workspace names both')
    await refresh({ groups: ['Legal'] })
    await set([])
    assert.deepEqual((await findPersonRights(email)).groups, ['legal'], 'the claim names it')
  })

  test('a group that the provider may no longer give is lost at once, and so is all of another provider', async t => {
    t.after(() => company.define(application.workspace, { ...mapping, roles: everybody }, {}, parts))
    const { email } = await start({ groups: ['Legal'], department: 'x' })
    const unmapped = { ...mapping, groups: { claim: 'groups', map: { Press: ['press'] } }, roles: everybody }
    await company.define(application.workspace, unmapped, {}, parts)
    assert.deepEqual((await findPersonRights(email)).sees, [{ section: 'public' }])
    await company.define(application.workspace, { ...mapping, issuer: 'https://other.example' }, {}, parts)
    assert.deepEqual((await findPersonRights(email)).groups, [])
    await company.define(application.workspace, null, {}, parts)
    assert.deepEqual((await findPersonRights(email)).groups, [])
  })

  test('the audit log has an entry only if something changed, with the source', async () => {
    const { email, refresh } = await start({ groups: ['Legal'], department: 'x' })
    await refresh({ groups: ['Legal'] })
    await refresh({ groups: ['Press'] })
    const entries = await storage.db
      .selectFrom('audit')
      .selectAll()
      .where('target', '=', email)
      .where('action', '=', 'setMember')
      .orderBy('at')
      .execute()
    const details = entries.map(({ detail_json }) => JSON.parse(detail_json) as { groups?: string[] })
    assert.deepEqual(
      details.flatMap(({ groups }) => (groups ? [groups] : [])),
      [['legal'], ['press']],
    )
  })
})
