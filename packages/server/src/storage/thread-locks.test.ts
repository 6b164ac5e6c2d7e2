import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import type { Lock, Locks } from './locks.ts'
import { connectThreadLocks, openThreadLocks } from './thread-locks.ts'

/** Returns the locks of the main thread, those of another one, and a function that ends the other one. */
const openBoth = () => {
  const { locks, serve } = openThreadLocks()
  const { port1, port2 } = new MessageChannel()
  const end = serve(port2)
  const remote = connectThreadLocks(port1)
  const close = async () => {
    end()
    port2.close()
    await remote.close()
  }
  return { main: locks, other: remote, close }
}

const take = async (locks: Locks, mode: 'shared' | 'exclusive' = 'exclusive'): Promise<Lock> =>
  locks.take('key', mode)

test('an exclusive lock excludes other threads, and waiting ones get it in order', async () => {
  const { main, other, close } = openBoth()
  const first = await take(main)
  assert.equal(await other.tryTake('key', 'shared'), undefined)
  assert.equal(await first.isWanted(), false)
  const order: string[] = []
  const second = take(other).then(lock => {
    order.push('other')
    return lock
  })
  while (!(await first.isWanted())) await new Promise(resolve => setImmediate(resolve))
  const third = take(main).then(lock => {
    order.push('main')
    return lock
  })
  await first.release()
  await (await second).release()
  await (await third).release()
  assert.deepEqual(order, ['other', 'main'])
  assert.ok(await other.tryTake('key', 'exclusive'))
  await close()
})

test('threads share a lock until one of them wants it alone', async () => {
  const { main, other, close } = openBoth()
  const shared = [await take(main, 'shared'), await take(other, 'shared')]
  const exclusive = take(main)
  assert.equal(await other.tryTake('key', 'shared'), undefined)
  for (const lock of shared) await lock.release()
  await (await exclusive).release()
  assert.ok(await other.tryTake('another key', 'exclusive'))
  await close()
})

test('a thread that ends gives up its locks', async () => {
  const { main, other, close } = openBoth()
  await take(other)
  const waiting = take(main)
  await close()
  await (await waiting).release()
})
