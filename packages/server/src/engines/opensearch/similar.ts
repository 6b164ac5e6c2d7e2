/** Finds the most significant words of a document, for a query that matches similar documents. */
import { indexedWords } from './analysis.ts'
import { lookupCondition } from './conditions.ts'
import { termClause } from './matching.ts'
import { findTextField, readTexts } from './schema.ts'
import { countMatches, type SearchContext } from './search-context.ts'
import type { Term, TextQuery } from './words.ts'

/** Maximum number of significant words per document. */
const significantWordsMax = 25
/** Maximum number of words per field that are considered, because each costs a lookup in the index. */
const wordsMax = 5_000

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
  const terms = new Map<string, Term>()
  for (const { field, weight } of checked) {
    const words = indexedWords(field.language, readTexts(field, entity))
    const contentWords = words.flat().filter(({ stop }) => !stop)
    for (const { text } of contentWords.slice(0, wordsMax)) {
      const key = `${field.column} ${text}`
      const occurrences = (terms.get(key)?.weight ?? 0) / weight + 1
      terms.set(key, { field, text, stop: false, weight: weight * occurrences })
    }
  }
  const allTerms = [...terms.values()]
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
    .slice(0, significantWordsMax)
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
