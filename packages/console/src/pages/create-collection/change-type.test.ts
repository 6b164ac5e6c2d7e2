import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProposedField } from '@querent/contract/proposal'
import { changeType } from './change-type.ts'

const field: ProposedField = {
  name: 'latlng',
  type: 'number',
  use: false,
  weight: 1,
  search: false,
  facet: false,
  range: false,
  sort: false,
  breaksTies: false,
  listSeparators: [],
  present: 30,
  distinct: 30,
  examples: ['12.5', '-69.97'],
  values: 60,
  fits: [
    { type: 'geo', plain: 40, fitting: 60, pairs: 'lat-lon' },
    { type: 'date', plain: 0, fitting: 60, formats: ['dd.MM.yyyy'] },
  ],
}

test('a field whose type a person chooses is used, and read so that the most values fit', () => {
  const place = changeType(field, 'geo')
  assert.deepEqual([place.use, place.pairs, place.range, place.sort], [true, 'lat-lon', true, true])
  const date = changeType(place, 'date')
  assert.deepEqual([date.formats, date.pairs], [['dd.MM.yyyy'], undefined])
})
