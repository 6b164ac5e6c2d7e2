/** Comparison with earlier results. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Figure, makeFigure } from './figure.ts'
import { fallen, type Results } from './results.ts'

const share = (value: number): Figure =>
  makeFigure([value], { name: 'results, of bare', unit: '%', better: 'higher' })
const time = (value: number): Figure =>
  makeFigure([value], { name: 'results p99', unit: 'ms', better: 'lower' })
const makeResults = (figures: Figure[], yardstickMs = 100): Results => ({
  date: '2026-11-21',
  machine: 'a machine',
  yardstickMs,
  figures,
})

test('a figure that is worse by more than a quarter is listed with both values, and a smaller change is not', () => {
  const previous = makeResults([share(80), time(4)])
  assert.deepEqual(fallen(makeResults([share(61), time(4.9)]), previous), [])
  assert.deepEqual(fallen(makeResults([share(40), time(6)]), previous), [
    'results, of bare: 40 % is worse by 50 % than 80 of 2026-11-21',
    'results p99: 6 ms is worse by 50 % than 4 of 2026-11-21',
  ])
})

test('an improvement is not listed, and a missing figure is, unless only some were measured', () => {
  const previous = makeResults([share(40), time(4)])
  assert.deepEqual(fallen(makeResults([share(90)]), previous), ['results p99: not measured'])
  assert.deepEqual(fallen(makeResults([share(90)]), previous, { partial: true }), [])
})

test('times of a slower machine are compared as multiples of its yardstick', () => {
  const previous = makeResults([time(4)])
  assert.deepEqual(fallen(makeResults([time(8)], 200), previous), [])
  assert.equal(fallen(makeResults([time(8)], 100), previous).length, 1)
  for (const unit of ['µs', 'µs a document']) {
    const short = (value: number) => ({ ...time(value), unit })
    assert.deepEqual(fallen(makeResults([short(8)], 200), makeResults([short(4)])), [])
  }
})
