import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorRemarks, linkRemarks } from './tidy-documents.ts'
import { crumbRemarks, folderRemarks, listArrows } from './tidy-graph.ts'
import { importRemarks, readImports } from './tidy-imports.ts'
import {
  environmentRemarks,
  hookRemarks,
  lengthRemarks,
  nameRemarks,
  swallowRemarks,
  waitRemarks,
  wordRemarks,
} from './tidy-text.ts'

const remarksOn = (path: string, specifier: string) =>
  importRemarks(path, `import { x } from '${specifier}'\n`).map(({ message }) => message)

test('readImports finds every form of import, with its line', () => {
  const text = [
    "import './a.ts'",
    "import type { B } from '#b/b'",
    'import {',
    '  c,',
    "} from '#c/c'",
    "export { d } from './d.ts'",
    'export const e = 1',
    "const f = await import('@querent/server/main')",
  ].join('\n')
  assert.deepEqual(
    readImports(text).map(({ specifier, line, typeOnly, dynamic }) => [specifier, line, typeOnly, dynamic]),
    [
      ['./a.ts', 1, false, false],
      ['#b/b', 2, true, false],
      ['#c/c', 5, false, false],
      ['./d.ts', 6, false, false],
      ['@querent/server/main', 8, false, true],
    ],
  )
})

test('a part of the server may import the parts below it, but not those above or next to it', () => {
  const serverPath = (path: string) => `packages/server/src/${path}`
  for (const [path, specifier] of [
    ['main.ts', './app.ts'],
    ['main.ts', '#config/config'],
    ['app.ts', '#query/route'],
    ['query/route.ts', './parse.ts'],
    ['query/route.ts', '#http/bearer'],
    ['authz/bearer.ts', '#storage/directory'],
    ['storage/members.ts', '#errors'],
    ['storage/migrations/0001-first.ts', '#storage/tables'],
    ['query/route.test.ts', '#oauth/provider'],
  ] as const)
    assert.deepEqual(remarksOn(serverPath(path), specifier), [], `${path} imports ${specifier}`)
  for (const [path, specifier] of [
    ['query/route.ts', '#oauth/provider'],
    ['storage/db.ts', '#engines/engine'],
    ['storage/db.ts', '#http/bearer'],
    ['authz/bearer.ts', '#config/config'],
    ['app.ts', '#config/config'],
    ['errors.ts', '#storage/db'],
    ['leftover.ts', '#storage/db'],
    ['query/route.ts', '../app.ts'],
  ] as const)
    assert.equal(remarksOn(serverPath(path), specifier).length, 1, `${path} imports ${specifier}`)
})

test('packages import in one direction, and commands load the server when they need it', () => {
  assert.deepEqual(remarksOn('packages/cli/src/main.ts', '@querent/client'), [])
  assert.deepEqual(remarksOn('packages/server/src/app.ts', '@querent/contract/errors'), [])
  assert.match(remarksOn('packages/client/src/a.ts', '@querent/cli')[0] ?? '', /may import contract/)
  assert.match(remarksOn('packages/contract/src/a.ts', '@querent/client')[0] ?? '', /no other package/)
  const command = 'packages/cli/src/commands/serve.ts'
  assert.match(remarksOn(command, '@querent/server/main')[0] ?? '', /nobody imports the server/)
  assert.deepEqual(importRemarks(command, "const s = await import('@querent/server/main')"), [])
  assert.deepEqual(remarksOn(command, '@querent/server/config/settings'), [])
  assert.deepEqual(importRemarks(command, "import type { R } from '@querent/server/main'"), [])
})

test('names must be kebab-case and name a subject', () => {
  for (const path of [
    'packages/cli/src/token-inspect.ts',
    'README.md',
    '.ci/run',
    'LICENSE',
    'a/stop_words.rs',
  ])
    assert.deepEqual(nameRemarks(path), [], path)
  for (const path of ['src/tokenInspect.ts', 'src/utils/a.ts', 'src/string-helpers.ts', 'src/Common.ts'])
    assert.equal(nameRemarks(path).length, 1, path)
})

test('files of code with more than 400 lines, and tests with more than 800, give a reason', () => {
  const lines = (count: number) => 'x\n'.repeat(count)
  assert.deepEqual(lengthRemarks('src/a.ts', lines(400)), [])
  assert.equal(lengthRemarks('src/a.ts', lines(401))[0]?.line, 401)
  assert.deepEqual(lengthRemarks('src/a.test.ts', lines(800)), [])
  assert.equal(lengthRemarks('src/a.suite.ts', lines(801)).length, 1)
  assert.deepEqual(lengthRemarks('docs/a.md', lines(900)), [])
  assert.equal(lengthRemarks('src/a.ts', lines(401))[0]?.isWarning, true)
  assert.deepEqual(lengthRemarks('src/a.ts', `// Over 400 lines: one table\n${lines(401)}`), [])
  assert.deepEqual(lengthRemarks('src/a.rs', `//! Over 400 lines: one table\n${lines(401)}`), [])
})

