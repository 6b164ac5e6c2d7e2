import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSource } from './workspace-source.ts'
import { findSyntaxCause } from './yaml-cause.ts'

const file = `workspace: w
title: Things
collections:
  entries:
    id: { field: id }
    language: english
    fields:
      title: { type: text }
    synonyms:
      - [a, b]
      - [c, d]
  other: {}
`

/** Returns the code and the line of each error of the file with one change. */
const findErrors = (before: string, after: string) => {
  const read = readSource(file.replace(before, after))
  return 'errors' in read ? read.errors.map(({ code, line }) => `${line} ${code}`) : []
}

test('one slip gives one error, at its line', () => {
  const slips: [before: string, after: string, error: string][] = [
    ['synonyms:\n', 'synonyms:\n      Farbe: { type: colour }\n', '10 yaml-key-beside-list'],
    ['[c, d]\n', '[c, d]\n      Farbe: { type: colour }\n', '12 yaml-key-beside-list'],
    ['    language: english', '  language: klingon', '6 yaml-indented-below'],
    ['    language: english', '   language: klingon', '6 yaml-blanks'],
    ['    language: english', '     language: klingon', '6 yaml-blanks'],
    ['      - [c', '     - [c', '11 yaml-blanks'],
    ['  other', '   other', '12 yaml-blanks'],
    ['    language', '\tlanguage', '6 yaml-tab'],
    ['language:', 'language', '6 yaml-no-colon'],
    ['language: ', 'language:', '6 yaml-no-colon'],
    ['title: Things', 'title: Things: all', '2 yaml-second-colon'],
    ['title: Things', 'title: "Things', '2 yaml-open'],
    ['title: Things', "title: 'Things", '2 yaml-open'],
    ['{ type: text }', '{ type: text', '8 yaml-open'],
    ['[a, b]', '[a, b', '10 yaml-open'],
  ]
  for (const [before, after, error] of slips) assert.deepEqual(findErrors(before, after), [error], after)
})

test('text in quotes and comments is no cause', () => {
  const source = 'a: "x: [y" # {\nb: {\nc: 1\n'
  const cause = findSyntaxCause(source, { code: 'BAD_INDENT', message: 'Flow map …', pos: [20, 21] })
  assert.equal(cause?.offset, source.indexOf('{\nc'))
})
