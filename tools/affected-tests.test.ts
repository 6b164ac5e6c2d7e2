import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { changedFiles, findBase, selectAffected } from './affected-tests.ts'

const unitTest = 'packages/server/src/query/plan.test.ts'
const blackBoxTest = 'tests/query/search.test.ts'
const otherTest = 'packages/server/src/keys/keyring.test.ts'
const domTest = 'tests/console/dom.test.ts'
const testFiles = [unitTest, blackBoxTest, otherTest, domTest]

const checkout: Record<string, string> = {
  'package.json': '{"imports":{"#server/*":"./packages/server/src/*.ts"}}',
  'packages/server/package.json': '{"imports":{"#*":"./src/*.ts"}}',
  'packages/contract/package.json': '{"exports":{"./*":"./src/*.ts"}}',
  'packages/contract/src/query.ts': 'export const count = 10\n',
  'packages/server/src/query/options.ts':
    "import { count } from '@querent/contract/query'\nexport const x = count\n",
  'packages/server/src/query/plan.ts': "export { x } from './options.ts'\n",
  [unitTest]: "import { x } from '#query/plan'\nx\n",
  [blackBoxTest]: "import { x } from '#server/query/plan'\nx\n",
  [otherTest]: "import './keyring.ts'\n",
  'packages/server/src/keys/keyring.ts': 'export const keys = []\n',
  'packages/console/src/test-mount.tsx': 'export const mount = 1\n',
  'tests/support/page.ts':
    "const source = new URL('../../packages/console/src/test-mount.tsx', import.meta.url)\n",
  [domTest]: "import '../support/page.ts'\n",
}

let root: string
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: 'pipe' })
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

before(() => {
  root = mkdtempSync(join(tmpdir(), 'querent-affected-'))
  for (const [path, text] of Object.entries(checkout)) write(path, text)
  git('init', '--quiet', '--initial-branch=main')
  git('add', '.')
  git('-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '--quiet', '-m', 'first')
})
after(() => rmSync(root, { recursive: true }))

test('a change selects the tests that import it, directly or through other files and packages', () => {
  assert.deepEqual(selectAffected(root, testFiles, ['packages/contract/src/query.ts']), [
    unitTest,
    blackBoxTest,
  ])
  assert.deepEqual(selectAffected(root, testFiles, ['packages/server/src/keys/keyring.ts']), [otherTest])
  assert.deepEqual(selectAffected(root, testFiles, ['README.md']), [])
})

test('a change selects the tests of a source that another loads by its address', () => {
  assert.deepEqual(selectAffected(root, testFiles, ['packages/console/src/test-mount.tsx']), [domTest])
})

test('a changed test selects itself', () => {
  assert.deepEqual(selectAffected(root, testFiles, [otherTest]), [otherTest])
})

test('changes are all differences from the base: committed, uncommitted and new files', () => {
  git('checkout', '--quiet', '-b', 'topic')
  write('packages/server/src/query/options.ts', 'export const x = 1\n')
  git('add', '.')
  git('-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '--quiet', '-m', 'second')
  write('packages/server/src/query/plan.ts', 'export const x = 2\n')
  write('new.ts', '')
  assert.deepEqual(changedFiles(root, 'main').toSorted(), [
    'new.ts',
    'packages/server/src/query/options.ts',
    'packages/server/src/query/plan.ts',
  ])
})

test('CI compares with the commit where the branch left main, on main with the commit before, and with none in a checkout of one commit', () => {
  const commit = (name: string) => {
    write(name, '')
    git('add', '.')
    git('-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '--quiet', '-m', name)
    return git('rev-parse', 'HEAD').toString().trim()
  }
  const main = git('rev-parse', 'main').toString().trim()
  commit('on-topic')
  commit('later-on-topic')
  assert.equal(findBase(root), main)
  git('checkout', '--quiet', '--force', 'main')
  assert.equal(findBase(root), undefined)
  commit('on-main')
  assert.equal(findBase(root), main)
})
