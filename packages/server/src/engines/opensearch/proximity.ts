/** Raises the score of documents in which words of a text stand close together, in its order. */
import type { NeighbouringWords } from './query-words.ts'
import { rankingRules } from './ranking-rules.ts'
import type { Clause } from './values.ts'

const { proximityBonus, furtherWordsMax } = rankingRules

/** Returns a clause that scores two neighbouring words in any field. `share` is what one point of BM25 is in the score of the query. */
export const proximityClause = (pair: readonly NeighbouringWords[], share: number): Clause => {
  const scored = (furtherWords: number, bonus: number): Clause => ({
    constant_score: {
      filter: { bool: { should: pair.map(words => spanClause(words, furtherWords)) } },
      boost: bonus * share,
    },
  })
  return { dis_max: { queries: [scored(0, proximityBonus), scored(furtherWordsMax, proximityBonus / 2)] } }
}

const spanClause = (
  { field, first, second, wordsBetween }: NeighbouringWords,
  furtherWords: number,
): Clause => ({
  span_near: {
    clauses: [first, second].map(word => ({ span_term: { [field.column]: word } })),
    slop: wordsBetween + furtherWords,
    in_order: true,
  },
})
