/** Tests with real threads and tasks: hostile workspace files take long enough to observe the pool meanwhile. */
import assert from 'node:assert/strict'
import { getPriority } from 'node:os'
import { test } from 'node:test'
import { Problem } from '#errors'
import { readOptions } from '#query/options'
import { waitUntil } from '#test-wait'
import { defineWorkerTask, openWorkerPool } from './worker-pool.ts'

const settings = {
  threads: 1,
  ownerRunningMax: 1,
  ownerWaitingMax: 8,
  waitingMax: 8,
  timeLimitMs: 60_000,
  idleMs: 60_000,
}
const readTask = defineWorkerTask<typeof import('#manage/workspace-file-tasks'), 'readFile'>(
  '#manage/workspace-file-tasks',
  'readFile',
)
const priorityTask = defineWorkerTask<typeof import('./test-tasks.ts'), 'readPriority'>(
  '#workers/test-tasks',
  'readPriority',
)
const waitTask = defineWorkerTask<typeof import('./test-tasks.ts'), 'waitForRelease'>(
  '#workers/test-tasks',
  'waitForRelease',
)
/** Takes long to parse. */
const hostile = `workspace: a\nx: {${'a,'.repeat(100_000)}}`
const small = 'workspace: a'
const hasCode = (code: string) => (error: unknown) => error instanceof Problem && error.code === code

test('a task does not block the event loop, and returns the result of its function', async () => {
  const pool = openWorkerPool(settings)
  let turns = 0
  let isDone = false
  const turn = () => {
    turns++
    if (!isDone) setImmediate(turn)
  }
  const read = pool.run('books', readTask, { source: hostile })
  setImmediate(turn)
  assert.ok('errors' in (await read))
  isDone = true
  // On this thread the event loop would have turned only once or twice.
  assert.ok(turns > 100, `${turns} turns`)
  assert.deepEqual(await pool.run('books', readTask, { source: small }), { file: '{"workspace":"a"}' })
})

test('on Linux, threads of low priority leave the processors to the others of the process', async () => {
  const read = (hasLowPriority: boolean) =>
    openWorkerPool({ ...settings, hasLowPriority }).run('books', priorityTask, undefined)
  assert.equal(await read(false), getPriority())
  assert.equal((await read(true)) > getPriority(), process.platform === 'linux')
})

test('threads start when they are needed, and end when they have nothing to do', async () => {
  const pool = openWorkerPool({ ...settings, idleMs: 1 })
  assert.equal(pool.size(), 0)
  const read = pool.run('books', readTask, { source: small })
  assert.equal(pool.size(), 1)
  await read
  await waitUntil(() => pool.size() === 0)
  assert.deepEqual(await pool.run('books', readTask, { source: small }), { file: '{"workspace":"a"}' })
})

test('a task beyond its time limit fails with an error for the caller, and the next one runs', async () => {
  const pool = openWorkerPool(settings)
  const impatient = openWorkerPool({ ...settings, timeLimitMs: 1 })
  await assert.rejects(impatient.run('books', readTask, { source: hostile }), hasCode('timeout'))
  assert.equal(impatient.size(), 0)
  assert.deepEqual(await pool.run('books', readTask, { source: small }), { file: '{"workspace":"a"}' })
})

test('tasks beyond the bounded queue are rejected at once', async () => {
  const pool = openWorkerPool({ ...settings, waitingMax: 1 })
  const first = pool.run('books', readTask, { source: small })
  const second = pool.run('books', readTask, { source: small })
  await assert.rejects(pool.run('books', readTask, { source: small }), hasCode('overloaded'))
  await Promise.all([first, second])
})

test('an owner has a bounded queue, and its tasks leave a thread and the next turn to others', async () => {
  const pool = openWorkerPool({ ...settings, threads: 2, ownerWaitingMax: 3 })
  const released = new Int32Array(new SharedArrayBuffer(4))
  const booksRuns = Array.from({ length: 4 }, () => pool.run('books', waitTask, released))
  await assert.rejects(pool.run('books', readTask, { source: small }), hasCode('too-many-requests'))
  assert.equal(pool.size(), 1)
  // This ends although a task of books runs and three wait.
  assert.deepEqual(await pool.run('films', readTask, { source: small }), { file: '{"workspace":"a"}' })
  Atomics.store(released, 0, 1)
  Atomics.notify(released, 0)
  assert.deepEqual(await Promise.all(booksRuns), ['ok', 'not-equal', 'not-equal', 'not-equal'])
})

test('an aborted task ends, whether it runs or waits, and the next one runs', async () => {
  const pool = openWorkerPool(settings)
  const aborts = [new AbortController(), new AbortController(), new AbortController()]
  const [running, waiting, late] = aborts.map(({ signal }) =>
    pool.run('books', readTask, { source: hostile }, { signal }),
  )
  const next = pool.run('books', readTask, { source: small })
  for (const abort of aborts.slice(0, 2)) abort.abort(new Error('given up'))
  for (const task of [running, waiting]) await assert.rejects(async () => task, /given up/)
  aborts[2]?.abort(new Error('too late'))
  await assert.rejects(async () => late, /too late/)
  assert.deepEqual(await next, { file: '{"workspace":"a"}' })
})

test('a Problem of a task reaches the caller, and bytes come back', async () => {
  const pool = openWorkerPool(settings)
  const write = defineWorkerTask<typeof import('#query/write-page'), 'writeEncodedPage'>(
    '#query/write-page',
    'writeEncodedPage',
  )
  const page = (attributes: object) => ({
    format: 'csv' as const,
    reply: { total: 1, best: 1, hits: [{ entity: '', score: 1 }] },
    entities: [new TextEncoder().encode(JSON.stringify({ id: 'é', class: [], attributes }))],
    options: readOptions(''),
    context: {
      offset: 0,
      count: 1,
      statistics: undefined,
      fields: new Map(),
      language: undefined,
      attributes: undefined,
      vocabulary: 'https://example.org/v#',
      idBase: 'https://example.org/i#',
    },
  })
  const bytes = await pool.run('books', write, page({ title: 'x' }))
  assert.equal(Buffer.from(bytes).toString(), 'rank,probability,id,class,title\r\n1,1,é,,x\r\n')
  const wide = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`a${index}`, 1]))
  await assert.rejects(pool.run('books', write, page(wide)), hasCode('bad-option'))
})
