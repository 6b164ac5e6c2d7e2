/** Steps of kind `match`, and the fields that text is searched in (query-service.md, match). */
import type { Endpoint } from '@querent/contract/endpoints'
import type { PlanNode } from '#engines/engine'
import type { CollectionView } from './collection-view.ts'
import { readQueryText } from './query-text.ts'
import type { StepParts } from './step.ts'

type MatchEndpoint = Endpoint & { kind: 'match' }

export const matchStep = (
  endpoint: MatchEndpoint,
  collections: ReadonlyMap<string, CollectionView>,
): StepParts => {
  const { prefix = false, parameter = 'query' } = endpoint
  const readFields = weightedFields(endpoint, collections)
  const options = matchOptions(endpoint)
  return {
    parameters: [{ name: parameter, type: 'string', required: true }],
    node: ([text = ''], { stopWords, synonyms }) => ({
      kind: 'match',
      text: { ...stopWords.mark(readQueryText(text, prefix)), ...(synonyms && { synonyms }) },
      fields: readFields(),
      ...options,
    }),
  }
}

/** Lengths of words with one typo and two, by default. */
const typoLengths = { one: 4, two: 8 }

const matchOptions = ({ prefix, typos, matching, exact, contains }: MatchEndpoint) => {
  const asTyped = Boolean(prefix || typos)
  return {
    ...(typos && { typos: typos === true ? typoLengths : typos }),
    ...((asTyped || contains) && { ranking: 'words' as const }),
    ...(contains && { contains }),
    ...((exact ?? asTyped) && { exact: true }),
    ...(matching !== undefined && matching !== 'any' && { matching }),
  }
}

type WeightedFields = Extract<PlanNode, { kind: 'match' }>['fields']

/**
 * Returns the searched fields with their weights: those that the endpoint names, or all text fields of its collection. Reads them at the
 * first query, because an API may have 1,000 endpoints with 1,000 fields each.
 */
export const weightedFields = (
  { collection, fields }: { collection: string; fields?: string[] },
  collections: ReadonlyMap<string, CollectionView>,
): (() => WeightedFields) => {
  let weighted: WeightedFields | undefined
  const readFields = (): WeightedFields => {
    const names = fields && new Set(fields)
    return [...(collections.get(collection)?.fields ?? [])].flatMap(([name, field]) =>
      names?.has(name) || (names === undefined && field.type === 'text')
        ? [{ name, weight: (field.type === 'text' ? field.weight : undefined) ?? 1 }]
        : [],
    )
  }
  return () => {
    weighted ??= readFields()
    return weighted
  }
}
