import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  escapeFormula,
  readSeparatedCell,
  readTextCell,
  unescapeFormula,
  writeTextCell,
} from './csv-cells.ts'
import { anyText } from './test-texts.ts'

const text = fc.oneof(
  anyText(),
  fc
    .array(fc.constantFrom('a', '|', '"', '[', ']', ',', '\\\\', "'", '=', ' ', '\\n'))
    .map(texts => texts.join('')),
)

test('one text, or several, are read as they were written', () => {
  assert.equal(writeTextCell(['a', 'b']), 'a|b')
  assert.equal(writeTextCell(['say "hi"']), 'say "hi"')
  assert.equal(writeTextCell(['a|b']), '"a|b"')
  assert.equal(writeTextCell(['a|b', 'c']), '["a|b","c"]')
  fc.assert(fc.property(text, one => assert.equal(readTextCell(writeTextCell([one])), one)))
  const several = fc.array(text, { minLength: 2, maxLength: 5 })
  fc.assert(fc.property(several, texts => assert.deepEqual(readTextCell(writeTextCell(texts)), texts)))
})

test('text that needs no JSON is read unchanged', () => {
  for (const cell of ['"a"', '[1]', '{"a":1}', '[sic]', '"', '|', "'=1"])
    assert.equal(readTextCell(cell), cell)
})

test('escaping and unescaping a formula gives the original text', () => {
  fc.assert(fc.property(text, one => assert.equal(unescapeFormula(escapeFormula(one)), one)))
  assert.equal(escapeFormula("'=1"), "''=1")
  assert.equal(unescapeFormula("'tis"), "'tis")
})

const signs = ['=', '+', '-', '@', '＝', '＋', '－', '＠']
const invisible = ['', ' ', '\t', '\r', '\n', '\0', '\u00a0', '\ufeff', '\u200b', '\u3000', ' \ufeff\0\n']

test('no blank or invisible character hides a formula', () => {
  for (const prefix of invisible)
    for (const sign of signs) {
      const text = `${prefix}${sign}1`
      assert.equal(escapeFormula(text), `'${text}`, JSON.stringify(text))
    }
  for (const text of ['\tx', '\rx', '\nx'])
    assert.equal(escapeFormula(text), `'${text}`, JSON.stringify(text))
})

test('other text is unchanged', () => {
  for (const text of ['', 'a', ' a', 'a=1', '1-2', "'a", '\u00a0a', 'é', '('])
    assert.equal(escapeFormula(text), text, JSON.stringify(text))
})

test('an escaped text is read back, also one that has an apostrophe before a formula', () => {
  for (const text of ['', 'a', "'a", '=1', "'=1", "''=1", ' \t@x'])
    assert.equal(unescapeFormula(escapeFormula(text)), text, JSON.stringify(text))
})

test('a separator makes several values of a cell, without blanks and empty parts, and lists of results stay lists', () => {
  const read = (cell: string, separator = ';') => readSeparatedCell(cell, separator)
  assert.deepEqual(read('gift;new'), ['gift', 'new'])
  assert.deepEqual(read('keuken, porselein', ','), ['keuken', 'porselein'])
  assert.deepEqual(read(' a ;; b; '), ['a', 'b'])
  assert.equal(read('sale'), 'sale')
  assert.equal(read('sale;'), 'sale')
  assert.equal(read(';'), ';')
  assert.deepEqual(read('"vip", "event 2024"', ','), ['vip', 'event 2024'])
  assert.equal(read('"vip"', ','), 'vip')
  assert.equal(read('a "b"', ','), 'a "b"')
  assert.deepEqual(read('a;b|c'), ['a;b', 'c'])
  assert.deepEqual(read('["a;b","c"]'), ['a;b', 'c'])
})