test('a postponed task must say when it is due, and paths of machines and addresses of registries are rejected', () => {
  const laterMarker = ['TO', 'DO'].join('')
  assert.equal(wordRemarks('a.ts', `// ${laterMarker}: soon`)[0]?.line, 1)
  assert.deepEqual(wordRemarks('a.ts', `// ${laterMarker}(when Node 26 is out): simplify`), [])
  assert.deepEqual(wordRemarks('a.md', laterMarker), [])
  assert.equal(wordRemarks('a.md', `x\nsee ${['', 'work', 'main'].join('/')}`)[0]?.line, 2)
  assert.deepEqual(wordRemarks('a.md', 'https://example.org/work/main'), [])
  const address = `https://${['regis', 'try'].join('')}.npmjs.org/a.tgz`
  assert.equal(wordRemarks('package-lock.json', `"resolved": "${address}"`).length, 1)
})

test('only main reads the environment', () => {
  const text = 'const a = process.env.A'
  assert.equal(environmentRemarks('packages/server/src/app.ts', text).length, 1)
  assert.deepEqual(environmentRemarks('packages/server/src/main.ts', text), [])
  assert.deepEqual(environmentRemarks('packages/server/src/app.test.ts', text), [])
  assert.deepEqual(environmentRemarks('packages/cli/src/command-line/define.ts', text), [])
})

test('hooks of unit tests belong into a describe()', () => {
  assert.equal(hookRemarks('packages/server/src/a.test.ts', 'x\nbeforeEach(f)\n')[0]?.line, 2)
  assert.deepEqual(hookRemarks('packages/server/src/a.test.ts', '  afterEach(f)\nafter(f)\n'), [])
  assert.deepEqual(hookRemarks('tests/query/a.test.ts', 'beforeEach(f)\n'), [])
})

test('tests wait for conditions, not for a time', () => {
  const imported = "import { setTimeout as wait } from 'node:timers/promises'\n"
  const check = (path: string, text: string) => waitRemarks(path, text).length
  assert.equal(check('tests/query/a.test.ts', imported), 1)
  assert.equal(
    check('packages/server/src/a.suite.ts', 'await new Promise(resolve => setTimeout(resolve, 5))'),
    1,
  )
  assert.equal(check('tests/support/a.ts', 'await page.waitForTimeout(100)'), 1)
  assert.equal(check('tests/support/a.ts', 'setTimeout(answer, slowMs)\nawait page.waitFor()'), 0)
  assert.equal(check('packages/server/src/query-threads.ts', imported), 0)
  assert.equal(check('tests/faults/kills.ts', imported), 0)
})

test('a failure that nobody hears has its reason in a comment', () => {
  const check = (text: string, path = 'packages/server/src/a.ts') =>
    swallowRemarks(path, text).map(({ line }) => line)
  assert.deepEqual(check('const a = 1\nawait remove().catch(() => {})\n'), [2])
  assert.deepEqual(check('await read().catch(() => undefined)\n'), [1])
  assert.deepEqual(check('// The next round removes it.\nawait remove().catch(() => {})\n'), [])
  assert.deepEqual(check('await remove().catch(() => {}) // The next round removes it.\n'), [])
  assert.deepEqual(check('await remove().catch(error => log.warn(error))\n'), [])
  assert.deepEqual(check('await remove().catch(() => {})\n', 'packages/server/src/a.test.ts'), [])
})

test('relative links must resolve, but code and other addresses are ignored', () => {
  const exists = (path: string) => path === 'docs/errors.md' || path === 'README.md'
  const check = (text: string) => linkRemarks('docs/README.md', text, exists)
  assert.deepEqual(check('[a](errors.md#x) [b](../README.md) [c](https://example.org) [d](#here)'), [])
  assert.deepEqual(check('`[a](gone.md)`\n```\n[b](gone.md)\n```\n'), [])
  assert.equal(check('x\n[a](gone.md)')[0]?.line, 2)
})

