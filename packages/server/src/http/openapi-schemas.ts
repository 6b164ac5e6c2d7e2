/** Schemas and components of OpenAPI documents, in the forms that generators of clients read. */

export type Schema = Readonly<Record<string, unknown>>

/** The key of `patternProperties` of a map whose keys may be any text. */
const anyKey = '^.*$'

/** Changes one schema, whose parts are changed already. */
const simplifyOne = (schema: Record<string, unknown>): Record<string, unknown> => {
  const { patternProperties, anyOf, ...rest } = schema
  if (patternProperties !== undefined && Object.hasOwn(Object(patternProperties), anyKey))
    return { ...rest, additionalProperties: Object(patternProperties)[anyKey] }
  if (!Array.isArray(anyOf)) return schema
  const texts = anyOf.flatMap(({ const: text }) => (typeof text === 'string' ? [text] : []))
  return texts.length === anyOf.length ? { ...rest, type: 'string', enum: texts } : schema
}

/**
 * Writes schemas of the contract for generators: a map by `additionalProperties` instead of `patternProperties`, texts to choose from by
 * `enum` instead of `anyOf` with `const`, and a reference where one of the schemas contains another.
 */
export const simplifySchemas = <T extends Readonly<Record<string, object>>>(
  named: T,
): Record<keyof T, Schema> => {
  const names = new Map<unknown, string>(Object.entries(named).map(([name, schema]) => [schema, name]))
  const simplify = (value: unknown): unknown => {
    const name = names.get(value)
    return name === undefined ? simplifyParts(value) : { $ref: `#/components/schemas/${name}` }
  }
  const simplifyParts = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(simplify)
    if (typeof value !== 'object' || value === null) return value
    return simplifyOne(Object.fromEntries(Object.entries(value).map(([key, part]) => [key, simplify(part)])))
  }
  const simple = Object.entries(named).map(([name, schema]) => [name, simplifyParts(schema)])
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
