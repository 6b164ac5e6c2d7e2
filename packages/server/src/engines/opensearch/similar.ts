/** Finds the most significant words of a document, for a query that matches similar documents. */
import { textFunctions } from '@querent/engine'
import { unwrapOutcome } from '#engines/outcome'
import { lookupCondition } from './conditions.ts'
import { termClause } from './matching.ts'
import { rankingRules } from './ranking-rules.ts'
import { findTextField, readTexts } from './schema.ts'
import { countMatches, type SearchContext } from './search-context.ts'
import type { Term, TextQuery } from './words.ts'

/**
 * Returns a text query for the significant words, weighted by their occurrences in the document. Returns undefined if no visible document
 * has this id: similar documents must not reveal a document that a row filter hides.
 */
export async function findSignificantWords(
  context: SearchContext,
  id: string,
  fields: readonly { name: string; weight: number }[],
): Promise<TextQuery | undefined> {
  const checked = fields.map(({ name, weight }) => ({ field: findTextField(context.schema, name), weight }))
  const entity = await findVisibleEntity(context, id)
  if (entity === undefined) return undefined
  const wordCounts = await Promise.all(
    checked.map(async ({ field, weight }): Promise<Term[]> => {
      const outcome = await textFunctions().countWords(field.language, readTexts(field, entity))
      // The format of the addon.
      const counts = JSON.parse(unwrapOutcome(outcome).head ?? '[]') as [word: string, count: number][]
      return counts.map(([text, count]) => ({ field, text, stop: false, weight: weight * count }))
    }),
  )
  const allTerms = wordCounts.flat()
  const [documents = 0, ...counts] = await countMatches(context, [
    { match_all: {} },
    ...allTerms.map(term => termClause(term)),
  ])
  const significantTerms = allTerms
    .map((term, index) => ({ term, count: counts[index] ?? 0 }))
    // A word that only this document contains finds no other document.
    .filter(({ count }) => count > 1)
    .map(({ term, count }) => ({ term, significance: term.weight * Math.log(1 + documents / count) }))
    .sort(
      (a, b) =>
        b.significance - a.significance ||
        (`${a.term.field.column} ${a.term.text}` < `${b.term.field.column} ${b.term.text}` ? -1 : 1),
    )
    .slice(0, rankingRules.significantWordsMax)
  return { terms: significantTerms.map(({ term }) => term), phrases: [] }
}

/** Returns the entity with this id; undefined if no visible document has it. */
export async function findVisibleEntity(context: SearchContext, id: string): Promise<string | undefined> {
  const { clause } = lookupCondition([{ score: 1, values: [id] }])
  const [reply] = await context.search([
    { size: 1, _source: ['entity'], query: { bool: { filter: [clause, ...context.visible] } } },
  ])
  return reply?.hits.hits[0]?._source?.entity
}
