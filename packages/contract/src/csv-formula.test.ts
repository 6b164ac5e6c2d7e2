import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escapeFormula, unescapeFormula } from './csv-formula.ts'

const signs = ['=', '+', '-', '@', '＝', '＋', '－', '＠']
const invisible = ['', ' ', '\t', '\r', '\n', '\0', '\u00a0', '\ufeff', '\u200b', '\u3000', ' \ufeff\0\n']

test('no blank or invisible character hides a formula', () => {
  for (const before of invisible)
    for (const sign of signs) {
      const text = `${before}${sign}1`
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
