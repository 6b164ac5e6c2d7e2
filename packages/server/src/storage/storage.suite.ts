/** Promises of the storage queries on every database. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { canonicalEmail } from '@querent/contract/email-address'
import { listAudit, listAuditAbout, recordAudit } from './audit.ts'
import {
  addSecret,
  createClient,
  findClient,
  findClientByName,
  hashSecret,
  listAllApplications,
  listClients,
  listSecrets,
  newClientId,
  newClientSecret,
  removeClient,
  removeSecret,
  secretPrefix,
  touchSecrets,
  updateClient,
} from './clients.ts'
import type { StorageLocation } from './connection.ts'
import { openStorage, type Storage } from './db.ts'
import { createEngineVersions } from './engine-versions.ts'
import {
  createGeneration,
  finishGeneration,
  listGenerations,
  removeGeneration,
  saveGenerationSpec,
} from './generations.ts'
import { pruneImports, saveImport } from './imports.ts'
import { findMember, listMembers, removeMember, saveActivity, setMember } from './members.ts'
import { listNodes, type NodeRow, removeNode, saveNode } from './nodes.ts'
import {
  findRefusal,
  listAccountRefusals,
  pruneRefusals,
  refusalRetentionMs,
  saveRefusals,
} from './refusals.ts'
import { isRevoked, pruneRevocations, revoke } from './revocations.ts'
import { listSigningKeys, lockSigningKeys, removeSigningKey, saveSigningKey } from './signing-keys.ts'
import {
  addSearches,
  addUsage,
  listSearches,
  listUsage,
  pruneUsage,
  type SearchRow,
  toDay,
  type UsageRow,
} from './usage.ts'
import {
  createUser,
  findFirstOperator,
  findUser,
  findUserByEmail,
  findUsers,
  listUsers,
  removeUser,
  setUserDisabled,
  type UserRow,
} from './users.ts'
import { findWorkspaceText, saveWorkspaceText } from './workspace-texts.ts'
import {
  createWorkspace,
  findWorkspace,
  findWorkspaceById,
  listWorkspaceIds,
  listWorkspaces,
  lockWorkspace,
  removeWorkspace,
  saveDefinition,
  type WorkspaceRow,
} from './workspaces.ts'

/** Runs the suite in an empty database. */
export const storageSuite = (empty: () => Promise<StorageLocation>): void => {
  let location: StorageLocation
  let storage: Storage
  before(async () => {
    location = await empty()
    storage = await openStorage(location)
  })
  after(() => storage.close())

  const newUser = async (email = `${randomUUID()}@example.org`): Promise<UserRow> => {
    const user = await storage.write(writer => createUser(writer, { email }))
    assert.ok(user)
    return user
  }
  const newWorkspace = async (workspace: string = randomUUID()): Promise<WorkspaceRow> => {
    const row = await storage.write(writer => createWorkspace(writer, { workspace }))
    assert.ok(row)
    return row
  }
  const newLoggingWorkspace = async (parameters: 'hashed' | 'full'): Promise<WorkspaceRow> => {
    const definition = { workspace: randomUUID(), settings: { queryLog: { parameters } } }
    const row = await storage.write(writer => createWorkspace(writer, definition))
    assert.ok(row)
    return row
  }
  const makeMember = (workspaceId: string, subject: string, role: 'administrator' | 'api') =>
    storage.write(writer =>
      setMember(writer, { workspaceId, subject, kind: 'user', roles: [role], filter: undefined }),
    )
  const lastAdministrator = { code: 'conflict', message: /last administrator/ }

  test('nodes are listed until they stop, while silent for an hour, and once for each address', async () => {
    const node = (id: string, port: number): NodeRow => ({
      id,
      services: ['query'],
      host: 'search-1',
      listening: [`http://127.0.0.1:${port}`],
      version: '1.0.0',
      checks: [{ name: 'disk', state: 'ok', message: 'room' }],
    })
    const silence = (id: string, ms: number) =>
      storage.db
        .updateTable('nodes')
        .set(({ eb }) => ({ seen_at: eb('seen_at', '-', ms) }))
        .where('id', '=', id)
        .execute()
    const listIds = async () => (await listNodes(storage)).map(({ id }) => id).toSorted()
    for (const [id, port] of [
      ['a', 4000],
      ['b', 4010],
      ['c', 4020],
    ] as const)
      await saveNode(storage, node(id, port))
    const full = [{ name: 'disk', state: 'fail', message: 'full', advice: 'make room' }] as const
    await saveNode(storage, { ...node('a', 4000), checks: [...full] })
    const [first] = await listNodes(storage)
    assert.ok(first)
    const { startedAt, seenAt, silentMs, ...row } = first
    assert.deepEqual(row, { ...node('a', 4000), checks: full })
    assert.ok(startedAt <= seenAt && silentMs >= 0)

    await silence('b', 3_599_000)
    await silence('c', 3_601_000)
    assert.deepEqual(await listIds(), ['a', 'b'])
    const silent = (await listNodes(storage)).find(({ id }) => id === 'b')
    assert.ok(silent && silent.silentMs >= 3_599_000)
    // Two nodes that both write stay, whatever their names; one that was killed and restarted is listed once.
    await saveNode(storage, node('a again', 4000))
    assert.deepEqual(await listIds(), ['a', 'a again', 'b'])
    await silence('a', 91_000)
    await saveNode(storage, node('a again', 4000))
    assert.deepEqual(await listIds(), ['a again', 'b'])
    const rows = await storage.db.selectFrom('nodes').select('id').execute()
    assert.ok(!rows.some(({ id }) => id === 'c'), 'an expired row is deleted')
    for (const id of await listIds()) await removeNode(storage, id)
    assert.deepEqual(await listIds(), [])
  })

  test('the text of a workspace file is replaced, goes with its workspace, and forgets the address of a removed person', async () => {
    const { id } = await newWorkspace()
    const user = await newUser(`a_b.${randomUUID()}@example.org`)
    assert.equal(await findWorkspaceText(storage.db, id), undefined)
    for (const source of ['workspace: a', `# x${user.email} ${user.email.toUpperCase()}.\n# ${user.email}x`])
      await storage.write(writer => saveWorkspaceText(writer, id, source))
    await storage.write(writer => removeUser(writer, user.id))
    const text = (await findWorkspaceText(storage.db, id)) ?? ''
    assert.match(text, /^# x(.*) removed-[0-9a-f]{12}@invalid\.example\.\n# \1x$/)
    await storage.write(writer => removeWorkspace(writer, { id, slug: 'a' }))
    assert.equal(await findWorkspaceText(storage.db, id), undefined)
  })

  test('a storage is opened again with what it held, by several nodes at once', async () => {
    const { id } = await newWorkspace('kept')
    const nodes = await Promise.all([1, 2, 3].map(() => openStorage(location)))
    for (const node of nodes) {
      assert.equal((await findWorkspace(node.db, 'kept'))?.id, id)
      await node.close()
    }
  })

  test('a transaction that fails leaves nothing behind', async () => {
    const email = 'undone@example.org'
    await assert.rejects(
      storage.write(async writer => {
        await createUser(writer, { email })
        throw new Error('no')
      }),
      /^Error: no$/,
    )
    assert.equal(await findUserByEmail(storage.db, email), undefined)
  })

  test('transactions of two nodes that read first and write later both succeed', async () => {
    const { id } = await newWorkspace('counted')
    const otherNode = await openStorage(location)
    try {
      await Promise.all(
        [storage, otherNode, storage, otherNode].map(node =>
          node.write(async writer => {
            await findWorkspaceById(writer.db, id)
            await saveDefinition(writer, id, { workspace: 'counted' })
          }),
        ),
      )
      assert.equal((await findWorkspaceById(storage.db, id))?.version, 5)
    } finally {
      await otherNode.close()
    }
  })

  test('versions of an engine rise by one, whichever node raises them, and every node hears of it', async () => {
    const otherNode = await openStorage(location)
    try {
      const [ownVersions, otherVersions] = [createEngineVersions(storage), createEngineVersions(otherNode)]
      const announcedKey = new Promise(resolve => otherVersions.onChange(resolve))
      assert.equal(await ownVersions.read('g'), undefined)
      const raised = await Promise.all(
        [ownVersions, otherVersions, ownVersions, otherVersions].map(node => node.bump('g', 7)),
      )
      const versions = raised.map(({ version }) => version).toSorted((one, two) => one - two)
      const [first = Number.NaN] = versions
      assert.deepEqual(versions, [first, first + 1, first + 2, first + 3])
      assert.equal(await announcedKey, 'g')
      assert.deepEqual(await otherVersions.read('g'), { version: first + 3, documents: 7 })
      await ownVersions.remove('g')
      assert.equal(await otherVersions.read('g'), undefined)
    } finally {
      await otherNode.close()
    }
  })

  test('a person is found by id and by address in any case; an address is taken once', async () => {
    const ada = await newUser(' Ada@Example.org ')
    assert.equal(ada.email, 'ada@example.org')
    assert.equal(canonicalEmail(' ADA@example.org'), 'ada@example.org')
    assert.equal(ada.name, '')
    assert.equal(ada.password_hash, null)
    assert.equal(typeof ada.created_at, 'number')
    assert.deepEqual(await findUser(storage.db, ada.id), ada)
    assert.deepEqual(await findUserByEmail(storage.db, 'ADA@EXAMPLE.ORG'), ada)
    assert.equal(await storage.write(w => createUser(w, { email: 'ADA@example.org' })), undefined)
    assert.equal(await findUser(storage.db, 'nobody'), undefined)
    const bob = await newUser()
    const users = await findUsers(storage.db, [ada.id, bob.id, 'nobody'])
    assert.deepEqual(users.map(({ id }) => id).toSorted(), [ada.id, bob.id].toSorted())
    assert.deepEqual(await findUsers(storage.db, []), [])
  })

  test('people are listed by address, a page at a time', async () => {
    for (const name of ['page-c', 'page-a', 'page-b']) await newUser(`${name}@example.org`)
    const [first, second] = await listUsers(storage.db, 'page', 2)
    assert.deepEqual([first?.email, second?.email], ['page-a@example.org', 'page-b@example.org'])
    assert.equal((await listUsers(storage.db, 'page-b@example.org', 1))[0]?.email, 'page-c@example.org')
  })

  test('the first operator is found, and a person is disabled and enabled', async () => {
    assert.equal(await findFirstOperator(storage.db), undefined)
    const operator = await storage.write(w => createUser(w, { email: 'root@example.org', operator: true }))
    assert.equal((await findFirstOperator(storage.db))?.id, operator?.id)
    const { id } = await newUser()
    await storage.write(w => setUserDisabled(w, id, true))
    assert.equal((await findUser(storage.db, id))?.disabled, 1)
    await storage.write(w => setUserDisabled(w, id, false))
    assert.equal((await findUser(storage.db, id))?.disabled, 0)
  })

  test('a workspace keeps its definition and counts its changes; a slug is taken once', async () => {
    const definition = { workspace: 'words', title: 'Wörter', settings: { accessTokenLifetime: '5m' } }
    const row = await storage.write(w => createWorkspace(w, definition))
    assert.ok(row)
    assert.deepEqual(await findWorkspace(storage.db, 'words'), row)
    assert.deepEqual(row.definition, definition)
    assert.equal(row.version, 1)
    assert.equal(await storage.write(w => createWorkspace(w, { workspace: 'words' })), undefined)
    await storage.write(w => saveDefinition(w, row.id, { workspace: 'words' }))
    const changed = await findWorkspaceById(storage.db, row.id)
    assert.deepEqual([changed?.version, changed?.title], [2, 'words'])
    assert.deepEqual(await storage.write(w => lockWorkspace(w, 'words')), changed)
    assert.equal(await findWorkspace(storage.db, 'none'), undefined)
    assert.ok((await listWorkspaceIds(storage.db)).some(({ id, slug }) => id === row.id && slug === 'words'))
  })

  test('workspaces are listed by slug: all, or those of a member', async () => {
    const { id: subject } = await newUser()
    for (const slug of ['list-b', 'list-a', 'list-c']) await newWorkspace(slug)
    const mine = await findWorkspace(storage.db, 'list-b')
    assert.ok(mine)
    await makeMember(mine.id, subject, 'api')
    const slugs = async (query: { subject?: string; id?: string; after: string }) =>
      (await listWorkspaces(storage.db, { ...query, count: 2 })).map(({ slug }) => slug)
    assert.deepEqual(await slugs({ after: 'list' }), ['list-a', 'list-b'])
    assert.deepEqual(await slugs({ after: 'list-b' }), ['list-c', 'words'])
    assert.deepEqual(await slugs({ after: '', subject }), ['list-b'])
    assert.deepEqual(await slugs({ after: '', id: mine.id }), ['list-b'])
  })

  test('the last activity of a member is kept to the minute, goes forward alone, and ends with the membership', async () => {
    const { id } = await newWorkspace()
    const minuteMs = 60_000
    const [early, late] = [10 * minuteMs + 59_999, 12 * minuteMs + 1]
    const absentMembers = Array.from({ length: 1200 }, (_, index): [string, number] => [
      `nobody${index}`,
      late,
    ])
    await makeMember(id, 'a', 'api')
    await makeMember(id, 'b', 'api')
    const active = async (subject: string) => (await findMember(storage.db, id, subject))?.lastActiveAt
    assert.equal(await active('a'), null)
    await saveActivity(storage.db, id, new Map([...absentMembers, ['a', late], ['b', early]]))
    await saveActivity(storage.db, id, new Map([['a', early]]))
    assert.deepEqual([await active('a'), await active('b')], [12 * minuteMs, 10 * minuteMs])
    await makeMember(id, 'a', 'api')
    assert.equal(await active('a'), 12 * minuteMs, 'roles that are set anew leave it')
    await storage.write(w => removeMember(w, id, 'a'))
    await makeMember(id, 'a', 'api')
    assert.equal(await active('a'), null)
  })

  test('a member has roles and a row filter, which change together; the list goes by subject', async () => {
    const { id: workspaceId } = await newWorkspace()
    const filter = { domain: ['noun.animal', 'noun.plant'] }
    const member = { workspaceId, subject: 'b', kind: 'user' as const }
    await storage.write(w => setMember(w, { ...member, roles: ['api', 'user'], filter }))
    const storedMember = await findMember(storage.db, workspaceId, 'b')
    assert.deepEqual(
      [storedMember?.roles, storedMember?.filter, storedMember?.kind],
      [['api', 'user'], filter, 'user'],
    )
    await storage.write(w => setMember(w, { ...member, roles: ['api'], filter: undefined }))
    const changed = await findMember(storage.db, workspaceId, 'b')
    assert.deepEqual([changed?.roles, changed?.filter], [['api'], undefined])
    await makeMember(workspaceId, 'a', 'api')
    const subjects = async (afterSubject: string) =>
      (await listMembers(storage.db, workspaceId, afterSubject, 10)).map(({ subject }) => subject)
    assert.deepEqual(await subjects(''), ['a', 'b'])
    assert.deepEqual(await subjects('a'), ['b'])
    assert.equal(await storage.write(w => removeMember(w, workspaceId, 'b')), true)
    assert.equal(await storage.write(w => removeMember(w, workspaceId, 'b')), false)
    assert.equal(await findMember(storage.db, workspaceId, 'b'), undefined)
  })

  test('the last administrator can neither be removed nor step down; a disabled one does not count', async () => {
    const { id: workspaceId } = await newWorkspace()
    const [ada, bob] = [await newUser(), await newUser()]
    await makeMember(workspaceId, ada.id, 'administrator')
    await makeMember(workspaceId, bob.id, 'administrator')
    await storage.write(w => setUserDisabled(w, bob.id, true))
    const leave = () => storage.write(w => removeMember(w, workspaceId, ada.id))
    await assert.rejects(leave, lastAdministrator)
    await assert.rejects(makeMember(workspaceId, ada.id, 'api'), lastAdministrator)
    await makeMember(workspaceId, ada.id, 'administrator')
    await storage.write(w => setUserDisabled(w, bob.id, false))
    assert.equal(await leave(), true)
  })

  test('one of two administrators who remove each other at the same time, on two nodes, stays', async () => {
    const otherNode = await openStorage(location)
    try {
      for (let round = 0; round < 5; round += 1) {
        const { id: workspaceId } = await newWorkspace()
        const [ada, bob] = [await newUser(), await newUser()]
        await makeMember(workspaceId, ada.id, 'administrator')
        await makeMember(workspaceId, bob.id, 'administrator')
        const results = await Promise.allSettled([
          storage.write(w => removeMember(w, workspaceId, bob.id)),
          otherNode.write(w => removeMember(w, workspaceId, ada.id)),
        ])
        const rejections = results.filter(({ status }) => status === 'rejected')
        assert.equal(rejections.length, 1)
        assert.equal((await listMembers(storage.db, workspaceId, '', 10)).length, 1)
      }
    } finally {
      await otherNode.close()
    }
  })

  test('Client IDs and secrets can be pasted unencoded; secrets have a prefix, and 256 bits beside their hint', () => {
    // An id must not look like a command-line option; of many random ones, some would start with `-`.
    for (let round = 0; round < 1000; round++) assert.match(newClientId(), /^[A-Za-z0-9_][A-Za-z0-9_-]{21}$/)
    assert.match(newClientSecret(), /^qrs_[A-Za-z0-9_-]{47}$/)
    assert.ok(newClientSecret().startsWith(secretPrefix))
    assert.notEqual(newClientSecret(), newClientSecret())
  })

  test('a client is found by id and by name, changed, disabled and removed; a name is taken once', async () => {
    const { id: workspaceId } = await newWorkspace()
    const account = { kind: 'system-to-system' as const, workspaceId, name: 'website' }
    const create = () => storage.write(w => createClient(w, { ...account, settings: { addresses: [] } }))
    const client = await create()
    assert.ok(client)
    assert.equal(await create(), undefined)
    assert.deepEqual(await findClient(storage.db, client.id), client)
    assert.deepEqual(await findClientByName(storage.db, account), client)
    assert.equal(await findClientByName(storage.db, { ...account, kind: 'application' }), undefined)
    const settings = { addresses: ['192.0.2.0/24'] }
    await storage.write(w => updateClient(w, client.id, { name: 'shop', settings, disabled: true }))
    const changed = await findClient(storage.db, client.id)
    assert.deepEqual([changed?.name, changed?.settings, changed?.disabled], ['shop', settings, true])
    await storage.write(w => updateClient(w, client.id, {}))
    assert.deepEqual(await findClient(storage.db, client.id), changed)
    await storage.write(w => removeClient(w, client.id))
    assert.equal(await findClient(storage.db, client.id), undefined)
  })

  test('clients are listed by kind and Client ID; applications of all workspaces together', async () => {
    const { id: workspaceId } = await newWorkspace()
    const settings = {
      type: 'browser' as const,
      redirectUris: [],
      origins: [],
      logoutUris: [],
      own: false,
    }
    for (const id of ['list-2', 'list-1'])
      await storage.write(w => createClient(w, { id, kind: 'application', workspaceId, name: id, settings }))
    const ids = async (query: { kind: 'application' | 'system-to-system'; after?: string; count?: number }) =>
      (await listClients(storage.db, { workspaceId, ...query })).map(({ id }) => id)
    assert.deepEqual(await ids({ kind: 'application' }), ['list-1', 'list-2'])
    assert.deepEqual(await ids({ kind: 'application', after: 'list-1' }), ['list-2'])
    assert.deepEqual(await ids({ kind: 'application', count: 1 }), ['list-1'])
    assert.deepEqual(await ids({ kind: 'system-to-system' }), [])
    assert.deepEqual((await listAllApplications(storage.db)).map(({ id }) => id).toSorted(), [
      'list-1',
      'list-2',
    ])
  })

  test('a client has several secrets, stored hashed, with expiry and last use; they go with it', async () => {
    const { id: workspaceId } = await newWorkspace()
    const client = await storage.write(w =>
      createClient(w, { kind: 'system-to-system', workspaceId, name: 'a', settings: { addresses: [] } }),
    )
    assert.ok(client)
    const first = await storage.write(w => addSecret(w, client.id, null))
    const second = await storage.write(w => addSecret(w, client.id, 1_900_000_000_000))
    const rows = await listSecrets(storage.db, [client.id])
    const row = rows.find(({ id }) => id === second.id)
    assert.equal(rows.length, 2)
    assert.equal(row?.hash, hashSecret(second.secret))
    assert.deepEqual([row?.expiresAt, row?.lastUsedAt], [1_900_000_000_000, null])
    // 4 characters of 47: the 43 others have 256 bits.
    assert.equal(row?.hint, second.secret.slice(0, secretPrefix.length + 4))
    assert.ok(!JSON.stringify(rows).includes(second.secret.slice(secretPrefix.length)))
    await touchSecrets(storage, new Map([[first.id, 1_700_000_000_000]]))
    // More than one statement takes, and most of them removed since.
    const removedSecrets = Array.from({ length: 1000 }, (_, number) => [`gone-${number}`, 1] as const)
    await touchSecrets(
      storage,
      new Map([[first.id, 1_800_000_000_000], ...removedSecrets, [second.id, 1_800_000_000_001]]),
    )
    // From another node, written later.
    await touchSecrets(storage, new Map([[second.id, 1_750_000_000_000]]))
    const touched = new Map(
      (await listSecrets(storage.db, [client.id])).map(({ id, lastUsedAt }) => [id, lastUsedAt]),
    )
    assert.equal(touched.get(first.id), 1_800_000_000_000)
    assert.equal(touched.get(second.id), 1_800_000_000_001)
    assert.equal(await storage.write(w => removeSecret(w, 'another', first.id)), false)
    assert.equal(await storage.write(w => removeSecret(w, client.id, first.id)), true)
    assert.equal((await listSecrets(storage.db, [client.id])).length, 1)
    await storage.write(w => removeClient(w, client.id))
    assert.deepEqual(await listSecrets(storage.db, [client.id]), [])
    assert.deepEqual(await listSecrets(storage.db, []), [])
  })

  test('a revocation holds until its tokens have expired, the later time of two', async () => {
    const now = Date.now()
    assert.equal(await isRevoked(storage.db, 'token', 't'), false)
    await storage.write(w => revoke(w, 'token', 't', now - 1000))
    assert.equal(await isRevoked(storage.db, 'token', 't'), true)
    assert.equal(await isRevoked(storage.db, 'grant', 't'), false, 'a grant is no token')
    await pruneRevocations(storage.db, 60_000)
    assert.equal(await isRevoked(storage.db, 'token', 't'), true, 'within the slack')
    await storage.write(w => revoke(w, 'token', 't', now + 60_000))
    await storage.write(w => revoke(w, 'token', 't', now - 60_000))
    await pruneRevocations(storage.db, 0)
    assert.equal(await isRevoked(storage.db, 'token', 't'), true, 'the later time holds')
    await storage.write(w => revoke(w, 'grant', 'g', now - 1000))
    await pruneRevocations(storage.db, 0)
    assert.equal(await isRevoked(storage.db, 'grant', 'g'), false)
  })

  test('signing keys are listed by the time they become active, and change in place', async () => {
    const key = { alg: 'ES256', encrypted_jwk: 'x', created_at: 1, retired_at: null }
    await storage.write(w => saveSigningKey(w, { ...key, kid: 'later', active_from: 20 }))
    await storage.write(w => saveSigningKey(w, { ...key, kid: 'sooner', active_from: 10 }))
    await storage.write(w => saveSigningKey(w, { ...key, kid: 'sooner', active_from: 10, retired_at: 20 }))
    const keys = await listSigningKeys(storage.db)
    assert.deepEqual(
      keys.map(({ kid, retired_at }) => [kid, retired_at]),
      [
        ['sooner', 20],
        ['later', null],
      ],
    )
    await storage.write(w => removeSigningKey(w, 'sooner'))
    assert.deepEqual(
      (await listSigningKeys(storage.db)).map(({ kid }) => kid),
      ['later'],
    )
  })

  test('one of several nodes that start together creates a key, and the others read it', async () => {
    const otherNode = await openStorage(location)
    const makeMissing = (node: Storage) =>
      node.write(async writer => {
        await lockSigningKeys(writer, node.kind)
        const keys = await listSigningKeys(writer.db)
        if (keys.some(({ alg }) => alg === 'EdDSA')) return
        const kid = randomUUID()
        const row = { kid, alg: 'EdDSA', encrypted_jwk: 'x', created_at: 1, active_from: 1, retired_at: null }
        await saveSigningKey(writer, row)
      })
    try {
      await Promise.all([makeMissing(storage), makeMissing(otherNode)])
      assert.equal((await listSigningKeys(storage.db)).filter(({ alg }) => alg === 'EdDSA').length, 1)
    } finally {
      await otherNode.close()
    }
  })

  test('generations count up in their collection, also when two nodes add at once', async () => {
    const { id: workspaceId } = await newWorkspace()
    const otherNode = await openStorage(location)
    const generation = { workspaceId, collection: 'entries', spec: { language: 'english' } }
    try {
      await Promise.all(
        [storage, otherNode, storage].map(node => node.write(w => createGeneration(w, generation))),
      )
    } finally {
      await otherNode.close()
    }
    await storage.write(w => createGeneration(w, { ...generation, collection: 'others' }))
    const rows = await listGenerations(storage.db, workspaceId, 'entries')
    assert.deepEqual(
      rows.map(({ number, state, promoted_at }) => [number, state, promoted_at]),
      [3, 2, 1].map(number => [number, 'building', null]),
    )
    assert.equal((await listGenerations(storage.db, workspaceId)).length, 4)
  })

  test('the generation promoted last has the latest time, even within one millisecond', async () => {
    const { id: workspaceId } = await newWorkspace()
    const add = () => storage.write(w => createGeneration(w, { workspaceId, collection: 'e', spec: {} }))
    const [first, second, third] = [await add(), await add(), await add()]
    await storage.write(w => finishGeneration(w, second, true))
    await storage.write(w => finishGeneration(w, first, true))
    await storage.write(w => finishGeneration(w, third, false))
    await storage.write(w => saveGenerationSpec(w, third, { language: 'german' }))
    const rows = await listGenerations(storage.db, workspaceId, 'e')
    const findRow = (id: string) => rows.find(row => row.id === id)
    assert.ok(
      (findRow(first.id)?.promoted_at ?? 0) > (findRow(second.id)?.promoted_at ?? Number.POSITIVE_INFINITY),
    )
    assert.deepEqual([findRow(third.id)?.state, findRow(third.id)?.promoted_at], ['ready', null])
    assert.deepEqual(JSON.parse(findRow(third.id)?.spec_json ?? ''), { language: 'german' })
    await storage.write(w => removeGeneration(w, third))
    assert.equal((await listGenerations(storage.db, workspaceId, 'e')).length, 2)
  })

  test('an audit entry is written with the change that it records, or not at all', async () => {
    const entry = { actor: 'u', action: 'members.remove', target: 'm', address: '192.0.2.1', requestId: 'r' }
    await storage.write(w => recordAudit(w, { ...entry, workspaceId: 'w', detail: { roles: ['api'] } }))
    await assert.rejects(
      storage.write(async w => {
        await recordAudit(w, entry)
        throw new Error('no')
      }),
    )
    const rows = await storage.db.selectFrom('audit').selectAll().execute()
    assert.equal(rows.length, 1)
    assert.deepEqual([rows[0]?.workspace_id, rows[0]?.detail_json], ['w', '{"roles":["api"]}'])
    const listEntriesAbout = (userId: string, email: string) =>
      listAuditAbout(storage.db, { userId, email }, 10)
    assert.deepEqual(
      [await listEntriesAbout('u', 'x'), await listEntriesAbout('x', 'm'), await listEntriesAbout('x', 'x')],
      [rows, rows, []],
    )
  })

  test('who has read the audit log up to an entry has missed none before it, however transactions overlap', async () => {
    const entry = { actor: 'u', action: 'members.add', address: '192.0.2.1', requestId: 'r' }
    const otherNode = await openStorage(location)
    const release = Promise.withResolvers<void>()
    const recorded = Promise.withResolvers<void>()
    const slow = storage.write(async w => {
      await recordAudit(w, { ...entry, target: 'slow' })
      recorded.resolve()
      await release.promise
    })
    await recorded.promise
    // On SQLite it waits for the first.
    const quick = otherNode.write(w => recordAudit(w, { ...entry, target: 'quick' }))
    if (storage.kind === 'postgres') await quick
    release.resolve()
    await Promise.all([slow, quick])
    const order = storage.kind === 'postgres' ? ['slow', 'quick'] : ['quick', 'slow']
    const newest = await listAudit(storage.db, { count: 2 })
    assert.deepEqual(
      newest.map(({ target }) => target),
      order,
    )
    await otherNode.close()
  })

  const figures = (workspaceId: string, day: number, account: string): UsageRow => ({
    workspace_id: workspaceId,
    day,
    api: 'books',
    endpoint: 'search',
    account,
    queries: 3,
    failed: 1,
    empty: 2,
    total_ms: 700,
    slowest_ms: 600,
    under_5_ms: 1,
    under_20_ms: 2,
    under_100_ms: 2,
    under_500_ms: 2,
    under_2000_ms: 3,
  })

  test('usage figures add up, on several nodes at once, and come in pages', async () => {
    const { id } = await newWorkspace()
    const otherNode = await openStorage(location)
    try {
      const rows = [figures(id, 20_000, 'a'), figures(id, 20_000, 'b'), figures(id, 20_001, 'a')]
      await Promise.all([storage, otherNode, storage].map(node => addUsage(node.db, rows)))
    } finally {
      await otherNode.close()
    }
    await addUsage(storage.db, [
      { ...figures(id, 20_000, 'a'), slowest_ms: 900 },
      figures('gone', 20_000, 'a'),
    ])
    const days = { from: 20_000, to: 20_001 }
    const usageRows = await listUsage(storage.db, id, days, undefined, 10)
    assert.deepEqual(
      usageRows.map(row => [row.day, row.account, row.queries, row.total_ms, row.slowest_ms, row.under_5_ms]),
      [
        [20_000, 'a', 12, 2800, 900, 4],
        [20_000, 'b', 9, 2100, 600, 3],
        [20_001, 'a', 9, 2100, 600, 3],
      ],
    )
    assert.deepEqual(await listUsage(storage.db, id, days, usageRows[0], 1), usageRows.slice(1, 2))
    assert.deepEqual(
      await listUsage(storage.db, id, { from: 20_001, to: 20_001 }, undefined, 10),
      usageRows.slice(2),
    )
  })

  test('searches add up over days, the commonest first', async () => {
    const { id } = await newLoggingWorkspace('full')
    const search = (day: number, parameters: string, queries: number) => ({
      workspace_id: id,
      day,
      api: 'books',
      parameters,
      encrypted_text: null,
      queries,
      empty: 1,
    })
    const add = (rows: SearchRow[]) => storage.write(({ db }) => addSearches(db, storage.kind, rows))
    await add([search(1, 'cat', 2), search(2, 'cat', 2), search(2, 'dog', 3)])
    await add([search(2, 'cat', 1)])
    const days = { from: 1, to: 2 }
    const list = async (order: 'queries' | 'empty', count = 10) =>
      (await listSearches(storage.db, id, days, { count, order })).map(({ parameters, queries, empty }) => [
        parameters,
        queries,
        empty,
      ])
    assert.deepEqual(await list('queries'), [
      ['cat', 5, 3],
      ['dog', 3, 1],
    ])
    assert.deepEqual(await list('empty', 1), [['cat', 5, 3]])
    assert.deepEqual(await listSearches(storage.db, id, days, { count: 9, api: 'films' }), [])
  })

  test('usage is kept as long as its workspace says, and searches in the form that it allows', async t => {
    // The day does not end meanwhile.
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
    const today = toDay(Date.now())
    const countAfterPruning = async (
      queryLog: { parameters: 'off' | 'hashed' | 'full'; keep?: string } | undefined,
    ) => {
      const workspace = randomUUID()
      const settings = queryLog === undefined ? {} : { settings: { queryLog } }
      const row = await storage.write(writer => createWorkspace(writer, { workspace, ...settings }))
      assert.ok(row)
      const ages = [0, 2, 3, 29, 31]
      await addUsage(
        storage.db,
        ages.map(age => figures(row.id, today - age, 'a')),
      )
      const searches = ['hmac-sha256:x', 'hmac-sha256:y'].map(parameters => ({
        workspace_id: row.id,
        day: today,
        api: 'books',
        parameters,
        encrypted_text: 'text',
        queries: 1,
        empty: 0,
      }))
      await storage.write(({ db }) => addSearches(db, storage.kind, searches))
      await pruneUsage(storage.db)
      const days = { from: 0, to: today }
      return {
        ages: (await listUsage(storage.db, row.id, days, undefined, 10)).map(({ day }) => today - day),
        searches: (await listSearches(storage.db, row.id, days, { count: 10 })).map(
          ({ encrypted_text }) => encrypted_text,
        ),
      }
    }
    assert.deepEqual(await countAfterPruning(undefined), { ages: [29, 3, 2, 0], searches: [] })
    assert.deepEqual(await countAfterPruning({ parameters: 'hashed', keep: '2d' }), {
      ages: [2, 0],
      searches: [null, null],
    })
    const full = await countAfterPruning({ parameters: 'full', keep: '40d' })
    assert.deepEqual([full.ages.length, full.searches], [5, ['text', 'text']])
  })

  test('refusals are kept a day, found by request, and bounded in number', async () => {
    const refusal = (requestId: string, time: number) => ({
      requestId,
      at: time,
      status: 401,
      workspace: 'words',
      path: '/4/words/api/words/e/search/results',
      subject: null,
      clientId: 'c',
      checks: [{ name: 'token' as const, passed: false, message: 'expired' }],
    })
    const now = Date.now()
    const rows = [1, 2, 3, 4].map(age => refusal(`r${age}`, now - age))
    await saveRefusals(storage.db, [...rows, refusal('old', now - refusalRetentionMs - 1000)])
    await saveRefusals(storage.db, rows)
    await saveRefusals(storage.db, [])
    assert.deepEqual(await findRefusal(storage.db, 'r2'), rows[1])
    assert.equal(await findRefusal(storage.db, 'old'), undefined)
    assert.equal(await findRefusal(storage.db, 'none'), undefined)
    await saveRefusals(storage.db, [{ ...refusal('theirs', now), subject: 'u' }])
    assert.deepEqual(
      (await listAccountRefusals(storage.db, 'u')).map(({ request_id }) => request_id),
      ['theirs'],
    )
    await storage.db.deleteFrom('refusals').where('request_id', '=', 'theirs').execute()
    await pruneRefusals(storage.db, 2)
    const remaining = await storage.db
      .selectFrom('refusals')
      .select('request_id')
      .orderBy('request_id')
      .execute()
    assert.deepEqual(
      remaining.map(({ request_id }) => request_id),
      ['r1', 'r2'],
    )
  })

  test('the newest 200 imports of an account are kept, each for an hour', async () => {
    const { id: workspace_id } = await newWorkspace()
    const key = { workspace_id, collection: 'books', subject: 'mine' }
    const state = { state: 'complete' as const, bytes: 1, documents: 1, kept: 1 }
    const now = Date.now()
    const rows = Array.from({ length: 200 }, (_, age) => ({
      ...key,
      ...state,
      name: `${age}`,
      at: now - age - 1,
    }))
    const theirs = { ...key, ...state, subject: 'theirs' }
    const forgotten = { ...theirs, name: 'forgotten', at: now - 61 * 60_000 }
    const remembered = { ...theirs, name: 'kept', at: now - 59 * 60_000 }
    await storage.db
      .insertInto('imports')
      .values([...rows, forgotten, remembered])
      .execute()
    await saveImport(storage, { ...key, name: 'newest' }, state)
    const names = async (subject: string) =>
      (await storage.db.selectFrom('imports').select('name').where('subject', '=', subject).execute())
        .map(({ name }) => name)
        .toSorted()
    const expected = ['newest', ...rows.slice(0, 199).map(({ name }) => name)].toSorted()
    assert.deepEqual(await names('mine'), expected)
    assert.deepEqual(await names('theirs'), ['forgotten', 'kept'])
    await pruneImports(storage)
    assert.deepEqual(await names('theirs'), ['kept'])
  })
}
