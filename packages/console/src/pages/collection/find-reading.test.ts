import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findReading, findSharedDecimal } from './find-reading.ts'

const findFor = (type: 'number' | 'date', values: readonly unknown[]) =>
  findReading(
    values.map(value => ({ value })),
    'value',
    { type },
  )

test('the form of most values is found, and none where they fit already', () => {
  assert.deepEqual(findFor('number', ['7,00', '12,90', '1.234,50']), { decimal: ',' })
  assert.deepEqual(findFor('number', ['1,234.50', '12.9']), { decimal: '.' })
  assert.equal(findFor('number', ['12.9', 7]), undefined)
  assert.equal(findFor('number', ['seven']), undefined)
  assert.deepEqual(findFor('date', ['01.03.2026', '31.12.2025']), { formats: ['dd.MM.yyyy'] })
  assert.deepEqual(findFor('date', ['12/31/2025', '01/02/2026']), { formats: ['MM/dd/yyyy'] })
  assert.deepEqual(findFor('date', [1_517_509_117_500]), { formats: ['epoch-milliseconds'] })
  assert.equal(findFor('date', ['2026-01-31']), undefined)
})

test('a number below 1 tells the decimal comma, and other fields where both signs fit', () => {
  const readNumbers = (values: readonly string[], field: { decimal?: ',' | '.' }, sign?: string) =>
    findReading(
      values.map(value => ({ value })),
      'value',
      { type: 'number', ...field },
      sign,
    )
  assert.deepEqual(readNumbers(['59,663', '0,107', '1,013'], { decimal: '.' }), { decimal: ',' })
  assert.deepEqual(readNumbers(['59,663', '0,107', '1,013'], {}, '.'), { decimal: ',' })
  assert.deepEqual(readNumbers(['59,663', '1,013'], {}, '.'), { decimal: '.' })
  assert.deepEqual(readNumbers(['59,663', '1,013'], {}, ','), { decimal: ',' })
  assert.equal(
    findSharedDecimal({ a: { type: 'number', decimal: ',' }, b: { type: 'number' }, c: { type: 'text' } }),
    ',',
  )
  assert.equal(
    findSharedDecimal({ a: { type: 'number', decimal: ',' }, b: { type: 'number', decimal: '.' } }),
    undefined,
  )
})
