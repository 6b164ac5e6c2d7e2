import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refuseBrokenFilters } from './apply-rules.ts'
import { mergeFile } from './changes.ts'
import { WorkspaceFileRefusal } from './workspace-file-reader.ts'

test('of many broken row filters the first 100 are named', () => {
  const members = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [
      `m${index}@example.org`,
      { roles: ['api' as const], filter: { genre: ['drama'] } },
    ]),
  )
  const collections = { films: { fields: { genre: { type: 'keyword' as const } } } }
  const current = mergeFile(undefined, { workspace: 'films', collections, members })
  assert.doesNotThrow(() => refuseBrokenFilters(current, current, true))
  const desired = mergeFile(current, { workspace: 'films' })
  assert.throws(
    () => refuseBrokenFilters(current, desired, true),
    error =>
      error instanceof WorkspaceFileRefusal &&
      error.code === 'bad-workspace-file' &&
      error.faults.length === 100,
  )
})
