/** Compiles words and phrases into clauses with BM25 scores from the statistics of the visible documents (see similarity.ts). */
import { escapeRegExp, fuzzyClause, fuzzyPrefixClause } from './fuzzy.ts'
import { column } from './schema.ts'
import { countMatches, findMinScores, type SearchContext, sumLengths } from './search-context.ts'
import { b, k1, scoredClause } from './similarity.ts'
import type { Clause } from './values.ts'
import { type Group, lengthColumn, type Phrase, type Term, type TextQuery, termColumn } from './words.ts'

/** Returns clauses that match the same documents as the scored ones. */
export function unscoredClauses(textQuery: TextQuery): Clause[] {
  const terms = Map.groupBy(textQuery.terms.values(), termColumn)
  return [
    ...[...terms].map(([name, columnTerms]) => ({ terms: { [name]: columnTerms.map(({ text }) => text) } })),
    ...[...textQuery.phrases.values()].map(phrase => phraseClause(phrase)),
    ...[...textQuery.groups.values()].flatMap(group =>
      group.fields.flatMap(one => listVariants(group, one).map(({ clause }) => clause)),
    ),
  ]
}

/** Returns a scored clause for each word, phrase and group of variants. */
export async function scoredClauses(context: SearchContext, textQuery: TextQuery): Promise<Clause[]> {
  const terms = [...textQuery.terms.values()]
  const phrases = [...textQuery.phrases.values()]
  const groups = [...textQuery.groups.values()]
  const countedTerms = [
    ...terms,
    ...phrases.flatMap(({ words, ...phrase }) => words.map(({ text }) => ({ ...phrase, text }))),
    ...groups.flatMap(({ exact }) => exact),
  ]
  const columns = [...new Set(countedTerms.map(lengthColumn))]
  const [[documents = 0, ...counts], ...lengths] = await Promise.all([
    countMatches(context, [{ match_all: {} }, ...countedTerms.map(term => termClause(term))]),
    ...columns.map(name => sumLengths(context, name)),
  ])
  const statistics: Statistics = {
    documents,
    frequencies: new Map(countedTerms.map((term, index) => [termKey(term), counts[index] ?? 0])),
    meanLengths: new Map(columns.map((name, index) => [name, (lengths[index] ?? 0) / documents || 1])),
  }
  const groupClauses = await Promise.all(groups.map(group => groupClause(context, statistics, group)))
  return [
    ...terms.flatMap(term => scoredTerm(statistics, term)),
    ...phrases.map(phrase => scoredPhrase(statistics, phrase)),
    ...groupClauses.flat(),
  ]
}

interface Statistics {
  documents: number
  frequencies: Map<string, number>
  meanLengths: Map<string, number>
}

const termKey = (term: Pick<Term, 'field' | 'stop' | 'text'>) => `${termColumn(term)} ${term.text}`

export const termClause = (term: Pick<Term, 'field' | 'stop' | 'text'>, boost?: number): Clause => ({
  term: { [termColumn(term)]: { value: term.text, boost } },
})

const phraseClause = (phrase: Phrase, boost?: number): Clause => ({
  match_phrase: { [termColumn(phrase)]: { query: phrase.typed.toWellFormed(), boost } },
})

/** Clamps the number of documents: it was requested earlier than the frequency, and another node may have added documents meanwhile. */
const inverseFrequency = (documents: number, frequency: number): number =>
  Math.log(1 + (Math.max(documents, frequency) - frequency + 0.5) / (frequency + 0.5))

const documentFrequency = (
  { frequencies }: Statistics,
  term: Pick<Term, 'field' | 'stop' | 'text'>,
): number => frequencies.get(termKey(term)) ?? 0

const lengthSlope = ({ meanLengths }: Statistics, lengths: string): number =>
  (k1 * b) / (meanLengths.get(lengths) ?? 1)

