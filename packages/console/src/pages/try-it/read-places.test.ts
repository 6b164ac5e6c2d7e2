import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPlaces } from './read-places.ts'

test('places are those of fields, of lists and of nested objects', () => {
  const [paris, oslo, rome] = [
    { lat: 48.9, lon: 2.3 },
    { lat: 59.9, lon: 10.8 },
    { lat: 41.9, lon: 12.5 },
  ]
  const attributes = {
    title: 'Orders',
    office: paris,
    stops: [oslo],
    customer: { name: 'Ada', addresses: [{ place: rome }] },
    size: { lat: 100, lon: 2 },
    empty: null,
  }
  assert.deepEqual(readPlaces({ attributes }), [paris, oslo, rome])
})
