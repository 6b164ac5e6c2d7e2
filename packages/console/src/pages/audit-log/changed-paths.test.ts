import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readChangedPaths } from './changed-paths.ts'

test('a changed path keeps the blanks of its names', () => {
  const paths = ['add applications.Hemel webshop', 'change apis.shop.endpoints.search', 'change title', '']
  assert.deepEqual(readChangedPaths({ action: 'applyWorkspaceFile', detail: { paths, changes: 4 } }), [
    { change: 'add', section: 'applications', name: 'Hemel webshop', part: undefined },
    { change: 'change', section: 'apis', name: 'shop', part: 'endpoints' },
    { change: 'change', section: 'title', name: undefined, part: undefined },
    { change: '', section: '', name: undefined, part: undefined },
  ])
})
