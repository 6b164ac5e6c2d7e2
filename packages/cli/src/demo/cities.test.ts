import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { readCities } from './cities.ts'

const demoPages = new URL('../../../console/demo/', import.meta.url)

test('each city has a country, a place and a flag, and the page says how many there are', async () => {
  const cities = await readCities()
  assert.deepEqual(cities[0], {
    id: '1796236',
    name: 'Shanghai',
    code: 'CN',
    country: 'China',
    continent: 'Asia',
    languages: ['Chinese'],
    role: 'Regional capital',
    population: 22315474,
    at: { lat: 31.22, lon: 121.46 },
    about: ['China', '中国', 'Asia', 'Chinese'],
  })
  const isComplete = ({ name, country, continent, population, at: { lat, lon } }: (typeof cities)[number]) =>
    name && country && continent && population > 0 && Math.abs(lat) <= 90 && Math.abs(lon) <= 180
  assert.deepEqual(
    cities.filter(city => !isComplete(city)),
    [],
  )
  assert.equal(new Set(cities.map(({ id }) => id)).size, cities.length)
  for (const code of new Set(cities.map(city => city.code)))
    assert.ok(existsSync(new URL(`flags/${code.toLowerCase()}.svg`, demoPages)), code)
  const page = readFileSync(new URL('cities/index.html', demoPages), 'utf8')
  assert.ok(page.includes(`${cities.length.toLocaleString('en')} cities`))
})
