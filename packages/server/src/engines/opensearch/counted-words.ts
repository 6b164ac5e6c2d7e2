/**
 * Matches documents that have some or all words of a text, and ranks them word by word, like packages/engine/src/search/words/counted_words.rs.
 *
 * A word counts once, by the best of itself, its completions and its corrections. With `ranking: 'words'` the score of a document is, in
 * the order of importance: the number of its words, fewer typos, whole words before completions, a field whose whole text is the query, and
 * the sum of BM25 scores and of the bonuses of words that stand close together. Each of these is less than one unit of the one before.
 */
import { type Factor, matchNone } from './conditions.ts'
import { multiplySource } from './factors.ts'
import {
  anyClause,
  inverseFrequency,
  lengthSlope,
  requestStatistics,
  type Statistics,
  scoreTextQuery,
  unscoredClauses,
} from './matching.ts'
import type { NeighbouringWords, QueryWord, TypedForm } from './query-words.ts'
import { rankingRules } from './ranking-rules.ts'
import { column, type TextField } from './schema.ts'
import { countMatches, type SearchContext } from './search-context.ts'
import { b, k1 } from './similarity.ts'
import { costMax, listTiers, type Tier } from './tiers.ts'
import type { Clause } from './values.ts'
import { lengthColumn } from './words.ts'

export interface CountedWords {
  words: readonly QueryWord[]
  /** Whether a document needs all words, or any. */
  needsAll: boolean
  isRankedByWords: boolean
  /** Matches documents with a field whose whole text is the query. */
  exact: Clause | undefined
  /** Each two neighbouring words of the text. */
  neighbours: readonly NeighbouringWords[][]
  /** Each word as it was typed, in each field. */
  asTyped: readonly TypedForm[][]
  /** Matches documents in which the text of a field begins with the text of the query. */
  beginning: Clause | undefined
  /** Multiply the sums of BM25 scores. */
  boosts: readonly Factor[]
}

/** Matches documents with the word, its synonyms, a completion or a correction. */
export const wordFilter = (word: QueryWord): Clause =>
  anyClause([...unscoredClauses(word.query), ...listTiers(word).map(({ clause }) => clause)])

/** Matches documents with enough of the words, without scoring them. */
export const wordsFilter = (words: readonly QueryWord[], needsAll: boolean): Clause => {
  const clauses = words.map(word => wordFilter(word))
  return needsAll && clauses.length > 0 ? { bool: { filter: clauses } } : anyClause(clauses)
}

/** Matches documents that have all words as such, and a field whose whole text has exactly its words. */
export const exactTextClause = (
  wholeTexts: readonly { field: TextField; words: readonly string[] }[],
  words: readonly QueryWord[],
): Clause => {
  const wholeTextClauses = wholeTexts.map(whole => ({
    term: { [column.whole(whole.field)]: { value: whole.words.join(' ') } },
  }))
  const wordFilters = words.map(word => anyClause(unscoredClauses(word.query)))
  return { bool: { filter: [...wordFilters, anyClause(wholeTextClauses)] } }
}

/** Matches documents in which the text of one of the fields begins with the text of the query, without case and accents. */
export const beginningClause = (fields: readonly TextField[], beginning: string): Clause =>
  anyClause(fields.map(field => ({ prefix: { [column.sort(field)]: { value: beginning } } })))

/** Returns a clause that scores the documents with enough of the words. */
export const scoreWords = (context: SearchContext, counted: CountedWords): Promise<Clause> =>
  counted.isRankedByWords ? rankByWords(context, counted) : rankByScore(context, counted)

const {
  typoFactor,
  completionFactor,
  containingFactor,
  costOfTypo,
  costOfCompletion,
  costOfContaining,
  middleScore,
  proximityBonus,
  furtherWordsMax,
  asTypedBonus,
  beginningBonus,
} = rankingRules

const variantFactor = (cost: number): number =>
  cost === costOfContaining ? containingFactor : closeFactor(cost)

const closeFactor = (cost: number): number =>
  typoFactor ** Math.floor(cost / costOfTypo) *
  (cost % costOfTypo === costOfCompletion ? completionFactor : 1)

