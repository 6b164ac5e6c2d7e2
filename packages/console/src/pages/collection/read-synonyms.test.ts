import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isComplete, readSynonyms, splitWords } from './read-synonyms.ts'

test('lines without commas are one list', () => {
  assert.deepEqual(readSynonyms('car\n automobile \n\nmotor car\n'), [['car', 'automobile', 'motor car']])
  assert.deepEqual(readSynonyms(' \n'), [])
})

test('with commas or arrows each line is a list', () => {
  assert.deepEqual(
    readSynonyms('car, automobile,motor car\ntv，television\n js, es => javascript, ecma script\nus -> usa'),
    [
      ['car', 'automobile', 'motor car'],
      ['tv', 'television'],
      { from: ['js', 'es'], to: ['javascript', 'ecma script'] },
      { from: ['us'], to: ['usa'] },
    ],
  )
  assert.deepEqual(readSynonyms('3,5 mm, jack'), [['3,5 mm', 'jack']])
  assert.deepEqual(readSynonyms('wrench, spanner, spanner'), [['wrench', 'spanner']])
  assert.deepEqual(splitWords('js, es\ntypescript'), ['js', 'es', 'typescript'])
})

test('a list needs two members, or one on each side of the arrow', () => {
  assert.deepEqual(readSynonyms('a, b\nc\nd =>\n=> e\nf => g').map(isComplete), [
    true,
    false,
    false,
    false,
    true,
  ])
})
