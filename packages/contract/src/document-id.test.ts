import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { documentIds } from './document-id.ts'
import { anyText } from './test-texts.ts'

const ids = documentIds('dictionary', 'entries', { id: { uri: 'https://wordnet.example/{id}/about' } })

test('a short id becomes a URI by the template, an absolute URI stays', () => {
  assert.equal(ids.toUri('bank-1'), 'https://wordnet.example/bank-1/about')
  assert.equal(ids.toUri('a/b c%'), 'https://wordnet.example/a/b%20c%25/about')
  assert.equal(ids.toUri('https://other.example/1'), 'https://other.example/1')
  assert.equal(ids.toUri('note: this'), 'https://wordnet.example/note:%20this/about')
  assert.equal(ids.toUri(''), undefined)
  assert.equal(ids.toUri('\ud800'), undefined)
  assert.equal(documentIds('dictionary', 'entries', {}).toUri('7'), 'urn:querent:dictionary:entries:7')
})

test('the short id comes back, and what the template does not make stays', () => {
  fc.assert(
    fc.property(anyText({ minLength: 1 }), id => {
      const uri = ids.toUri(id)
      assert.ok(uri)
      assert.equal(ids.toId(uri), id)
    }),
  )
  for (const uri of [
    'https://wordnet.example/%zz/about',
    'https://wordnet.example//about',
    'https://wordnet.example/about',
    'urn:x:y',
  ])
    assert.equal(ids.toUri(ids.toId(uri)), uri)
})