/** Adds up BM25 scores. Puts documents with an exact field first: their bonus is more than the best sum. */
async function rankByScore(
  context: SearchContext,
  { words, needsAll, exact, boosts }: CountedWords,
): Promise<Clause> {
  const { statistics, countedWords } = await countTiers(context, words)
  const scores = countedWords.map(one => scoreVariants(statistics, one))
  const bonus = scores.reduce((sum, variants) => sum + Math.max(0, ...variants.map(({ limit }) => limit)), 1)
  const scored = scores.flatMap((variants, index): Clause[] => {
    // The similarity reads boosts, so that equal clauses of two words must not be merged: hence the index.
    const queries = variants.map(({ cost, query, occurrence }) =>
      occurrence === undefined
        ? query
        : {
            script_score: {
              query,
              script: {
                source: occurrenceSource,
                params: { ...occurrence, factor: occurrence.factor * variantFactor(cost), index },
              },
            },
          },
    )
    return queries.length === 0 ? [] : [{ dis_max: { queries } }]
  })
  const filter = [wordsFilter(words, needsAll)]
  const exactBonus = (boost: number) => (exact ? [{ constant_score: { filter: exact, boost } }] : [])
  if (boosts.length === 0) return { bool: { filter, should: [...scored, ...exactBonus(bonus)] } }
  const query = { bool: { filter, should: scored } }
  const script = { source: boostedSource, params: { factors: boosts } }
  return { bool: { must: [{ script_score: { query, script } }], should: exactBonus(1) } }
}

/** The share in a score of a sum that boosts multiply. It is below 1, and keeps the order of very large products (scale.rs). */
const shareSource = `${multiplySource}
  double share(double sum, def factors, def doc) {
    double product = Math.log1p(multiply(sum, factors, doc) / ${rankingRules.middleScore});
    return product / (product + 1);
  }`

const boostedSource = `${shareSource}
  return Math.max(share(_score, params.factors, doc), 1e-30);`

const occurrenceSource = `
  double length = 0;
  for (long count : doc[params.column]) { length += count; }
  return ((Number)params.factor).doubleValue()
    / (${1 + k1 * (1 - b)} + ((Number)params.slope).doubleValue() * length);`

interface CountedWord {
  word: QueryWord
  tiers: (Tier & { frequency: number })[]
}

/** The inner scores have a gain as their integer part, and the sum of BM25 scores divided by `scale` as their fraction. */
const scoreSource = `
  double gain = Math.floor(_score);
  double sum = (_score - gain) * ((Number)params.scale).doubleValue();
  return (gain + sum / (sum + ${middleScore})) / ((Number)params.unit).doubleValue();`

/** The same with boosts. */
const boostedGainSource = `${shareSource}
  double gain = Math.floor(_score);
  double sum = (_score - gain) * ((Number)params.scale).doubleValue();
  return (gain + share(sum, params.factors, doc)) / ((Number)params.unit).doubleValue();`

async function rankByWords(
  context: SearchContext,
  { words, needsAll, exact, neighbours, asTyped, beginning, boosts }: CountedWords,
): Promise<Clause> {
  const { statistics, countedWords } = await countTiers(context, words)
  // A word counts more than all typos and completions of the others, a whole text and all BM25 scores.
  const unit = words.length * costMax + 3
  const scores = countedWords.map(one => scoreVariants(statistics, one))
  // Keeps the fraction below 1.
  const scale =
    1.1 *
    scores.reduce(
      (sum, variants) => sum + Math.max(0, ...variants.map(({ limit }) => limit)),
      1 + proximityBonus * neighbours.length + asTypedBonus * asTyped.length + beginningBonus,
    )
  const should = scores.map((variants, index): Clause => {
    const queries = variants.map(variant => scoreVariant(variant, { unit, scale, index }))
    return queries.length === 0 ? matchNone : { dis_max: { queries } }
  })
  const query: Clause = {
    bool: {
      must: [{ bool: { should, minimum_should_match: needsAll ? words.length : 1 } }],
      should: [
        ...(exact ? [{ constant_score: { filter: exact, boost: 1 } }] : []),
        ...neighbours.map(pair => proximityClause(pair, 1 / scale)),
        ...asTyped.map(forms => asTypedClause(forms, 1 / scale)),
        ...(beginning ? [{ constant_score: { filter: beginning, boost: beginningBonus / scale } }] : []),
      ],
    },
  }
  const script =
    boosts.length === 0
      ? { source: scoreSource, params: { scale, unit } }
      : { source: boostedGainSource, params: { scale, unit, factors: boosts } }
  return { script_score: { query, script } }
}

