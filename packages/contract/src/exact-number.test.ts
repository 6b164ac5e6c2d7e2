import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeRawNumber, parseExactJson } from './exact-json.ts'
import { readLargeNumber, toExactNumber } from './exact-number.ts'
import { readFieldValue } from './field-value.ts'
import { compileValueReader } from './read-value.ts'

test('the digits of whole numbers of 64 bits are kept where JavaScript would write others', () => {
  for (const digits of [
    '9007199254740993',
    '-9007199254740993',
    '9223372036854775807',
    '1610521604143693812',
  ])
    assert.equal(readLargeNumber(digits), digits)
  assert.equal(readLargeNumber('+9007199254740993.00'), '9007199254740993')
  for (const text of ['9007199254740992', '9223372036854775808', '12', '9007199254740993.5', '1e18', 'x'])
    assert.equal(readLargeNumber(text), undefined)
  assert.equal(readFieldValue('number', '9007199254740993'), '9007199254740993')
  assert.equal(readFieldValue('number', '9007199254740992'), 9007199254740992)
})

test('numbers compare by all digits, whatever form they have', () => {
  const raw = toExactNumber(makeRawNumber('9007199254740993'))
  assert.equal(raw, 9007199254740993n)
  assert.equal(toExactNumber('9007199254740993'), raw)
  assert.equal(toExactNumber(9007199254740992), 9007199254740992n)
  assert.equal(toExactNumber(1.5), 1.5)
  assert.equal(toExactNumber('x'), undefined)
})

test('a number field keeps the digits of a number or a text', () => {
  const read = compileValueReader({ type: 'number' })
  const number = parseExactJson('9007199254740993')
  assert.equal(read(number), number)
  assert.equal(JSON.stringify(read('9007199254740993')), '9007199254740993')
  const readDecimal = compileValueReader({ type: 'number', decimal: ',' })
  assert.equal(JSON.stringify(readDecimal('9.007.199.254.740.993')), '9007199254740993')
  assert.equal(read('12'), 12)
})
