import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readWorkspaceFile } from './read-workspace-file.ts'
import { workspaceTemplates } from './templates.ts'

test('every template is a workspace file that can be applied as it is', () => {
  for (const { name, write } of workspaceTemplates) {
    const read = readWorkspaceFile(write('shop', 'Quotes " and: colons'))
    assert.ok('file' in read, `${name}: ${JSON.stringify(read)}`)
    assert.equal(read.file.workspace, 'shop')
    assert.equal(read.file.title, 'Quotes " and: colons')
  }
})
