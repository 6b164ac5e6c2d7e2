/**
 * Words and phrases → a clause that finds the documents with any of them and scores them by BM25, made of the statistics of the visible
 * documents (see similarity.ts).
 */

import { escaped, nearly, nearlyBeginning } from './fuzzy.ts'
import { column } from './schema.ts'
import { countsOf, type Ground, leastScoresOf, lengthOf } from './search-context.ts'
import { b, k1, scoredClause } from './similarity.ts'
import type { Clause } from './values.ts'
import { columnOf, type Group, lengthsOf, type Phrase, type Term, type Wanted } from './words.ts'

/** Without scores: what is found is the same. */
export function foundBy(wanted: Wanted): Clause[] {
  const terms = Map.groupBy(wanted.terms.values(), columnOf)
  return [
    ...[...terms].map(([name, found]) => ({ terms: { [name]: found.map(({ text }) => text) } })),
    ...[...wanted.phrases.values()].map(phrase => phraseClause(phrase)),
    ...[...wanted.groups.values()].flatMap(group =>
      group.fields.flatMap(one => variantsOf(group, one).map(({ clause }) => clause)),
    ),
  ]
}

/** What each word, phrase and group of what may stand for a word finds, scored. */
export async function scoredBy(ground: Ground, wanted: Wanted): Promise<Clause[]> {
  const terms = [...wanted.terms.values()]
  const phrases = [...wanted.phrases.values()]
  const groups = [...wanted.groups.values()]
  const counted = [
    ...terms,
    ...phrases.flatMap(({ words, ...phrase }) => words.map(({ text }) => ({ ...phrase, text }))),
    ...groups.flatMap(({ exact }) => exact),
  ]
  const columns = [...new Set(counted.map(lengthsOf))]
  const [[documents = 0, ...counts], ...lengths] = await Promise.all([
    countsOf(ground, [{ match_all: {} }, ...counted.map(term => termClause(term))]),
    ...columns.map(name => lengthOf(ground, name)),
  ])
  const statistics: Statistics = {
    documents,
    frequencies: new Map(counted.map((term, at) => [keyOf(term), counts[at] ?? 0])),
    meanLengths: new Map(columns.map((name, at) => [name, (lengths[at] ?? 0) / documents || 1])),
  }
  const ofGroups = await Promise.all(groups.map(group => groupClause(ground, statistics, group)))
  return [
    ...terms.flatMap(term => scoredTerm(statistics, term)),
    ...phrases.map(phrase => scoredPhrase(statistics, phrase)),
    ...ofGroups.flat(),
  ]
}

interface Statistics {
  documents: number
  frequencies: Map<string, number>
  meanLengths: Map<string, number>
}

const keyOf = (term: Pick<Term, 'field' | 'stop' | 'text'>) => `${columnOf(term)} ${term.text}`

export const termClause = (term: Pick<Term, 'field' | 'stop' | 'text'>, boost?: number): Clause => ({
  term: { [columnOf(term)]: { value: term.text, boost } },
})

const phraseClause = (phrase: Phrase, boost?: number): Clause => ({
  match_phrase: { [columnOf(phrase)]: { query: phrase.typed.toWellFormed(), boost } },
})

/** The numbers were asked for at different times: documents that another node has put since may have raised the frequency alone. */
const inverseFrequency = (documents: number, frequency: number): number =>
  Math.log(1 + (Math.max(documents, frequency) - frequency + 0.5) / (frequency + 0.5))

const frequencyOf = ({ frequencies }: Statistics, term: Pick<Term, 'field' | 'stop' | 'text'>): number =>
  frequencies.get(keyOf(term)) ?? 0

const slopeOf = ({ meanLengths }: Statistics, lengths: string): number =>
  (k1 * b) / (meanLengths.get(lengths) ?? 1)

function scoredTerm(statistics: Statistics, term: Term): Clause[] {
  const frequency = frequencyOf(statistics, term)
  if (frequency === 0) return []
  const weight = term.weight * inverseFrequency(statistics.documents, frequency) * (1 + k1)
  const slope = slopeOf(statistics, lengthsOf(term))
  return [scoredClause(boost => termClause(term, boost), { weight, slope })]
}

/** The similarity adds the score of the phrase for each of its words. */
function scoredPhrase(statistics: Statistics, phrase: Phrase): Clause {
  const { words, weight } = phrase
  const sum = words.reduce(
    (soFar, { text }) =>
      soFar + inverseFrequency(statistics.documents, frequencyOf(statistics, { ...phrase, text })),
    0,
  )
  return scoredClause(boost => phraseClause(phrase, boost), {
    weight: (weight * sum * (1 + k1)) / words.length,
    slope: slopeOf(statistics, lengthsOf(phrase)),
  })
}

/**
 * Documents that do not have the word itself, but what may stand for it. Where documents have the word itself, what stands for it in a
 * document shares out the least score that one of those has for it, so that every document with the word ranks above those without.
 */
async function groupClause(ground: Ground, statistics: Statistics, group: Group): Promise<Clause[]> {
  const exact = group.exact.filter(term => frequencyOf(statistics, term) > 0)
  const scores = await leastScoresOf(
    ground,
    exact.flatMap(term => scoredTerm(statistics, term)),
  )
  // None where the documents that were counted are gone since.
  const leasts = scores.filter(score => !Number.isNaN(score))
  const weights = group.fields.reduce((sum, { weight }) => sum + weight, 0)
  const variants = group.fields.map(one => ({ ...one, variants: variantsOf(group, one) }))
  const found = await countsOf(
    ground,
    variants.map(one => ({ bool: { should: one.variants.map(({ clause }) => clause) } })),
  )
  const should = variants.flatMap((one, at) => {
    const frequency = found[at] ?? 0
    if (frequency === 0) return []
    const base =
      leasts.length > 0
        ? (Math.min(...leasts) * one.weight) / weights
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
  /** 1/2 for each wrong letter; of a completion, times the share of its letters that were typed. Below 1. */
  closeness: number
}

/** Completions by so many letters are told apart. */
const lettersToldApart = 8

function variantsOf(
  { text, completed, typos }: Group,
  { field, stopToo }: Group['fields'][number],
): Variant[] {
  const twin = column.typed(field)
  const wrong = Array.from({ length: typos }, (_, at) => at + 1)
  if (!completed)
    return wrong.map(letters => ({ clause: nearly(twin, text, letters), closeness: 0.5 ** letters }))
  const { length } = [...text]
  const share = (more: number) => length / (length + more)
  const columns = stopToo && field.language !== 'none' ? [twin, column.stop(field)] : [twin]
  return columns.flatMap(name => [
    ...Array.from({ length: lettersToldApart }, (_, at) => ({
      clause: { regexp: { [name]: { value: `${escaped(text)}.{${at + 1}}` } } },
      closeness: share(at + 1),
    })),
    {
      clause: { prefix: { [name]: { value: text } } },
      closeness: share(lettersToldApart + 1),
    },
    ...wrong.flatMap(letters => {
      const clause = nearlyBeginning(name, text, letters)
      return clause ? [{ clause, closeness: 0.5 ** letters * share(length) }] : []
    }),
  ])
}
