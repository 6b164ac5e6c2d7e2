import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createNumberWriter } from './write-number.ts'

test('numbers are written as documents write them, with the sign that all of them have', () => {
  const rate = createNumberWriter({ name: 'rate', type: 'number', decimal: ',' }, [
    { rate: '19%' },
    { rate: '7%' },
    {},
  ])
  assert.deepEqual(['19', '7.5'].map(rate), ['19%', '7,5%'])
  const price = createNumberWriter({ name: 'price', type: 'number', decimal: ',' }, [{ price: '1.008,68' }])
  assert.deepEqual(['1008.68', '2.5', '1234', '1.234'].map(price), ['1.008,68', '2,50', '1.234,00', '1,234'])
  const mixed = createNumberWriter({ name: 'price', type: 'number', decimal: '.' }, [
    { price: '$5' },
    { price: '6' },
  ])
  assert.deepEqual(['5', '7'].map(mixed), ['$5', '7'])
})
