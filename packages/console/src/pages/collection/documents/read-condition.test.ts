import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCondition } from './read-condition.ts'

test('a number is read with the decimal sign and the unit of the documents, or as an address has it', () => {
  const field = { name: 'price', type: 'number', decimal: ',' } as const
  assert.equal(readCondition('1.008,68', 'number', field), '1008.68')
  assert.equal(readCondition('19 %', 'number', field), '19')
  assert.equal(readCondition(' 12.5 ', 'number', field), '12.5')
  assert.equal(readCondition('cheap', 'number', field), undefined)
  assert.equal(readCondition('', 'number', field), undefined)
})

test('a date is read in the formats of the field, in words, or as an address has it', () => {
  const field = { name: 'made', type: 'date', formats: ['dd.MM.yyyy'] }
  for (const text of ['18.04.2024', '2024-04-18', '18 Apr 2024', 'Apr 18, 2024'])
    assert.equal(readCondition(text, 'date', field), '2024-04-18', text)
  for (const text of ['soon', '2024', '18.04.24 or so', '31 Foo 2024', 'April 31, 2024', 'Sept 2024'])
    assert.equal(readCondition(text, 'date', field), undefined, text)
})

test('a keyword stays as typed', () => {
  assert.equal(readCondition(' Garten ', 'keyword', { name: 'area', type: 'keyword' }), ' Garten ')
})
