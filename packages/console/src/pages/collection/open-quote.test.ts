import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findOpenQuote } from './open-quote.ts'

test('the line of a quote that nothing closes is found after closed quotes and doubled ones', () => {
  assert.equal(findOpenQuote('a,b\n"one\ntwo",5" disk\n"x ""y""",2\n3,"open\n4,last\n'), 5)
})
