/** The place of a value in a document: an attribute, or a path into nested objects (workspace-file.md, Nested objects). */
import { createFormReader } from '@querent/contract/field-forms'
import type { CollectionSummary } from '@querent/contract/manage'
import { readPath } from '@querent/contract/read-path'
import type { StoredDocument } from '#api/documents.ts'
import { writeDecimal } from '#ui/write-decimal.ts'

export type FieldSummary = CollectionSummary['fields'][number]

/** Returns the value of a field: at its path or that of its source, or a place of two parts, `{lat, lon}`. Undefined without one. */
export const readField = (
  document: StoredDocument,
  { name, source, from }: Omit<FieldSummary, 'type'>,
): unknown => {
  if (!from) return readPath(document, source ?? name)
  const parts = { lat: readPath(document, from.lat), lon: readPath(document, from.lon) }
  const present = Object.entries(parts).filter(([, part]) => part !== undefined && part !== null)
  return present.length === 0 ? undefined : Object.fromEntries(present)
}

/** Returns the value of the field of this name. */
export const readFieldByName = (
  document: StoredDocument,
  fields: readonly FieldSummary[],
  name: string,
): unknown => readField(document, fields.find(field => field.name === name) ?? { name })

/** Returns the value of the field of this name as people read it: dates and lists, in whatever form the document has them. */
export const readShownValue = (
  document: StoredDocument,
  fields: readonly FieldSummary[],
  name: string,
): unknown => {
  const { formats, listSeparator, decimal } = fields.find(field => field.name === name) ?? {}
  const value = readFieldByName(document, fields, name)
  // Beside texts such as 1.234,50, a number with a point would look like a thousand times as much.
  if (decimal === ',' && typeof value === 'number' && !Number.isInteger(value))
    return writeDecimal(String(value), { decimal })
  return formats || listSeparator !== undefined
    ? createFormReader({
        ...(formats ? { formats } : {}),
        ...(listSeparator === undefined ? {} : { listSeparator }),
      })(value)
    : value
}

/** Where a field has its values. */
export const listPaths = ({ name, source, from }: Omit<FieldSummary, 'type'>): string[] =>
  from ? [from.lat, from.lon] : [source ?? name]

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the names on the way to the value. An attribute with the whole name is its place. */
const listSteps = (document: StoredDocument, path: string): string[] =>
  Object.hasOwn(document, path) ? [path] : path.split('.')

/** Returns the attribute of the document that has the value, or would have it. */
export const findAttribute = (document: StoredDocument, path: string): string =>
  listSteps(document, path)[0] ?? path

/** Whether a form can write the value: the path leads through no list and no plain value. */
export const isWritable = (document: StoredDocument, path: string): boolean => {
  let value: unknown = document
  for (const step of listSteps(document, path)) {
    if (!isObject(value)) return false
    if (!Object.hasOwn(value, step)) return true
    value = value[step]
  }
  return true
}

/** Returns the document with another value at a path; without a value if it is undefined. Objects that lose their last value go too. */
export const writeValue = (document: StoredDocument, path: string, value: unknown): StoredDocument =>
  write(document, listSteps(document, path), value)

const write = (
  object: Readonly<Record<string, unknown>>,
  [step = '', ...others]: readonly string[],
  value: unknown,
): Record<string, unknown> => {
  const { [step]: before, ...rest } = object
  const next = others.length === 0 ? value : write(isObject(before) ? before : {}, others, value)
  const isGone = next === undefined || (others.length > 0 && isObject(next) && Object.keys(next).length === 0)
  // A value that is there keeps its position.
  return isGone ? rest : Object.hasOwn(object, step) ? { ...object, [step]: next } : { ...rest, [step]: next }
}
