/** The texts of the console and their translations. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { faultTexts as faults, requirementTexts as requirements } from '@querent/contract/fault-texts'
import { hintTexts as hints } from '@querent/contract/file-fault-texts'
import { healthTexts } from '@querent/contract/health-texts'
import { findJsonFault } from '@querent/contract/json-fault'
import type { Catalog } from './catalog.ts'
import { nl, nlFaults } from './nl.ts'
import { translateParts } from './placeholders.ts'
import { readSourceTexts } from './source-texts.ts'

const { used, unwrapped, computed } = readSourceTexts()

test('every text that people read goes through translate.ts', () => {
  assert.deepEqual(unwrapped, [], 'wrap these in t(), tCount() or tNodes()')
})

test('texts are literals, so that this test finds them', () => {
  assert.deepEqual(computed, [])
})

test('the Dutch catalog has every text, and no other', () => {
  const missing = [...used.keys()].filter(text => nl[text] === undefined)
  const unused = Object.keys(nl).filter(text => !used.has(text))
  assert.deepEqual({ missing, unused }, { missing: [], unused: [] })
})

test('a text with a count has both forms in Dutch, and others have one', () => {
  const wrong = [...used].filter(
    ([text, singular]) => (typeof nl[text] === 'object') !== (singular !== undefined),
  )
  assert.deepEqual(wrong, [])
})

const readOther = (text: Catalog[string] | undefined) => (typeof text === 'object' ? text.other : text)

test('Dutch faults and health checks use values that the fault has', () => {
  const placeholders = (text: string) => [...(text.match(/\{\w+\}/g) ?? [])]
  const pairs = [
    ...Object.entries(requirements).map(([code, text]) => [text, nlFaults.requirements[code]]),
    ...Object.entries(faults).map(([code, text]) => [text, nlFaults.faults[code]]),
    ...Object.entries(hints).map(([code, text]) => [text, nlFaults.hints[code]]),
    ...Object.entries(healthTexts).map(([code, text]) => [readOther(text), readOther(nlFaults.health[code])]),
  ]
  for (const [text = '', translation = ''] of pairs)
    assert.deepEqual(placeholders(translation).toSorted(), placeholders(text).toSorted(), text)
})

test('each sentence of a check of a request has Dutch words', () => {
  const folder = join(import.meta.dirname, '../../../server/src/authz')
  const sources = globSync('*.ts', { cwd: folder, exclude: ['*.test.ts', 'test-*.ts', '*.suite.ts'] })
  const text = sources.map(name => readFileSync(join(folder, name), 'utf8')).join('\n')
  const sentences = [
    /(?:passedCheck|failedCheck)\(\s*'[a-z-]+',\s*'([^']+)'/g,
    /\b(?:makeHeaderRefusal|refuse)\(\s*'([^']+)'/g,
    /passed: (?:true|false|null),\s*message: '([^']+)'/g,
    /'((?:the|no|this) [^']+ (?:DPoP|token|workspace)\b[^']*)'/g,
  ].flatMap(pattern => [...text.matchAll(pattern)].map(([, sentence = '']) => sentence))
  assert.ok(sentences.length > 40, String(sentences.length))
  assert.deepEqual(
    [...new Set(sentences)].filter(sentence => nlFaults.checks[sentence] === undefined),
    [],
  )
})

test('every sentence about broken JSON is Dutch in all its parts', () => {
  for (const text of [
    '',
    '{',
    '[',
    '{"a"',
    '{"a":',
    '{"a" 1}',
    '[1',
    '[1 2',
    '[1,]',
    "{'a'}",
    '{a: 1}',
    '{"a": "x',
    '{"a": "\\x"}',
    '{} x',
  ]) {
    const message = findJsonFault(text)?.message ?? ''
    const sentence = `this is not JSON at line 1, column 2: ${message}`
    const words = Object.entries(nlFaults.imports).filter(([english]) => !english.includes('{'))
    const dutch = translateParts(nlFaults.imports, sentence)
    assert.ok(message !== '' && dutch !== undefined, message)
    for (const [english] of words) assert.ok(!dutch.includes(english), dutch)
  }
})

test('translations have the placeholders of their text', () => {
  const placeholders = (text: string) => [...new Set(text.match(/\{\w+\}/g) ?? [])].toSorted()
  for (const [text, translation] of Object.entries(nl)) {
    const forms = typeof translation === 'string' ? [translation] : [translation.other]
    for (const form of forms) assert.deepEqual(placeholders(form), placeholders(text), text)
  }
})
