/** Growth per tenfold size, and its comparison with an earlier one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { curvesTable } from './curves.ts'
import type { Figure } from './figure.ts'
import { addTo } from './growth/points.ts'
import { findFasterGrowth, type GrowthRatio, readGrowthRatios } from './growth-ratios.ts'

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

const readRatios = (values: Record<number, number>, curve = name, unit = 'ms'): GrowthRatio[] =>
  readGrowthRatios(makeCurve(curve, unit, values))

test('a curve that grows by over a quarter more per tenfold than saved is named, on a machine of any speed', () => {
  const saved = readRatios({ 1000: 1, 10000: 2 })
  assert.deepEqual(findFasterGrowth(readRatios({ 1000: 7, 10000: 17 }), saved), [])
  assert.deepEqual(findFasterGrowth(readRatios({ 1000: 1, 10000: 2.6 }), saved), [
    'two words processor: grows 2.6 times per tenfold from 1,000 to 10,000, before 2 times',
  ])
})

test('only the same sizes are compared, and no times that other processes change', () => {
  assert.deepEqual(
    findFasterGrowth(readRatios({ 10000: 1, 100000: 9 }), readRatios({ 1000: 1, 10000: 2 })),
    [],
  )
  assert.deepEqual(readRatios({ 10: 1, 100: 9 }, 'two words p50'), [])
  assert.deepEqual(readRatios({ 10: 1, 100: 9 }, 'import', 'documents/s'), [])
  assert.equal(readRatios({ 10: 1, 100: 9 }, 'threads', '').length, 1)
})
