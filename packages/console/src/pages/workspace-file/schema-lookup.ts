/** Finds the part of the workspace file's JSON Schema that describes a place. */

/** The keywords that `workspace-file.schema.json` uses. */
export interface Schema {
  type?: string
  description?: string
  const?: unknown
  enum?: unknown[]
  default?: unknown
  examples?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  items?: Schema
  required?: string[]
}

/** The keys that choose one schema of several: an endpoint has a kind, a field has a type. */
const discriminators = ['kind', 'type']

/**
 * Returns the schemas that a value at `path` may have; none if no schema describes it. `scalars` are the values of each level of the path:
 * of several schemas by kind, the one of the written kind remains.
 */
export const findSchemas = (
  root: Schema,
  path: readonly string[],
  scalars: readonly ReadonlyMap<string, string>[],
): Schema[] => {
  let schemas = selectVariants(root, scalars[0])
  for (const [depth, key] of path.entries())
    schemas = schemas
      .flatMap(schema => findChildren(schema, key))
      .flatMap(schema => selectVariants(schema, scalars[depth + 1]))
  return schemas
}

const findChildren = (schema: Schema, key: string): Schema[] => {
  if (key === '[]') return schema.items ? [schema.items] : []
  const property = schema.properties?.[key]
  if (property) return [property]
  for (const [pattern, child] of Object.entries(schema.patternProperties ?? {}))
    if (new RegExp(pattern, 'u').test(key)) return [child]
  return typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []
}

/** Resolves unions, and keeps the variants that agree with the written kind or type. */
const selectVariants = (schema: Schema, scalars: ReadonlyMap<string, string> | undefined): Schema[] => {
  const variants = schema.anyOf ?? schema.oneOf
  if (!variants) return [schema]
  const fitting = variants.filter(variant =>
    discriminators.every(key => {
      const value = scalars?.get(key)
      const values = listValues(variant.properties?.[key])
      return !value || values.length === 0 || values.includes(value)
    }),
  )
  return (fitting.length > 0 ? fitting : variants)
    .flatMap(variant => selectVariants(variant, scalars))
    .map(variant => (schema.description ? { description: schema.description, ...variant } : variant))
}

/** Returns the values that a schema allows, as the file writes them; none if it allows any. */
export const listValues = (schema: Schema | undefined): string[] => {
  if (!schema) return []
  if (schema.const !== undefined) return [String(schema.const)]
  if (schema.enum) return schema.enum.map(String)
  if (schema.type === 'boolean') return ['true', 'false']
  return (schema.anyOf ?? schema.oneOf ?? []).flatMap(listValues)
}

/** Names the types of a schema, such as `text, list`. */
export const describeTypes = (schemas: readonly Schema[]): string =>
  [...new Set(schemas.flatMap(listTypes))].join(', ')

const listTypes = (schema: Schema): string[] => {
  const variants = schema.anyOf ?? schema.oneOf
  if (variants) return variants.flatMap(listTypes)
  if (schema.const !== undefined || schema.enum) return []
  return [typeNames[schema.type ?? ''] ?? schema.type ?? '']
}

const typeNames: Record<string, string> = { string: 'text', array: 'list', object: 'mapping', boolean: '' }
