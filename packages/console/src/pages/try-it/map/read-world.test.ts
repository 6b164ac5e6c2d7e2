import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadWorld, readCity, readOutline } from './read-world.ts'

test('a line goes on beyond the date line, and Antarctica around the pole', () => {
  const { topLeft, bottomRight, path } = readOutline('8950 50 100 0 0 50-17950-50', true)
  assert.ok(topLeft.x >= 178.9 && bottomRight.x <= 182)
  assert.match(path, /^M179\.00 -1\.00L.*Z$/)
  const around = readOutline('-9000-3500 9000 0 9000 50', true)
  assert.equal(around.path.split('L').length, 5)
})

test('the world has its cities, the largest first, and lines that are on it', async () => {
  const { land, borders, cities } = await loadWorld()
  assert.deepEqual(readCity('Gent|2553|186'), { name: 'Gent', lat: 51.06, lon: 3.72, isCapital: false })
  for (const name of ['Gent', 'Leiden', 'Utrecht'])
    assert.ok(
      cities.some(city => city.name === name),
      name,
    )
  assert.equal(cities.find(({ name }) => name === 'Amsterdam')?.isCapital, true)
  assert.ok(cities.every(({ lat, lon }) => Math.abs(lat) <= 90 && Math.abs(lon) <= 180))
  assert.ok(land.length > 500 && borders.length > 300)
  for (const { topLeft, bottomRight } of [...land, ...borders])
    assert.ok(topLeft.x >= -361 && bottomRight.x <= 361 && topLeft.y <= bottomRight.y)
})
