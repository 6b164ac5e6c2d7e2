/** Lists the completions and corrections of a word by how far they are from it. */
import { hasStopWords } from './analysis.ts'
import { fuzzyClauses, fuzzyPrefixClauses, mistypedJoinedClauses } from './fuzzy.ts'
import { unscoredClauses } from './matching.ts'
import type { MistypedPair, QueryWord, WordSource } from './query-words.ts'
import { rankingRules } from './ranking-rules.ts'
import { column, type TextField } from './schema.ts'
import type { Clause } from './values.ts'

const { costOfTypo, costOfCompletion, costOfContaining, exactBeginningMax } = rankingRules
/** Shorter words are in too many. */
const containedLengthMin = 3
/** The highest cost: two typos in a completion. */
export const costMax = 2 * costOfTypo + costOfCompletion

/** The variants of a word in one field, with up to the same cost. */
export interface Tier {
  cost: number
  source: Pick<WordSource, 'field' | 'weight'>
  clause: Clause
}

export const listTiers = ({ text, sources, alternatives, formBeginnings, pairs = [] }: QueryWord): Tier[] => [
  ...pairs.flatMap(pairTiers),
  ...sources.flatMap(source => sourceTiers(text, source)),
  ...alternatives.flatMap(alternativeTiers),
  ...formBeginnings.map(({ field, text: value, weight, isTyped }) => ({
    cost: costOfCompletion,
    source: { field, weight },
    clause: { prefix: { [isTyped ? column.typed(field) : column.forms(field)]: { value } } },
  })),
]

/** The spellings of one cost, in each field. */
const alternativeTiers = ({ cost, query }: QueryWord['alternatives'][number]): Tier[] => {
  const parts = [...query.terms, ...query.phrases]
  return [...Map.groupBy(parts, ({ field }) => field)].map(([field, inField]) => {
    const inThisField = (part: { field: TextField }) => part.field === field
    const clauses = unscoredClauses({
      terms: query.terms.filter(inThisField),
      phrases: query.phrases.filter(inThisField),
    })
    const weight = Math.max(...inField.map(part => part.weight))
    return { cost, source: { field, weight }, clause: { bool: { should: clauses } } }
  })
}

/** The words with typos that two words may be. */
const pairTiers = ({ field, words, typos, weight }: MistypedPair): Tier[] =>
  Array.from({ length: typos }, (_, index) => ({
    cost: (index + 1) * costOfTypo + costOfCompletion,
    source: { field, weight },
    clause: { bool: { should: fuzzyClauses(column.typed(field), words.join(''), index + 1) } },
  }))

/** Whether typos are allowed in the beginning of an unfinished word. */
const hasLongBeginning = (text: string): boolean => [...text].length > exactBeginningMax

function sourceTiers(text: string, source: WordSource): Tier[] {
  const { field, isCompleted, typos, includesStopWords, contains } = source
  const isLong = hasLongBeginning(text)
  const typed = [column.typed(field)]
  const columns = includesStopWords && hasStopWords(field.language) ? [...typed, column.stop(field)] : typed
  const tier = (cost: number, should: Clause[]): Tier[] =>
    should.length === 0 ? [] : [{ cost, source, clause: { bool: { should } } }]
  const typoCounts = Array.from({ length: typos }, (_, index) => index + 1)
  return [
    ...typoCounts.flatMap(count =>
      tier(
        count * costOfTypo,
        (isLong ? columns : typed).flatMap(name => fuzzyClauses(name, text, count)),
      ),
    ),
    ...(isCompleted
      ? tier(costOfCompletion, [
          ...columns.map(name => ({ prefix: { [name]: { value: text } } })),
          ...(isLong ? [{ prefix: { [column.forms(field)]: { value: `+${text}` } } }] : []),
        ])
      : []),
    ...(contains && [...text].length >= containedLengthMin
      ? tier(costOfContaining, [
          { wildcard: { [column.typed(field)]: { value: `*${escapeWildcard(text)}*` } } },
        ])
      : []),
    ...typoCounts.flatMap(count =>
      tier(count * costOfTypo + costOfCompletion, [
        ...(isCompleted && isLong ? columns.flatMap(name => fuzzyPrefixClauses(name, text, count)) : []),
        ...mistypedJoinedClauses(
          column.forms(field),
          text,
          isCompleted && isLong ? 'beginning' : 'whole',
          count,
        ),
      ]),
    ),
  ]
}

export const escapeWildcard = (text: string): string => text.replaceAll(/[*?\\]/g, String.raw`\$&`)
