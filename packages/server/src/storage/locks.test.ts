import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { Problem } from '#errors'
import { patienceMs } from '#test-wait'
import { openStorage, openStorageLocks, type Storage } from './db.ts'
import type { Locks } from './locks.ts'
import { freshDatabase } from './test-postgres.ts'

let connection: string
let nodes: [Storage, Storage]
let ownLocks: Locks
let otherLocks: Locks
before(async () => {
  connection = await freshDatabase()
  const location = { connection }
  nodes = [await openStorage(location), await openStorage(location)]
  const [first, second] = nodes.map(({ locks }) => locks)
  assert.ok(first && second)
  ;[ownLocks, otherLocks] = [first, second]
})
after(async () => {
  for (const node of nodes) await node.close()
})

const isUnavailable = (error: unknown) => error instanceof Problem && error.status === 503

/**
 * Ends the sessions that hold or await locks in this database, as a failing database or network does; other
 * test files have sessions in the same cluster. Resolves when they are gone.
 */
const endSessions = () =>
  sql`select pg_terminate_backend(pid, 60000) from pg_locks where locktype = 'advisory'
    and database = (select oid from pg_database where datname = current_database())`.execute(nodes[0].db)

test('sharers hold a lock together; one alone waits for them, and is before those that come later', async () => {
  const order: string[] = []
  const [a, b] = [await ownLocks.take('k', 'shared'), await otherLocks.take('k', 'shared')]
  assert.equal(await a.isWanted(), false)
  assert.equal(await otherLocks.tryTake('k', 'exclusive'), undefined)
  const alone = ownLocks.take('k', 'exclusive').then(async lock => {
    order.push('exclusive')
    await lock.release()
  })
  while (!(await b.isWanted())) {}
  await b.release()
  const laterLock = otherLocks.take('k', 'shared').then(async lock => {
    order.push('later')
    await lock.release()
  })
  await a.release()
  await Promise.all([alone, laterLock])
  assert.deepEqual(order, ['exclusive', 'later'])
})

test('the next process gets a kept lock as soon as its holder is closed', async () => {
  for (let round = 0; round < 20; round++) {
    const locks = openStorageLocks({ connection })
    assert.equal(await locks?.keep('kept', 'exclusive', () => {}), true)
    await locks?.close()
    const next = await ownLocks.tryTake('kept', 'exclusive')
    assert.ok(next, `round ${round}`)
    await next.release()
  }
})

test('more waits than there are connections for them all end', async () => {
  const keys = Array.from({ length: 30 }, (_, index) => `many ${index}`)
  const heldLocks = await Promise.all(keys.map(key => ownLocks.take(key, 'exclusive')))
  const waiting = keys.map(async key => (await otherLocks.take(key, 'exclusive')).release())
  // In reverse order of waiting.
  for (const lock of heldLocks.toReversed()) await lock.release()
  await Promise.all(waiting)
})

test('a lock of a broken connection cannot be confirmed, and can be taken again', async () => {
  const lock = await ownLocks.take('lost', 'exclusive')
  await nodes[1].db.transaction().execute(trx => lock.assertHeld(trx))
  await endSessions()
  await assert.rejects(
    nodes[1].db.transaction().execute(trx => lock.assertHeld(trx)),
    isUnavailable,
  )
  await assert.rejects(lock.isWanted(), isUnavailable)
  await assert.rejects(lock.release(), isUnavailable)
  await (await otherLocks.take('lost', 'exclusive')).release()
  await (await ownLocks.take('lost', 'exclusive')).release()
})

test('a kept lock survives a lost connection', async t => {
  assert.ok(await ownLocks.keep('life', 'exclusive', assert.fail))
  assert.equal(await otherLocks.keep('life', 'shared', assert.fail), false)
  await endSessions()
  const isKept = async () => {
    const lock = await otherLocks.tryTake('life', 'shared')
    await lock?.release()
    assert.equal(lock, undefined)
  }
  await t.waitFor(isKept, { timeout: patienceMs })
})
