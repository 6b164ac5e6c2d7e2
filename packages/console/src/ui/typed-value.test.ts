import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAddressValue, readTypedValue, writeTypedValue } from './typed-value.ts'

test('a number is read in the form of its field, as an import reads it', () => {
  const comma = { decimal: ',' } as const
  const rows = [
    ['1.234', 1234],
    ['1.008,68', 1008.68],
    ['12,90', 12.9],
    ['19 %', 19],
    [' 12.5 ', 12.5],
    ['1e3', 1000],
    ['1.234.567.890.123.456,0', '1234567890123456'],
    ['cheap', undefined],
    ['', undefined],
  ] as const
  for (const [text, value] of rows)
    assert.equal(String(readTypedValue(text, 'number', comma)), String(value), text)
  assert.equal(readTypedValue('1,234', 'number', { decimal: '.' }), 1234)
  assert.equal(readTypedValue('1.234', 'number', {}), 1.234)
  assert.equal(readTypedValue('1,234', 'number', {}), undefined)
  assert.equal(readTypedValue('9007199254740993', 'number', comma), '9007199254740993')
})

test('the text of a value is read as the same value in every form', () => {
  for (const form of [{ decimal: ',' }, { decimal: '.' }, {}] as const)
    for (const value of [1.234, -0.125, 1234, 1_234_567.5, 1.5e30, 1e-9]) {
      const text = writeTypedValue(value, 'number', form)
      assert.equal(readTypedValue(text, 'number', form), value, text)
    }
  assert.equal(writeTypedValue(1.234, 'number', { decimal: ',' }), '1,234')
})

test('a date is read in the formats of the field, in words, or as an address has it', () => {
  const form = { formats: ['dd.MM.yyyy'] }
  for (const text of ['18.04.2024', '2024-04-18', '18 Apr 2024', 'Apr 18, 2024'])
    assert.equal(readTypedValue(text, 'date', form), '2024-04-18', text)
  assert.equal(readTypedValue('18 Apr 2024, 01:30 UTC', 'date', form), '2024-04-18T01:30:00.000Z')
  assert.equal(readTypedValue('10 May 2024, 01:30 UTC+2', 'date', form), '2024-05-09T23:30:00.000Z')
  const wrong = ['soon', '2024', '18.04.24 or so', '31 Foo 2024', 'April 31, 2024', 'Sept 2024']
  for (const text of [...wrong, 'April 31, 2024, 01:01'])
    assert.equal(readTypedValue(text, 'date', form), undefined, text)
})

test('a keyword stays as typed, and blank text is no value of an address', () => {
  assert.equal(readAddressValue(' Garten ', 'keyword', {}), ' Garten ')
  assert.equal(readAddressValue(' ', 'keyword', {}), undefined)
  assert.equal(readAddressValue('1.234', 'number', { decimal: ',' }), '1234')
})
