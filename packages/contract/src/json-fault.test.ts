import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findJsonFault } from './json-fault.ts'

const place = (text: string) => {
  const { line, column } = findJsonFault(text) ?? {}
  return line === undefined ? undefined : [line, column]
}

test('the first fault of a text has its line and its column', () => {
  const faults: Readonly<Record<string, [line: number, column: number]>> = {
    '{"a": 1,\n "b": [}': [2, 8],
    '[{"a": 1,}]': [1, 10],
    '[1, 2': [1, 6],
    "{'a': 1}": [1, 2],
    '{"a" 1}': [1, 6],
    '[{"a": 1}\n {"b": 2}]': [2, 2],
    '{"ä": "é", 3}': [1, 12],
    '["a\nb"]': [1, 2],
    '[01]': [1, 3],
    '["a\\x"]': [1, 2],
    '{"a": nul}': [1, 7],
    '{"a": 1} x': [1, 10],
    '': [1, 1],
  }
  for (const [text, expected] of Object.entries(faults)) assert.deepEqual(place(text), expected, text)
})

test('a text that ends too early is told from one with other faults', () => {
  const kinds = {
    '[{"a": 1': 'end',
    '[{"a': 'open',
    '["a\nb"]': 'text',
    '["a\\': 'open',
    '[1,]': 'comma',
    '[x]': 'other',
  }
  for (const [text, kind] of Object.entries(kinds)) assert.equal(findJsonFault(text)?.kind, kind, text)
})

test('objects that follow each other, with and without commas between them, have no fault', () => {
  assert.equal(findJsonFault('\ufeff{"a": 1}\n{"b": [true, null]},\u001e{"c": {}}\n'), undefined)
})

test('a text has a fault if and only if it is no JSON', () => {
  const cut = fc.tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '}', ']', '"', 'x', ':'))
  fc.assert(
    fc.property(cut, ([json, position, inserted]) => {
      const index = position % (json.length + 1)
      // Inside of a text, any character may stand.
      const text = json.slice(0, index) + inserted + json.slice(index)
      assert.equal(findJsonFault(json), undefined)
      let isJson = true
      try {
        JSON.parse(text)
      } catch {
        isJson = false
      }
      // A comma may follow an object.
      if (isJson || !text.trimEnd().endsWith(','))
        assert.equal(findJsonFault(text) === undefined, isJson, text)
    }),
  )
})
