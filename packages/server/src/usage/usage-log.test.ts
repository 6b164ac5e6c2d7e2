import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { openTestParts } from '#authz/test-tokens'
import { listCountsByName, startOfUnit } from '#storage/usage-counts'
import { createWorkspace, removeWorkspace } from '#storage/workspaces'
import type { QueryEvent, UsageLog } from './usage-log.ts'

const parts = await openTestParts()
const { storage, usageLog } = parts
after(() => parts.close())

const newWorkspace = async () => {
  const workspace = await storage.write(writer =>
    createWorkspace(writer, { workspace: randomUUID(), apis: { books: { endpoints: {} } } }),
  )
  assert.ok(workspace)
  return workspace
}
const record = (workspace: QueryEvent['workspace'], event: Partial<QueryEvent> = {}) =>
  usageLog.record({
    workspace,
    api: 'books',
    endpoint: 'search',
    account: 'a',
    stack: [],
    address: '192.0.2.1',
    requestId: randomUUID(),
    total: 1,
    failure: undefined,
    ms: 1,
    ...event,
  })
const readCounts = async (id: string) => {
  const today = startOfUnit('day', Date.now())
  const counts = await listCountsByName(storage.db, id, { unit: 'day', from: today, to: today })
  return Object.fromEntries(
    counts
      .filter(({ kind }) => kind !== 'duration')
      .map(({ kind, api, detail, count }) => [`${kind} ${api} ${detail}`, count]),
  )
}
/** Makes writes fail until the returned function is called. */
const breakWrites = async () => {
  await sql`alter table usage_counts rename to usage_counts_away`.execute(storage.db)
  return () => sql`alter table usage_counts_away rename to usage_counts`.execute(storage.db)
}

test('counts of failed writes are written later, each once', async () => {
  const workspace = await newWorkspace()
  const repair = await breakWrites()
  record(workspace)
  usageLog.recordToken('token', workspace.id, 'refresh_token')
  await usageLog.flush()
  record(workspace, { total: 0 })
  record(workspace)
  await usageLog.flush()
  await repair()
  await usageLog.flush()
  await usageLog.flush()
  assert.deepEqual(await readCounts(workspace.id), {
    'query books found': 2,
    'query books empty': 1,
    'token  refresh_token': 1,
  })
})

test('counts of a workspace that is removed meanwhile hinder no others', async () => {
  const [workspace, removed] = [await newWorkspace(), await newWorkspace()]
  record(workspace)
  record(removed)
  usageLog.recordImport(removed.id, 'books', { accepted: 1, rejected: 0 })
  await storage.write(writer => removeWorkspace(writer, removed))
  await usageLog.flush()
  assert.deepEqual(await readCounts(workspace.id), { 'query books found': 1 })
})

test('refused requests count by check, and names that clients make up are not stored', async () => {
  const workspace = await newWorkspace()
  for (const [slug, api] of [
    [workspace.slug, 'books'],
    [workspace.slug, 'made-up'],
    [workspace.slug, '__proto__'],
    [workspace.slug, `${'x'.repeat(10_000)}'`],
    ['made-up', 'books'],
    ['\0', ''],
  ] as const)
    usageLog.recordRefusal(slug, api, 'token')
  await usageLog.flush()
  assert.deepEqual(await readCounts(workspace.id), { 'refusal books token': 1, 'refusal  token': 3 })
  const { rows } = await sql<{
    text: string
  }>`select api as text from usage_counts where api like 'made%'`.execute(storage.db)
  assert.deepEqual(rows, [])
})

test('a flood of names takes bounded memory, and queries that need more figures are reported as lost', async () => {
  const workspace = await newWorkspace()
  let lostQueries = 0
  const { onLoss } = usageLog
  usageLog.onLoss = ({ queries }: Parameters<UsageLog['onLoss']>[0]) => {
    lostQueries += queries
  }
  const flood = 30_000
  for (let index = 0; index < flood; index++) {
    record(workspace, { account: `account-${index}` })
    usageLog.recordRefusal(`made-up-${index}`, 'books', 'token')
  }
  await usageLog.flush()
  usageLog.onLoss = onLoss
  const countedQueries = (await readCounts(workspace.id))['query books found'] ?? 0
  assert.ok(lostQueries > 0)
  assert.equal(countedQueries + lostQueries, flood)
})
