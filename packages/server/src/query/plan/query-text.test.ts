import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyText } from '@querent/contract/test-texts'
import fc from 'fast-check'
import { readQueryText } from './query-text.ts'

const isEmpty = (part: unknown) => part === '' || (Array.isArray(part) && part.length === 0)

/** Parses a text, and drops the empty parts. */
const read = (text: string, completeLast = false) =>
  Object.fromEntries(Object.entries(readQueryText(text, completeLast)).filter(([, part]) => !isEmpty(part)))

test('words are alternatives, quotes make phrases, a leading - excludes', () => {
  assert.deepEqual(read('river bank'), { words: ['river', 'bank'] })
  assert.deepEqual(read('"river bank" money'), { phrases: ['river bank'], words: ['money'] })
  assert.deepEqual(read('bank -money -"river bank"'), {
    words: ['bank'],
    excludedWords: ['money'],
    excludedPhrases: ['river bank'],
  })
  for (const text of [
    '“river bank”',
    '„river bank“',
    '«river bank»',
    '« river bank »',
    '»river bank«',
    '＂river bank＂',
  ])
    assert.deepEqual(read(text), { phrases: ['river bank'] }, text)
  assert.deepEqual(read('-money'), { excludedWords: ['money'] })
})

test('a hyphen excludes only before a letter or a quote', () => {
  assert.deepEqual(read('git push --force -rf'), { words: ['git', 'push', '--force'], excludedWords: ['rf'] })
  assert.deepEqual(read('-40 --dry-run -é -𝒳 -🌱 –dash'), {
    words: ['-40', '--dry-run', '-🌱', '–dash'],
    excludedWords: ['é', '𝒳'],
  })
})

test('a space belongs to a percentage or an amount', () => {
  assert.deepEqual(read('save 50 % today € 20 5,00 €'), {
    words: ['save', '50 %', 'today', '€ 20', '5,00 €'],
  })
  assert.deepEqual(read('50 %off % 20'), { words: ['50', '%off', '%', '20'] })
})

test('everything else is text', () => {
  assert.deepEqual(read('well-known AND (x OR y) title:z a* ~'), {
    words: ['well-known', 'AND', '(x', 'OR', 'y)', 'title:z', 'a*', '~'],
  })
  assert.deepEqual(read('"river bank'), { words: ['river', 'bank'] })
  assert.deepEqual(read('12" disc 7"'), { words: ['12"', 'disc', '7"'] })
  assert.deepEqual(read('- a'), { words: ['-', 'a'] })
  assert.deepEqual(read('"" " "'), {})
  assert.deepEqual(read(' \t\n'), {})
})

test('the last word is unfinished while it is being typed', () => {
  assert.deepEqual(read('river ban', true), { words: ['river'], unfinished: 'ban' })
  assert.deepEqual(read('river ban ', true), { words: ['river', 'ban'] })
  assert.deepEqual(read('river "ban', true), { words: ['river'], unfinished: 'ban' })
  assert.deepEqual(read('"river ban"', true), { phrases: ['river ban'] })
  assert.deepEqual(read('river -ban', true), { words: ['river'], excludedWords: ['ban'] })
})

test('no input fails, and no part is empty', () => {
  const pieces = fc
    .array(fc.constantFrom('"', '-', ' ', 'a', '“', '\\', '\n', '*', '🙂'), { maxLength: 40 })
    .map(parts => parts.join(''))
  fc.assert(
    fc.property(fc.oneof(anyText(), pieces), fc.boolean(), (text, completeLast) => {
      const { words, phrases, excludedWords, excludedPhrases, unfinished } = readQueryText(text, completeLast)
      for (const part of [...words, ...phrases, ...excludedWords, ...excludedPhrases, unfinished ?? 'x'])
        assert.notEqual(part.trim(), '')
    }),
  )
})

test('plain words come back as typed', () => {
  const word = fc
    .string()
    .map(text => text.replaceAll(/[\s"“”„-]/g, ''))
    // A unit belongs to the number beside it: `20 €` is one word.
    .filter(text => text !== '' && !/^[%\p{Sc}]|[\p{Sc}]$/u.test(text))
  fc.assert(
    fc.property(fc.array(word), words =>
      assert.deepEqual(readQueryText(words.join(' '), false).words, words),
    ),
  )
})
