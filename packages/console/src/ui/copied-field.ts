import type { Collection, Field } from '@querent/contract/workspace-file'
import { t } from '#i18n/translate.ts'

type Fields = Collection['fields']

/** Says of which field a text field searches the values, as proposals make them: `Brand-text` beside the keywords `Brand`. Undefined if of none. */
export const describeCopy = (field: Field, fields: Fields = {}): string | undefined => {
  const source = 'source' in field ? field.source : undefined
  const original = source === undefined ? undefined : fields[source]
  return original && original !== field
    ? t('copy of {field}, for searching', { field: original.title ?? source ?? '' })
    : undefined
}

/** Returns what people call a field. */
export const titleField = (name: string, field: Field, fields: Fields): string =>
  field.title ?? describeCopy(field, fields) ?? name

/** Returns the names of the fields that search the values of another one, as {@link describeCopy}. They are seen by the same people. */
export const listCopies = ({ fields = {} }: Pick<Collection, 'fields'>, original: string): string[] =>
  Object.entries(fields).flatMap(([name, field]) =>
    name !== original && 'source' in field && field.source === original ? [name] : [],
  )
