/** Promises of workspaces' own OpenID providers on every database. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { StorageLocation } from './connection.ts'
import { openStorage, type Storage } from './db.ts'
import {
  findIdentity,
  findProviderSecret,
  linkIdentity,
  listIdentities,
  type ProviderPerson,
  recordIdentityUse,
  removeIdentities,
  removeProviderSecret,
  saveProviderSecret,
} from './identity-providers.ts'
import { findMember, setMember } from './members.ts'
import { saveRecord } from './oidc-records.ts'
import {
  createDomainLink,
  findDomainLink,
  findProviderDomain,
  findProviderWorkspaces,
  hasProviders,
  listDueDomains,
  proveAllDomains,
  proveDomain,
  recordDomainCheck,
  useDomainLink,
} from './provider-domains.ts'
import { endProviderSessions } from './provider-sessions.ts'
import {
  addProviderToken,
  findProviderToken,
  leaseProviderToken,
  pruneProviderTokens,
  releaseProviderToken,
  removeUserProviderTokens,
  replaceProviderToken,
} from './provider-tokens.ts'
import { endSession, listUserSessions } from './sessions.ts'
import { createUser, removeUser } from './users.ts'
import { createWorkspace, removeWorkspace, saveDefinition, type WorkspaceRow } from './workspaces.ts'

const issuer = 'https://login.example.org'

/** Runs the suite in an empty database. */
export const identityProvidersSuite = (empty: () => Promise<StorageLocation>): void => {
  let storage: Storage
  let otherNode: Storage
  before(async () => {
    const location = await empty()
    storage = await openStorage(location)
    otherNode = await openStorage(location)
  })
  after(async () => {
    await storage.close()
    await otherNode.close()
  })

  const newUserId = async (): Promise<string> => {
    const user = await storage.write(w => createUser(w, { email: `${randomUUID()}@example.org` }))
    assert.ok(user)
    return user.id
  }
  const define = (slug: string, domains: string[] | undefined) => ({
    workspace: slug,
    identityProvider: domains ? { issuer, clientId: 'querent', domains } : null,
  })
  const newWorkspace = async (domains?: string[]): Promise<WorkspaceRow> => {
    const row = await storage.write(w => createWorkspace(w, define(randomUUID(), domains)))
    assert.ok(row)
    return row
  }
  const link = (person: ProviderPerson, userId: string, on = storage) =>
    on.write(w => linkIdentity(w, person, userId))

  test('workspaces are found by the domains of their provider, as their definitions change', async () => {
    assert.equal(await hasProviders(storage.db), false)
    const domain = `${randomUUID()}.example`
    const first = await newWorkspace([domain, domain])
    const second = await newWorkspace([domain, 'more.example'])
    assert.deepEqual(await findProviderWorkspaces(storage.db, domain, 10), [], 'no domain is proved yet')
    assert.equal(await hasProviders(storage.db), false)
    await storage.write(w => proveAllDomains(w, first.id))
    assert.deepEqual(await findProviderWorkspaces(storage.db, domain, 10), [first.slug])
    await storage.write(w => proveAllDomains(w, second.id))
    const slugs = [first.slug, second.slug].toSorted()
    assert.deepEqual(await findProviderWorkspaces(storage.db, domain, 10), slugs)
    assert.deepEqual(await findProviderWorkspaces(storage.db, domain, 1), slugs.slice(0, 1))
    assert.deepEqual(await findProviderWorkspaces(storage.db, `sub.${domain}`, 10), [])
    await storage.write(w => saveDefinition(w, first.id, define(first.slug, undefined)))
    await storage.write(w => removeWorkspace(w, second))
    assert.deepEqual(await findProviderWorkspaces(storage.db, domain, 10), [])
    assert.equal(await hasProviders(storage.db), false)
  })

  test('a domain keeps its proof while the definition lists it, and starts without one', async () => {
    const domain = `${randomUUID()}.example`
    const { id, slug } = await newWorkspace([domain])
    const key = { workspaceId: id, domain }
    const read = () => findProviderDomain(storage.db, key)
    const save = (domains: string[] | undefined) =>
      storage.write(w => saveDefinition(w, id, define(slug, domains)))
    await storage.write(w => proveDomain(w, key, 'dns'))
    const first = await read()
    assert.deepEqual([first?.proof, (first?.token ?? '').length], ['dns', 32])
    await save([domain, 'more.example'])
    assert.deepEqual(await read(), first)
    await save(['more.example'])
    await save([domain])
    const second = await read()
    assert.equal(second?.proof, null)
    assert.notEqual(second?.token, first?.token)
  })

  test('a link proves its domain once, and the latest one only', async () => {
    const domain = `${randomUUID()}.example`
    const { id: workspaceId } = await newWorkspace([domain])
    const address = `postmaster@${domain}`
    const make = (ttlMs = 60_000) =>
      storage.write(w => createDomainLink(w, { workspaceId, domain }, { address, ttlMs }))
    const use = (token: string, on = storage) => on.write(w => useDomainLink(w, token))
    const expired = await make(-1)
    assert.deepEqual(
      [await findDomainLink(storage.db, expired.token), await use(expired.token)],
      [undefined, false],
    )
    const replaced = await make()
    const { token } = await make()
    assert.equal(await use(replaced.token), false)
    assert.equal((await findDomainLink(storage.db, token))?.domain, domain)
    const uses = await Promise.all([use(token), use(token, otherNode)])
    assert.deepEqual(uses.toSorted(), [false, true])
    assert.equal((await findProviderDomain(storage.db, { workspaceId, domain }))?.proof, 'email')
  })

  test('one node records a look-up, and those that failed are due earlier', async () => {
    const domain = `${randomUUID()}.example`
    const { id: workspaceId } = await newWorkspace([domain])
    await storage.write(w => proveDomain(w, { workspaceId, domain }, 'dns'))
    const now = Date.now()
    const isDue = async (checkedBefore: number, failedBefore: number) =>
      (await listDueDomains(storage.db, { checkedBefore, failedBefore }, 1000)).find(
        row => row.domain === domain,
      )
    const row = await isDue(now - 1000, now - 1000)
    assert.ok(row, 'never looked up')
    const records = [storage, otherNode].map(on =>
      on.write(w => recordDomainCheck(w, row, 'missing', { startsGrace: true })),
    )
    assert.deepEqual((await Promise.all(records)).toSorted(), [false, true])
    assert.equal(await isDue(now - 1000, now - 1000), undefined)
    const failed = await isDue(now - 1000, Date.now())
    assert.ok(failed?.failing_since)
    assert.equal(await storage.write(w => recordDomainCheck(w, failed, 'found', { startsGrace: true })), true)
    assert.equal(await isDue(now - 1000, Date.now()), undefined)
  })

  test('a subject is one user at one issuer of one workspace, also if two nodes link at once', async () => {
    const [a, b] = [await newWorkspace(), await newWorkspace()]
    const [userId, otherId] = [await newUserId(), await newUserId()]
    const person = { workspaceId: a.id, issuer, subject: randomUUID() }
    const links = await Promise.all([link(person, userId), link(person, otherId, otherNode)])
    assert.deepEqual(links.toSorted(), [false, true])
    const linkedId = await findIdentity(storage.db, person)
    assert.ok(linkedId)
    assert.equal(await findIdentity(storage.db, { ...person, workspaceId: b.id }), undefined)
    assert.equal(await findIdentity(storage.db, { ...person, issuer: `${issuer}/` }), undefined)
    // Another subject of the issuer is not the same user.
    assert.equal(await link({ ...person, subject: randomUUID() }, linkedId), false)
    assert.equal(await link({ ...person, workspaceId: b.id }, linkedId), true)
    await storage.write(w => recordIdentityUse(w, person))
    const rows = await listIdentities(storage.db, linkedId)
    assert.deepEqual(rows.map(({ workspaceId }) => workspaceId).toSorted(), [a.id, b.id].toSorted())
    await storage.write(w => removeIdentities(w, a.id, linkedId))
    assert.equal(await findIdentity(storage.db, person), undefined)
    assert.equal(await findIdentity(storage.db, { ...person, workspaceId: b.id }), linkedId)
    await storage.write(w => removeUser(w, linkedId))
    assert.deepEqual(await listIdentities(storage.db, linkedId), [])
  })

  test('the secret of a workspace is replaced, removed, and goes with the workspace', async () => {
    const workspace = await newWorkspace()
    const { id } = workspace
    for (const text of ['one', 'two']) await storage.write(w => saveProviderSecret(w, id, text))
    assert.equal((await findProviderSecret(storage.db, id))?.encrypted_secret, 'two')
    assert.equal(await storage.write(w => removeProviderSecret(w, id)), true)
    assert.equal(await storage.write(w => removeProviderSecret(w, id)), false)
    await storage.write(w => saveProviderSecret(w, id, 'three'))
    await storage.write(w => removeWorkspace(w, workspace))
    assert.equal(await findProviderSecret(storage.db, id), undefined)
  })

  test('a member keeps the mark of the provider when the roles change', async () => {
    const workspaceId = (await newWorkspace()).id
    const subject = await newUserId()
    const member = { workspaceId, subject, kind: 'user', filter: undefined } as const
    await storage.write(w => setMember(w, { ...member, roles: ['api'], isFromProvider: true }))
    await storage.write(w => setMember(w, { ...member, roles: ['user'] }))
    const row = await findMember(storage.db, workspaceId, subject)
    assert.deepEqual([row?.isFromProvider, row?.roles], [true, ['user']])
  })

  test('sessions end by their provider: of a person, of its session, or both', async () => {
    const workspaceId = (await newWorkspace()).id
    const userId = await newUserId()
    await link({ workspaceId, issuer, subject: 's' }, userId)
    const open = async (providerSignIn?: object) => {
      const id = randomUUID()
      await saveRecord(storage.db, {
        model: 'Session',
        id,
        uid: id,
        payload: { accountId: userId, providerSignIn },
        expiresAt: Date.now() + 60_000,
      })
    }
    const end = (user: string | undefined, sid?: string, at: object = {}) =>
      storage.write(w => endProviderSessions(w, { workspaceId, issuer, userId: user, sid, ...at }))
    await open()
    await open({ workspaceId, issuer, sid: 'a"%' })
    await open({ workspaceId, issuer, sid: 'a"%' })
    await open({ workspaceId, issuer })
    assert.equal(await end(undefined, 'a"_'), 0)
    assert.equal(await end(undefined, '%'), 0)
    assert.equal(await end(userId, undefined, { issuer: `${issuer}/` }), 0)
    assert.equal(await end(await newUserId(), 'a"%'), 0)
    assert.equal(await end(undefined, 'a"%'), 2)
    assert.equal(await end(userId), 1)
    assert.equal((await listUserSessions(storage.db, userId)).length, 1)
  })

  test('a refresh token of a provider has one lease at a time, on any node, and ends with sign-in, member and person', async () => {
    const workspace = await newWorkspace()
    const userId = await newUserId()
    const add = async (expiresAt = Date.now() + 60_000) => {
      const row = { id: randomUUID(), workspaceId: workspace.id, userId, encryptedToken: 'one', expiresAt }
      await addProviderToken(storage.db, row)
      return row.id
    }
    const id = await add()
    const rowBefore = (await findProviderToken(storage.db, id)) ?? assert.fail()
    const leases = await Promise.all([
      leaseProviderToken(storage.db, id, 'a', rowBefore),
      leaseProviderToken(otherNode.db, id, 'b', rowBefore),
    ])
    assert.deepEqual(leases.toSorted(), [false, true])
    const holder = leases[0] ? 'a' : 'b'
    const row = async () => {
      const { encryptedToken, lease } = (await findProviderToken(otherNode.db, id)) ?? assert.fail()
      return [encryptedToken, lease]
    }
    await replaceProviderToken(storage.db, id, 'another', 'stolen')
    await releaseProviderToken(storage.db, id, 'another')
    assert.deepEqual(await row(), ['one', holder])
    await replaceProviderToken(storage.db, id, holder, 'two')
    await releaseProviderToken(storage.db, id, holder)
    assert.deepEqual(await row(), ['two', undefined])
    // Seen before it was replaced.
    assert.equal(await leaseProviderToken(storage.db, id, 'c', rowBefore), false)

    const session = { model: 'Session', id: randomUUID(), uid: randomUUID() }
    await saveRecord(storage.db, {
      ...session,
      payload: { accountId: userId, providerSignIn: { tokenId: id } },
    })
    await storage.write(w => endSession(w, userId, session.uid))
    assert.equal(await findProviderToken(storage.db, id), undefined)

    const expired = await add(Date.now() - 1)
    assert.equal(await findProviderToken(storage.db, expired), undefined)
    await pruneProviderTokens(storage.db)
    const count = async () =>
      (await storage.db.selectFrom('provider_tokens').select('id').where('user_id', '=', userId).execute())
        .length
    assert.equal(await count(), 0)
    await add()
    await removeUserProviderTokens(storage.db, workspace.id, userId)
    assert.equal(await count(), 0)
    await add()
    await storage.write(w => removeUser(w, userId))
    assert.equal(await count(), 0)
  })
}
