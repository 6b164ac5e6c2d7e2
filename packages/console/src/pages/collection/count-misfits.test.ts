import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countMisfits } from './count-misfits.ts'

const documents = [
  { id: '1', size: '12', labels: ['new', 'sale'], place: { city: 'Köln' } },
  { id: '2', size: 'large', labels: ['new'], place: { city: '3' } },
  { id: '3', size: 'n/a', labels: null },
]

test('values that a type does not take are counted one by one, with different examples', () => {
  assert.deepEqual(countMisfits(documents, 'size', { type: 'number' }), {
    values: 2,
    misfits: 1,
    examples: ['large'],
  })
  assert.deepEqual(countMisfits(documents, 'labels', { type: 'date' }), {
    values: 3,
    misfits: 3,
    examples: ['new', 'sale'],
  })
  assert.equal(countMisfits(documents, 'labels', { type: 'keyword' }).misfits, 0)
})

test('values of a field that separates them are counted one by one', () => {
  const listed = [{ sizes: '36; 37' }, { sizes: '38; large' }]
  const field = { type: 'number', listSeparator: ';' } as const
  assert.deepEqual(countMisfits(listed, 'sizes', field), { values: 4, misfits: 1, examples: ['large'] })
})

test('values inside of objects, and of the field that another copies, are read', () => {
  assert.deepEqual(countMisfits(documents, 'place.city', { type: 'number' }).examples, ['Köln'])
  assert.equal(countMisfits(documents, 'copy', { type: 'number', source: 'size' }).misfits, 1)
})
