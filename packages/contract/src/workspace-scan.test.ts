import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findExcessiveDepth, scanWorkspaceName } from './workspace-scan.ts'
import { readSource } from './workspace-source.ts'

const times = (count: number, write: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => write(index)).join('')

test('the name of a workspace is found without parsing, in YAML and in JSON, at the top level only', () => {
  for (const [source, expected] of [
    ['workspace: books # ours\ntitle: Books', 'books'],
    ['\uFEFF\n# a comment\n%YAML 1.2\n---\n"workspace":  \'books\'\r\n', 'books'],
    ['collections:\n  workspace: no\nworkspace: books\n', 'books'],
    ['{"title":"workspace","apis":{"workspace":"no"},"workspace":"books"}', 'books'],
    ['{ title: "}\\"", workspace: books }', 'books'],
    ['{"apis":{"workspace":"no"},"list":[{"workspace":"no"}]}', undefined],
    ['workspace: &anchor books', undefined],
    ['? workspace\n: books', undefined],
    ['', undefined],
  ] as const)
    assert.equal(scanWorkspaceName(source), expected, source)
})

test('nesting is bounded by brackets and by indentation before a tree is built', () => {
  for (const [description, source] of [
    ['lists in flow style', `workspace: ${'['.repeat(1_000_000)}`],
    ['mappings in flow style', 'a: {'.repeat(100)],
    ['mappings in block style', times(100, index => `${' '.repeat(index)}a:\n`)],
    ['lists in block style', `${'- '.repeat(500_000)}a`],
    ['keys that are collections', `${'? '.repeat(500_000)}a`],
  ] as const) {
    assert.notEqual(findExcessiveDepth(source, 50), undefined, description)
    const read = readSource(source)
    assert.ok('errors' in read && read.errors[0]?.message === 'nested more than 50 deep', description)
  }
})

test('brackets and indentation within texts add no nesting', () => {
  for (const source of [
    `a: "${'['.repeat(100)}"\nb: '${'{'.repeat(100)}'\nc: ${'x[['.repeat(100)}\n# ${'['.repeat(100)}`,
    `a: |\n${times(100, index => `${' '.repeat(index + 2)}[\n`)}`,
    `a: word\n${times(100, index => `${' '.repeat(index + 2)}word\n`)}`,
    `a:\n${times(1000, () => '- b: [1, { c: 2 }]\n  d: 3\n')}`,
  ])
    assert.equal(findExcessiveDepth(source, 5), undefined, source.slice(0, 50))
})
