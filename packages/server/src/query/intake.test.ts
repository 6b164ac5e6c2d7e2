import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createIntake } from './intake.ts'

test('queries that arrive one by one start at once', async () => {
  const intake = createIntake()
  const order: number[] = []
  for (let index = 0; index < 100; index++) {
    intake.enter('a', () => order.push(index))
    assert.equal(order.length, index + 1)
    await turn()
  }
})

test('a burst of one sender lets others start in the next turn, and each sender keeps its order', async () => {
  const intake = createIntake()
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
  const intake = createIntake()
  let count = 0
  const enterMore = () => {
    count += 1
    if (count < 500) intake.enter(`sender ${count % 3}`, enterMore)
  }
  intake.enter('first', enterMore)
  while (count < 500) await turn()
  assert.equal(count, 500)
})
