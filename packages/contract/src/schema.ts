/**
 * Builds the contract's schemas: a small replacement of the TypeBox builders, with TypeBox's types. The library has 600 files, which take a
 * tenth of a server's start, to write plain JSON Schema. schema.test.ts compares the two.
 */
import type { Static, TSchema, Type as TypeBox } from 'typebox'

export type { Static, TSchema }

type Schema = Readonly<Record<string, unknown>>
type Properties = Readonly<Record<string, Schema>>

/** Schemas of optional members. */
const optional = new WeakSet<Schema>()

const typeBuilder = (type: string) => (options?: Schema) => ({ type, ...options })

const buildObject = (properties: Properties, options?: Schema) => {
  const required = Object.keys(properties).filter(name => !optional.has(properties[name] ?? {}))
  return { type: 'object', ...(required.length > 0 ? { required } : {}), properties, ...options }
}

const builders = {
  String: typeBuilder('string'),
  Number: typeBuilder('number'),
  Integer: typeBuilder('integer'),
  Boolean: typeBuilder('boolean'),
  Null: typeBuilder('null'),
  Unknown: (options?: Schema) => ({ ...options }),
  Literal: (value: unknown, options?: Schema) => ({ type: typeof value, const: value, ...options }),
  Array: (items: Schema, options?: Schema) => ({ type: 'array', items, ...options }),
  Union: (anyOf: Schema[], options?: Schema) => ({ anyOf, ...options }),
  Object: buildObject,
  Record: ({ pattern = '^.*$' }: { pattern?: string }, value: Schema, options?: Schema) => ({
    type: 'object',
    patternProperties: { [pattern]: value },
    ...options,
  }),
  Optional: (schema: Schema) => {
    const copy = { ...schema }
    optional.add(copy)
    return copy
  },
  Omit: ({ properties }: { properties: Properties }, names: readonly string[]) =>
    buildObject(Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name)))),
  Unsafe: (schema: Schema) => schema,
}

// The builders return the same JSON as TypeBox's, and take their types from it.
export const Type = builders as unknown as Pick<typeof TypeBox, keyof typeof builders>
