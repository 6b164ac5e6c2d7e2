import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findExcess, scanWorkspaceName } from './workspace-scan.ts'
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
    assert.equal(findExcess(source, 50, 1_000_000)?.limit, 'depth', description)
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
    assert.equal(findExcess(source, 5, 1000), undefined, source.slice(0, 50))
})

test('entries of lists and mappings are counted before a tree is built, in both styles and across comments', () => {
  for (const [description, write] of [
    ['a list in flow style', count => `a: [${times(count, () => '[b, c],')}]`],
    ['a mapping in flow style', count => `a: {${times(count, index => `b${index}: {},`)}}`],
    ['a list in block style', count => `a:\n${times(count, () => '  - b\n# comment\n')}`],
    ['a list of mappings', count => `a:\n${times(count, () => '- b: 1\n  c: 2\n')}`],
    ['a mapping in block style', count => `a:\n${times(count, index => `  b${index}:\n    c: d\n`)}`],
    ['keys with indicators', count => `a:\n${times(count, index => `  ? b${index}\n  : c\n`)}`],
  ] as const satisfies [string, (count: number) => string][]) {
    assert.equal(findExcess(write(100), 10, 200), undefined, description)
    assert.equal(findExcess(write(300), 10, 200)?.limit, 'entries', description)
  }
  const lists = `a:\n${times(3, index => `  b${index}:\n${times(150, () => '  - c\n')}`)}`
  assert.equal(findExcess(lists, 10, 200), undefined, 'lists at the indentation of their keys')
  const read = readSource(`workspace: a\nx:\n${times(20_000, () => '  - [a, b]\n')}`)
  assert.deepEqual('errors' in read && [read.errors[0]?.code, read.errors[0]?.line], [
    'too-many-items',
    10_003,
  ])
})
