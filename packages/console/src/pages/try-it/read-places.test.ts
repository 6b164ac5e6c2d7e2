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
  assert.deepEqual(readPlaces({ attributes }, []), [paris, oslo, rome])
})

test('a place may be written in each form of an object that documents have', () => {
  const place = { lat: 52.4, lon: 4.9 }
  for (const value of [
    { lat: 52.4, lng: 4.9 },
    { lat: '52.4', lon: '4.9' },
    { latitude: 52.4, longitude: 4.9 },
    { type: 'Point', coordinates: [4.9, 52.4] },
  ]) {
    assert.deepEqual(readPlaces({ attributes: { venue: { geo: value } } }, []), [place])
    assert.deepEqual(readPlaces({ attributes: value }, []), [place])
  }
  assert.deepEqual(readPlaces({ attributes: { lat: '', lon: null, type: 'Point' } }, []), [])
})

test('a declared place may be two numbers in the order of its field, a text, or two attributes', () => {
  const place = { lat: 54, lon: -2 }
  const attributes = { latlng: [54, -2], at: [-2, 54], text: '54,-2', point: 'POINT(-2 54)', y: '54', x: -2 }
  for (const field of [
    { name: 'latlng', pairs: 'lat-lon' } as const,
    { name: 'at' },
    { name: 'copy', source: 'text' },
    { name: 'point' },
    { name: 'place', from: { lat: 'y', lon: 'x' } },
  ])
    assert.deepEqual(readPlaces({ attributes }, [field]), [place], field.name)
  assert.deepEqual(readPlaces({ attributes }, [{ name: 'latlng' }, { name: 'missing' }]), [
    { lat: -2, lon: 54 },
  ])
})
