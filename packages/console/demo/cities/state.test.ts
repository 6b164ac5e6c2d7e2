import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CityState, emptyState, listFilters, readState, writeState } from './state.ts'

const full: CityState = {
  query: 'são & co',
  selected: { continent: ['Asia', 'Europe'], country: ['Türkiye'], language: [], role: ['Capital'] },
  from: 3,
  to: 6,
  center: { lat: 41.01, lon: 28.95, name: 'Istanbul, the city' },
  sort: 'smallest',
  page: 2,
}

test('an address of the page of cities holds the whole search', () => {
  assert.deepEqual(readState(writeState(full).slice(2)), full)
  assert.equal(writeState(emptyState), './')
  assert.deepEqual(readState(''), emptyState)
})

test('an address that a person changed gives a valid search', () => {
  const state = readState('?from=9&to=2&near=95,0,x&sort=constructor&page=-1')
  assert.deepEqual(state, { ...emptyState, from: 9 })
  assert.equal(readState(`?q=${'x'.repeat(500)}`).query.length, 100)
})

test('each filter in use has a name, and can be removed alone', () => {
  assert.deepEqual(
    listFilters(full).map(({ name }) => name),
    ['Asia', 'Europe', 'Türkiye', 'Capital', '100K to 1M people', 'Within 250 km of Istanbul, the city'],
  )
  const [asia] = listFilters(full)
  assert.deepEqual(asia?.without, {
    ...full,
    page: 1,
    selected: { ...full.selected, continent: ['Europe'] },
  })
  assert.deepEqual(listFilters(emptyState), [])
})
