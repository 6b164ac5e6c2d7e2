import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isNoNumber, isWrittenNumber, readFieldText } from './field-text.ts'

test('a number as people write it is a number, and words are none', () => {
  for (const text of ['', '12.5', '1.089,00', '2,4', '1 000', "1'000", '-5', '1e3', '1.5E-7'])
    assert.equal(isNoNumber(text), false, text)
  for (const text of ['cheap', '-', ',', '12 kg', 'e5']) assert.equal(isNoNumber(text), true, text)
})

test('a field whose number is a text keeps texts', () => {
  assert.deepEqual(['1.089,00', '2,4', '2.5', 2.5, undefined].map(isWrittenNumber), [
    true,
    true,
    false,
    false,
    false,
  ])
  assert.deepEqual([readFieldText('12.5', 'number'), readFieldText('1.089', 'keyword')], [12.5, '1.089'])
})

test('a text that the form of the field reads as another number stays a text, which an import reads', () => {
  const read = (text: string) => readFieldText(text, 'number', { decimal: ',' })
  assert.deepEqual(['1.234', '12.5', '1234', '1.234,50'].map(read), ['1.234', 12.5, 1234, '1.234,50'])
})
