/** Compiles words and phrases into clauses with BM25 scores from the statistics of the visible documents (see similarity.ts). */
import { textFunctions } from '@querent/engine'
import { joinWords } from './analysis.ts'
import { matchNone } from './conditions.ts'
import type { TextField } from './schema.ts'
import { countMatches, type SearchContext, sumLengths } from './search-context.ts'
import { b, k1, scoredClause } from './similarity.ts'
import type { Clause } from './values.ts'
import {
  isMixedPhrase,
  joinedParts,
  lengthColumn,
  type Phrase,
  phraseTerms,
  type Term,
  type TextQuery,
  termColumn,
} from './words.ts'

/** Returns clauses that match the same documents as the scored ones. */
export function unscoredClauses(textQuery: TextQuery): Clause[] {
  const terms = Map.groupBy(textQuery.terms, termColumn)
  return [
    ...[...terms].map(([name, columnTerms]) => ({ terms: { [name]: columnTerms.map(({ text }) => text) } })),
    ...textQuery.phrases.map(phrase => phraseClause(phrase)),
  ]
}

/** Matches documents that any of the clauses matches; none without clauses. */
export const anyClause = (should: readonly Clause[]): Clause =>
  should.length === 0 ? matchNone : { bool: { should } }

/** Returns a scored clause for each word and phrase. */
export async function scoredClauses(context: SearchContext, textQuery: TextQuery): Promise<ScoredClause[]> {
  return scoreTextQuery(await requestStatistics(context, [textQuery]), textQuery)
}

/** A clause, and a limit that its scores do not exceed. */
export interface ScoredClause {
  clause: Clause
  weight: number
}

export const scoreTextQuery = (statistics: Statistics, { terms, phrases }: TextQuery): ScoredClause[] => [
  ...terms.flatMap(term => scoredTerm(statistics, term)),
  ...phrases.map(phrase => scoredPhrase(statistics, phrase)),
]

/** Requests the statistics that the scores of these queries need, and the mean lengths of further fields. */
export async function requestStatistics(
  context: SearchContext,
  textQueries: readonly TextQuery[],
  fields: readonly TextField[] = [],
): Promise<Statistics> {
  const terms = textQueries.flatMap(query => [...query.terms, ...query.phrases.flatMap(phraseTerms)])
  const columns = [...new Set([...terms, ...fields.map(field => ({ field, stop: false }))].map(lengthColumn))]
  const parts = textQueries.flatMap(query => query.terms.flatMap(joinedParts))
  const clauses = new Map([...terms, ...parts].map(term => [termKey(term), termClause(term)]))
  const [[documents = 0, ...counts], ...lengths] = await Promise.all([
    countMatches(context, [{ match_all: {} }, ...clauses.values()]),
    ...columns.map(name => sumLengths(context, name)),
  ])
  return {
    documents,
    frequencies: new Map([...clauses.keys()].map((key, index) => [key, counts[index] ?? 0])),
    meanLengths: new Map(
      columns.map((name, index) => [name, (lengths[index] ?? 0) / Math.max(1, documents) || 1]),
    ),
  }
}

export interface Statistics {
  documents: number
  frequencies: Map<string, number>
  meanLengths: Map<string, number>
}

const termKey = (term: Omit<Term, 'weight'>) => `${termColumn(term)} ${term.text}`

export const termClause = (term: Omit<Term, 'weight'>, boost?: number): Clause => ({
  term: { [termColumn(term)]: { value: term.text, boost } },
})

const phraseClause = (phrase: Phrase, boost?: number): Clause =>
  isMixedPhrase(phrase)
    ? mixedPhraseClause(phrase)
    : { match_phrase: { [termColumn(phrase)]: { query: joinWords(phrase.words), boost } } }

/** The columns of words and of stop words count positions alike. */
const mixedPhraseClause = (phrase: Phrase): Clause => {
  const name = termColumn(phrase)
  const clauses = phraseTerms(phrase).map(term => {
    const query = { span_term: { [termColumn(term)]: term.text } }
    return termColumn(term) === name ? query : { field_masking_span: { query, field: name } }
  })
  return { span_near: { clauses, slop: 0, in_order: true } }
}

