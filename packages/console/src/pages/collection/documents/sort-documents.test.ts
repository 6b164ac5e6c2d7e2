import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sortDocuments } from './sort-documents.ts'

type Fields = Parameters<typeof sortDocuments>[2]

const sort = (values: readonly unknown[], field: Fields[number], isDescending = false): unknown[] =>
  sortDocuments(
    values.map((value, id) => ({ id: String(id), document: value === undefined ? {} : { value } })),
    isDescending ? '-value' : 'value',
    [field],
    'en',
  ).map(({ document }) => document.value)

test('numbers sort by size as people write them, in both directions', () => {
  const field = { name: 'value', type: 'number', decimal: ',' } as const
  const amounts = ['1.008,68', undefined, '114,15', 5, 'on request', '19 %', '9007199254740993']
  const ascending = [5, '19 %', '114,15', '1.008,68', '9007199254740993', 'on request', undefined]
  assert.deepEqual(sort(amounts, field), ascending)
  const descending = ['9007199254740993', '1.008,68', '114,15', '19 %', 5, 'on request', undefined]
  assert.deepEqual(sort(amounts, field, true), descending)
})

test('dates sort by time, in every format and time zone', () => {
  const field = { name: 'value', type: 'date', formats: ['MMM d yyyy'] }
  const dates = [
    'Oct 8 2005',
    '2008-01-01T23:00:00-05:00',
    'Apr 3 2008',
    '2008-01-02T00:00:00Z',
    'Dec 8 2000',
  ]
  assert.deepEqual(sort(dates, field), [
    'Dec 8 2000',
    'Oct 8 2005',
    '2008-01-02T00:00:00Z',
    '2008-01-01T23:00:00-05:00',
    'Apr 3 2008',
  ])
})

test('texts sort as people sort, and a list by its first value', () => {
  assert.deepEqual(sort(['b10', 'B9', 'á', 'b'], { name: 'value', type: 'keyword' }), ['á', 'b', 'B9', 'b10'])
  const field = { name: 'value', type: 'number', listSeparator: '|' }
  assert.deepEqual(sort(['20|1', [3, 50], '100'], field), [[3, 50], '20|1', '100'])
})

test('an attribute that is no field sorts by its text', () => {
  assert.deepEqual(sort(['10', '9', { a: 1 }], { name: 'other', type: 'text' }), ['9', '10', { a: 1 }])
})
