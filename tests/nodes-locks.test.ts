/** What nodes have of one another through PostgreSQL when the way to it fails. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '#server/errors'
import { openLocks } from '#server/storage/locks'
import { freshDatabase } from '#server/storage/test-postgres'
import { startTcpProxy } from './tcp-proxy.ts'

/** Of an answer: many times what it takes. */
const answerMs = 1500
const limits = { answerMs, lostMs: 1500 }
const isUnavailable = (error: unknown) => error instanceof Problem && error.status === 503

test('no question about a lock waits for ever on a connection that hangs; what waits for a lock does wait', async t => {
  const connectionString = await freshDatabase()
  const { hostname, port } = new URL(connectionString)
  await using proxy = await startTcpProxy({ host: hostname, port: Number(port) })
  const through = { connectionString: proxy.through(connectionString), connectionTimeoutMillis: answerMs }
  const one = openLocks(through, '', limits)
  const other = openLocks({ connectionString }, '', limits)
  t.after(() => Promise.all([one.close(), other.close()]))

  const lock = await one.take('k', 'alone')
  const waiting = other.take('k', 'alone')
  const second = await one.take('l', 'alone')
  while (!(await lock.isWanted())) {}
  proxy.hang()
  const asked = [lock.isWanted(), lock.release(), second.release(), one.take('m', 'share')]
  for (const each of asked) await assert.rejects(each, isUnavailable)
  proxy.pass()
  // The server has heard that the connection is gone.
  await (await waiting).release()
  await (await one.take('k', 'alone')).release()
})

test('whoever keeps a lock that another took after a lost connection is told, and has no other until then', async t => {
  const connectionString = await freshDatabase()
  const { hostname, port } = new URL(connectionString)
  await using proxy = await startTcpProxy({ host: hostname, port: Number(port) })
  const one = openLocks({ connectionString: proxy.through(connectionString) }, '', limits)
  const other = openLocks({ connectionString }, '', limits)
  t.after(() => Promise.all([one.close(), other.close()]))

  const shutOut = Promise.withResolvers<void>()
  assert.ok(await one.keep('engine', 'alone', shutOut.resolve))
  proxy.refuse()
  const taken = await other.take('engine', 'alone')
  proxy.pass()
  await shutOut.promise
  await assert.rejects(one.take('k', 'share'), isUnavailable)
  await taken.release()
  const isHad = async () => (await one.take('k', 'share')).release()
  await t.waitFor(isHad, { timeout: 10_000 })
  assert.equal(await other.tryTake('engine', 'share'), undefined)
})
