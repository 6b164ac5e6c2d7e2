import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeRawNumber } from '@querent/contract/exact-json'
import fc from 'fast-check'
import { uniteAttributes, uniteFilters } from '#authz/effective-filter'
import {
  arbitraryAttributes,
  arbitraryDocument,
  arbitraryFilter,
  matchesFilter,
  modelCollection,
  modelNow,
} from '#authz/test-row-filters'
import { createWriteFilter } from './row-filter.ts'

test('a member may write the documents that a plain model of their filters matches', t => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse(modelNow) + 999 })
  fc.assert(
    fc.property(
      fc.array(arbitraryFilter, { maxLength: 4 }),
      arbitraryAttributes,
      arbitraryDocument,
      (filters, attributes, document) => {
        const filter = uniteFilters(filters, uniteAttributes([attributes]))
        if (!filter) return
        const isAllowed = createWriteFilter(filter, modelCollection).refusal({ ...document }) === undefined
        assert.equal(
          isAllowed,
          filters.some(one => matchesFilter({ id: 'x', ...document }, one, attributes)),
        )
      },
    ),
    { numRuns: 1000 },
  )
})

test('whole numbers of writes compare by all their digits, as those of queries', () => {
  const { refusal } = createWriteFilter(
    {
      alternatives: [{ size: { from: '9007199254740993' } }, { size: '-9223372036854775807' }],
      dependsOnTime: false,
    },
    modelCollection,
  )
  const sizes = (...digits: string[]) => ({ size: digits.map(makeRawNumber) })
  assert.equal(refusal(sizes('9007199254740993')), undefined)
  assert.notEqual(refusal(sizes('9007199254740992')), undefined)
  assert.equal(refusal(sizes('-9223372036854775807')), undefined)
  assert.notEqual(refusal(sizes('-9223372036854775808', '1')), undefined)
})

test('dates of writes compare by microseconds, as those of queries', t => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse(modelNow) })
  const { refusal } = createWriteFilter(
    { alternatives: [{ day: { to: 'now' } }], dependsOnTime: true },
    modelCollection,
  )
  assert.equal(refusal({ day: '2026-06-15T12:00:00.0000001Z' }), undefined)
  assert.notEqual(refusal({ day: '2026-06-15T12:00:00.000001Z' }), undefined)
  assert.notEqual(refusal({ day: '2026-06-15T12:00:01Z' }), undefined)
  t.mock.timers.tick(1000)
  assert.equal(refusal({ day: '2026-06-15T12:00:01Z' }), undefined, 'now is the time of each write')
})
