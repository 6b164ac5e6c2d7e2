/** The queue of mails, on every database. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { StorageLocation } from './connection.ts'
import { openStorage, type Storage } from './db.ts'
import {
  addMail,
  claimMails,
  delayMail,
  pruneMails,
  readMailBacklog,
  removeMail,
  renewMails,
} from './mails.ts'
import { prune } from './prune.ts'

/** Runs the suite in an empty database. */
export const mailsSuite = (empty: () => Promise<StorageLocation>): void => {
  let location: StorageLocation
  let storage: Storage
  before(async () => {
    location = await empty()
    storage = await openStorage(location)
  })
  after(() => storage.close())

  const hourMs = 60 * 60 * 1000
  const leaseMs = 60_000
  const add = async (dueAt = Date.now(), expiresAt = Date.now() + hourMs): Promise<string> => {
    const id = randomUUID()
    assert.equal(await addMail(storage, { id, sealed: 'sealed', dueAt, expiresAt }, 1000), true)
    return id
  }
  const empties = async () => storage.db.deleteFrom('mails').execute()

  test('only one of several nodes sends a mail', async () => {
    await empties()
    const ids = await Promise.all(Array.from({ length: 15 }, () => add()))
    const otherNodes = await Promise.all([openStorage(location), openStorage(location)])
    const claims = await Promise.all(
      [storage, ...otherNodes, storage].map(node => claimMails(node, { count: 10, leaseMs })),
    )
    const rest = await claimMails(storage, { count: 100, leaseMs })
    const claimed = [...claims.flat(), ...rest].map(({ id }) => id)
    assert.deepEqual(claimed.toSorted(), ids.toSorted())
    for (const node of otherNodes) await node.close()
  })

  test('a mail is due after its delay, after the lease of a node that stopped, and not once it is removed', async t => {
    await empties()
    const [delayed, abandoned, sent] = [await add(), await add(), await add()]
    assert.equal((await claimMails(storage, { count: 10, leaseMs })).length, 3)
    await delayMail(storage.db, delayed, { attempts: 1, delayMs: 2 * leaseMs, failure: 'EENVELOPE 451' })
    await removeMail(storage.db, sent)
    assert.deepEqual(await claimMails(storage, { count: 10, leaseMs }), [])
    const now = Date.now()
    t.mock.timers.enable({ apis: ['Date'], now: now + leaseMs + 1 })
    const second = await claimMails(storage, { count: 10, leaseMs: hourMs })
    assert.deepEqual(
      second.map(({ id, attempts }) => [id, attempts]),
      [[abandoned, 2]],
    )
    t.mock.timers.setTime(now + 2 * leaseMs + 1000)
    assert.deepEqual(
      (await claimMails(storage, { count: 10, leaseMs })).map(({ id }) => id),
      [delayed],
    )
  })

  test('mails are claimed in the order in which they became due, and then of their ids', async () => {
    await empties()
    const now = Date.now()
    for (const [id, dueAt] of [
      ['c', now - 2],
      ['b', now - 2],
      ['d', now - 3],
      ['a', now - 1],
    ] as const)
      await addMail(storage, { id, sealed: '', dueAt, expiresAt: now + hourMs }, 1000)
    const claimed = await claimMails(storage, { count: 3, leaseMs })
    assert.deepEqual(
      claimed.map(({ id }) => id),
      ['d', 'b', 'c'],
    )
  })

  test('a renewed lease counts from now, and brings no mail back that was removed', async t => {
    await empties()
    const ids = [await add(), await add()]
    assert.equal((await claimMails(storage, { count: 2, leaseMs })).length, 2)
    const now = Date.now()
    t.mock.timers.enable({ apis: ['Date'], now: now + leaseMs - 1 })
    await removeMail(storage.db, ids[1] ?? '')
    await renewMails(storage.db, ids, leaseMs)
    t.mock.timers.setTime(now + leaseMs + 1)
    assert.deepEqual(await claimMails(storage, { count: 2, leaseMs }), [])
    t.mock.timers.setTime(now + 2 * leaseMs)
    const claimed = await claimMails(storage, { count: 2, leaseMs })
    assert.deepEqual(
      claimed.map(({ id }) => id),
      [ids[0]],
    )
  })

  test('the backlog counts mails that failed, and the queue has a bound', async () => {
    await empties()
    assert.equal((await readMailBacklog(storage.db)).waiting, 0)
    const id = await add()
    assert.equal((await readMailBacklog(storage.db)).waiting, 0, 'the first attempt is under way')
    await delayMail(storage.db, id, { attempts: 1, delayMs: leaseMs, failure: 'EENVELOPE 451' })
    const { waiting, oldestAt, lastFailure } = await readMailBacklog(storage.db)
    assert.deepEqual([waiting, typeof oldestAt, lastFailure], [1, 'number', 'EENVELOPE 451'])
    const another = { id: randomUUID(), sealed: '', dueAt: 0, expiresAt: 0 }
    assert.equal(await addMail(storage, another, 1), false)
  })

  test('a mail that no node sent until its end is removed a day later', async t => {
    await empties()
    const id = await add(Date.now(), Date.now() + 1000)
    await prune(storage)
    assert.equal((await claimMails(storage, { count: 1, leaseMs })).length, 1)
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 25 * hourMs })
    await pruneMails(storage.db)
    assert.equal(
      await storage.db.selectFrom('mails').select('id').where('id', '=', id).executeTakeFirst(),
      undefined,
    )
  })
}
