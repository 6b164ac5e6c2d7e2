/** The fields that an object declares inside (workspace-file.md, Field types). */
import type { Field } from './workspace-file.ts'

/** Elements of a list whose values are kept together. */
export const elementsMax = 1000

/** Returns the fields of a collection, and by their paths those inside objects: `offers.shop`. */
export const expandFields = (
  fields: Readonly<Record<string, Field>> = {},
): Readonly<Record<string, Field>> => {
  if (!Object.values(fields).some(field => field.type === 'object' && field.fields)) return fields
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]): [string, Field][] => [
      [name, field],
      ...(field.type === 'object' ? listInnerFields(name, field) : []),
    ]),
  )
}

const listInnerFields = (name: string, { fields = {} }: Field & { type: 'object' }): [string, Field][] =>
  Object.entries(fields).map(([inner, field]) => [`${name}.${inner}`, field])

/** Splits the fields of a collection into single ones. An object has one inside. */
export const splitFields = (fields: Readonly<Record<string, Field>> = {}): Record<string, Field>[] =>
  Object.entries(fields).flatMap(([name, field]): Record<string, Field>[] =>
    field.type === 'object' && field.fields
      ? Object.entries(field.fields).map(([inner, one]) => ({
          [name]: { ...field, fields: { [inner]: one } },
        }))
      : [{ [name]: field }],
  )

/** Maps the fields inside of objects with `together` to the names of these objects. */
export const elementLists = (fields: Readonly<Record<string, Field>> = {}): Map<string, string> =>
  new Map(
    Object.entries(fields).flatMap(([name, field]) =>
      field.type === 'object' && field.together
        ? listInnerFields(name, field).map(([path]): [string, string] => [path, name])
        : [],
    ),
  )
