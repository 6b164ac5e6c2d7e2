import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readTextCell, writeTextCell } from './csv-cells.ts'
import { escapeFormula, unescapeFormula } from './csv-formula.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.constantFrom('a', '|', '"', '[', ']', ',', '\\\\', "'", '=', ' ', '\\n'))
    .map(all => all.join('')),
)

test('one text, or several, are read as they were written', () => {
  assert.equal(writeTextCell(['a', 'b']), 'a|b')
  assert.equal(writeTextCell(['say "hi"']), 'say "hi"')
  assert.equal(writeTextCell(['a|b']), '"a|b"')
  assert.equal(writeTextCell(['a|b', 'c']), '["a|b","c"]')
  fc.assert(fc.property(text, one => assert.equal(readTextCell(writeTextCell([one])), one)))
  const several = fc.array(text, { minLength: 2, maxLength: 5 })
  fc.assert(fc.property(several, all => assert.deepEqual(readTextCell(writeTextCell(all)), all)))
})

test('what needs no JSON is text as it is', () => {
  for (const cell of ['"a"', '[1]', '{"a":1}', '[sic]', '"', '|', "'=1"])
    assert.equal(readTextCell(cell), cell)
})

test('a formula that was escaped is what it was, and so is a text that begins like one that was', () => {
  fc.assert(fc.property(text, one => assert.equal(unescapeFormula(escapeFormula(one)), one)))
  assert.equal(escapeFormula("'=1"), "''=1")
  assert.equal(unescapeFormula("'tis"), "'tis")
})
