/** Promises of the sign-in log on every database. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { StorageLocation } from './connection.ts'
import { openStorage, type Storage } from './db.ts'
import { removeMember, setMember } from './members.ts'
import {
  claimSecurityNotice,
  countSignIns,
  listSignIns,
  newSignInId,
  pruneSignIns,
  type SignInRow,
  type SignInScope,
  saveSignIns,
  trimFailures,
  trimSource,
  trimTotal,
  trimWorkspace,
} from './sign-in-log.ts'
import { createUser, removeUser } from './users.ts'
import { createWorkspace, removeWorkspace } from './workspaces.ts'

/** Runs the suite in an empty database. */
export const signInLogSuite = (empty: () => Promise<StorageLocation>): void => {
  let storage: Storage
  before(async () => {
    storage = await openStorage(await empty())
  })
  after(() => storage.close())

  const newUser = async () => {
    const user = await storage.write(w =>
      createUser(w, { email: `${randomUUID()}@example.org`, name: 'Ada' }),
    )
    assert.ok(user)
    return user
  }
  const newWorkspace = async () => {
    const workspace = await storage.write(w => createWorkspace(w, { workspace: `w-${randomUUID()}` }))
    assert.ok(workspace)
    return workspace
  }
  let now = Date.now()
  const makeRow = (row: Partial<SignInRow> = {}): SignInRow => {
    now += 1
    const failed = row.failed ?? 0
    return {
      id: newSignInId(row.at ?? now),
      at: now,
      kind: 'sign-in',
      result: failed === 1 ? 'wrong-password' : 'ok',
      failed,
      method: 'password',
      user_id: null,
      client_id: null,
      workspace_id: '',
      source: '192.0.2.1',
      address: '192.0.2.1',
      browser: null,
      system: null,
      request_id: randomUUID(),
      ...row,
    }
  }
  const save = async (...rows: Partial<SignInRow>[]) => {
    const signIns = rows.map(makeRow)
    await saveSignIns(storage.db, signIns)
    return signIns.map(({ id }) => id)
  }
  const list = async (scope: SignInScope, filter = {}) =>
    (await listSignIns(storage.db, { scope, count: 1000, ...filter })).map(({ id }) => id)
  const bounds = { perSource: 3, failuresPerUser: 3, perWorkspace: 10, total: 1000 }

  test('a workspace has the entries of its applications, and those of its members on the server since they joined', async () => {
    const [person, stranger, workspace, other] = [
      await newUser(),
      await newUser(),
      await newWorkspace(),
      await newWorkspace(),
    ]
    const [early] = await save({ user_id: person.id, at: 1000 })
    const member = { workspaceId: workspace.id, subject: person.id, kind: 'user', filter: undefined } as const
    await storage.write(w => setMember(w, { ...member, roles: ['api'] }))
    now = Math.max(now, Date.now())
    const [console, application, elsewhere, foreign, unknown] = await save(
      { user_id: person.id },
      { user_id: stranger.id, workspace_id: workspace.id, failed: 1 },
      { user_id: person.id, workspace_id: other.id },
      { user_id: stranger.id },
      { failed: 1 },
    )
    assert.deepEqual(await list({ workspaceId: workspace.id }), [application, console])
    assert.deepEqual(await list({ userId: person.id }), [elsewhere, console, early])
    const allIds = await list('all')
    for (const id of [foreign, unknown, early]) assert.ok(allIds.includes(id ?? ''))
    await storage.write(w => removeMember(w, workspace.id, person.id))
    assert.deepEqual(await list({ workspaceId: workspace.id }), [application])
  })

  test('entries are found by outcome, kind, person, application, address and time, in pages', async () => {
    const [person, workspace] = [await newUser(), await newWorkspace()]
    const workspace_id = workspace.id
    const [a, b, c] = await save(
      { workspace_id, user_id: person.id, client_id: 'app', address: '2001:db8::7' },
      { workspace_id, failed: 1, kind: 'token', address: '192.0.2.77' },
      { workspace_id, failed: 1, address: '192.0.2.7' },
    )
    const scope = { workspaceId: workspace.id }
    assert.deepEqual(await list(scope, { failed: true }), [c, b])
    assert.deepEqual(await list(scope, { failed: false }), [a])
    assert.deepEqual(await list(scope, { kind: 'token' }), [b])
    assert.deepEqual(await list(scope, { user: person.email.slice(2, 12).toUpperCase() }), [a])
    assert.deepEqual(await list(scope, { user: person.id }), [a])
    assert.deepEqual(await list(scope, { user: '%' }), [])
    assert.deepEqual(await list(scope, { clientId: 'app' }), [a])
    assert.deepEqual(await list(scope, { address: '192.0.2.7' }), [c, b])
    assert.deepEqual(await list(scope, { to: now - 1 }), [b, a])
    assert.deepEqual(await list(scope, { from: now }), [c])
    assert.deepEqual(await list(scope, { before: c }), [b, a])
    assert.deepEqual(await list(scope, { count: 1 }), [c])
  })

  test('a flood from one network pushes out its own failures only', async () => {
    const { id: workspace_id } = await newWorkspace()
    const [success, failure] = await save({ workspace_id }, { workspace_id, failed: 1, source: '192.0.2.2' })
    const flood = await save(...Array.from({ length: 8 }, () => ({ workspace_id, failed: 1 })))
    await trimSource(storage.db, { workspace_id, failed: 1, source: '192.0.2.1' }, bounds)
    assert.deepEqual(await list({ workspaceId: workspace_id }), [
      ...flood.toReversed().slice(0, 3),
      failure,
      success,
    ])
  })

  test('a flood for one account, from many networks, pushes out that account’s failures only', async () => {
    const [person, other, { id: workspace_id }] = [await newUser(), await newUser(), await newWorkspace()]
    const [success, failure] = await save(
      { workspace_id, user_id: person.id, source: person.id },
      { workspace_id, user_id: other.id, failed: 1 },
    )
    const flood = await save(
      ...Array.from({ length: 8 }, (_, index) => ({
        workspace_id,
        user_id: person.id,
        failed: 1,
        source: `198.51.100.${index}`,
      })),
    )
    await trimFailures(storage.db, person.id, bounds)
    assert.deepEqual(await list({ userId: person.id }), [...flood.toReversed().slice(0, 3), success])
    assert.deepEqual(await list({ userId: other.id }), [failure])
  })

  test('in a full workspace, the largest source loses its oldest failures, and no success is lost', async () => {
    const { id: workspace_id } = await newWorkspace()
    const success = await save({ workspace_id }, { workspace_id })
    const small = await save(...[1, 2].map(() => ({ workspace_id, failed: 1, source: '192.0.2.2' })))
    const large = await save(...Array.from({ length: 12 }, () => ({ workspace_id, failed: 1 })))
    await trimWorkspace(storage.db, { workspace_id, failed: 1 }, bounds)
    assert.deepEqual(
      await list({ workspaceId: workspace_id }),
      [...success, ...small, ...large.slice(-7)].toReversed(),
    )
  })

  test('a workspace that floods all loses its own entries', async () => {
    const [{ id: loud }, { id: calm }] = [await newWorkspace(), await newWorkspace()]
    const calmIds = await save({ workspace_id: calm })
    await save(...Array.from({ length: 40 }, () => ({ workspace_id: loud, failed: 1 })))
    const { length } = await list('all')
    await trimTotal(storage.db, { ...bounds, total: length - 10 })
    assert.deepEqual(await list({ workspaceId: calm }), calmIds)
    assert.ok((await list({ workspaceId: loud })).length < 30)
  })

  test('sign-ins are counted by day, a password that waits for its second factor is not', async () => {
    const { id: workspace_id } = await newWorkspace()
    const day = 86_400_000
    await save(
      { workspace_id, at: 5 * day },
      { workspace_id, at: 5 * day + 1, result: 'second-factor-needed' },
      { workspace_id, at: 6 * day - 1, failed: 1 },
      { workspace_id, at: 6 * day },
      { workspace_id, at: 1 },
    )
    const counts = await countSignIns(storage.db, { workspaceId: workspace_id }, 5 * day)
    assert.deepEqual(
      counts.toSorted((a, b) => a.day - b.day),
      [
        { day: 5, succeeded: 1, failed: 1 },
        { day: 6, succeeded: 1, failed: 0 },
      ],
    )
  })

  test('entries end with their time, their person and their workspace', async () => {
    const [person, workspace] = [await newUser(), await newWorkspace()]
    const [old, theirs, ofWorkspace] = await save(
      { at: 1000, address: '203.0.113.5' },
      { user_id: person.id, address: '203.0.113.5' },
      { workspace_id: workspace.id, address: '203.0.113.5' },
    )
    const listAll = () => list('all', { address: '203.0.113.5' })
    assert.deepEqual((await listAll()).toSorted(), [old, theirs, ofWorkspace].toSorted())
    await pruneSignIns(storage.db, 2000)
    assert.deepEqual(await listAll(), [ofWorkspace, theirs])
    await storage.write(w => removeUser(w, person.id))
    assert.deepEqual(await listAll(), [ofWorkspace])
    await storage.write(w => removeWorkspace(w, workspace))
    assert.deepEqual(await listAll(), [])
  })

  test('a person gets one notice of a kind in its time, however many nodes claim it', async () => {
    const { id: userId } = await newUser()
    const claim = (kind: string, everyMs = 60_000) =>
      claimSecurityNotice(storage.db, { userId, kind, everyMs })
    const claims = await Promise.all([claim('codes'), claim('codes'), claim('codes')])
    assert.equal(claims.filter(Boolean).length, 1)
    assert.equal(await claim('sign-ins'), true)
    assert.equal(await claim('codes', 0), true)
    assert.equal(await claim('codes'), false)
  })
}
