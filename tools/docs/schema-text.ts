/** JSON Schemas in words, for tables. */
import { code } from './markdown.ts'

/** The keywords of JSON Schema that the reference shows. */
export interface JsonSchema {
  $ref?: string
  type?: string
  description?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  patternProperties?: Record<string, JsonSchema>
  additionalProperties?: boolean | JsonSchema
  required?: string[]
  default?: unknown
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

export const alternatives = ({ anyOf, oneOf }: JsonSchema): JsonSchema[] => anyOf ?? oneOf ?? []

/** Names a component, such as `Results`. */
export const referenceName = (reference: string): string => reference.split('/').at(-1) ?? ''

const bounds = (schema: JsonSchema): string => {
  const unit = schema.type === 'string' ? ' characters' : schema.type === 'array' ? ' items' : ''
  const lowest = schema.minimum ?? schema.minLength ?? schema.minItems
  const highest = schema.maximum ?? schema.maxLength ?? schema.maxItems
  if (schema.exclusiveMinimum !== undefined)
    return ` above ${schema.exclusiveMinimum}${highest === undefined ? '' : `, at most ${highest}`}`
  if (highest === undefined) return lowest === undefined || lowest <= 1 ? '' : ` of at least ${lowest}${unit}`
  return lowest === undefined || (unit !== '' && lowest <= 1)
    ? ` up to ${highest}${unit}`
    : ` from ${lowest} to ${highest}${unit}`
}

/** Returns the type and its bounds: `whole number from 1 to 1000`. `link` makes the link to a named schema. */
export const describeType = (schema: JsonSchema, link: (name: string) => string = code): string => {
  if (schema.$ref !== undefined) return link(referenceName(schema.$ref))
  if (schema.enum !== undefined) return schema.enum.map(value => code(String(value))).join(', ')
  if (schema.const !== undefined) return code(JSON.stringify(schema.const).replaceAll('"', ''))
  const choices = alternatives(schema)
  if (choices.length > 0) return [...new Set(choices.map(choice => describeType(choice, link)))].join(' or ')
  if (schema.type === 'array')
    return `list${bounds(schema)}${schema.items ? ` of ${describeType(schema.items, link).replace(/^(object|text|number)\b/, '$1s')}` : ''}`
  const names: Record<string, string> = {
    string: 'text',
    integer: 'whole number',
    boolean: '`true` or `false`',
  }
  return `${names[schema.type ?? ''] ?? schema.type ?? 'any value'}${bounds(schema)}`
}

export interface SchemaRow {
  path: string
  schema: JsonSchema
  required: boolean
}

/** Lists the properties of an object and of the objects in it: `items[].email`. Those of a named schema are listed at that schema. */
export const listProperties = (schema: JsonSchema, prefix = '', depth = 0): SchemaRow[] => {
  const { properties = {}, required = [], patternProperties = {}, additionalProperties } = schema
  const maps = [...Object.values(patternProperties), additionalProperties].filter(
    value => typeof value === 'object',
  )
  const rows = [
    ...Object.entries(properties).map(
      ([name, inner]) => [`${prefix}${name}`, inner, required.includes(name)] as const,
    ),
    ...maps.map(inner => [`${prefix}*`, inner, false] as const),
  ]
  return rows.flatMap(([path, inner, isRequired]) => [
    { path, schema: inner, required: isRequired },
    ...(depth < 4 ? listInside(inner, path, depth + 1) : []),
  ])
}

const listInside = (schema: JsonSchema, path: string, depth: number): SchemaRow[] => {
  if (schema.$ref !== undefined) return []
  if (schema.items) return listInside(schema.items, `${path}[]`, depth)
  const choices = alternatives(schema)
  const rows =
    choices.length > 0
      ? choices.flatMap(choice => listInside(choice, path, depth))
      : listProperties(schema, `${path}.`, depth)
  const paths = new Set<string>()
  return rows.filter(row => !paths.has(row.path) && paths.add(row.path))
}
