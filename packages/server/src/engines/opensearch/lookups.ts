/**
 * Adds the spellings of words that depend on the words of the index: compounds, and words written as one that documents write apart. The addon
 * decides, as it does for the embedded engine, and asks for the words that it needs to know.
 */
import { textFunctions } from '@querent/engine'
import { withEngineErrors } from '#engines/outcome'
import { indexedWords, typedWords } from './analysis.ts'
import { similarWords } from './corrections.ts'
import { wordFilter } from './counted-words.ts'
import { escapeRegExp, fuzzyClauses } from './fuzzy.ts'
import { anyClause, termClause, unscoredClauses } from './matching.ts'
import type { Lookup, MatchWords, MistypedPair, QueryWord } from './query-words.ts'
import { rankingRules } from './ranking-rules.ts'
import { column, type TextField } from './schema.ts'
import { countMatches, type SearchContext } from './search-context.ts'
import { escapeWildcard } from './tiers.ts'
import type { Clause } from './values.ts'
import type { Phrase, Term } from './words.ts'

const { costOfTypo, costOfCompletion, completionFactor, unfinishedPartShare, spellingShare } = rankingRules
/** The most words that may be compounds of a word. */
const candidatesMax = 2_000
/** The most requests for words that the addon needs to know. Further ones don't exist for it. */
const roundsMax = 8
/** The most corrections of a part of a word. */
const correctionsMax = 5

interface LookupReply {
  /** `word`, `stop` or `typed`, a space, and the word. */
  unknown: string[]
  compounds: string[]
  splits: { stop: boolean; text: string }[][]
  /** The splits without stop words. If any document has one, `splits` don't count. */
  usualSplits: { position: number; text: string }[][]
  mistypedSplits: { exact: string; mistyped: string; exactIsFirst: boolean }[]
  corrections: { text: string; stem: string }[]
}

/** Adds the spellings of each word, or of all words together. */
export async function addLookups(context: SearchContext, matchWords: MatchWords): Promise<MatchWords> {
  const [words, query] = await Promise.all([
    Promise.all(matchWords.words.map(word => addToWord(context, word))),
    addToQuery(context, matchWords),
  ])
  return { ...matchWords, words, query }
}

async function addToQuery(
  context: SearchContext,
  { query, lookups }: MatchWords,
): Promise<MatchWords['query']> {
  const compounds = await findCompounds(context, lookups.compounds, completionFactor)
  const phrases = await findSplits(context, lookups.joined)
  const splits = phrases.map(phrase => ({
    ...phrase,
    weight: (phrase.weight * spellingShare) / phrase.words.length,
  }))
  return { terms: [...query.terms, ...compounds], phrases: [...query.phrases, ...splits] }
}

async function addToWord(context: SearchContext, word: QueryWord): Promise<QueryWord> {
  const isUnfinished = word.sources.some(({ isCompleted }) => isCompleted)
  const terms = await findCompounds(context, word.lookups.compounds, isUnfinished ? unfinishedPartShare : 1)
  const phrases = await findSplits(context, word.lookups.joined)
  const added = [
    ...(terms.length > 0 ? [{ cost: costOfCompletion, query: { terms, phrases: [] } }] : []),
    ...(phrases.length > 0 ? [{ cost: costOfCompletion, query: { terms: [], phrases } }] : []),
  ]
  const pairs = await findPairs(context, word.lookups.pairs)
  const withAdded = { ...word, alternatives: [...word.alternatives, ...added], pairs }
  const mistyped = await findMistyped(context, withAdded)
  return { ...withAdded, alternatives: [...withAdded.alternatives, ...mistyped] }
}

/** Returns what a mistyped word may be, if no document has it with its variants: two words, or else a part of compounds. */
async function findMistyped(context: SearchContext, word: QueryWord): Promise<QueryWord['alternatives']> {
  const { sources, lookups } = word
  const typos = Math.max(0, ...sources.map(source => source.typos))
  if (typos === 0 || lookups.joined.length + lookups.compounds.length === 0) return []
  const [count = 0] = await countMatches(context, [wordFilter(word)])
  if (count > 0) return []
  const phrases = await findMistypedSplits(context, word)
  if (phrases.length > 0) return [{ cost: costOfTypo + costOfCompletion, query: { terms: [], phrases } }]
  const terms = await findMistypedCompounds(context, lookups.compounds)
  // They come after corrections of the whole word.
  return terms.length > 0
    ? [{ cost: typos * costOfTypo + costOfCompletion, query: { terms, phrases: [] } }]
    : []
}

/** Returns the compounds of the words that are parts of compounds and have one typo less. Nobody mistyped a synonym. */
async function findMistypedCompounds(context: SearchContext, sources: readonly Lookup[]): Promise<Term[]> {
  const typedSources = sources.filter(({ isSynonym }) => !isSynonym)
  const corrected = await Promise.all(
    typedSources.map(async source => {
      const { corrections } = await lookUp(context, 'mistypedCompounds', source)
      return corrections.map(({ text, stem }) => ({ ...source, text, stem }))
    }),
  )
  return findCompounds(context, corrected.flat(), 1)
}

/** Returns the compounds that visible documents have. */
async function findCompounds(
  context: SearchContext,
  compounds: readonly Lookup[],
  share: number,
): Promise<Term[]> {
  const byLookup = await Promise.all(
    compounds.map(async (lookup): Promise<Term[]> => {
      const candidates = await listContaining(context, lookup)
      if (candidates.length === 0) return []
      const { compounds } = await lookUp(context, 'compounds', lookup, candidates)
      const { field, weight } = lookup
      return compounds.map(text => ({ field, text, stop: false, weight: weight * share }))
    }),
  )
  return byLookup.flat()
}

