/** Recognizes documents in which the whole text of a field is the query, without case, accents and punctuation. */
import type { ParsedText } from '#engines/engine'
import { typedWords } from './analysis.ts'
import { anyClause, unscoredClauses } from './matching.ts'
import type { QueryWord } from './query-words.ts'
import { column, findTextField, type Schema } from './schema.ts'
import type { Clause } from './values.ts'
import type { Weights } from './words.ts'

/**
 * Returns a clause for documents that have all words as such, and a field whose whole text is the query. Returns undefined for a text with
 * phrases or exclusions, because no field contains it like that.
 */
export function exactTextClause(
  schema: Schema,
  text: ParsedText,
  fields: Weights,
  words: readonly QueryWord[],
): Clause | undefined {
  if (text.phrases.length + text.excludedWords.length + text.excludedPhrases.length > 0) return undefined
  const typed = [...text.words, ...(text.unfinished === undefined ? [] : [text.unfinished])].join(' ')
  const should = fields.map(({ name }) => {
    const field = findTextField(schema, name)
    const [typedTokens = []] = typedWords(field.language, [typed])
    return { term: { [column.whole(field)]: { value: typedTokens.map(word => word.text).join(' ') } } }
  })
  const wordFilters = words.map(word => anyClause(unscoredClauses(word.query)))
  return { bool: { filter: [...wordFilters, anyClause(should)] } }
}
