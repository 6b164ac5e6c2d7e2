import assert from 'node:assert/strict'
import { test } from 'node:test'
import published from '@querent/contract/workspace-file.schema.json' with { type: 'json' }
import { workspaceFileJsonSchema } from './workspace-file-json-schema.ts'

test('the published JSON Schema is that of this version', () => {
  assert.deepEqual(
    published,
    workspaceFileJsonSchema(),
    'write JSON.stringify(workspaceFileJsonSchema(), null, 2) to packages/contract/workspace-file.schema.json',
  )
})

test('endpoints are told apart by kind', () => {
  const text = JSON.stringify(workspaceFileJsonSchema())
  assert.match(text, /"oneOf":\[\{"type":"object","required":\["kind","collection"\]/)
})
