import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { changedFiles, findBase } from './changed-files.ts'
import { openNearestTests } from './nearest-tests.ts'
import { isNightly } from './nightly-tests.ts'
import { listTestFiles } from './test-files.ts'
import { subjects, subjectTestFiles } from './test-subjects.ts'

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

const select = (folder: string, files: readonly string[], changed: readonly string[]) =>
  openNearestTests(folder, files)(changed).files

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
  assert.deepEqual(select(root, testFiles, ['packages/contract/src/query.ts']), [unitTest, blackBoxTest])
  assert.deepEqual(select(root, testFiles, ['packages/server/src/keys/keyring.ts']), [otherTest])
  assert.deepEqual(select(root, testFiles, ['README.md']), [])
})

test('a change selects the tests of a source that another loads by its address', () => {
  assert.deepEqual(select(root, testFiles, ['packages/console/src/test-mount.tsx']), [domTest])
})

test('a changed test selects itself', () => {
  assert.deepEqual(select(root, testFiles, [otherTest]), [otherTest])
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

const project = join(import.meta.dirname, '..')
const ordinaryTests = listTestFiles(project).filter(file => !isNightly(file))
const sources = globSync('packages/*/src/**/*.{ts,tsx}', { cwd: project }).filter(
  path => !path.endsWith('.test.ts'),
)
const selectNear = openNearestTests(project, ordinaryTests)

test('each part of the sources with a subject exists, and its tests are ordinary ones', () => {
  const missing = subjects.filter(subject => !existsSync(join(project, subject)))
  const unknown = subjectTestFiles.filter(file => !ordinaryTests.includes(file))
  assert.deepEqual({ missing, unknown }, { missing: [], unknown: [] })
})

test('each folder of the server has tests of a started server of its own subject', () => {
  const folders = readdirSync(join(project, 'packages/server/src'), { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(({ name }) => `packages/server/src/${name}/`)
  assert.deepEqual(
    folders.filter(folder => !subjects.includes(folder)),
    [],
  )
})

test('a change of any source selects its own test, and few others', () => {
  for (const source of sources) {
    const { files } = selectNear([source])
    const ownTest = source.replace(/\.tsx?$/, '.test.ts')
    if (ordinaryTests.includes(ownTest))
      assert.ok(files.includes(ownTest), `${source} does not select ${ownTest}`)
    assert.ok(files.length <= 20, `${source} selects ${files.length} files`)
  }
})

test('a change of a source that most of the server imports leaves tests to the full run, and counts them', () => {
  const { files, leftOut } = selectNear(['packages/server/src/errors.ts'])
  assert.ok(files.length > 0)
  assert.ok(leftOut > 100, `${leftOut} are left out`)
})
