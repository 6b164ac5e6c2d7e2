import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCircle, readPoint } from './geo-value.ts'

test('points and circles are read in meters, kilometers and miles', () => {
  assert.deepEqual(readPoint('52.37,-4.89'), { lat: 52.37, lon: -4.89 })
  assert.deepEqual(readPoint('-90,+180.'), { lat: -90, lon: 180 })
  assert.deepEqual(readCircle('0,0,250'), { lat: 0, lon: 0, meters: 250 })
  assert.deepEqual(readCircle('0,0,250m'), { lat: 0, lon: 0, meters: 250 })
  assert.deepEqual(readCircle('52.37,4.89,1.5km'), { lat: 52.37, lon: 4.89, meters: 1500 })
  assert.deepEqual(readCircle('52.37,4.89,2mi'), { lat: 52.37, lon: 4.89, meters: 3218.688 })
})

test('nothing else is a point or a circle', () => {
  for (const text of [
    '',
    '1',
    '1,',
    ',1',
    '90.1,0',
    '0,-180.5',
    '1,2,3',
    '1, 2',
    '1e1,2',
    'a,b',
    '١,2',
    '.5,1',
  ])
    assert.equal(readPoint(text), undefined, text)
  for (const text of [
    '1,2',
    '1,2,',
    '1,2,km',
    '1,2,-3',
    '1,2,3 km',
    '1,2,3KM',
    '91,2,3',
    '1,2,3,4',
    '1,2,1e3',
    ' 1,2,3',
  ])
    assert.equal(readCircle(text), undefined, text)
})
