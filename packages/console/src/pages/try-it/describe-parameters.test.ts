import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeParameters } from './describe-parameters.ts'

test('the filter of a range says which of its ends is given', () => {
  const describe = (parameters: { name: string; value: string }[], kind = 'range') =>
    describeParameters({ endpoint: 'price', parameters }, kind)
  const from = { name: 'from', value: '1000' }
  const to = { name: 'to', value: '2000' }
  assert.equal(describe([from]), '≥ 1000')
  assert.equal(describe([from, { name: 'to', value: '' }]), '≥ 1000')
  assert.equal(describe([to]), '≤ 2000')
  assert.equal(describe([to, from]), '1000–2000')
  // A range may name its ends otherwise.
  assert.equal(describe([{ name: 'after', value: '1' }]), 'after 1')
  assert.equal(describe([{ name: 'genre', value: 'drama' }], 'filter'), 'drama')
})
