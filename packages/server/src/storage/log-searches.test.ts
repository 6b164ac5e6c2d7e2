import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { recordAudit } from './audit.ts'
import { openStorage, type Storage } from './db.ts'

let folder: string
let storage: Storage
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'querent-logs-'))
  storage = await openStorage({ file: join(folder, 'querent.db') })
})
after(async () => {
  await storage.close()
  await rm(folder, { recursive: true })
})

/** Counts to a million in the database, as a search does that reads so many entries. */
const searchLong = () =>
  sql<{ total: number }>`
    with recursive numbers(number) as (select 1 union all select number + 1 from numbers where number < 1000000)
    select count(*) as total from numbers`.execute(storage.logs)

test('a search that reads a million rows delays nothing else', async () => {
  const endOrder: string[] = []
  await Promise.all([
    searchLong().then(() => endOrder.push('search')),
    storage.db
      .selectFrom('users')
      .selectAll()
      .execute()
      .then(() => endOrder.push('lookup')),
  ])
  assert.deepEqual(endOrder, ['lookup', 'search'])
})

test('a search sees each change that was acknowledged before it', async () => {
  const entry = { actor: 'ada', action: 'a', address: '192.0.2.1', requestId: 'r' }
  for (const target of ['first', 'second']) {
    await storage.write(w => recordAudit(w, { ...entry, target }))
    const newest = await storage.logs
      .selectFrom('audit')
      .select('target')
      .orderBy('seq', 'desc')
      .executeTakeFirst()
    assert.equal(newest?.target, target)
  }
})

test('a search that fails throws, and the next one works', async () => {
  await assert.rejects(sql`select missing from audit`.execute(storage.logs), /missing/)
  const { rows } = await searchLong()
  assert.deepEqual(rows, [{ total: 1_000_000 }])
})

test('searches change nothing', async () => {
  await assert.rejects(sql`delete from audit`.execute(storage.logs))
})

test('beyond 64 searches the next one is refused as overloaded', async () => {
  const outcomes = await Promise.allSettled([
    searchLong(),
    ...Array.from({ length: 65 }, () => sql`select 1`.execute(storage.logs)),
  ])
  const refusals = outcomes.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[]
  assert.deepEqual(
    refusals.map(({ reason }) => reason.code),
    ['overloaded', 'overloaded'],
  )
})

test('searches that wait end when the storage closes', async () => {
  const otherStorage = await openStorage({ file: join(folder, 'other.db') })
  const search = sql`select 1`.execute(otherStorage.logs)
  const outcome = assert.rejects(search)
  await otherStorage.close()
  await outcome
})
