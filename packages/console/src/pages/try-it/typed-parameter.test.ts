import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readParameter, writeExample } from './typed-parameter.ts'

test('the ends of a range are typed as documents have them, and the address has them in the usual form', () => {
  const price = { decimal: ',' } as const
  const added = { formats: ['dd.MM.yyyy'] }
  assert.deepEqual(
    ['1.234', '2.000,50', '12.5', ' ', 'cheap'].map(text => readParameter(text, 'number', price)),
    ['1234', '2000.5', '12.5', '', 'cheap'],
  )
  assert.equal(readParameter('1.234', 'number', {}), '1.234')
  assert.equal(readParameter('20.03.2026', 'date', added), '2026-03-20')
  assert.equal(writeExample('date', added), '31.01.2026')
  assert.deepEqual([writeExample('number', price), writeExample('number', {})], ['1.234,5', undefined])
})
