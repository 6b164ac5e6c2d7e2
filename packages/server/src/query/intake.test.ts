import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { patienceMs } from '#test-wait'
import type { Connection } from './connection-sender.ts'
import { createIntake, type IntakeEntry } from './intake.ts'

const unlimited = { inProgressMax: 100_000, heldMax: 100_000, heldMsMax: 60_000, pausedMsMax: 60_000 }

test('queries that arrive one by one start at once', async () => {
  const intake = createIntake(unlimited)
  const order: number[] = []
  for (let index = 0; index < 100; index++) {
    intake.enter('a', () => order.push(index))
    assert.equal(order.length, index + 1)
    await turn()
  }
})

test('a burst of one sender lets others start in the next turn, and each sender keeps its order', async () => {
  const intake = createIntake(unlimited)
  const order: string[] = []
  for (let index = 0; index < 1_000; index++) intake.enter('burst', () => order.push(`burst ${index}`))
  const startedAtOnce = order.length
  assert.ok(startedAtOnce < 100)
  for (let index = 0; index < 3; index++) intake.enter('other', () => order.push(`other ${index}`))
  while (order.length < 1_003) await turn()
  const otherPositions = order.flatMap((name, index) => (name.startsWith('other') ? [index] : []))
  assert.ok(otherPositions.every(index => index < startedAtOnce + 10))
  assert.deepEqual(
    order.filter(name => name.startsWith('burst')),
    Array.from({ length: 1_000 }, (_, index) => `burst ${index}`),
  )
})

test('a query that is entered while another starts is not lost', async () => {
  const intake = createIntake(unlimited)
  let count = 0
  const enterMore = ({ leave }: IntakeEntry) => {
    count += 1
    leave()
    if (count < 500) intake.enter(`sender ${count % 3}`, enterMore)
  }
  intake.enter('first', enterMore)
  while (count < 500) await turn()
  assert.equal(count, 500)
})

test('a sender with many queries in progress waits for them, others do not', async () => {
  const intake = createIntake({ ...unlimited, inProgressMax: 2 })
  const entries: IntakeEntry[] = []
  for (let index = 0; index < 5; index++) intake.enter('busy', entry => entries.push(entry))
  for (let index = 0; index < 3; index++) await turn()
  assert.deepEqual([entries.length, intake.held()], [2, 3])
  let started = false
  intake.enter('other', () => (started = true))
  await turn()
  assert.ok(started)
  entries[0]?.leave()
  entries[0]?.leave()
  for (let index = 0; index < 3; index++) await turn()
  assert.deepEqual([entries.length, intake.held()], [3, 2])
})

test('a query beyond those that may be held starts at once and is told', async () => {
  const intake = createIntake({ ...unlimited, inProgressMax: 1, heldMax: 2 })
  const flags: boolean[] = []
  for (let index = 0; index < 5; index++) intake.enter('a', entry => flags.push(entry.isBeyondLimit))
  assert.deepEqual(flags, [false, true, true])
  assert.equal(intake.held(), 2)
})

test('a held query starts when its time is over', async t => {
  const intake = createIntake({ ...unlimited, inProgressMax: 1, heldMsMax: 20 })
  let started = 0
  for (let index = 0; index < 4; index++) intake.enter('a', () => started++)
  await t.waitFor(() => assert.equal(started, 4), { timeout: patienceMs })
  assert.equal(intake.held(), 0)
})

const makeConnections = (count: number) => {
  const paused = new Set<number>()
  const connections = Array.from({ length: count }, (_, index) => ({
    pause: () => paused.add(index),
    resume: () => paused.delete(index),
  }))
  return { connections, paused }
}

