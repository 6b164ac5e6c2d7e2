/** How documents write the values of fields, so that people see dates and lists instead. */
import { splitAt } from './csv-cells.ts'
import { compileDateFormat } from './date-format.ts'
import { isPlain } from './plain-data.ts'
import { listCollections } from './titles.ts'
import type { Api, Definition } from './workspace-file.ts'

/** How a field is written. Values of a field without both are in the usual form. */
export interface FieldForm {
  /** Formats of dates, besides those of RFC 3339. */
  formats?: string[]
  /** The sign between several values of one text. */
  listSeparator?: string
}

/** Maps attributes and paths to forms, in the collections that the endpoints of an API name. The first collection with one counts. */
export const fieldForms = ({ collections = {} }: Definition, api: Api): Record<string, FieldForm> => {
  const forms: Record<string, FieldForm> = {}
  for (const collection of listCollections(api))
    for (const [name, field] of Object.entries(collections[collection]?.fields ?? {})) {
      const path = ('source' in field ? field.source : undefined) ?? name
      const form = {
        ...(field.type === 'date' && field.formats ? { formats: field.formats } : {}),
        ...('listSeparator' in field && field.listSeparator ? { listSeparator: field.listSeparator } : {}),
      }
      if (Object.keys(form).length > 0 && !Object.hasOwn(forms, path)) forms[path] = form
    }
  return forms
}

/** Returns how a value is read for people: dates in the form of RFC 3339, texts of several values as lists. Others stay as they are. */
export const createFormReader = ({
  formats = [],
  listSeparator,
}: FieldForm): ((value: unknown) => unknown) => {
  const readers = formats.flatMap(format => compileDateFormat(format) ?? [])
  const readOne = (value: unknown) => {
    if (typeof value !== 'string' && typeof value !== 'number') return value
    for (const reader of readers) {
      const date = reader(value)
      if (date !== undefined) return date
    }
    return value
  }
  const readText = (value: unknown): unknown => {
    const parts =
      typeof value === 'string' && listSeparator !== undefined ? splitAt(value, listSeparator) : undefined
    return parts === undefined ? readOne(value) : parts.length === 1 ? readOne(parts[0]) : parts.map(readOne)
  }
  return value => (Array.isArray(value) ? value.flatMap(readText) : readText(value))
}

type Attributes = Readonly<Record<string, unknown>>

/** Returns a function that reads the attributes of a document by the forms of their paths. The document itself stays as it is. */
export const createAttributesReader = (forms: Readonly<Record<string, FieldForm>>) => {
  const readers = Object.entries(forms).map(([path, form]) => ({ path, read: createFormReader(form) }))
  return (attributes: Attributes): Record<string, unknown> =>
    readers.reduce<Attributes>((current, { path, read }) => {
      const steps = Object.hasOwn(current, path) ? [path] : path.split('.')
      // An object stays an object at each of its paths.
      return readAt(current, steps, read) as Attributes
    }, attributes)
}

const readAt = (
  value: unknown,
  [step, ...rest]: readonly string[],
  read: (value: unknown) => unknown,
): unknown => {
  if (step === undefined) return read(value)
  if (Array.isArray(value)) return value.map(item => readAt(item, [step, ...rest], read))
  return isPlain(value) && Object.hasOwn(value, step)
    ? { ...value, [step]: readAt(value[step], rest, read) }
    : value
}
