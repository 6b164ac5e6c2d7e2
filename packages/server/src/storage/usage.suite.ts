/** Promises of the usage counts on every database. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { StorageLocation } from './connection.ts'
import { openStorage, type Storage } from './db.ts'
import { addSearches, listSearches, pruneUsage, type SearchRow, toDay } from './usage.ts'
import {
  addUsageCounts,
  listCountsByName,
  listCountsOverTime,
  startOfUnit,
  type UsageCountRow,
  unitMs,
} from './usage-counts.ts'
import { createWorkspace, removeWorkspace, saveDefinition, type WorkspaceRow } from './workspaces.ts'

type QueryLog = { parameters: 'off' | 'hashed' | 'full'; keep?: string }

/** Runs the suite in an empty database. */
export const usageSuite = (empty: () => Promise<StorageLocation>): void => {
  let location: StorageLocation
  let storage: Storage
  before(async () => {
    location = await empty()
    storage = await openStorage(location)
  })
  after(() => storage.close())

  const newWorkspace = async (queryLog: QueryLog = { parameters: 'off' }): Promise<WorkspaceRow> => {
    const definition = { workspace: randomUUID(), settings: { queryLog } }
    const row = await storage.write(writer => createWorkspace(writer, definition))
    assert.ok(row)
    return row
  }
  const setQueryLog = ({ id, definition }: WorkspaceRow, queryLog: QueryLog) =>
    storage.write(writer => saveDefinition(writer, id, { ...definition, settings: { queryLog } }))
  const makeCount = (workspace_id: string, row: Partial<UsageCountRow>): UsageCountRow => ({
    workspace_id,
    unit: 'hour',
    start: 0,
    kind: 'query',
    api: 'books',
    name: 'search',
    detail: 'found',
    count: 1,
    ...row,
  })
  const firstHour = { unit: 'hour', from: 0, to: 0 } as const

  test('counts of several nodes add up exactly, each in its own row', async () => {
    const [{ id }, gone] = [await newWorkspace(), await newWorkspace()]
    await storage.write(writer => removeWorkspace(writer, gone))
    const otherNode = await openStorage(location)
    const rows = [
      makeCount(id, {}),
      makeCount(id, { detail: 'empty', count: 2 }),
      makeCount(id, { kind: 'duration', detail: '17', count: 3 }),
      makeCount(gone.id, {}),
    ]
    const rounds = 20
    try {
      await Promise.all(
        Array.from({ length: rounds }, (_, round) =>
          [storage, otherNode][round % 2]?.write(({ db }) =>
            addUsageCounts(db, round % 3 ? rows : rows.toReversed()),
          ),
        ),
      )
    } finally {
      await otherNode.close()
    }
    const counts = await listCountsByName(storage.db, id, firstHour)
    assert.deepEqual(
      counts
        .map(({ kind, api, name, detail, count }) => [kind, api, name, detail, count])
        .toSorted((a, b) => Number(a.at(-1)) - Number(b.at(-1))),
      [
        ['query', 'books', 'search', 'found', rounds],
        ['query', 'books', 'search', 'empty', 2 * rounds],
        ['duration', 'books', 'search', '17', 3 * rounds],
      ],
    )
    assert.deepEqual(await listCountsByName(storage.db, gone.id, firstHour), [])
  })

  test('counts come by hour or day of a period, of one API or one endpoint of it', async () => {
    const { id } = await newWorkspace()
    const hour = unitMs.hour
    await addUsageCounts(storage.db, [
      makeCount(id, { start: hour, count: 1 }),
      makeCount(id, { start: hour, name: 'genre', count: 2 }),
      makeCount(id, { start: 2 * hour, count: 4 }),
      makeCount(id, { start: 2 * hour, api: 'films', count: 8 }),
      makeCount(id, { start: 3 * hour, count: 16 }),
      makeCount(id, { start: 0, count: 32 }),
      makeCount(id, { start: hour, unit: 'day', count: 64 }),
      makeCount(id, { start: hour, kind: 'refusal', name: '', detail: 'token', count: 128 }),
      makeCount(id, { start: hour, kind: 'token', api: '', name: '', detail: 'refresh_token', count: 256 }),
    ])
    const period = { unit: 'hour', from: hour, to: 2 * hour } as const
    const list = async (filter: Parameters<typeof listCountsOverTime>[3]) =>
      (await listCountsOverTime(storage.db, id, period, filter))
        .map(({ start, count }) => [start / hour, count])
        .toSorted(([, a = 0], [, b = 0]) => a - b)
    assert.deepEqual(await list({}), [
      [1, 3],
      [2, 12],
      [1, 128],
      [1, 256],
    ])
    assert.deepEqual(await list({ api: 'books' }), [
      [1, 3],
      [2, 4],
      [1, 128],
      [1, 256],
    ])
    assert.deepEqual(await list({ api: 'books', endpoint: 'genre' }), [
      [1, 2],
      [1, 128],
      [1, 256],
    ])
    assert.deepEqual(await list({ api: 'films', endpoint: 'search' }), [
      [2, 8],
      [1, 256],
    ])
  })

  test('hours are kept for 3 days, and days as long as the workspace says', async t => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
    const { id } = await newWorkspace({ parameters: 'off', keep: '5d' })
    const today = startOfUnit('day', Date.now())
    const thisHour = startOfUnit('hour', Date.now())
    await addUsageCounts(storage.db, [
      ...[0, 5, 6].map(age => makeCount(id, { unit: 'day', start: today - age * unitMs.day })),
      ...[0, 72, 73].map(age => makeCount(id, { start: thisHour - age * unitMs.hour })),
    ])
    await pruneUsage(storage.db)
    const starts = async (unit: 'hour' | 'day') =>
      (await listCountsOverTime(storage.db, id, { unit, from: 0, to: today + unitMs.day }, {}))
        .map(({ start }) => start)
        .toSorted()
    assert.deepEqual(await starts('day'), [today - 5 * unitMs.day, today])
    assert.deepEqual(await starts('hour'), [thisHour - 72 * unitMs.hour, thisHour])
  })

  const makeSearch = (workspace_id: string, text: string | null): SearchRow => ({
    workspace_id,
    day: toDay(Date.now()),
    api: 'books',
    parameters: 'hmac-sha256:x',
    encrypted_text: text,
    queries: 1,
    empty: 0,
  })
  const add = (row: SearchRow) => storage.write(({ db }) => addSearches(db, storage.kind, [row]))
  const readSearches = async ({ id }: WorkspaceRow) =>
    (await listSearches(storage.db, id, { from: 0, to: toDay(Date.now()) }, { count: 10 })).map(
      ({ queries, encrypted_text }) => [queries, encrypted_text],
    )

  test('a stricter query log removes what it does not allow at once, and nothing of it is written afterwards', async () => {
    const workspace = await newWorkspace({ parameters: 'full' })
    await add(makeSearch(workspace.id, 'text'))
    assert.deepEqual(await readSearches(workspace), [[1, 'text']])
    await setQueryLog(workspace, { parameters: 'hashed' })
    assert.deepEqual(await readSearches(workspace), [[1, null]])
    // A node that has not heard of the change yet writes this.
    await add(makeSearch(workspace.id, 'text'))
    assert.deepEqual(await readSearches(workspace), [[2, null]])
    await setQueryLog(workspace, { parameters: 'off' })
    assert.deepEqual(await readSearches(workspace), [])
    await add(makeSearch(workspace.id, 'text'))
    await add(makeSearch(workspace.id, null))
    assert.deepEqual(await readSearches(workspace), [])
  })

  test('a change of the query log waits for a node that is writing searches, and removes them', async () => {
    const workspace = await newWorkspace({ parameters: 'full' })
    const otherNode = await openStorage(location)
    try {
      const hasWritten = Promise.withResolvers<void>()
      const writing = otherNode.write(async ({ db }) => {
        await addSearches(db, otherNode.kind, [makeSearch(workspace.id, 'text')])
        hasWritten.resolve()
        // The change starts while this transaction is open.
        await new Promise(resolve => setImmediate(resolve))
      })
      await hasWritten.promise
      await Promise.all([writing, setQueryLog(workspace, { parameters: 'off' })])
    } finally {
      await otherNode.close()
    }
    assert.deepEqual(await readSearches(workspace), [])
  })
}