test('the connections of a sender with many requests pause after their replies, and resume as it has fewer', async () => {
  const inProgressMax = 2
  const intake = createIntake({ ...unlimited, inProgressMax })
  const { connections, paused } = makeConnections(100)
  const entries: IntakeEntry[] = []
  const enter = (connection?: Connection) => intake.enter('busy', entry => entries.push(entry), connection)
  for (const connection of connections) enter(connection)
  for (let reply = 0; reply < 80; reply++) {
    await turn()
    entries.shift()?.leave()
  }
  // A resumed connection without a request takes no place: the others resume too.
  assert.ok(paused.size > 50, `${paused.size} are paused`)
  while (entries.length > 0 || intake.held() > 0) {
    await turn()
    entries.shift()?.leave()
  }
  while (paused.size > 0) await turn()
  // Its last lane has ended: the next query starts at once.
  enter(connections[0])
  assert.equal(entries.length, 1)
})

test('connections with requests of several senders never pause, those of another token do after a while', async () => {
  const intake = createIntake({ ...unlimited, inProgressMax: 1 })
  const { connections, paused } = makeConnections(2)
  const [one, other] = connections
  const ask = async (sender: string, connection: Connection | undefined) => {
    const entries: IntakeEntry[] = []
    for (const current of [connection, undefined, undefined])
      intake.enter(sender, entry => entries.push(entry), current)
    entries[0]?.leave()
    const pausedCount = paused.size
    for (let index = 1; index < 3; index++) {
      while (entries.length <= index) await turn()
      entries[index]?.leave()
    }
    while (paused.size > 0) await turn()
    return pausedCount
  }
  assert.equal(await ask('first', one), 1)
  assert.equal(await ask('second', one), 0)
  for (let count = 0; count < 14; count++) assert.equal(await ask('second', one), 0)
  assert.equal(await ask('second', one), 1)
  assert.equal(await ask('second', other), 1)
})

test('a paused connection resumes when its time is over, and when the server stops', async t => {
  for (const pausedMsMax of [20, 60_000]) {
    const intake = createIntake({ ...unlimited, inProgressMax: 1, pausedMsMax })
    const { connections, paused } = makeConnections(1)
    const entries: IntakeEntry[] = []
    for (let index = 0; index < 60; index++)
      intake.enter('busy', entry => entries.push(entry), connections[index])
    entries[0]?.leave()
    assert.equal(paused.size, 1)
    if (pausedMsMax === 20) await t.waitFor(() => assert.equal(paused.size, 0), { timeout: patienceMs })
    else intake.stopPausing()
    assert.equal(paused.size, 0)
    while (entries.length < 2) await turn()
  }
})

test('whatever enters and leaves, each query starts once, in the order of its sender, within the bound', async () => {
  const inProgressMax = 3
  const step = fc.oneof(
    fc.record({ kind: fc.constant('enter' as const), sender: fc.constantFrom('a', 'b', 'c') }),
    fc.record({ kind: fc.constant('leave' as const), place: fc.nat(20) }),
    fc.record({ kind: fc.constant('turn' as const) }),
  )
  const property = fc.asyncProperty(fc.array(step, { maxLength: 200 }), async steps => {
    const intake = createIntake({ ...unlimited, inProgressMax })
    const order: Record<string, number[]> = { a: [], b: [], c: [] }
    const counts: Record<string, number> = { a: 0, b: 0, c: 0 }
    const active: { sender: string; entry: IntakeEntry }[] = []
    const leave = (place: number) => active.splice(place % active.length, 1)[0]?.entry.leave()
    for (const current of steps) {
      if (current.kind === 'turn') await turn()
      else if (current.kind === 'leave' && active.length > 0) leave(current.place)
      else if (current.kind === 'enter') {
        const { sender } = current
        const number = counts[sender] ?? 0
        counts[sender] = number + 1
        intake.enter(sender, entry => {
          order[sender]?.push(number)
          active.push({ sender, entry })
          assert.ok(active.filter(query => query.sender === sender).length <= inProgressMax)
        })
      }
    }
    while (intake.held() > 0) {
      if (active.length > 0) leave(0)
      await turn()
    }
    for (const [sender, numbers] of Object.entries(order))
      assert.deepEqual(
        numbers,
        Array.from({ length: counts[sender] ?? 0 }, (_, index) => index),
      )
  })
  await fc.assert(property)
})
