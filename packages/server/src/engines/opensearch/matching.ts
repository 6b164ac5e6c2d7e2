/**
 * Words and phrases → a clause that finds the documents with any of them and scores them by BM25, made of the statistics of the visible
 * documents. A clause for a word scores the number of times it stands in the text (see the similarity in schema.ts); a script makes BM25
 * of it.
 */
import { type Clause, countsOf, type Ground, leastScoresOf, lengthOf } from './ground.ts'
import { escaped, nearly, nearlyBeginning } from './near.ts'
import { column } from './schema.ts'
import { columnOf, type Group, lengthsOf, type Phrase, type Term, type Wanted } from './words.ts'

const k1 = 1.2
const b = 0.75

/** Lengths are kept as Lucene and tantivy keep them: whole up to 40, above with four significant bits of what is over 24. */
const source = `
  long length = 0;
  for (def one : doc[params.lengths]) { length += ((Number)one).longValue(); }
  if (length > 40) {
    long unit = 1L << (60 - Long.numberOfLeadingZeros(length - 24));
    length = 24 + (length - 24) / unit * unit;
  }
  double times = _score / params.words;
  return params.weight * times / (times + params.least + params.slope * length);`

/** Without scores: what is found is the same. */
export function foundBy(wanted: Wanted): Clause[] {
  const terms = Map.groupBy(wanted.terms.values(), columnOf)
  return [
    ...[...terms].map(([name, found]) => ({ terms: { [name]: found.map(({ text }) => text) } })),
    ...[...wanted.phrases.values()].map(phraseClause),
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
    countsOf(ground, [{ match_all: {} }, ...counted.map(termClause)]),
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

export const termClause = (term: Pick<Term, 'field' | 'stop' | 'text'>): Clause => ({
  term: { [columnOf(term)]: { value: term.text } },
})

const phraseClause = (phrase: Phrase): Clause => ({
  match_phrase: { [columnOf(phrase)]: { query: phrase.typed.toWellFormed() } },
})

const inverseFrequency = (documents: number, frequency: number): number =>
  Math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))

const frequencyOf = ({ frequencies }: Statistics, term: Pick<Term, 'field' | 'stop' | 'text'>): number =>
  frequencies.get(keyOf(term)) ?? 0

function scored(
  { meanLengths }: Statistics,
  clause: Clause,
  { weight, words, lengths }: { weight: number; words: number; lengths: string },
): Clause {
  const least = k1 * (1 - b)
  const slope = (k1 * b) / (meanLengths.get(lengths) ?? 1)
  const params = { weight: weight * (1 + k1), words, lengths, least, slope }
  return { script_score: { query: clause, script: { source, params } } }
}

function scoredTerm(statistics: Statistics, term: Term): Clause[] {
  const frequency = frequencyOf(statistics, term)
  if (frequency === 0) return []
  const weight = term.weight * inverseFrequency(statistics.documents, frequency)
  return [scored(statistics, termClause(term), { weight, words: 1, lengths: lengthsOf(term) })]
}

/** The similarity adds the number of times for each word of the phrase. */
function scoredPhrase(statistics: Statistics, phrase: Phrase): Clause {
  const { words, weight } = phrase
  const sum = words.reduce(
    (soFar, { text }) =>
      soFar + inverseFrequency(statistics.documents, frequencyOf(statistics, { ...phrase, text })),
    0,
  )
  return scored(statistics, phraseClause(phrase), {
    weight: weight * sum,
    words: words.length,
    lengths: lengthsOf(phrase),
  })
}

/**
 * Documents that do not have the word itself, but what may stand for it. Where documents have the word itself, what stands for it in a
 * document shares out the least score that one of those has for it, so that every document with the word ranks above those without.
 */
async function groupClause(ground: Ground, statistics: Statistics, group: Group): Promise<Clause[]> {
  const exact = group.exact.filter(term => frequencyOf(statistics, term) > 0)
  const leasts = await leastScoresOf(
    ground,
    exact.flatMap(term => scoredTerm(statistics, term)),
  )
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
  return should.length === 0 ? [] : [{ bool: { should, must_not: exact.map(termClause) } }]
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
