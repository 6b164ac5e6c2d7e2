import assert from 'node:assert/strict'
import { test } from 'node:test'
import { documentIds } from '@querent/contract/document-id'
import {
  buryResult,
  type CurationDraft,
  moveRow,
  pinResult,
  readCuration,
  releaseResult,
  writeCuration,
} from './curation-draft.ts'

const ids = documentIds('shop', 'things', { id: { uri: 'urn:thing:{id}' } })
const query = { endpoint: 'search', parameter: 'query', text: 'Red  Kettle' }
const otherRule = { when: { query: 'pot' }, endpoint: 'search', pin: ['9'] }
const draft: CurationDraft = { pinned: ['a', 'b'], ranked: ['c', 'd', 'e'], buried: ['f'] }
const show = ({ pinned, ranked, buried }: CurationDraft) =>
  [pinned, ranked, buried].map(uris => uris.join('')).join('|')

test('the rules of a text are read and written as one, in the place of the first, and others stay', () => {
  const rules = [
    otherRule,
    { when: { query: 'red kettle' }, endpoint: 'search', pin: ['2'], bury: ['urn:thing:3'] },
    { when: { query: 'RED KETTLE' }, endpoint: 'search', pin: ['1', '2', '3'] },
    { when: { query: 'red kettle' }, endpoint: 'box', pin: ['7'] },
    { when: {}, endpoint: 'search', bury: ['8'] },
  ]
  const read = readCuration(rules, query, ['urn:thing:2', 'urn:thing:4'], ids)
  assert.deepEqual(read, {
    pinned: ['urn:thing:2', 'urn:thing:1', 'urn:thing:3'],
    ranked: ['urn:thing:4'],
    buried: [],
  })
  assert.deepEqual(writeCuration(rules, query, buryResult(read, 'urn:thing:3'), ids), [
    otherRule,
    { when: { query: 'red kettle' }, endpoint: 'search', pin: ['2', '1'], bury: ['3'] },
    rules[3],
    rules[4],
  ])
  const emptyDraft = { pinned: [], ranked: ['urn:thing:2'], buried: [] }
  assert.deepEqual(writeCuration(rules, query, emptyDraft, ids), [otherRule, rules[3], rules[4]])
  assert.deepEqual(writeCuration([otherRule], query, emptyDraft, ids), [otherRule])
  assert.deepEqual(writeCuration([otherRule], query, pinResult(emptyDraft, 'urn:thing:2'), ids), [
    otherRule,
    { when: { query: 'Red  Kettle' }, endpoint: 'search', pin: ['2'] },
  ])
})

test('moving a row pins, releases, orders and buries as the list shows', () => {
  // Rows: a b (pinned), c d e, the line, f.
  assert.equal(show(moveRow(draft, 0, 1)), 'ba|cde|f')
  assert.equal(show(moveRow(draft, 4, 2)), 'abe|cd|f')
  assert.equal(show(moveRow(draft, 4, 3)), 'abce|d|f')
  assert.equal(show(moveRow(draft, 4, 0)), 'eab|cd|f')
  assert.equal(show(moveRow(draft, 2, 3)), 'abdc|e|f')
  assert.equal(show(moveRow(draft, 0, 3)), 'b|cdae|f')
  assert.equal(show(moveRow(draft, 1, 2)), 'a|cbde|f')
  assert.equal(show(moveRow(draft, 0, 5)), 'b|cde|af')
  assert.equal(show(moveRow(draft, 3, 6)), 'ab|ce|fd')
  assert.equal(show(moveRow(draft, 6, 1)), 'afb|cde|')
  assert.equal(show(moveRow(draft, 6, 4)), 'abcdf|e|')
  assert.equal(moveRow(draft, 2, 2), draft)
  // The line itself does not move.
  assert.equal(moveRow(draft, 5, 0), draft)
})

test('a released result returns to the place of its relevance', () => {
  const results = ['a', 'b', 'c', 'd', 'e', 'f']
  assert.equal(show(releaseResult(draft, 'b', results)), 'a|bcde|f')
  assert.equal(show(releaseResult(draft, 'f', results)), 'ab|cdef|')
  assert.equal(show(pinResult(draft, 'f')), 'abf|cde|')
  assert.equal(show(buryResult(draft, 'a')), 'b|cde|fa')
})
