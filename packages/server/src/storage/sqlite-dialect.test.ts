import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

test('only replies to forms and failed sign-ins do not wait for the disk', async () => {
  const database = new Database(':memory:')
  const db = new Kysely<Record<'throttles' | 'users', { id: number }>>({ dialect: sqliteDialect(database) })
  for (const table of ['throttles', 'users'] as const)
    await sql`create table ${sql.table(table)} (id integer primary key)`.execute(db)
  const steps: string[] = []
  const pragma = database.pragma.bind(database)
  /** FULL: each commit waits for the disk (https://sqlite.org/pragma.html#pragma_synchronous). */
  const waitsForDisk = () => pragma('synchronous', { simple: true }) === 2
  assert.ok(waitsForDisk())
  database.pragma = (source, options) => {
    steps.push(source)
    return pragma(source, options)
  }
  const insert = (table: 'throttles' | 'users') => db.insertInto(table).values({ id: 1 }).execute()
  await insert('throttles')
  await assert.rejects(insert('throttles'), { code: 'SQLITE_CONSTRAINT_PRIMARYKEY' })
  assert.deepEqual(steps.splice(0), Array(2).fill(['synchronous = NORMAL', 'synchronous = FULL']).flat())
  await insert('users')
  assert.deepEqual(steps, [])
  assert.ok(waitsForDisk())
  await db.destroy()
})

test('a statement that runs again finds new rows and columns, also of another connection, and after a stream', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'querent-statements-'))
  t.after(() => rm(folder, { recursive: true }))
  const open = () =>
    new Kysely<{ books: Record<string, string | number | null> }>({
      dialect: sqliteDialect(new Database(join(folder, 'books.db'))),
    })
  const [one, other] = [open(), open()]
  const readAll = () => one.selectFrom('books').selectAll().orderBy('id').execute()
  await sql`create table books (id integer)`.execute(one)
  const insert = (id: number, title?: string) =>
    other
      .insertInto('books')
      .values(title === undefined ? { id } : { id, title })
      .execute()
  await insert(1)
  assert.deepEqual(await readAll(), [{ id: 1 }])
  await insert(2)
  assert.deepEqual(await readAll(), [{ id: 1 }, { id: 2 }])

  await sql`alter table books add column title text`.execute(one)
  assert.deepEqual(await readAll(), [
    { id: 1, title: null },
    { id: 2, title: null },
  ])
  await sql`alter table books add column pages integer`.execute(other)
  await insert(3, 'Emma')
  const [, , third] = await readAll()
  assert.deepEqual([third?.id, third?.title], [3, 'Emma'])

  await assert.rejects(sql`insert into books (id, missing) values (4, 4)`.execute(one))
  assert.equal((await readAll()).length, 3)

  for await (const row of one.selectFrom('books').selectAll().orderBy('id').stream()) {
    assert.equal(row.id, 1)
    break
  }
  assert.equal((await readAll()).length, 3)
  for (const db of [one, other]) await db.destroy()
})
