/**
 * Writes the contract's schemas: the builders of TypeBox that it uses, with TypeBox's types, made of nothing. The library's own are 600
 * files, a tenth of a server's start, for what is plain JSON Schema in the end; schema.test.ts compares the two.
 */
import type { Static, TSchema, Type as TypeBox } from 'typebox'

export type { Static, TSchema }

type Schema = Readonly<Record<string, unknown>>
type Properties = Readonly<Record<string, Schema>>

/** Members that may be missing. */
const optional = new WeakSet<Schema>()

const ofType = (type: string) => (options?: Schema) => ({ type, ...options })

const objectOf = (properties: Properties, options?: Schema) => {
  const required = Object.keys(properties).filter(name => !optional.has(properties[name] ?? {}))
  return { type: 'object', ...(required.length > 0 ? { required } : {}), properties, ...options }
}

const builders = {
  String: ofType('string'),
  Number: ofType('number'),
  Integer: ofType('integer'),
  Boolean: ofType('boolean'),
  Null: ofType('null'),
  Unknown: (options?: Schema) => ({ ...options }),
  Literal: (value: unknown, options?: Schema) => ({ type: typeof value, const: value, ...options }),
  Array: (items: Schema, options?: Schema) => ({ type: 'array', items, ...options }),
  Union: (anyOf: Schema[], options?: Schema) => ({ anyOf, ...options }),
  Object: objectOf,
  Record: ({ pattern = '^.*$' }: { pattern?: string }, value: Schema, options?: Schema) => ({
    type: 'object',
    patternProperties: { [pattern]: value },
    ...options,
  }),
  Optional: (schema: Schema) => {
    const made = { ...schema }
    optional.add(made)
    return made
  },
  Omit: ({ properties }: { properties: Properties }, names: readonly string[]) =>
    objectOf(Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name)))),
  Unsafe: (schema: Schema) => schema,
}

// They make what TypeBox's make; what types come of it is TypeBox's knowledge.
export const Type = builders as unknown as Pick<typeof TypeBox, keyof typeof builders>
