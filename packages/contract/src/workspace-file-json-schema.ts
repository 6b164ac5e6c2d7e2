/** JSON Schema of the workspace file, for editors. The committed `workspace-file.schema.json` equals it (see the test). */
import { endpointKeyDescriptions, keyDescriptions } from './key-descriptions.ts'
import { conditionKeyDescriptions } from './rights-key-descriptions.ts'
import { WorkspaceFile } from './workspace-file.ts'

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/**
 * Returns the schema of a workspace file as plain data, JSON Schema draft 2020-12. Unions by `kind` (endpoints) are `oneOf`, so that editors
 * show the errors of the kind in the file. Every key has a description.
 */
export const workspaceFileJsonSchema = (): { [key: string]: Json } => {
  // TypeBox adds properties of its own, which JSON drops.
  const schema: { [key: string]: Json } = JSON.parse(JSON.stringify(WorkspaceFile))
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Workspace file of Querent',
    ...describeKeys(schema, []),
  }
}

const endpointDepth = 'apis.*.endpoints.*'.split('.').length

/** Returns a schema with descriptions, and those inside it. `kind` is that of the endpoint around it. */
const describeKeys = (
  schema: { [key: string]: Json },
  path: readonly string[],
  kind = '',
): { [key: string]: Json } => {
  const describe = (inner: Json | undefined, key: readonly string[] = [], innerKind = kind): Json =>
    isObject(inner) ? describeKeys(inner, [...path, ...key], innerKind) : (inner ?? null)
  const described = Object.entries(schema).map(([keyword, value]): [string, Json] => {
    if (keyword === 'anyOf' && Array.isArray(value))
      return [
        value.every(readKind) ? 'oneOf' : 'anyOf',
        value.map(branch => describe(branch, [], readKind(branch) || kind)),
      ]
    if (keyword === 'items') return [keyword, describe(value)]
    if (keyword === 'properties' && isObject(value))
      return [
        keyword,
        Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, describe(inner, [key])])),
      ]
    if (keyword === 'patternProperties' && isObject(value))
      return [
        keyword,
        Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, describe(inner, ['*'])])),
      ]
    return [keyword, value]
  })
  const description = describeKey(path, kind)
  return { ...Object.fromEntries(described), ...(description ? { description } : {}) }
}

/** Returns the meaning of the key at a path; undefined for names that people choose. */
const describeKey = (path: readonly string[], kind: string): string | undefined => {
  // Fields inside objects have the keys of others.
  const key = path.join('.')
  const description =
    keyDescriptions[key] ??
    keyDescriptions[key.replace(insideObjects, 'collections.*.fields.*')] ??
    describeConditionKey(path)
  const inEndpoint = path.slice(endpointDepth)
  if (description !== undefined || path[0] !== 'apis' || path[2] !== 'endpoints' || inEndpoint.length === 0)
    return description
  const name = inEndpoint.join('.')
  return endpointKeyDescriptions[`${kind}.${name}`] ?? endpointKeyDescriptions[name]
}

/** Returns the meaning of a key inside a row filter. */
const describeConditionKey = (path: readonly string[]): string | undefined => {
  const [section = ''] = path
  const key = section === 'tests' ? 'never' : 'filter'
  const isInFilter = filteredSections.includes(section) && path.includes(key)
  return isInFilter && path.at(-1) !== key ? conditionKeyDescriptions[path.at(-1) ?? ''] : undefined
}

const filteredSections: readonly string[] = ['groups', 'memberDefaults', 'members', 'systemToSystem', 'tests']

const insideObjects = 'collections.*.fields.*.fields.*'

const isObject = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the kind of a branch of a union; empty if it has none. */
const readKind = (branch: Json): string => {
  const properties = isObject(branch) ? branch.properties : undefined
  const kind = isObject(properties) ? properties.kind : undefined
  return isObject(kind) && typeof kind.const === 'string' ? kind.const : ''
}
