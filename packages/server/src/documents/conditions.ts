/** Reads the conditions `?field=value` by which documents are listed and deleted. */
import {
  type FilterableType,
  filterableTypes,
  isFilterable,
  isWholeDay,
  readFieldValue,
  valueForms,
} from '@querent/contract/field-value'
import { didYouMean, listNames } from '@querent/contract/nearest-names'
import type { Field } from '@querent/contract/workspace-file'
import type { PlanNode } from '#engines/engine'
import { Problem } from '#errors'
import { readPairs } from './address.ts'

type Fields = Readonly<Record<string, Field>>

/**
 * Reads the conditions that documents must meet, all of them; names in `options` are not conditions. Several values of a field are
 * alternatives, and `field.from` and `field.to` are the ends of a range, both inclusive. A field with the whole name comes first. Throws 400
 * for an unknown field, a value that its field cannot have, and an end that is given twice.
 */
export const readConditions = (
  fields: Fields = {},
  search: string,
  options: readonly string[],
  code: 'bad-parameter' | 'bad-option' = 'bad-parameter',
): PlanNode[] => {
  const values = new Map<string, (string | number | boolean)[]>()
  const ranges = new Map<string, { from?: string | number; to?: string | number }>()
  for (const [name, text] of readPairs(search, code)) {
    if (options.includes(name)) continue
    const bound = readBound(fields, name)
    if (bound === undefined) {
      const value = readValue(readType(fields, name), name, text)
      values.set(name, [...(values.get(name) ?? []), value])
      continue
    }
    const { field, type, end } = bound
    const range = ranges.get(field) ?? {}
    // "Both" and "either" are equally likely, and deleted documents cannot be restored.
    if (range[end] !== undefined)
      throw new Problem('bad-parameter', `${JSON.stringify(name)} is given twice; allowed: once`)
    const value = readValue(type, name, text)
    if (typeof value === 'number') range[end] = value
    else range[end] = isWholeDay(String(value)) ? `${value}${dayTimes[end]}` : String(value)
    ranges.set(field, range)
  }
  return [
    ...[...values].map(
      ([field, alternatives]): PlanNode => ({
        kind: 'filter',
        field,
        alternatives: [{ score: 1, values: alternatives }],
      }),
    ),
    ...[...ranges].map(([field, range]): PlanNode => ({ kind: 'range', field, ...range })),
  ]
}

/** A range includes the whole day that an end names, in UTC. */
const dayTimes = { from: 'T00:00:00Z', to: 'T23:59:59.999999999Z' }

const boundPattern = /^(.+)\.(from|to)$/s

/** Reads the name of an end of a range. Returns undefined for other names, and if a field has the whole name. */
const readBound = (
  fields: Fields,
  name: string,
): { field: string; type: 'number' | 'date'; end: 'from' | 'to' } | undefined => {
  const [, field = '', end] = boundPattern.exec(name) ?? []
  if (Object.hasOwn(fields, name) || !Object.hasOwn(fields, field) || (end !== 'from' && end !== 'to'))
    return undefined
  const type = fields[field]?.type
  if (type === 'number' || type === 'date') return { field, type, end }
  throw new Problem(
    'bad-parameter',
    `${JSON.stringify(name.slice(0, 100))}: the field "${field}" is of type ${type}; allowed: ranges of fields of type number and date`,
  )
}

const readType = (fields: Fields, name: string): FilterableType => {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  const usable = Object.entries(fields).flatMap(([fieldName, { type }]) =>
    isFilterable(type) ? [fieldName] : [],
  )
  if (!field)
    throw new Problem(
      'bad-parameter',
      `unknown field ${JSON.stringify(name.slice(0, 100))}; filterable fields: ${listNames(usable)}${didYouMean(name, usable)}`,
    )
  if (isFilterable(field.type)) return field.type
  throw new Problem(
    'bad-parameter',
    `the field "${name}" is of type ${field.type}; allowed: fields of type ${filterableTypes.join(', ')}: ${listNames(usable)}`,
  )
}

const readValue = (type: FilterableType, name: string, text: string): string | number | boolean => {
  const value = readFieldValue(type, text)
  if (value !== undefined) return value
  throw new Problem(
    'bad-parameter',
    `${name}: found ${JSON.stringify(text.slice(0, 100))}, allowed: ${valueForms[type]}`,
  )
}
