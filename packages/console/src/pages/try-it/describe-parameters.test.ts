import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeParameters } from './describe-parameters.ts'

test('the filter of a range says which of its ends is given', () => {
  const describe = (parameters: { name: string; value: string }[], kind = 'range') =>
    describeParameters({ endpoint: 'price', parameters }, kind)
  const low = { name: 'from', value: '1000' }
  const high = { name: 'to', value: '2000' }
  assert.equal(describe([low]), '≥ 1000')
  assert.equal(describe([low, { name: 'to', value: '' }]), '≥ 1000')
  assert.equal(describe([high]), '≤ 2000')
  assert.equal(describe([high, low]), '1000–2000')
  assert.equal(
    describeParameters({ endpoint: 'price', parameters: [{ ...low, value: '12.5' }] }, 'range', {
      decimal: ',',
    }),
    '≥ 12,5',
  )
  // A range may name its ends otherwise.
  assert.equal(describe([{ name: 'after', value: '1' }]), 'after 1')
  assert.equal(describe([{ name: 'genre', value: 'drama' }], 'filter'), 'drama')
})
