import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, mock, test } from 'node:test'
import { startDeadline } from './deadline.ts'

describe('deadline', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())

  const timeoutMs = 5000
  const start = () => startDeadline(timeoutMs, performance.now())
  const endless = new Promise<never>(() => {})

  test('a race before the deadline has the result or the error of its work', async () => {
    const deadline = start()
    assert.equal(await deadline.race(Promise.resolve(1)), 1)
    await assert.rejects(deadline.race(Promise.reject(new Error('refused'))), /refused/)
    deadline.throwIfExpired()
  })

  test('the time since the query arrived counts', async () => {
    const deadline = startDeadline(timeoutMs, performance.now() - 4000)
    mock.timers.tick(1000)
    await assert.rejects(deadline.race(endless), { code: 'timeout' })
  })

  test('at the deadline all races reject with 503 and Retry-After, and so do later ones', async () => {
    const deadline = start()
    const races = [deadline.race(endless), deadline.race(deadline.race(endless))]
    mock.timers.tick(timeoutMs)
    for (const race of [...races, deadline.race(endless)])
      await assert.rejects(race, { code: 'timeout', status: 503, headers: { 'retry-after': '1' } })
    assert.throws(() => deadline.throwIfExpired(), { code: 'timeout' })
  })

  test('work that fails after the deadline is no unhandled rejection', async () => {
    const deadline = start()
    const work = Promise.withResolvers<void>()
    const race = deadline.race(work.promise)
    mock.timers.tick(timeoutMs)
    await assert.rejects(race, { code: 'timeout' })
    work.reject(new Error('late'))
    // Node reports unhandled rejections at the end of the turn.
    await new Promise(resolve => setImmediate(resolve))
  })

  test('a deadline that nobody waits for is no unhandled rejection, and a cleared one never expires', async () => {
    start()
    mock.timers.tick(timeoutMs)
    const deadline = start()
    deadline.clear()
    mock.timers.tick(timeoutMs)
    deadline.throwIfExpired()
    assert.equal(await deadline.race(Promise.resolve(1)), 1)
    await new Promise(resolve => setImmediate(resolve))
  })
})
