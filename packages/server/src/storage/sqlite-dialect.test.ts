import assert from 'node:assert/strict'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import { Kysely, sql } from 'kysely'
import { runEssential } from './disk-reserve.ts'
import { sqliteDialect } from './sqlite-dialect.ts'

test('a loop of statements lets the event loop turn, in a transaction too', async () => {
  const db = new Kysely<Record<string, never>>({ dialect: sqliteDialect(new Database(':memory:')) })
  /** About 10 ms each. */
  const statement = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000) select count(*) from n`
  for (const run of [
    () =>
      db.connection().execute(async connection => {
        for (let index = 0; index < 50; index++) await statement.execute(connection)
      }),
    () =>
      db.transaction().execute(async connection => {
        for (let index = 0; index < 50; index++) await statement.execute(connection)
      }),
  ]) {
    let turns = 0
    let isDone = false
    const turn = () => {
      turns++
      if (!isDone) setImmediate(turn)
    }
    setImmediate(turn)
    await run()
    isDone = true
    assert.ok(turns > 5, `${turns} turns`)
  }
  await db.destroy()
})

test('an essential transaction uses the reserve of the disk once, until it ends', async () => {
  const calls: string[] = []
  const reserve = {
    release: () => void calls.push('release'),
    refill: () => void calls.push('refill'),
    hold: <T>(work: () => Promise<T>) => work(),
    reportFull() {},
    state: () => ({ isFull: false, reserveBytes: 0 }),
    close() {},
  }
  const db = new Kysely<Record<string, never>>({ dialect: sqliteDialect(new Database(':memory:'), reserve) })
  await runEssential(() =>
    db.transaction().execute(async transaction => {
      await sql`create table t (x)`.execute(transaction)
      calls.push('write')
    }),
  )
  assert.deepEqual(calls, ['release', 'write', 'refill'])
  await db.destroy()
})
