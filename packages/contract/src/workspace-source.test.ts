import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readWorkspaceFile } from './read-workspace-file.ts'

test('YAML that stands for no value is refused with a place', () => {
  const read = readWorkspaceFile('%YAML 1.1\n---\n<<: ')
  assert.ok('errors' in read)
  assert.match(read.errors[0]?.message ?? '', /cannot be read/)
  assert.equal(read.errors[0]?.line, 1)
})
