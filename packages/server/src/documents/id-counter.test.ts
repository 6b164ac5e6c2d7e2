import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyText } from '@querent/contract/test-texts'
import fc from 'fast-check'
import { createIdCounter } from './id-counter.ts'

test('different ids and repeated ones are counted as a set counts them', () =>
  fc.assert(
    fc.property(fc.array(anyText({ maxLength: 3 }), { maxLength: 5000 }), ids => {
      const counter = createIdCounter()
      for (const id of ids) counter.add(id)
      const documents = new Set(ids).size
      const repeated = [...new Set(ids.filter((id, index) => ids.indexOf(id) < index))].slice(0, 5)
      assert.deepEqual(counter.counts(), {
        accepted: ids.length,
        documents,
        replaced: ids.length - documents,
        ...(repeated.length === 0 ? {} : { replacedIds: repeated }),
      })
    }),
  ))

test('a million similar ids are different', () => {
  const counter = createIdCounter()
  for (let number = 0; number < 1_000_000; number += 1) counter.add(`https://books.example/${number}`)
  assert.equal(counter.counts().documents, 1_000_000)
  for (let number = 0; number < 1_000_000; number += 1000) counter.add(`https://books.example/${number}`)
  assert.equal(counter.counts().replaced, 1000)
})

test('beyond the limit, new ids count as different documents and remembered ones as replaced', () => {
  const counter = createIdCounter(2)
  for (const id of ['a', 'b', 'c', 'c', 'a']) counter.add(id)
  assert.deepEqual(counter.counts(), { accepted: 5, documents: 4, replaced: 1, replacedIds: ['a'] })
})
