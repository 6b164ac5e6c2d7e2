/** How documents write the values of one field, so that people can type values as they see them. */
import { expandFields } from './object-fields.ts'
import type { Definition } from './workspace-file.ts'

/** Empty: the usual form. */
export interface ValueForm {
  /** The decimal sign of numbers; the other one groups their digits. */
  decimal?: ',' | '.'
  /** Formats of dates, besides those of RFC 3339. */
  formats?: string[]
}

/** Returns the form that is that of all these fields: a sign that means something else in one of them is not read. */
export const mergeValueForms = (fields: readonly Readonly<ValueForm>[]): ValueForm => {
  const signs = new Set(fields.map(({ decimal }) => decimal))
  const [decimal] = signs.size === 1 ? signs : []
  const formats = [...new Set(fields.flatMap(field => field.formats ?? []))]
  return { ...(decimal ? { decimal } : {}), ...(formats.length > 0 ? { formats } : {}) }
}

/** Returns the form of a field in the collections of these names. */
export const valueForm = (
  { collections = {} }: Pick<Definition, 'collections'>,
  names: readonly string[],
  name: string,
): ValueForm =>
  mergeValueForms(
    names.flatMap(collection => {
      const fields = expandFields(collections[collection]?.fields)
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined
      if (field === undefined) return []
      return [
        {
          ...(field.type === 'number' && field.decimal ? { decimal: field.decimal } : {}),
          ...(field.type === 'date' && field.formats ? { formats: field.formats } : {}),
        },
      ]
    }),
  )
