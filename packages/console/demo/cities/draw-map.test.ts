import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fitView, placePoint, world } from './draw-map.ts'

test('the map moves to the points, and shows the world for those of all continents', () => {
  assert.deepEqual(fitView([]), world)
  assert.deepEqual(
    fitView([
      { lat: 40, lon: -74 },
      { lat: -33, lon: 151 },
    ]),
    world,
  )
  const peru = fitView([{ lat: -12, lon: -77 }])
  const place = placePoint({ lat: -12, lon: -77 }, peru, 600)
  assert.deepEqual([Math.round(place.x), Math.round(place.y)], [300, 111])
})

test('islands on both sides of the antimeridian are near each other', () => {
  const { width } = fitView([
    { lat: -13.8, lon: -171.8 },
    { lat: -18.1, lon: 178.4 },
  ])
  assert.ok(width < 40)
})