/** Requests the statistics of all words and of their tiers. */
async function countTiers(
  context: SearchContext,
  words: readonly QueryWord[],
): Promise<{ statistics: Statistics; countedWords: CountedWord[] }> {
  const tiers = words.flatMap(word => listTiers(word).map(tier => ({ ...tier, word })))
  const [statistics, frequencies] = await Promise.all([
    requestStatistics(
      context,
      words.map(({ query }) => query),
      tiers.map(({ source }) => source.field),
    ),
    countMatches(
      context,
      tiers.map(({ clause }) => clause),
    ),
  ])
  const countedTiers = tiers.map((tier, index) => ({ ...tier, frequency: frequencies[index] ?? 0 }))
  const countedWords = words.map(word => ({ word, tiers: countedTiers.filter(tier => tier.word === word) }))
  return { statistics, countedWords }
}

/** The word itself, or a tier of it in one field. */
interface ScoredVariant {
  cost: number
  query: Clause
  /** If present, `query` has a constant score. The BM25 score is that of a single occurrence in a text with the length in `column`. */
  occurrence?: { column: string; factor: number; slope: number }
  /** The BM25 score does not exceed this. */
  limit: number
}

function scoreVariants(statistics: Statistics, { word, tiers }: CountedWord): ScoredVariant[] {
  const wholeWords = scoreTextQuery(statistics, word.query)
  const variants: ScoredVariant[] = tiers
    .filter(({ frequency }) => frequency > 0)
    .map(({ cost, clause, source: { field, weight }, frequency }) => {
      const lengths = lengthColumn({ field, stop: false })
      const factor = weight * inverseFrequency(statistics.documents, frequency) * (1 + k1)
      const slope = lengthSlope(statistics, lengths)
      const query = { constant_score: { filter: clause } }
      return { cost, query, occurrence: { column: lengths, factor, slope }, limit: factor }
    })
  if (wholeWords.length > 0)
    variants.push({
      cost: 0,
      query: { bool: { should: wholeWords.map(({ clause }) => clause) } },
      limit: wholeWords.reduce((sum, { weight }) => sum + weight, 0),
    })
  return variants
}

const variantSource = `
  double score = _score;
  if (params.occurrence != null) {
    double length = 0;
    for (long count : doc[params.occurrence.column]) { length += count; }
    score *= ((Number)params.occurrence.factor).doubleValue()
      / (${1 + k1 * (1 - b)} + ((Number)params.occurrence.slope).doubleValue() * length);
  }
  return ((Number)params.gain).doubleValue() + score / ((Number)params.scale).doubleValue();`

/** The index of the word keeps Lucene from merging equal clauses of two words: it would sum their boosts, which our similarity cannot read. */
const scoreVariant = (
  { cost, query, occurrence }: ScoredVariant,
  { unit, scale, index }: { unit: number; scale: number; index: number },
): Clause => ({
  script_score: {
    query,
    script: {
      source: variantSource,
      params: { gain: cost === costOfContaining ? 0 : unit - cost, scale, occurrence, index },
    },
  },
})

const partColumn = (field: TextField, part: TypedForm['part']): string => {
  if (part === 'form') return column.forms(field)
  if (part === 'stop') return column.stop(field)
  return part === 'typed' ? column.typed(field) : field.column
}

/** Returns a clause that scores a word as it was typed, with the same ending, accents and capitals, in any field. `share` is what one point of BM25 is in the score of the query. */
const asTypedClause = (forms: readonly TypedForm[], share: number): Clause => ({
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

/** Returns a clause that scores two neighbouring words that stand close together, in their order, in any field. `share` is what one point of BM25 is in the score of the query. */
const proximityClause = (pair: readonly NeighbouringWords[], share: number): Clause => {
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
