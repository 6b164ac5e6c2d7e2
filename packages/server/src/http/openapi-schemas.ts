/** Schemas and components of OpenAPI documents, in the forms that generators of clients read. */

export type Schema = Readonly<Record<string, unknown>>

/** The key of `patternProperties` of a map whose keys may be any text. */
const anyKey = '^.*$'

/** Generators read an integer without a format as 32 bits. */
const int32Max = 2 ** 31 - 1

/** The text of a `const`, which is written as an `enum` of one already. */
const readText = (schema: Schema): string | undefined =>
  Array.isArray(schema.enum) && schema.enum.length === 1 ? String(schema.enum[0]) : undefined

/** Texts to choose from by `enum` instead of `anyOf` with `const`. One of them may be null, which stays a part of its own: no generator makes a constant of it. */
const simplifyUnion = (parts: readonly Schema[], rest: Schema): Schema => {
  const isNull = ({ type }: Schema) => type === 'null'
  const values = parts.filter(part => !isNull(part))
  const texts = values.flatMap(part => readText(part) ?? [])
  const isChoice = texts.length === values.length
  const choice = { type: 'string', enum: texts }
  if (values.length === parts.length) return isChoice ? { ...choice, ...rest } : { ...rest, anyOf: parts }
  const [first] = values
  const single = isChoice ? choice : values.length === 1 ? first : undefined
  if (single === undefined) return { ...rest, anyOf: parts }
  const isPlain = typeof single.type === 'string' && single.type !== 'object' && single.enum === undefined
  return isPlain
    ? { ...single, ...rest, type: [single.type, 'null'] }
    : { ...rest, anyOf: [single, { type: 'null' }] }
}

/** Changes one schema, whose parts are changed already. */
const simplifyOne = (schema: Schema): Schema => {
  // Java clients with the library `native` do not compile with a set of texts to choose from.
  const { patternProperties, anyOf, const: constant, uniqueItems: _, ...rest } = schema
  if (patternProperties !== undefined && Object.hasOwn(Object(patternProperties), anyKey))
    return { ...rest, additionalProperties: Object(patternProperties)[anyKey] }
  if (Array.isArray(anyOf)) return simplifyUnion(anyOf, rest)
  if (typeof constant === 'string') return { ...rest, enum: [constant] }
  const isLong = rest.type === 'integer' && !(Number(rest.maximum) <= int32Max)
  return isLong
    ? { ...rest, format: 'int64' }
    : { ...rest, ...(constant !== undefined && { const: constant }) }
}

const withoutDescription = ({ description: _, ...rest }: Schema): string => JSON.stringify(rest)

/** Writes schemas of the contract in the forms that generators read. */
export interface SchemaWriter {
  /** A reference if the schema has a name; its parts always. */
  write(schema: object): Schema
  /** The schema itself, also if it has a name; references in its parts. */
  writeParts(schema: object): Schema
}

/**
 * Writes a map by `additionalProperties` instead of `patternProperties`, texts to choose from by `enum` instead of `const`, values that may be
 * null by a list of types, and a reference instead of a schema that equals a named one, whatever its description.
 */
export const createSchemaWriter = (named: Readonly<Record<string, object>>): SchemaWriter => {
  const names = new Map<string, string>()
  const descriptions = new Map<string, unknown>()
  for (const [name, schema] of Object.entries(named)) {
    names.set(withoutDescription({ ...schema }), name)
    descriptions.set(name, Object(schema).description)
  }
  const write = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return writeParts(value)
    const schema: Schema = { ...value }
    const name = names.get(withoutDescription(schema))
    if (name === undefined) return writeParts(schema)
    const { description } = schema
    const isOwn = description !== undefined && description !== descriptions.get(name)
    return { $ref: `#/components/schemas/${name}`, ...(isOwn && { description }) }
  }
  const writeParts = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(write)
    if (typeof value !== 'object' || value === null) return value
    return simplifyOne(Object.fromEntries(Object.entries(value).map(([key, part]) => [key, write(part)])))
  }
  // An object is written as an object.
  return { write: schema => write(schema) as Schema, writeParts: schema => writeParts(schema) as Schema }
}

/** Writes named schemas, with references where one of them contains another. */
export const simplifySchemas = <T extends Readonly<Record<string, object>>>(
  named: T,
): Record<keyof T, Schema> => {
  const { writeParts } = createSchemaWriter(named)
  const simple = Object.entries(named).map(([name, schema]) => [name, writeParts(schema)])
  // It keeps the names.
  return Object.fromEntries(simple) as Record<keyof T, Schema>
}

type Components = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** Returns the components that the paths refer to, directly or through other components. */
export const pruneComponents = <T extends Components>(
  paths: Readonly<Record<string, unknown>>,
  components: T,
): T => {
  const namesByKind = new Map(Object.keys(components).map(kind => [kind, new Set<string>()]))
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, part] of Object.entries(value))
      if (key === '$ref' && typeof part === 'string') follow(part)
      else visit(part)
  }
  const follow = (reference: string): void => {
    const [, , kind = '', name = ''] = reference.split('/')
    const names = namesByKind.get(kind)
    if (names === undefined || names.has(name)) return
    names.add(name)
    visit(components[kind]?.[name])
  }
  visit(paths)
  const pruned = Object.entries(components).map(([kind, named]) => [
    kind,
    Object.fromEntries(Object.entries(named).filter(([name]) => namesByKind.get(kind)?.has(name))),
  ])
  // The same kinds of components, with fewer names.
  return Object.fromEntries(pruned) as T
}

/** `info.contact`: the server's own pages, because the server does not know who runs it. */
export const openApiContact = (authUrl: string) => ({ name: 'The operators of this server', url: authUrl })
