import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  isNamedBy,
  isNightly,
  isSubjectChanged,
  longerFiles,
  nightlyFiles,
  readSubject,
} from './nightly-tests.ts'
import { listTestFiles } from './test-files.ts'

const root = join(import.meta.dirname, '..')
const shareMax = 0.25

test('at most a quarter of the test files is nightly, and each exists', () => {
  const files = listTestFiles(root)
  assert.deepEqual(
    nightlyFiles.filter(file => !files.includes(file)),
    [],
  )
  const share = files.filter(isNightly).length / files.length
  assert.ok(share > 0 && share <= shareMax, `${share} of the files are nightly`)
})

test('each nightly file has a subject that exists', () => {
  for (const file of [...nightlyFiles, ...longerFiles]) {
    assert.notEqual(readSubject(file).length, 0, file)
    for (const path of readSubject(file))
      assert.ok(
        existsSync(join(root, path)) || globSync(`${path}*`, { cwd: root }).length > 0,
        `${file}: ${path}`,
      )
  }
})

test('each ordinary file that runs longer at night is listed, and the listed ones do', () => {
  const files = listTestFiles(root).filter(file =>
    /\bchooseRuns\(/.test(readFileSync(join(root, file), 'utf8')),
  )
  assert.deepEqual(files.filter(file => !isNightly(file)).toSorted(), longerFiles.toSorted())
})

test('a change of its subject or of itself selects a nightly file, and other changes do not', () => {
  const file = 'tests/sign-in/keycloak.test.ts'
  const [subject = assert.fail()] = readSubject(file)
  assert.ok(isSubjectChanged(file, ['README.md', file]))
  assert.ok(isSubjectChanged(file, [`${subject}any.ts`]))
  assert.ok(!isSubjectChanged(file, ['README.md']))
  assert.ok(!isSubjectChanged(file, []))
})

test('a filter selects a nightly file by its name, and not by its folder alone', () => {
  const file = 'tests/sign-in/keycloak.test.ts'
  for (const filter of ['keycloak', 'sign-in/key', file]) assert.ok(isNamedBy(file, filter), filter)
  for (const filter of ['sign-in', 'tests/sign-in/', 'other']) assert.ok(!isNamedBy(file, filter), filter)
})
