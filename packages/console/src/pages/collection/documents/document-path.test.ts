import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findAttribute, isWritable, writeValue } from './document-path.ts'

const event = { id: '1', venue: { name: 'Hall', city: 'Hamburg' }, cast: [{ name: 'Ada' }], 'a.b': 1 }

test('a value is written where it was read: in nested objects, or in the attribute of the whole name', () => {
  assert.deepEqual(writeValue(event, 'venue.city', 'Utrecht'), {
    ...event,
    venue: { name: 'Hall', city: 'Utrecht' },
  })
  assert.deepEqual(writeValue(event, 'a.b', 2), { ...event, 'a.b': 2 })
  assert.deepEqual(writeValue({ id: '1' }, 'venue.city', 'Utrecht'), { id: '1', venue: { city: 'Utrecht' } })
})

test('without a value, the attribute and the objects that lose their last value go', () => {
  assert.deepEqual(writeValue(event, 'venue.city', undefined).venue, { name: 'Hall' })
  assert.deepEqual(writeValue({ id: '1', venue: { city: 'Utrecht' } }, 'venue.city', undefined), { id: '1' })
  assert.deepEqual(writeValue({ id: '1' }, 'venue.city', undefined), { id: '1' })
  assert.deepEqual(writeValue({ id: '1', size: {} }, 'size', undefined), { id: '1' })
})

test('a path through a list or a plain value is not written', () => {
  assert.equal(isWritable(event, 'venue.city'), true)
  assert.equal(isWritable(event, 'venue.street.number'), true)
  assert.equal(isWritable(event, 'cast.name'), false)
  assert.equal(isWritable(event, 'id.name'), false)
  assert.equal(isWritable(event, 'cast'), true)
  assert.equal(findAttribute(event, 'cast.name'), 'cast')
  assert.equal(findAttribute(event, 'a.b'), 'a.b')
})
