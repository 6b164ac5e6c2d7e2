import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeSheetCell } from './table.ts'

test('a spreadsheet has numbers with a decimal comma as numbers, and others as documents write them', () => {
  const comma = { type: 'number', decimal: ',' } as const
  const read = (value: unknown) => makeSheetCell(value, comma)
  assert.deepEqual(['1.509,52', '0,107', '8', '-2,5', 7.5].map(read), [1509.52, 0.107, 8, -2.5, 7.5])
  assert.deepEqual(
    ['€ 9,90', '19 %', 'auf Anfrage', '12345678901234567890', ['1,5', '2,5'], null].map(read),
    ['€ 9,90', '19 %', 'auf Anfrage', '12345678901234567890', '1,5|2,5', undefined],
  )
  assert.equal(makeSheetCell('1,500', { type: 'keyword' }), '1,500')
  assert.equal(makeSheetCell('12', { type: 'number' }), '12')
})
