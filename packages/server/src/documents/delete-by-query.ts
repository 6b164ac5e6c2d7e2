/** Conditions on documents from a query (`DELETE ?field=value`), as a plan of the engine. */
import { filterableTypes, isFilterable, readFieldValue, valueForms } from '@querent/contract/field-value'
import { didYouMean, listNames } from '@querent/contract/nearest-names'
import type { Field } from '@querent/contract/workspace-file'
import type { Plan, PlanNode } from '#engines/engine'
import { Problem } from '#errors'
import { readPairs } from './address.ts'

/** Documents that match all of the conditions; `options` are names that are none. Throws 400 without any, and for one that no field can have. */
export const planOfConditions = (
  fields: Readonly<Record<string, Field>> | undefined,
  search: string,
  options: readonly string[] = [],
): Plan => {
  const conditions = [...readPairs(search, 'bad-parameter')].filter(([name]) => !options.includes(name))
  if (conditions.length === 0)
    throw new Problem(
      'bad-parameter',
      'a filter is missing: write ?field=value, or name one document by its id',
    )
  const names = conditions.map(([name]) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  // "Both" and "either" are equally likely to be meant, and what is deleted is gone.
  if (twice !== undefined)
    throw new Problem('bad-parameter', `the field ${JSON.stringify(twice)} is given twice`)
  return {
    nodes: [{ kind: 'all' }],
    restrictions: conditions.map(([name, value]) => conditionOf(fields ?? {}, name, value)),
    order: [],
    cutoff: 0,
    offset: 0,
    count: 0,
    statistics: false,
  }
}

const conditionOf = (fields: Readonly<Record<string, Field>>, name: string, text: string): PlanNode => {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  const usable = Object.entries(fields).flatMap(([other, { type }]) => (isFilterable(type) ? [other] : []))
  if (!field)
    throw new Problem(
      'bad-parameter',
      `no field ${JSON.stringify(name.slice(0, 100))}; there are: ${listNames(usable)}${didYouMean(name, usable)}`,
    )
  if (!isFilterable(field.type))
    throw new Problem(
      'bad-parameter',
      `the field "${name}" is of type ${field.type}; allowed: fields of type ${filterableTypes.join(', ')}: ${listNames(usable)}`,
    )
  const value = readFieldValue(field.type, text)
  if (value === undefined)
    throw new Problem(
      'bad-parameter',
      `${name}: found ${JSON.stringify(text.slice(0, 100))}, allowed: ${valueForms[field.type]}`,
    )
  return { kind: 'filter', field: name, alternatives: [{ score: 1, values: [value] }] }
}
