import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shortenId } from './shorten-id.ts'

test('a long id keeps its end, by which people tell URIs apart, and a short one stays', () => {
  const ids = ['1023', '1024'].map(name => shortenId(`https://agenda.example/events/${name}`))
  assert.equal(new Set(ids).size, 2)
  assert.equal(ids[0], 'https://…example/events/1023')
  for (const id of ids) assert.ok(id.length <= 28)
  assert.equal(shortenId('b001'), 'b001')
})
