import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { comparedNamesMax, editDistance, nearestNames } from './nearest-names.ts'

/** The definition of the distance, which takes exponential time. */
const slowDistance = (a: string, b: string): number => {
  if (a === '' || b === '') return a.length + b.length
  const [headA, headB] = [a.slice(0, -1), b.slice(0, -1)]
  return Math.min(
    slowDistance(headA, b) + 1,
    slowDistance(a, headB) + 1,
    slowDistance(headA, headB) + (a.at(-1) === b.at(-1) ? 0 : 1),
  )
}

test('the distance is the number of insertions, deletions and replacements', () => {
  const words = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 5 })
  fc.assert(fc.property(words, words, (a, b) => editDistance(a, b) === slowDistance(a, b)))
})

test('of many names only some are compared, and the nearest ones come first', () => {
  const names = Array.from({ length: 5000 }, (_, index) => `${index.toString(36)}-${'endpoint-'.repeat(6)}`)
  let compared = 0
  const sorted = nearestNames('titel', [...names, 'title', 'tile'], (a, b) => {
    compared++
    return editDistance(a, b)
  })
  assert.equal(compared, comparedNamesMax)
  assert.deepEqual(sorted.slice(0, 2), ['tile', 'title'])
  assert.deepEqual(new Set(sorted), new Set([...names, 'title', 'tile']))
})
