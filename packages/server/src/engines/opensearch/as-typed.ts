/** Raises the score of documents that have words as they were typed: with the same ending, accents and capitals. */
import type { TypedForm } from './query-words.ts'
import { rankingRules } from './ranking-rules.ts'
import { column, type TextField } from './schema.ts'
import type { Clause } from './values.ts'

const partColumn = (field: TextField, part: TypedForm['part']): string => {
  if (part === 'form') return column.forms(field)
  return part === 'typed' ? column.typed(field) : field.column
}

/** Returns a clause that scores a word in any field. `share` is what one point of BM25 is in the score of the query. */
export const asTypedClause = (forms: readonly TypedForm[], share: number): Clause => ({
  constant_score: {
    filter: { bool: { should: forms.map(formClause) } },
    boost: rankingRules.asTypedBonus * share,
  },
})

const formClause = ({ field, part, text, mark }: TypedForm): Clause => ({
  bool: {
    filter: [{ term: { [partColumn(field, part)]: { value: text } } }],
    must_not: mark === null ? [] : [{ term: { [column.forms(field)]: { value: mark } } }],
  },
})