/** Returns the first words of visible documents that contain the word, sorted. */
async function listContaining(context: SearchContext, { field, stem }: Lookup): Promise<string[]> {
  const containing = { wildcard: { [field.column]: { value: `*${escapeWildcard(stem)}*` } } }
  const include = `.*${[...stem].map(escapeRegExp).join('')}.*`
  const [reply] = await context.search([
    {
      size: 0,
      track_total_hits: false,
      query: { bool: { filter: [containing, ...context.visible] } },
      aggs: {
        words: { terms: { field: column.long(field), include, size: candidatesMax, order: { _key: 'asc' } } },
      },
    },
  ])
  // The request above names this aggregation `words`.
  const { words } = (reply?.aggregations ?? {}) as { words?: { buckets: { key: string }[] } }
  return (words?.buckets ?? []).map(({ key }) => key)
}

/** Returns the phrases that words may be which no document has, also with stop words, unless documents have the usual ones. */
async function findSplits(context: SearchContext, joined: readonly Lookup[]): Promise<Phrase[]> {
  const byLookup = await Promise.all(
    joined.map(async (lookup): Promise<Phrase[]> => {
      const { splits, usualSplits } = await lookUp(context, 'splits', lookup)
      if (splits.length === 0) return []
      const { field, weight } = lookup
      const usual = usualSplits.map(words => ({ field, stop: false, weight, words }))
      const counts = await countMatches(context, unscoredClauses({ terms: [], phrases: usual }))
      if (counts.some(count => count > 0)) return []
      return splits.map(parts => ({
        field,
        stop: false,
        weight,
        words: parts.map(({ text, stop }, position) => ({ text, stop, position })),
      }))
    }),
  )
  return byLookup.flat()
}

/** Returns the phrases of two words that a mistyped word may be. */
async function findMistypedSplits(context: SearchContext, word: QueryWord): Promise<Phrase[]> {
  const phrases: Phrase[] = []
  for (const lookup of word.lookups.joined.filter(({ field }) => field.prefix)) {
    const { mistypedSplits } = await lookUp(context, 'mistypedSplits', lookup)
    for (const { exact, mistyped, exactIsFirst } of mistypedSplits)
      for (const corrected of await listCorrections(context, lookup.field, mistyped)) {
        const pair = exactIsFirst ? [exact, corrected] : [corrected, exact]
        const words = pair.map((text, position) => ({ text, position }))
        phrases.push({ field: lookup.field, stop: false, weight: lookup.weight, words })
      }
  }
  return phrases
}

/** Returns the pairs of which no document has one of the words, or a correction of it. */
async function findPairs(
  context: SearchContext,
  pairs: readonly MistypedPair[],
): Promise<readonly MistypedPair[]> {
  const clauses = pairs.flatMap(({ field, words: [first, second], isUnfinished, typos }) => {
    const name = column.typed(field)
    const corrected = (word: string) => {
      const count = Math.min(textFunctions().correctionTypos(word), typos)
      return count === 0 ? [] : fuzzyClauses(name, word, count)
    }
    const unfinished = { [isUnfinished ? 'prefix' : 'term']: { [name]: { value: second } } }
    return [
      anyClause([{ term: { [name]: { value: first } } }, ...corrected(first)]),
      anyClause([unfinished, ...corrected(second)]),
    ]
  })
  const counts = await countMatches(context, clauses)
  return pairs.filter((_, index) => counts[2 * index] === 0 || counts[2 * index + 1] === 0)
}

/** Returns words with one typo less, as they are indexed. */
async function listCorrections(context: SearchContext, field: TextField, text: string): Promise<string[]> {
  const words = indexedWords(field.language, [text])[0] ?? []
  const asTyped = typedWords(field.language, [text])[0] ?? []
  const similar = await similarWords(context, { field, words, asTyped })
  const corrections = similar
    .filter(({ typos }) => typos === 1)
    .toSorted((a, b) => b.frequency - a.frequency)
    .slice(0, correctionsMax)
  return indexedWords(
    field.language,
    corrections.map(correction => correction.text),
  ).flatMap(([word, ...more]) => (word === undefined || word.stop || more.length > 0 ? [] : word.text))
}

/** Asks the addon, and counts the words that it needs to know, until it knows all. */
async function lookUp(
  context: SearchContext,
  kind: 'compounds' | 'splits' | 'mistypedSplits' | 'mistypedCompounds',
  { field, text, stem }: Lookup,
  candidates: readonly string[] = [],
): Promise<LookupReply> {
  const presence: Record<string, boolean> = {}
  for (let round = 0; ; round++) {
    const request = { kind, field: field.name, text, stem, candidates, known: presence }
    const json = withEngineErrors(() => context.schema.texts.lookUp(JSON.stringify(request)))
    // The format of the addon.
    const reply = JSON.parse(json) as LookupReply
    if (reply.unknown.length === 0) return reply
    const counts =
      round < roundsMax
        ? await countMatches(
            context,
            reply.unknown.map(key => keyClause(field, key)),
          )
        : []
    for (const [index, key] of reply.unknown.entries()) presence[key] = (counts[index] ?? 0) > 0
  }
}

function keyClause(field: TextField, key: string): Clause {
  const [part, text = ''] = key.split(' ')
  return part === 'typed'
    ? { term: { [column.typed(field)]: { value: text } } }
    : termClause({ field, text, stop: part === 'stop' })
}
