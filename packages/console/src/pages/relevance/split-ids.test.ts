import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitIds } from './split-ids.ts'

const split = (...lines: string[]) =>
  splitIds(lines, async id => ['b1', 'b2', 'Berlin, Mitte', 'Mitte', 'Berlin'].includes(id))

test('an id with commas stays one id', async () => {
  assert.deepEqual(await split('Berlin, Mitte'), ['Berlin, Mitte'])
})

test('several ids on one line are several, if each is that of a document', async () => {
  assert.deepEqual(await split('b1, b2', 'Mitte,b1,'), ['b1', 'b2', 'Mitte', 'b1'])
  assert.deepEqual(await split('b1, unknown', 'later'), ['b1, unknown', 'later'])
})
