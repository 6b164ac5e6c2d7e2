/**
 * Raises the score of documents in which words of a text stand close together, in its order, like
 * packages/engine/src/search/proximity.rs.
 */
import type { ParsedText } from '#engines/engine'
import { indexedWords } from './analysis.ts'
import { findTextField, type Schema } from './schema.ts'
import type { Clause } from './values.ts'
import type { Weights } from './words.ts'

/** Added to the sum of BM25 scores of a document if no more words stand between two neighbours than in the text, and half of it if few more do. */
export const proximityBonus = 2
const furtherWordsMax = 3
/** Later neighbours do not count. */
const neighboursMax = 10

/** Matches documents in which two neighbouring words of the text stand close together in some field. */
export interface Neighbours {
  adjacent: Clause[]
  near: Clause[]
}

/** Returns each two neighbouring words of a text. Stop words count only as words in between. */
export function listNeighbours(schema: Schema, text: ParsedText, fields: Weights): Neighbours[] {
  const typed = [...text.words, ...(text.unfinished === undefined ? [] : [text.unfinished])].join(' ')
  const neighbours = new Map<number, Neighbours>()
  for (const { name } of fields) {
    const field = findTextField(schema, name)
    const [words = []] = indexedWords(field.language, [typed])
    const searched = words.filter(word => !word.stop)
    for (const [index, second] of searched.entries()) {
      const first = searched[index - 1]
      if (first === undefined || first.text === second.text) continue
      const wordsBetween = second.position - first.position - 1
      const spanWithin = (slop: number): Clause => ({
        span_near: {
          clauses: [first, second].map(word => ({ span_term: { [field.column]: word.text } })),
          slop,
          in_order: true,
        },
      })
      const key = first.position
      const pair = neighbours.get(key) ?? { adjacent: [], near: [] }
      pair.adjacent.push(spanWithin(wordsBetween))
      pair.near.push(spanWithin(wordsBetween + furtherWordsMax))
      neighbours.set(key, pair)
    }
  }
  const inOrder = [...neighbours.entries()].toSorted(([one], [other]) => one - other)
  return inOrder.slice(0, neighboursMax).map(([, pair]) => pair)
}

/** Returns a clause that scores a pair. `share` is what one point of BM25 is in the score of the query. */
export const proximityClause = ({ adjacent, near }: Neighbours, share: number): Clause => {
  const scored = (clauses: Clause[], bonus: number): Clause => ({
    constant_score: { filter: { bool: { should: clauses } }, boost: bonus * share },
  })
  return { dis_max: { queries: [scored(adjacent, proximityBonus), scored(near, proximityBonus / 2)] } }
}
