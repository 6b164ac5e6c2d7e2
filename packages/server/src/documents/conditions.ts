/** Reads the conditions `?field=value` by which documents are listed and deleted. */
import { filterableTypes, isFilterable, readFieldValue, valueForms } from '@querent/contract/field-value'
import { didYouMean, listNames } from '@querent/contract/nearest-names'
import type { Field } from '@querent/contract/workspace-file'
import type { PlanNode } from '#engines/engine'
import { Problem } from '#errors'
import { readPairs } from './address.ts'

/**
 * Reads the conditions that documents must meet, all of them; names in `options` are not conditions. Throws 400 for a duplicate, an
 * unknown field, and a value that its field cannot have.
 */
export const readConditions = (
  fields: Readonly<Record<string, Field>> | undefined,
  search: string,
  options: readonly string[],
  code: 'bad-parameter' | 'bad-option' = 'bad-parameter',
): PlanNode[] => {
  const conditions = [...readPairs(search, code)].filter(([name]) => !options.includes(name))
  const names = conditions.map(([name]) => name)
  const duplicate = names.find((name, index) => names.indexOf(name) !== index)
  // "Both" and "either" are equally likely, and deleted documents cannot be restored.
  if (duplicate !== undefined)
    throw new Problem('bad-parameter', `the field ${JSON.stringify(duplicate)} is given twice`)
  return conditions.map(([name, value]) => readCondition(fields ?? {}, name, value))
}

const readCondition = (fields: Readonly<Record<string, Field>>, name: string, text: string): PlanNode => {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  const usable = Object.entries(fields).flatMap(([fieldName, { type }]) =>
    isFilterable(type) ? [fieldName] : [],
  )
  if (!field)
    throw new Problem(
      'bad-parameter',
      `unknown field ${JSON.stringify(name.slice(0, 100))}; filterable fields: ${listNames(usable)}${didYouMean(name, usable)}`,
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
