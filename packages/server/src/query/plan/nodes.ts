/** Turns parameter values of a request into nodes of a plan. Errors name the invalid value and what is allowed. */
import type { DocumentIds } from '@querent/contract/document-id'
import {
  type FilterableType,
  isFilterable,
  isWholeDay,
  readFieldValue,
  valueForms,
} from '@querent/contract/field-value'
import { circleForm, pointForm, readCircle, readPoint } from '@querent/contract/geo-value'
import { readFilterValue, type Tuple } from '@querent/contract/tuple-list'
import type { PlanNode, ScoredValues, SortKey } from '#engines/engine'
import { Problem } from '#errors'
import { type CollectionView, matchNone } from './collection-view.ts'

const quoteClipped = (text: string) => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)

export const badValue = (subject: string, text: string, allowed: string) =>
  new Problem('bad-parameter', `${subject}: found ${quoteClipped(text)}, allowed: ${allowed}`)

const filterableType = (field: string, { fields }: CollectionView): FilterableType | undefined => {
  const type = fields.get(field)?.type
  return type !== undefined && isFilterable(type) ? type : undefined
}

/**
 * Makes a filter from a plain value or a tuple list, typed by the field. Fails closed: nothing matches if the collection does not have the
 * field. Values of a geo field are circles, `lat,lon,distance`. Throws Problem `bad-parameter` for values of another type. `subject` starts
 * the message. With `hasMissing` the empty value stands for documents without a value; a list with it changes no scores.
 */
export const filterNode = (
  field: string,
  text: string,
  collection: CollectionView,
  subject: string,
  hasMissing = false,
): PlanNode => {
  if (collection.fields.get(field)?.type === 'geo') return distanceNode(field, text, subject)
  const type = filterableType(field, collection)
  if (type === undefined) return matchNone
  if (hasMissing) return filterWithMissing(field, type, text, subject)
  if (type === 'keyword') return { kind: 'filter', field, alternatives: readFilterValue(text) }
  return { kind: 'filter', field, alternatives: readTypedValues(type, text, subject) }
}

const filterWithMissing = (field: string, type: FilterableType, text: string, subject: string): PlanNode => {
  const missing: PlanNode = { kind: 'present', field, not: true }
  if (text === '') return missing
  const alternatives = readTypedValues(type, text, subject, '')
  const values = alternatives.flatMap(tuple => tuple.values).filter(value => value !== '')
  if (values.length === alternatives.flatMap(tuple => tuple.values).length)
    return { kind: 'filter', field, alternatives }
  if (values.length === 0) return missing
  return {
    kind: 'any',
    parts: [{ kind: 'filter', field, alternatives: [{ score: 1, values }] }, missing],
    not: false,
  }
}

/** `other` is allowed besides the values of the type. */
const readTypedValues = (
  type: FilterableType,
  text: string,
  subject: string,
  other?: string,
): ScoredValues[] => {
  const read = (value: string) => (value === other ? value : readFieldValue(type, value))
  return readFilterValue(text, value => read(value) !== undefined).map(({ score, values }): ScoredValues => {
    const typed = values.map(value => {
      const typedValue = read(value)
      if (typedValue === undefined)
        throw badValue(subject, value, `${valueForms[type]}, or a tuple list of such values`)
      return typedValue
    })
    return { score, values: typed }
  })
}

const isCircle = (text: string): boolean => readCircle(text) !== undefined

const distanceNode = (field: string, text: string, subject: string): PlanNode => ({
  kind: 'distance',
  field,
  alternatives: readFilterValue(text, isCircle).map(({ score, values }) => ({
    score,
    circles: values.map(value => {
      const circle = readCircle(value)
      if (circle === undefined) throw badValue(subject, value, circleForm)
      return circle
    }),
  })),
})

/** Sorts by the distance from a point, `lat,lon`. Throws Problem `bad-parameter` for an invalid point. */
export const distanceKey = (
  field: string,
  order: 'ascending' | 'descending',
  text: string,
  subject: string,
): SortKey => {
  const point = readPoint(text)
  if (point === undefined) throw badValue(subject, text, pointForm)
  return { by: 'distance', field, ...point, order }
}