test('the table of errors must have every code with its status, and no others', () => {
  const table = '| `forbidden` | 403 | when | do |\n| `conflict` | 409 | when | do |\n'
  assert.deepEqual(errorRemarks('e.md', table, { forbidden: 403, conflict: 409 }), [])
  const messages = (status: Record<string, number>) =>
    errorRemarks('e.md', table, status).map(({ message }) => message)
  assert.match(messages({ forbidden: 403 })[0] ?? '', /no error conflict any more/)
  assert.match(messages({ forbidden: 404, conflict: 409 })[0] ?? '', /status 404/)
  assert.match(messages({ forbidden: 403, conflict: 409, fault: 500 })[0] ?? '', /fault is not documented/)
  assert.match(
    errorRemarks('e.md', table + table, { forbidden: 403, conflict: 409 })[0]?.message ?? '',
    /twice/,
  )
})

test('a folder of oauth imports the folders below it only', () => {
  const check = (file: string, specifier: string) => remarksOn(`packages/server/src/oauth/${file}`, specifier)
  assert.deepEqual(check('clients/a.ts', '#oauth/library/log'), [])
  assert.deepEqual(check('library/a.ts', '#storage/clients'), [])
  assert.deepEqual(check('library/a.test.ts', '#oauth/clients/clients'), [])
  assert.match(
    check('library/a.ts', '#oauth/clients/clients')[0] ?? '',
    /library must not import oauth\/clients/,
  )
  assert.match(check('clients/a.ts', '#oauth/identity-provider/claims')[0] ?? '', /must not import/)
  assert.match(check('library/a.ts', '#oauth/visible-name')[0] ?? '', /must not import/)
  assert.match(check('new-folder/a.ts', '#oauth/library/log')[0] ?? '', /no row/)
})

test('two folders of a room import in one direction only, also for types and through others', () => {
  const check = (files: Record<string, string>) =>
    folderRemarks(
      listArrows(
        Object.entries(files).map(([path, specifier]) => ({
          path: `packages/${path}`,
          text: `import type { A } from '${specifier}'\n`,
        })),
      ),
    ).map(({ path, line }) => `${path}:${line}`)
  const below = { 'cli/src/b/y.ts': '@querent/contract/errors' }
  assert.deepEqual(check({ ...below, 'cli/src/a/x.ts': '#b/y' }), [])
  assert.deepEqual(check({ 'cli/src/b/y.ts': '#a/x', 'cli/src/a/x.ts': '#b/y', 'cli/src/a/z.ts': '#b/y' }), [
    'packages/cli/src/b/y.ts:1',
  ])
  const deep = (from: string, to: string) => ({ [`console/src/pages/${from}.tsx`]: `#pages/${to}.tsx` })
  const circle = {
    ...deep('a/x', 'b/x'),
    ...deep('b/x', 'c/x'),
    ...deep('c/x', 'a/y'),
    ...deep('a/y', 'd/x'),
  }
  assert.equal(check({ ...circle, ...deep('d/x', 'd/y') }).length, 1)
  assert.deepEqual(check({ 'cli/src/b/y.ts': '#a/x', 'cli/src/a/x.test.ts': '#b/y' }), [])
  // A file of the room itself may wire its folders.
  assert.deepEqual(check({ 'cli/src/a/x.ts': '#wiring', 'cli/src/wiring.ts': './a/x.ts' }), [])
})

test('a file of less than 15 lines with one neighbor that imports it belongs into that neighbor', () => {
  const check = (files: Record<string, string>) => {
    const sources = Object.entries(files).map(([path, text]) => ({ path: `packages/cli/src/${path}`, text }))
    return crumbRemarks(sources, listArrows(sources)).map(({ path }) => path)
  }
  const crumb = { 'a/x.ts': 'export const x = 1\n' }
  const use = "import { x } from './x.ts'\n"
  assert.deepEqual(check({ ...crumb, 'a/y.ts': use }), ['packages/cli/src/a/x.ts'])
  assert.deepEqual(check({ ...crumb, 'a/y.ts': use, 'a/x.test.ts': use }), ['packages/cli/src/a/x.ts'])
  assert.deepEqual(check({ ...crumb, 'a/y.ts': use, 'a/z.ts': use }), [])
  assert.deepEqual(check({ ...crumb, 'a/y.ts': use, 'b/z.ts': "import { x } from '#a/x'\n" }), [])
  assert.deepEqual(check({ ...crumb, 'b/z.ts': "import { x } from '#a/x'\n" }), [])
  assert.deepEqual(check({ ...crumb, 'a/y.ts': "const x = await import('./x.ts')\n" }), [])
  assert.deepEqual(check({ 'a/x.ts': '// line\n'.repeat(15), 'a/y.ts': use }), [])
})
