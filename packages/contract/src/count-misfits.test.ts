import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countMisfits, readingField, takesValue } from './count-misfits.ts'

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

test('two numbers are one place, in the order of the field', () => {
  const places = [{ at: [54, -2] }, { at: [-14.3, -170.7] }]
  assert.deepEqual(countMisfits(places, 'at', { type: 'geo' }), {
    values: 2,
    misfits: 1,
    examples: ['[-14.3,-170.7]'],
  })
  assert.equal(countMisfits(places, 'at', { type: 'geo', pairs: 'lat-lon' }).misfits, 0)
})

test('a field takes what an import takes, as its summary says', () => {
  const share = readingField({ name: 'share', type: 'number', decimal: ',' })
  assert.ok(share)
  for (const value of ['19%', '1.232,05', 7, ['5,5 %', 'NA']])
    assert.ok(takesValue(value, share), String(value))
  for (const value of ['cheap', '12 kg']) assert.ok(!takesValue(value, share), value)
  assert.equal(readingField({ name: 'meaning', type: 'vector' }), undefined)
})
