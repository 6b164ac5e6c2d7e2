import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFairTurns } from './fair-turns.ts'

const item = (owner: string, number: number) => ({ owner, number })

test('owners take turns, each in the order of its items, and no more at once than allowed', () => {
  const turns = createFairTurns<ReturnType<typeof item>>(1)
  for (const number of [1, 2, 3]) turns.add(item('books', number))
  turns.add(item('films', 4))
  turns.add(item('music', 5))
  assert.deepEqual([turns.waiting(), turns.waiting('books'), turns.waiting('other')], [5, 3, 0])
  assert.equal(turns.start()?.number, 1)
  assert.equal(turns.start()?.number, 4)
  turns.end('books')
  assert.equal(turns.start()?.number, 5)
  assert.equal(turns.start()?.number, 2)
  assert.equal(turns.start(), undefined)
  turns.end('books')
  assert.equal(turns.start()?.number, 3)
  assert.equal(turns.start(), undefined)
  assert.equal(turns.waiting(), 0)
})

test('an item that still waits can be removed', () => {
  const turns = createFairTurns<ReturnType<typeof item>>(1)
  const items = [item('books', 1), item('books', 2), item('films', 3)] as const
  for (const waiting of items) turns.add(waiting)
  turns.remove(items[0])
  turns.remove(items[2])
  turns.remove(items[2])
  assert.deepEqual([turns.waiting(), turns.waiting('films')], [1, 0])
  assert.equal(turns.start(), items[1])
  assert.equal(turns.start(), undefined)
})
