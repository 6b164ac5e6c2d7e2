/** The order in which waiting queries of many accounts run (query-service.md, Limits and usage). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createFairQueue, type Turn } from './fair-queue.ts'

interface Piece {
  key: string
  turn: Turn | undefined
  state: 'waiting' | 'running' | 'over'
}

/** A queue with its work in the order of arrival and in the order of starts. */
const openModel = (settings: Parameters<typeof createFairQueue>[0]) => {
  const queue = createFairQueue(settings)
  const pieces: Piece[] = []
  const started: Piece[] = []
  const start = (piece: Piece) => {
    piece.state = 'running'
    started.push(piece)
  }
  return {
    queue,
    pieces,
    started,
    /** False if the queue of the key is full. */
    async enter(key: string): Promise<boolean> {
      const turn = queue.enter(key)
      if (turn === 'full') return false
      const piece: Piece = { key, turn, state: 'waiting' }
      pieces.push(piece)
      if (turn) void turn.started.then(() => piece.state === 'waiting' && start(piece))
      else start(piece)
      await Promise.resolve()
      return true
    },
    async end(piece: Piece): Promise<void> {
      piece.state = 'over'
      queue.leave(piece.key)
      await Promise.resolve()
    },
    async cancel(piece: Piece): Promise<void> {
      piece.state = 'over'
      piece.turn?.cancel()
      await Promise.resolve()
    },
    in: (state: Piece['state'], key?: string) =>
      pieces.filter(piece => piece.state === state && (key === undefined || piece.key === key)),
  }
}

const key = fc.constantFrom('ada', 'bea', 'cem', 'dan')
const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('enter' as const), key }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('end' as const), which: fc.nat(1000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), which: fc.nat(1000) }) },
)
const settings = fc
  .record({
    perKeyMax: fc.integer({ min: 1, max: 4 }),
    slots: fc.integer({ min: 1, max: 6 }),
    extra: fc.integer({ min: 0, max: 4 }),
    waitingPerKeyMax: fc.integer({ min: 0, max: 5 }),
  })
  .map(({ extra, ...rest }) => ({ ...rest, runningMax: rest.slots + extra }))

test('limits hold, work never waits needlessly, and the work of one key starts in order', async () => {
  await fc.assert(
    fc.asyncProperty(settings, fc.array(action, { maxLength: 120 }), async (limits, actions) => {
      const model = openModel(limits)
      for (const step of actions) {
        if (step.do === 'enter') {
          const waitingBefore = model.in('waiting', step.key).length
          const isTaken = await model.enter(step.key)
          if (!isTaken) assert.equal(waitingBefore, limits.waitingPerKeyMax)
        } else {
          const candidates = model.in(step.do === 'end' ? 'running' : 'waiting')
          const piece = candidates[step.which % Math.max(1, candidates.length)]
          if (piece) await model[step.do](piece)
        }
        const running = model.in('running').length
        assert.ok(running <= limits.runningMax)
        assert.equal(model.queue.waiting(), model.in('waiting').length)
        for (const name of ['ada', 'bea', 'cem', 'dan']) {
          const runningOfKey = model.in('running', name).length
          const waits = model.in('waiting', name).length
          assert.ok(runningOfKey <= limits.perKeyMax && waits <= limits.waitingPerKeyMax)
          const mayRun =
            runningOfKey < limits.perKeyMax &&
            running < limits.runningMax &&
            (runningOfKey === 0 || running < limits.slots)
          assert.ok(waits === 0 || !mayRun, `${name} waits though it may run`)
        }
      }
      for (const name of ['ada', 'bea', 'cem', 'dan']) {
        const started = model.started.filter(piece => piece.key === name)
        const arrived = model.pieces.filter(piece => started.includes(piece) && piece.key === name)
        assert.deepEqual(started, arrived)
      }
    }),
  )
})

test('all work starts eventually, even if some is canceled', async () => {
  await fc.assert(
    fc.asyncProperty(
      settings,
      fc.array(fc.record({ key, isCanceled: fc.boolean() }), { maxLength: 40 }),
      async (limits, arrivals) => {
        const model = openModel({ ...limits, waitingPerKeyMax: arrivals.length })
        for (const arrival of arrivals) await model.enter(arrival.key)
        for (const [index, { isCanceled }] of arrivals.entries()) {
          const piece = model.pieces[index]
          if (isCanceled && piece?.state === 'waiting') await model.cancel(piece)
        }
        for (let [piece] = model.in('running'); piece; [piece] = model.in('running')) await model.end(piece)
        assert.deepEqual(model.in('waiting'), [])
        assert.equal(model.queue.waiting(), 0)
      },
    ),
  )
})

test('waiting keys get equal shares, however long their backlogs are', async () => {
  const backlogs = fc.array(fc.integer({ min: 40, max: 400 }), { minLength: 2, maxLength: 6 })
  const slots = fc.integer({ min: 1, max: 8 })
  await fc.assert(
    fc.asyncProperty(backlogs, slots, async (sizes, shared) => {
      const model = openModel({ perKeyMax: 64, slots: shared, runningMax: 100, waitingPerKeyMax: 10_000 })
      for (const [index, size] of sizes.entries())
        for (let count = 0; count < size; count++) await model.enter(String(index))
      const startedBefore = model.started.length
      // After 40 ends, every key still has a backlog.
      for (let count = 0; count < 40; count++) {
        const [oldest] = model.started.filter(({ state }) => state === 'running')
        if (oldest) await model.end(oldest)
      }
      const counts = sizes.map(
        (_, index) => model.started.slice(startedBefore).filter(piece => piece.key === String(index)).length,
      )
      // The first key had all slots before the others arrived.
      assert.ok(Math.max(...counts) - Math.min(...counts) <= shared + 1, String(counts))
    }),
    { numRuns: 30 },
  )
})

test('a key without running work starts at once, past the backlog of another', async () => {
  const model = openModel({ perKeyMax: 64, slots: 4, runningMax: 100, waitingPerKeyMax: 10_000 })
  for (let count = 0; count < 1000; count++) await model.enter('burst')
  assert.equal(model.in('running').length, 4)
  await model.enter('other')
  assert.equal(model.in('running', 'other').length, 1)
})

test('a turn that is canceled after it started gives its slot to the next', async () => {
  const queue = createFairQueue({ perKeyMax: 1, slots: 1, runningMax: 1, waitingPerKeyMax: 2 })
  assert.equal(queue.enter('one'), undefined)
  const [second, third] = [queue.enter('one'), queue.enter('one')]
  assert.ok(second && second !== 'full' && third && third !== 'full')
  assert.equal(queue.enter('one'), 'full')
  queue.leave('one')
  await second.started
  second.cancel()
  second.cancel()
  await third.started
  queue.leave('one')
  assert.equal(queue.enter('one'), undefined)
})
