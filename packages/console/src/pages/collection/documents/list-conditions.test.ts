import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listConditions } from './list-conditions.ts'

const fields = [
  { name: 'price', type: 'number', title: 'Price' },
  { name: 'made', type: 'date' },
  { name: 'size', type: 'number' },
  { name: 'size.to', type: 'keyword' },
]

const write = (value: string, field: { type: string } | undefined) => `${field?.type ?? 'no field'} ${value}`

test('both ends of a range are one filter, which goes at once', () => {
  const filter = { made: '2024-01-31', 'price.from': '10.5', 'price.to': '20' }
  assert.deepEqual(listConditions(filter, fields, write), [
    { field: 'made', text: 'made: date 2024-01-31', remaining: { 'price.from': '10.5', 'price.to': '20' } },
    { field: 'price', text: 'Price: number 10.5 – number 20', remaining: { made: '2024-01-31' } },
  ])
  assert.deepEqual(
    listConditions({ 'made.to': '2024-01-31' }, fields, write).map(({ text }) => text),
    ['made: ≤ date 2024-01-31'],
  )
})

test('a field with the name of an end is no end', () => {
  assert.deepEqual(listConditions({ 'size.to': 'XL' }, fields, write), [
    { field: 'size.to', text: 'size.to: keyword XL', remaining: {} },
  ])
})
