import assert from 'node:assert/strict'
import { test } from 'node:test'
import published from '@querent/contract/workspace-file.schema.json' with { type: 'json' }
import { endpointKeyDescriptions, keyDescriptions } from './key-descriptions.ts'
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

type Schema = { [key: string]: unknown }
const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the schemas of all keys, with their places. */
const listKeys = (schema: unknown, path: string): [path: string, schema: Schema][] => {
  if (Array.isArray(schema)) return schema.flatMap(inner => listKeys(inner, path))
  if (!isSchema(schema)) return []
  return Object.entries(schema).flatMap(([keyword, value]) =>
    keyword === 'properties' && isSchema(value)
      ? Object.entries(value).flatMap(([key, inner]): [string, Schema][] => [
          ...(isSchema(inner) ? [[`${path}.${key}`, inner] as [string, Schema]] : []),
          ...listKeys(inner, `${path}.${key}`),
        ])
      : keyword === 'const' || keyword === 'enum'
        ? []
        : listKeys(value, path),
  )
}

test('editors get a description of every key', () => {
  const keys = listKeys(workspaceFileJsonSchema(), '')
  assert.ok(keys.length > 100, String(keys.length))
  assert.deepEqual(
    keys.filter(([, { description }]) => typeof description !== 'string').map(([path]) => path),
    [],
  )
})

test('every description belongs to a key', () => {
  const schema = JSON.stringify(workspaceFileJsonSchema())
  for (const text of [...Object.values(keyDescriptions), ...Object.values(endpointKeyDescriptions)])
    assert.ok(schema.includes(JSON.stringify(text)), text)
})
