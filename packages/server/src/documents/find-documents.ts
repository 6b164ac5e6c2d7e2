/** Plans over the documents of one collection, by conditions and by text. */
import { isFilterable } from '@querent/contract/field-value'
import { listNames } from '@querent/contract/nearest-names'
import type { Collection } from '@querent/contract/workspace-file'
import type { Plan, PlanNode } from '#engines/engine'
import { Problem } from '#errors'
import type { DocumentReader } from './entity.ts'

/** Matches the documents that meet all conditions, in order of id. */
export const planConditions = (conditions: PlanNode[]): Plan => ({
  nodes: [{ kind: 'all' }],
  restrictions: conditions,
  order: [],
  cutoff: 0,
  offset: 0,
  count: 0,
  statistics: false,
})

/**
 * Matches the documents that have all words of the text in their text fields, the best first. In fields that complete
 * words, the last word may be unfinished. The document with the text as its id comes before all others.
 */
export const planText = (
  { fields = {} }: Collection,
  { toUri }: DocumentReader,
  conditions: PlanNode[],
  text: string,
): Plan => {
  const plan = planConditions(conditions)
  const uri = toUri(text)
  const textFields = Object.entries(fields).flatMap(([name, { type }]) =>
    type === 'text' ? [{ name, weight: 1 }] : [],
  )
  if (textFields.length === 0) {
    const alternatives = uri === undefined ? [] : [{ score: 1, values: [uri] }]
    return { ...plan, nodes: [{ kind: 'lookup', alternatives }] }
  }
  const words = text.split(/\s+/).filter(word => word !== '')
  const unfinished = words.pop()
  const parsedText = { words, phrases: [], excludedWords: [], excludedPhrases: [] }
  return {
    ...plan,
    nodes: [
      {
        kind: 'match',
        text: unfinished === undefined ? parsedText : { ...parsedText, unfinished },
        fields: textFields,
        ranking: 'words',
        matching: 'all',
        pinned: uri === undefined ? [] : [uri],
      },
    ],
    order: [{ by: 'score' }],
  }
}

/** Options of a reply with the values of a field. */
const valuesMax = 100

/** Counts the values of a field among the documents that the plan finds. Throws 400 for a field without countable values. */
export const planValues = ({ fields = {} }: Collection, plan: Plan, field: string): Plan => {
  const countable = Object.entries(fields).flatMap(([name, { type }]) => (isFilterable(type) ? [name] : []))
  if (!countable.includes(field))
    throw new Problem(
      'bad-option',
      `values: found ${JSON.stringify(field.slice(0, 100))}, allowed: ${listNames(countable)}`,
    )
  return { ...plan, facet: { field, offset: 0, count: valuesMax, selected: [], cutoff: 0, distinct: false } }
}
