/** Growth per tenfold size, and its comparison with an earlier one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { curvesTable } from './curves.ts'
import type { Figure } from './figure.ts'
import { addTo } from './growth/points.ts'
import { findFasterGrowth } from './growth-ratios.ts'

const makeCurve = (curve: string, unit: string, values: Record<number, number>): Figure[] => {
  const figures: Figure[] = []
  for (const [size, value] of Object.entries(values)) addTo(figures, Number(size))(curve, unit, [value])
  return figures
}
const name = 'two words processor'

test('a table of curves ends with the growth per tenfold size', () => {
  const table = curvesTable(makeCurve(name, 'ms', { 100: 1, 10000: 4 }))
  assert.match(table, /^\| what +\| +100 \| +10,000 \| per tenfold \|\n/)
  assert.match(table, /\| two words processor, ms \| +1 \| +4 \| +2 times \|$/)
})

test('a curve that grows by over a quarter more per tenfold is named, on a machine of any speed', () => {
  const savedCurve = makeCurve(name, 'ms', { 1000: 1, 10000: 2, 100000: 4 })
  const slower = makeCurve(name, 'ms', { 1000: 7, 10000: 17 })
  assert.deepEqual(findFasterGrowth(slower, savedCurve), [])
  const steeper = makeCurve(name, 'ms', { 1000: 1, 10000: 2.6 })
  assert.deepEqual(findFasterGrowth(steeper, savedCurve), [
    'two words processor: grows 2.6 times per tenfold from 1,000 to 10,000, before 2 times',
  ])
})

test('only sizes that both have are compared, and no times that other processes change', () => {
  const savedCurve = makeCurve(name, 'ms', { 1000: 1, 10000: 2 })
  assert.deepEqual(findFasterGrowth(makeCurve(name, 'ms', { 10000: 1, 100000: 9 }), savedCurve), [])
  for (const [curve, unit] of [
    ['two words p50', 'ms'],
    ['import', 'documents/s'],
  ] as const)
    assert.deepEqual(
      findFasterGrowth(makeCurve(curve, unit, { 10: 1, 100: 9 }), makeCurve(curve, unit, { 10: 1, 100: 2 })),
      [],
    )
  const threads = (count: number) => makeCurve('threads', '', { 10: 1, 100: count })
  assert.equal(findFasterGrowth(threads(9), threads(1)).length, 1)
})