/** Makes a filter from a value of the workspace file. If it doesn't fit the field's type in this collection, nothing matches. */
export const fixedFilterNode = (field: string, text: string, collection: CollectionView): PlanNode => {
  if (collection.fields.get(field)?.type === 'geo') return fixedDistanceNode(field, text)
  const type = filterableType(field, collection)
  if (type === undefined) return matchNone
  const alternatives = readFilterValue(text).flatMap(({ score, values }) => {
    const typed = values.map(value => readFieldValue(type, value)).filter(value => value !== undefined)
    return typed.length > 0 ? [{ score, values: typed }] : []
  })
  return alternatives.length > 0 ? { kind: 'filter', field, alternatives } : matchNone
}

const fixedDistanceNode = (field: string, text: string): PlanNode => {
  const alternatives = readFilterValue(text, isCircle).flatMap(({ score, values }) => {
    const circles = values.map(readCircle).filter(circle => circle !== undefined)
    return circles.length > 0 ? [{ score, circles }] : []
  })
  return alternatives.length > 0 ? { kind: 'distance', field, alternatives } : matchNone
}

/** Keeps documents with a value, or those without. Nothing matches if the collection has no searchable field of the name. */
export const presenceNode = (field: string, present: boolean, { fields }: CollectionView): PlanNode => {
  const type = fields.get(field)?.type
  return type === undefined || type === 'object' ? matchNone : { kind: 'present', field, not: !present }
}

/** Finds one or several ids, short or URIs. An invalid id matches nothing. */
export const lookupNode = (text: string, ids: DocumentIds): PlanNode => {
  const alternatives = readFilterValue(text).flatMap(({ score, values }): Tuple[] => {
    const uris = values.map(ids.toUri).filter(uri => uri !== undefined)
    return uris.length > 0 ? [{ score, values: uris }] : []
  })
  return { kind: 'lookup', alternatives }
}

export const similarNode = (
  text: string,
  ids: DocumentIds,
  fields: { name: string; weight: number }[],
): PlanNode => {
  const id = ids.toUri(text)
  return id === undefined ? matchNone : { kind: 'similar', id, fields }
}

/** One end of a range: the text of the request, and the start of messages about it. */
interface RangeEnd {
  text: string | undefined
  subject: string
}

/** Both ends are inclusive; a day includes its first and last instant in UTC. Undefined if both ends are missing. */
export const rangeNode = (
  field: string,
  lower: RangeEnd,
  upper: RangeEnd,
  collection: CollectionView,
): PlanNode | undefined => {
  if (lower.text === undefined && upper.text === undefined) return undefined
  const type = collection.fields.get(field)?.type
  if (type !== 'number' && type !== 'date') return matchNone
  const low = rangeEnd(type, lower, 'T00:00:00Z')
  const high = rangeEnd(type, upper, 'T23:59:59.999999999Z')
  if (low === undefined) return high === undefined ? undefined : { kind: 'range', field, to: high }
  return high === undefined
    ? { kind: 'range', field, from: low }
    : { kind: 'range', field, from: low, to: high }
}

const rangeEnd = (
  type: 'number' | 'date',
  { text, subject }: RangeEnd,
  time: string,
): string | number | undefined => {
  if (text === undefined) return undefined
  const value = readFieldValue(type, text)
  if (typeof value === 'number') return value
  if (typeof value !== 'string')
    throw badValue(subject, text, `${valueForms[type]}; leave the parameter out for no bound`)
  return isWholeDay(value) ? `${value}${time}` : value
}

/** Vectors have single precision. */
const componentMax = 3.4e38

/** Expects numbers separated by commas, as many as the field has dimensions. */
export const vectorNode = (
  { field, limit, minimum }: { field: string; limit: number; minimum: number },
  text: string,
  collection: CollectionView,
  subject: string,
): PlanNode => {
  const declared = collection.fields.get(field)
  if (declared?.type !== 'vector') return matchNone
  const parts = text.trim() === '' ? [] : text.split(',')
  const allowed = `${declared.dimensions} numbers separated by commas`
  if (parts.length !== declared.dimensions)
    throw new Problem('bad-parameter', `${subject}: found ${parts.length} of them, allowed: ${allowed}`)
  const vector = parts.map(part => {
    const number = readFieldValue('number', part.trim())
    if (typeof number !== 'number' || Math.abs(number) > componentMax) throw badValue(subject, part, allowed)
    return number
  })
  return { kind: 'nearest', field, vector, limit, minimum }
}
