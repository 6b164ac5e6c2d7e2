import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseExactJson, readRawNumber } from './exact-json.ts'

test('every digit of a number stays', () => {
  for (const text of [
    '[9007199254740993,-9007199254740993,1.50,1e400,-0,0.1,12,1E2,123456789012345678901234567890.5]',
    '{"a":{"b":[1.0]},"text":"1.50"}',
  ])
    assert.equal(JSON.stringify(parseExactJson(text)), text)
  assert.equal(readRawNumber((parseExactJson('[9007199254740993]') as unknown[])[0]), '9007199254740993')
  assert.equal(parseExactJson('12'), 12)
})

test('anything else is as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.json(), text => {
      assert.equal(
        JSON.stringify(JSON.parse(JSON.stringify(parseExactJson(text)))),
        JSON.stringify(JSON.parse(text)),
      )
    }),
  )
  assert.throws(() => parseExactJson('{"a":1.0'), SyntaxError)
})
