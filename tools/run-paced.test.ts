import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitUntil } from '#server/test-wait'
import { openIdleMeter, runPaced } from './run-paced.ts'

/** Jobs that end when the test says so. */
const openJobs = (count: number) => {
  const jobs = Array.from({ length: count }, (_, number) => ({ number, ...Promise.withResolvers<void>() }))
  const started: number[] = []
  const run = async ({ number, promise }: (typeof jobs)[number]) => {
    started.push(number)
    await promise
    return number
  }
  return { jobs, started, run }
}

test('while processors idle, more jobs run at once, up to the limit; all end once', async () => {
  const { jobs, started, run } = openJobs(6)
  const results = runPaced(jobs, run, { least: 2, most: 4, readIdleShare: () => 1, everyMs: 1 })
  await waitUntil(() => started.length === 4)
  jobs[3]?.resolve()
  await waitUntil(() => started.length === 5)
  assert.deepEqual(started, [0, 1, 2, 3, 4])
  for (const { resolve } of jobs) resolve()
  assert.deepEqual((await results).toSorted(), [0, 1, 2, 3, 4, 5])
})

test('while processors are busy, no more jobs run at once than the least', async () => {
  const { jobs, started, run } = openJobs(4)
  let looks = 0
  const readIdleShare = () => {
    looks++
    return 0.05
  }
  const results = runPaced(jobs, run, { least: 2, most: 4, readIdleShare, everyMs: 1 })
  await waitUntil(() => looks > 3)
  assert.deepEqual(started, [0, 1])
  for (const { resolve } of jobs) resolve()
  assert.equal((await results).length, 4)
})

test('the unused share of the processors is between none and all', () => {
  const share = openIdleMeter()()
  assert.ok(share >= 0 && share <= 1, `${share}`)
})