/** Clamps the number of documents: it was requested earlier than the frequency, and another node may have added documents meanwhile. */
export const inverseFrequency = (documents: number, frequency: number): number =>
  Math.log(1 + (Math.max(documents, frequency) - frequency + 0.5) / (frequency + 0.5))

const documentFrequency = ({ frequencies }: Statistics, term: Omit<Term, 'weight'>): number =>
  frequencies.get(termKey(term)) ?? 0

export const lengthSlope = ({ meanLengths }: Statistics, lengths: string): number =>
  (k1 * b) / (meanLengths.get(lengths) ?? 1)

function scoredTerm(statistics: Statistics, term: Term): ScoredClause[] {
  const frequency = documentFrequency(statistics, term)
  if (frequency === 0) return []
  const weight = termWeight(statistics, term) * inverseFrequency(statistics.documents, frequency) * (1 + k1)
  const slope = lengthSlope(statistics, lengthColumn(term))
  const clause = term.form
    ? scoredOnce(termClause(term), { weight, slope, column: lengthColumn(term) })
    : scoredClause(boost => termClause(term, boost), { weight, slope })
  return [{ clause, weight }]
}

/** A word that is several words written as one counts less if it is rarer than these. */
function termWeight(statistics: Statistics, term: Term): number {
  const { documents } = statistics
  const { weight, joined = [] } = term
  const frequency = documentFrequency(statistics, term)
  const reductions = joined.map(one => {
    const frequencies = joinedParts({ ...term, joined: [one] }).map(part =>
      documentFrequency(statistics, part),
    )
    return one.weight * (1 - textFunctions().joinedShare(documents, frequency, frequencies))
  })
  return weight - reductions.reduce((sum, part) => sum + part, 0)
}

/** Scores a form by the length of the text, rounded down as Lucene rounds lengths (SmallFloat.intToByte4). */
const formSource = `
  long length = 0;
  for (long count : doc[params.column]) { length += count; }
  if (length > 24) {
    int shift = (int)Math.max(0, 60 - Long.numberOfLeadingZeros(length - 24));
    length = (((length - 24) >> shift) << shift) + 24;
  }
  return ((Number)params.weight).doubleValue()
    / (${1 + k1 * (1 - b)} + ((Number)params.slope).doubleValue() * length);`

/** For what stands once in a text, as a form does. The length of a form's own column is not that of the text. */
const scoredOnce = (filter: Clause, params: { weight: number; slope: number; column: string }): Clause => ({
  script_score: {
    query: { constant_score: { filter } },
    script: { source: formSource, params },
  },
})

/** Divides by the number of words, because the similarity adds the score of the phrase once for each word. */
function scoredPhrase(statistics: Statistics, phrase: Phrase): ScoredClause {
  if (isMixedPhrase(phrase)) return scoredMixedPhrase(statistics, phrase)
  const { words } = phrase
  const sum = phraseTerms(phrase).reduce(
    (total, term) => total + inverseFrequency(statistics.documents, documentFrequency(statistics, term)),
    0,
  )
  const weight = phrase.weight * sum * (1 + k1)
  const slope = lengthSlope(statistics, lengthColumn(phrase))
  const options = { weight: weight / words.length, slope }
  return { clause: scoredClause(boost => phraseClause(phrase, boost), options), weight }
}

/** Scores the words without the stop words, which documents also need. */
function scoredMixedPhrase(statistics: Statistics, phrase: Phrase): ScoredClause {
  const { field, weight } = phrase
  const words = phrase.words.filter(({ stop = phrase.stop }) => !stop)
  const [first] = words
  const [scored] =
    first && words.length === 1
      ? scoredTerm(statistics, { field, weight, stop: false, text: first.text })
      : [scoredPhrase(statistics, { field, weight, stop: false, words })]
  if (scored === undefined) return { clause: matchNone, weight: 0 }
  return {
    clause: { bool: { must: [scored.clause], filter: [phraseClause(phrase)] } },
    weight: scored.weight,
  }
}
