/** Parameter values of a request → nodes of a plan. What came and what is allowed is said for a value that cannot be. */
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
import { type CollectionView, nothing } from './collection-view.ts'

const clipped = (text: string) => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)

const badValue = (where: string, found: string, allowed: string) =>
  new Problem('bad-parameter', `${where}: found ${clipped(found)}, allowed: ${allowed}`)

const filterableType = (field: string, { fields }: CollectionView): FilterableType | undefined => {
  const type = fields.get(field)?.type
  return type !== undefined && isFilterable(type) ? type : undefined
}

/**
 * A filter by what a request says: a plain value or a tuple list, typed by the field. A collection that does not have the field gives
 * nothing (fail closed). Values of a geo field are circles, `lat,lon,distance`. Throws Problem `bad-parameter` for values that are none
 * of the field's type. `where` starts the message.
 */
export const filterNode = (
  field: string,
  text: string,
  collection: CollectionView,
  where: string,
): PlanNode => {
  if (collection.fields.get(field)?.type === 'geo') return distanceNode(field, text, where)
  const type = filterableType(field, collection)
  if (type === undefined) return nothing
  if (type === 'keyword') return { kind: 'filter', field, alternatives: readFilterValue(text) }
  const fits = (value: string) => readFieldValue(type, value) !== undefined
  const alternatives = readFilterValue(text, fits).map(({ score, values }): ScoredValues => {
    const typed = values.map(value => {
      const read = readFieldValue(type, value)
      if (read === undefined)
        throw badValue(where, value, `${valueForms[type]}, or a tuple list of such values`)
      return read
    })
    return { score, values: typed }
  })
  return { kind: 'filter', field, alternatives }
}

const isCircle = (text: string): boolean => readCircle(text) !== undefined

const distanceNode = (field: string, text: string, where: string): PlanNode => ({
  kind: 'distance',
  field,
  alternatives: readFilterValue(text, isCircle).map(({ score, values }) => ({
    score,
    circles: values.map(value => {
      const circle = readCircle(value)
      if (circle === undefined) throw badValue(where, value, circleForm)
      return circle
    }),
  })),
})

/** A sort by the distance from the point that a request names, `lat,lon`. Throws Problem `bad-parameter` for what is none. */
export const distanceKey = (
  field: string,
  order: 'ascending' | 'descending',
  text: string,
  where: string,
): SortKey => {
  const point = readPoint(text)
  if (point === undefined) throw badValue(where, text, pointForm)
  return { by: 'distance', field, ...point, order }
}

/** A filter by a value of the workspace file. Where it does not fit the field's type in this collection, nothing matches. */
export const fixedFilterNode = (field: string, text: string, collection: CollectionView): PlanNode => {
  if (collection.fields.get(field)?.type === 'geo') return fixedDistanceNode(field, text)
  const type = filterableType(field, collection)
  if (type === undefined) return nothing
  const alternatives = readFilterValue(text).flatMap(({ score, values }) => {
    const typed = values.map(value => readFieldValue(type, value)).filter(value => value !== undefined)
    return typed.length > 0 ? [{ score, values: typed }] : []
  })
  return alternatives.length > 0 ? { kind: 'filter', field, alternatives } : nothing
}

const fixedDistanceNode = (field: string, text: string): PlanNode => {
  const alternatives = readFilterValue(text, isCircle).flatMap(({ score, values }) => {
    const circles = values.map(readCircle).filter(circle => circle !== undefined)
    return circles.length > 0 ? [{ score, circles }] : []
  })
  return alternatives.length > 0 ? { kind: 'distance', field, alternatives } : nothing
}

/** One or several ids, short or URIs. An id that there cannot be matches nothing. */
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
  return id === undefined ? nothing : { kind: 'similar', id, fields }
}

/** One end of a range as it was sent, and how messages about it start. */
interface End {
  text: string | undefined
  where: string
}

/** Both ends inclusive: a whole day as an end is its first or last instant in UTC. Undefined when both ends are left out. */
export const rangeNode = (
  field: string,
  from: End,
  to: End,
  collection: CollectionView,
): PlanNode | undefined => {
  if (from.text === undefined && to.text === undefined) return undefined
  const type = collection.fields.get(field)?.type
  if (type !== 'number' && type !== 'date') return nothing
  const low = rangeEnd(type, from, 'T00:00:00Z')
  const high = rangeEnd(type, to, 'T23:59:59.999999999Z')
  if (low === undefined) return high === undefined ? undefined : { kind: 'range', field, to: high }
  return high === undefined
    ? { kind: 'range', field, from: low }
    : { kind: 'range', field, from: low, to: high }
}

const rangeEnd = (
  type: 'number' | 'date',
  { text, where }: End,
  time: string,
): string | number | undefined => {
  if (text === undefined) return undefined
  const value = readFieldValue(type, text)
  if (typeof value === 'number') return value
  if (typeof value !== 'string')
    throw badValue(where, text, `${valueForms[type]}; leave the parameter out for no bound`)
  return isWholeDay(value) ? `${value}${time}` : value
}

/** Numbers parted by commas, as many as the field has dimensions. */
export const vectorNode = (
  field: string,
  text: string,
  collection: CollectionView,
  where: string,
): PlanNode => {
  const declared = collection.fields.get(field)
  if (declared?.type !== 'vector') return nothing
  const parts = text.split(',')
  const allowed = `${declared.dimensions} numbers parted by commas`
  if (parts.length !== declared.dimensions)
    throw new Problem('bad-parameter', `${where}: found ${parts.length} numbers, allowed: ${allowed}`)
  const vector = parts.map(part => {
    const number = readFieldValue('number', part.trim())
    if (typeof number !== 'number') throw badValue(where, part, allowed)
    return number
  })
  return { kind: 'nearest', field, vector }
}
