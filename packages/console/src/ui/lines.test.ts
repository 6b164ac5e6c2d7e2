import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitAddresses } from './lines.ts'

test('addresses are taken as people and mail programs write them', () => {
  const text =
    'ann@example.org, Dave <dave@example.org>; "Lee, Ann" <lee@example.org>\n<eve@example.org>\nann@example.org'
  assert.deepEqual(
    splitAddresses(text),
    ['ann', 'dave', 'lee', 'eve'].map(name => `${name}@example.org`),
  )
  assert.deepEqual(splitAddresses('Dave'), ['Dave'])
})
