import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseEntity } from '#collections/stored-entity'
import { type MadeVector, madeVectors, withoutMadeValues, writeEntity } from './entity-vectors.ts'

test('an entity keeps its vectors, and is without them what it was before', () => {
  const name = fc.oneof(
    fc.string({ maxLength: 5 }),
    fc.constantFrom('meaning', '1', '20', '},"id":', '"a":[', 'a"b', 'b', '__proto__', 'constructor', 'id'),
  )
  const attributes = fc.dictionary(name, fc.oneof(fc.string(), fc.array(fc.integer(), { maxLength: 3 })))
  const vectorsByName = fc.dictionary(
    name,
    fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 3 }),
  )
  fc.assert(
    fc.property(attributes, vectorsByName, (given, vectors) => {
      const ownValues = Object.fromEntries(
        Object.entries(given).filter(([key]) => !Object.hasOwn(vectors, key)),
      )
      const plain = JSON.stringify({ id: 'urn:x', class: ['c'], attributes: ownValues })
      const map = new Map<string, MadeVector>(
        Object.entries(vectors).map(([key, vector]) => [key, { hash: 'abc', vector }]),
      )
      const stored = writeEntity(parseEntity(plain), map)
      assert.equal(withoutMadeValues(stored), plain)
      assert.equal(writeEntity(parseEntity(stored), new Map()), plain)
      assert.deepEqual([...madeVectors(parseEntity(stored)).keys()].sort(), Object.keys(vectors).sort())
    }),
  )
})