function scoredTerm(statistics: Statistics, term: Term): Clause[] {
  const frequency = documentFrequency(statistics, term)
  if (frequency === 0) return []
  const weight = term.weight * inverseFrequency(statistics.documents, frequency) * (1 + k1)
  const slope = lengthSlope(statistics, lengthColumn(term))
  return [scoredClause(boost => termClause(term, boost), { weight, slope })]
}

/** Divides by the number of words, because the similarity adds the score of the phrase once for each word. */
function scoredPhrase(statistics: Statistics, phrase: Phrase): Clause {
  const { words, weight } = phrase
  const sum = words.reduce(
    (total, { text }) =>
      total + inverseFrequency(statistics.documents, documentFrequency(statistics, { ...phrase, text })),
    0,
  )
  return scoredClause(boost => phraseClause(phrase, boost), {
    weight: (weight * sum * (1 + k1)) / words.length,
    slope: lengthSlope(statistics, lengthColumn(phrase)),
  })
}

/**
 * Matches documents without the word itself but with a variant of it. If other documents have the word, the scores of variants stay below
 * the lowest score for the word itself, so that every document with the word ranks above those without.
 */
async function groupClause(context: SearchContext, statistics: Statistics, group: Group): Promise<Clause[]> {
  const exact = group.exact.filter(term => documentFrequency(statistics, term) > 0)
  const scores = await findMinScores(
    context,
    exact.flatMap(term => scoredTerm(statistics, term)),
  )
  // There is none if the counted documents were deleted meanwhile.
  const minimums = scores.filter(score => !Number.isNaN(score))
  const weights = group.fields.reduce((sum, { weight }) => sum + weight, 0)
  const variants = group.fields.map(one => ({ ...one, variants: listVariants(group, one) }))
  const counts = await countMatches(
    context,
    variants.map(one => ({ bool: { should: one.variants.map(({ clause }) => clause) } })),
  )
  const should = variants.flatMap((one, index) => {
    const frequency = counts[index] ?? 0
    if (frequency === 0) return []
    const base =
      minimums.length > 0
        ? (Math.min(...minimums) * one.weight) / weights
        : one.weight * inverseFrequency(statistics.documents, frequency) * (1 + k1)
    const queries = one.variants.map(({ clause, closeness }) => ({
      constant_score: { filter: clause, boost: base * closeness },
    }))
    return [{ dis_max: { queries } }]
  })
  return should.length === 0 ? [] : [{ bool: { should, must_not: exact.map(term => termClause(term)) } }]
}

interface Variant {
  clause: Clause
  /** Factor below 1: 1/2 for each typo, and for a completion the fraction of its characters that were typed. */
  closeness: number
}

/** Completions by up to this many characters are ranked by length; longer ones share a rank. */
const exactCompletionsMax = 8

function listVariants(
  { text, isCompletion: completed, typos }: Group,
  { field, includesStopWords: stopToo }: Group['fields'][number],
): Variant[] {
  const typedColumn = column.typed(field)
  const typoCounts = Array.from({ length: typos }, (_, index) => index + 1)
  if (!completed)
    return typoCounts.map(letters => ({
      clause: fuzzyClause(typedColumn, text, letters),
      closeness: 0.5 ** letters,
    }))
  const { length } = [...text]
  const share = (extraCharacters: number) => length / (length + extraCharacters)
  const columns = stopToo && field.language !== 'none' ? [typedColumn, column.stop(field)] : [typedColumn]
  return columns.flatMap(name => [
    ...Array.from({ length: exactCompletionsMax }, (_, index) => ({
      clause: { regexp: { [name]: { value: `${escapeRegExp(text)}.{${index + 1}}` } } },
      closeness: share(index + 1),
    })),
    {
      clause: { prefix: { [name]: { value: text } } },
      closeness: share(exactCompletionsMax + 1),
    },
    ...typoCounts.flatMap(letters => {
      const clause = fuzzyPrefixClause(name, text, letters)
      return clause ? [{ clause, closeness: 0.5 ** letters * share(length) }] : []
    }),
  ])
}
