import assert from 'node:assert/strict'
import { test } from 'node:test'
import { declarationRemarks, sentenceRemarks } from './tidy-language.ts'

const path = 'packages/cli/src/a.ts'
const declarationLines = (text: string, file = path) => declarationRemarks(file, text).map(({ line }) => line)
const sentenceLines = (text: string, file = path) => sentenceRemarks(file, text).map(({ line }) => line)

test('a declaration with a bare name, or a name that ends in Of, is rejected with advice', () => {
  const rejected = [
    'const known = 1',
    'export const Asked = 1',
    'for (const at of list) f(at)',
    'interface Found {}',
  ]
  for (const text of rejected) assert.deepEqual(declarationLines(`\n${text}`), [2], text)
  assert.match(declarationRemarks(path, 'let kept = 1')[0]?.message ?? '', /use a noun, or a verb/)
  assert.match(declarationRemarks(path, 'const filtersOf = 1')[0]?.message ?? '', /start with a verb/)
})

test('declarations with other names, and text in strings and comments, are accepted', () => {
  const accepted = [
    'const knownTokens = 1',
    'const of2 = 1',
    'const { from, to } = range',
    "test('changing the type of a field', f)",
    'const script = `(() => {\n  const all = 1\n})`',
    "const url = 'https://example.org' // the let before",
    '/* the function of\n the type from */',
    'const roof = isOf',
  ]
  for (const text of accepted) assert.deepEqual(declarationLines(text), [], text)
})

test('a sentence of a comment that opens with a clause is rejected with its line', () => {
  assert.deepEqual(sentenceLines('/** What is kept is never shown. */'), [1])
  assert.deepEqual(sentenceLines('f()\n/**\n * Reads a file. Whose it is\n * does not matter.\n */'), [3])
  assert.deepEqual(sentenceLines('  // Reads it.\n  // Of two the first wins.\n  f()'), [2])
  assert.match(sentenceRemarks(path, '// Who asks is told.')[0]?.message ?? '', /start with the subject/)
})

test('questions, continued lines, and sentences with a subject are accepted', () => {
  const accepted = [
    '// What does it cost?',
    '// Returns the path\n// Of Rust.',
    '/** The server rejects what it does not know. */',
    "const a = 'https://example.org'",
  ]
  for (const text of accepted) assert.deepEqual(sentenceLines(text), [], text)
})

test('documents follow the rule for sentences, except in code, headings and tables', () => {
  const text =
    '# What it is\n\nA page.\n\n- Who may ask is listed.\n\n| Of | x |\n\n```\nWhat is code.\n```\n'
  assert.deepEqual(sentenceLines(text, 'docs/a.md'), [5])
})
