/** The position of a hit in the order of a plan, for `search_after`: https://docs.opensearch.org/latest/search-plugins/searching-data/paginate/ */

import { makeRawNumber, parseExactJson } from '@querent/contract/exact-json'
import type { SortKey } from '#engines/engine'
import { findField, type Schema } from './schema.ts'
import type { SearchReply } from './search-context.ts'
import { readDate, toIndexedNumber } from './values.ts'

type SearchHit = SearchReply['hits']['hits'][number]

/** OpenSearch sorts a missing date as one of these. */
const longMax = '9223372036854775807'
const longMin = '-9223372036854775808'

/** Sorts a missing boolean behind 0 (false) and 1 (true). The default value depends on the version of OpenSearch. */
export const missingBoolean = (order: 'ascending' | 'descending'): number => (order === 'ascending' ? 2 : -1)

/** A 64-bit integer, which a number of JavaScript cannot hold. */
interface Long {
  long: string
}

/** The sort values of the hit as JSON. Those of dates and booleans come from the document, because JSON numbers and booleans lose them. */
export const writePosition = (schema: Schema, order: readonly SortKey[], hit: SearchHit): string => {
  const keys = order.flatMap(key => {
    const isNumber = key.by === 'field' && findField(schema, key.field).type === 'number'
    return isNumber
      ? [
          { key, isLarge: false },
          { key, isLarge: true },
        ]
      : [{ key, isLarge: false }]
  })
  const values = (hit.sort ?? []).map((value, index): unknown => {
    const { key, isLarge = false } = keys[index] ?? {}
    if (isLarge && key?.by === 'field') return largeValue(readAttribute(hit, key.field), key.order)
    const field = key?.by === 'field' ? findField(schema, key.field) : undefined
    if (key?.by !== 'field' || (field?.type !== 'date' && field?.type !== 'boolean')) return value
    const attributes = readAttribute(hit, key.field)
    if (field.type === 'boolean') {
      const booleans = attributes.filter(attribute => typeof attribute === 'boolean').map(BigInt)
      return Number(firstNumber(booleans, key.order) ?? missingBoolean(key.order))
    }
    const dates = attributes.flatMap(attribute =>
      typeof attribute === 'string' ? (readDate(attribute)?.from ?? []) : [],
    )
    const missing = key.order === 'ascending' ? longMax : longMin
    return { long: firstNumber(dates, key.order)?.toString() ?? missing } satisfies Long
  })
  return JSON.stringify(values)
}

/** The first number, if it is one whose digits a double may lose. */
const largeValue = (attributes: readonly unknown[], order: 'ascending' | 'descending'): Long => {
  const missing = { long: order === 'ascending' ? longMax : longMin }
  const numbers = attributes.flatMap(attribute => toIndexedNumber(attribute) ?? [])
  const floats = numbers.map(({ float }) => float)
  const first = order === 'ascending' ? Math.min(...floats) : Math.max(...floats)
  const large = numbers.filter(({ float }) => float === first).flatMap(number => number.large ?? [])
  return { long: firstNumber(large.map(BigInt), order)?.toString() ?? missing.long }
}

const readAttribute = (hit: SearchHit, name: string): unknown[] => {
  // The engine's own document, which has attributes.
  const { attributes: sent, indexed } = parseExactJson(hit._source?.entity ?? '{"attributes":{}}') as {
    attributes: Record<string, unknown>
    indexed?: Record<string, unknown>
  }
  const attributes = { ...sent, ...indexed }
  return Object.hasOwn(attributes, name) ? [attributes[name]].flat(2) : []
}

const firstNumber = (numbers: readonly bigint[], order: 'ascending' | 'descending'): bigint | undefined => {
  const sorted = numbers.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return order === 'ascending' ? sorted[0] : sorted.at(-1)
}

/** The value of `search_after`, with all digits in its JSON. */
export const readPosition = (position: string): unknown[] => {
  // `writePosition` wrote it.
  const values = JSON.parse(position) as (string | number | null | Long)[]
  return values.map(value =>
    typeof value === 'object' && value !== null ? makeRawNumber(value.long) : value,
  )
}
