/** Locks and notifications of nodes while their connection to PostgreSQL fails. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '#server/errors'
import { openLocks } from '#server/storage/locks'
import { freshDatabase } from '#server/storage/test-postgres'
import { patienceMs } from '#server/test-wait'
import { startTcpProxy } from '#tests/support/tcp-proxy'

/** Bound for a reply, many times its usual duration. */
const answerMs = 1500
const limits = { answerMs, lostMs: 1500 }
const isUnavailable = (error: unknown) => error instanceof Problem && error.status === 503

test('a lock query on a hanging connection times out, but waiting for a lock does not', async t => {
  const connectionString = await freshDatabase()
  const { hostname, port } = new URL(connectionString)
  await using proxy = await startTcpProxy({ host: hostname, port: Number(port) })
  const proxiedSettings = {
    connectionString: proxy.rewriteUrl(connectionString),
    connectionTimeoutMillis: answerMs,
  }
  const one = openLocks(proxiedSettings, '', limits)
  const otherLocks = openLocks({ connectionString }, '', limits)
  t.after(() => Promise.all([one.close(), otherLocks.close()]))

  const lock = await one.take('k', 'exclusive')
  const waiting = otherLocks.take('k', 'exclusive')
  const second = await one.take('l', 'exclusive')
  while (!(await lock.isWanted())) {}
  proxy.hang()
  const pendingCalls = [lock.isWanted(), lock.release(), second.release(), one.take('m', 'shared')]
  for (const call of pendingCalls) await assert.rejects(call, isUnavailable)
  proxy.pass()
  // The server has noticed that the connection is closed.
  await (await waiting).release()
  await (await one.take('k', 'exclusive')).release()
})

test('a node that lost its lock to another after a connection failure is notified, and gets no other lock before that', async t => {
  const connectionString = await freshDatabase()
  const { hostname, port } = new URL(connectionString)
  await using proxy = await startTcpProxy({ host: hostname, port: Number(port) })
  const one = openLocks({ connectionString: proxy.rewriteUrl(connectionString) }, '', limits)
  const otherLocks = openLocks({ connectionString }, '', limits)
  t.after(() => Promise.all([one.close(), otherLocks.close()]))

  const shutOut = Promise.withResolvers<void>()
  assert.ok(await one.keep('engine', 'exclusive', shutOut.resolve))
  proxy.refuse()
  const takenLock = await otherLocks.take('engine', 'exclusive')
  proxy.pass()
  await shutOut.promise
  await assert.rejects(one.take('k', 'shared'), isUnavailable)
  await takenLock.release()
  const takeAndRelease = async () => (await one.take('k', 'shared')).release()
  await t.waitFor(takeAndRelease, { timeout: patienceMs })
  assert.equal(await otherLocks.tryTake('engine', 'shared'), undefined)
})
