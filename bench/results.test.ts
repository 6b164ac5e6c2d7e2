/** What a comparison with earlier results says. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Figure, figureOf } from './figure.ts'
import { fallen, type Results } from './results.ts'

const share = (value: number): Figure =>
  figureOf([value], { name: 'results, of bare', unit: '%', better: 'higher' })
const time = (value: number): Figure =>
  figureOf([value], { name: 'results p99', unit: 'ms', better: 'lower' })
const resultsOf = (figures: Figure[], yardstickMs = 100): Results => ({
  date: '2026-11-21',
  machine: 'a machine',
  yardstickMs,
  figures,
})

test('what fell by more than a quarter is named, with both values; less is let pass', () => {
  const before = resultsOf([share(80), time(4)])
  assert.deepEqual(fallen(resultsOf([share(61), time(4.9)]), before), [])
  assert.deepEqual(fallen(resultsOf([share(40), time(6)]), before), [
    'results, of bare: 40 % is worse by 50 % than 80 of 2026-11-21',
    'results p99: 6 ms is worse by 50 % than 4 of 2026-11-21',
  ])
})

test('what rose is no fall, and what is gone is one, but where only some was asked for', () => {
  const before = resultsOf([share(40), time(4)])
  assert.deepEqual(fallen(resultsOf([share(90)]), before), ['results p99: not measured'])
  assert.deepEqual(fallen(resultsOf([share(90)]), before, { partial: true }), [])
})

test('times of a slower machine are compared as multiples of its yardstick', () => {
  const before = resultsOf([time(4)])
  assert.deepEqual(fallen(resultsOf([time(8)], 200), before), [])
  assert.equal(fallen(resultsOf([time(8)], 100), before).length, 1)
  for (const unit of ['µs', 'µs a document']) {
    const short = (value: number) => ({ ...time(value), unit })
    assert.deepEqual(fallen(resultsOf([short(8)], 200), resultsOf([short(4)])), [])
  }
})
