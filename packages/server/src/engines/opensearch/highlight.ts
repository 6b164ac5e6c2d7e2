/**
 * Creates snippets of hits in which matches are marked, like packages/engine/src/search/highlight.rs. It analyzes texts like the index
 * does, so it marks exactly the words that matched. Everything except the marks is escaped for HTML.
 */
import type { HighlightRequest } from '#engines/engine'
import type { Word } from './analysis.ts'
import { editDistance } from './fuzzy.ts'
import type { QueryWord, WordSource } from './query-words.ts'
import { readTexts, type TextField } from './schema.ts'
import type { SearchContext } from './search-context.ts'
import { type Fragment, type Range, renderHtml, splitIntoFragments } from './snippets.ts'
import { costOfCompletion, costOfTypo, hasLongBeginning } from './tiers.ts'

/** Maximum number of characters that are analyzed per document and field. */
const charactersMax = 256 * 1024

/** The words and phrases to mark in one field for one word of the query. */
interface MarkedWord {
  text: string
  words: Set<string>
  stopWords: Set<string>
  phrases: { places: [number, string][]; stop: boolean }[]
  /** Where the completions and corrections to mark come from. */
  sources: WordSource[]
}

/** A match of a word of the query in a text. The cost is that of the completion or correction, 0 for the word itself. */
interface WordMatch extends Range {
  marked: MarkedWord
  cost: number
}

/** Returns for each entity the snippets by field, if anything is marked there. Ignores fields that are not text. */
export async function highlightEntities(
  context: SearchContext,
  queryWords: readonly QueryWord[],
  request: HighlightRequest,
  entities: readonly string[],
): Promise<Record<string, string[]>[]> {
  const highlights = entities.map((): Record<string, string[]> => ({}))
  for (const name of request.fields) {
    const field = context.schema.fields.get(name)
    if (field?.type !== 'text') continue
    const marked = queryWords.flatMap(word => collectMarks(word, field) ?? [])
    if (marked.length === 0) continue
    const texts = entities.map(entity => limitTexts(readTexts(field, entity)))
    const allTexts = texts.flat()
    const [words, typed] = await Promise.all([
      context.analyzer.words(field.language, allTexts),
      marked.some(({ sources }) => sources.length > 0)
        ? context.analyzer.typed(field.language, allTexts)
        : [],
    ])
    let textIndex = 0
    for (const [place, entityTexts] of texts.entries()) {
      const matchedTexts = entityTexts.map(text => {
        const matches = findMatches(marked, words[textIndex] ?? [], typed[textIndex] ?? [])
        textIndex++
        return { text, matches }
      })
      const lowestCosts = findLowestCosts(matchedTexts.flatMap(({ matches }) => matches))
      const fragments: Fragment[] = matchedTexts.flatMap(({ text, matches }) => {
        const best = matches.filter(({ marked: word, cost }) => cost === lowestCosts.get(word))
        return splitIntoFragments(text, mergeRanges(best), request.chars)
      })
      const snippets = selectBest(fragments, request.snippets)
      const highlight = highlights[place]
      if (highlight && snippets.length > 0) highlight[name] = snippets
    }
  }
  return highlights
}

function limitTexts(texts: string[]): string[] {
  let remaining = charactersMax
  return texts.map(text => {
    const part = text.slice(0, remaining).toWellFormed()
    remaining -= part.length
    return part
  })
}

/** Returns undefined if the word is not searched in this field. */
function collectMarks({ text, query, sources }: QueryWord, field: TextField): MarkedWord | undefined {
  const terms = [...query.terms.values()].filter(term => term.field === field)
  const phrases = [...query.phrases.values()].filter(phrase => phrase.field === field)
  const fieldSources = sources.filter(source => source.field === field)
  if (terms.length + phrases.length + fieldSources.length === 0) return undefined
  return {
    text,
    words: new Set(terms.filter(({ stop }) => !stop).map(term => term.text)),
    stopWords: new Set(terms.filter(({ stop }) => stop).map(term => term.text)),
    phrases: phrases.map(({ words, stop }) => ({
      places: words.map(word => [word.position - (words[0]?.position ?? 0), word.text]),
      stop,
    })),
    sources: fieldSources,
  }
}

function findMatches(
  markedWords: readonly MarkedWord[],
  words: readonly Word[],
  typed: readonly Word[],
): WordMatch[] {
  const byPlace = new Map(words.map(word => [word.position, word]))
  return markedWords.flatMap(marked => {
    const match = ({ start, end }: Range, cost: number): WordMatch => ({ marked, cost, start, end })
    return [
      ...words
        .filter(({ stop, text }) => (stop ? marked.stopWords : marked.words).has(text))
        .map(word => match(word, 0)),
      ...marked.phrases.flatMap(phrase =>
        words.flatMap(word => matchPhrase(word, phrase, byPlace) ?? []).map(range => match(range, 0)),
      ),
      ...typed.flatMap(word => {
        const cost = findVariantCost(marked, word.text, byPlace.get(word.position)?.stop === true)
        return cost === undefined ? [] : [match(word, cost)]
      }),
    ]
  })
}

/** Returns the cost of a word of the text as a completion or correction; undefined if it is none. */
function findVariantCost({ text, sources }: MarkedWord, word: string, isStop: boolean): number | undefined {
  if (word === text) return undefined
  const [typed, characters] = [[...text], [...word]]
  const firstTypo = Number(typed[0] !== characters[0])
  const isLong = hasLongBeginning(text)
  const costs = sources
    .filter(({ includesStopWords }) => !isStop || includesStopWords)
    .flatMap(({ isCompleted, typos }) => {
      const beginning = isCompleted && word.startsWith(text) ? [costOfCompletion] : []
      if (typos === 0) return beginning
      const wholeDistance =
        isStop && !isLong ? Number.POSITIVE_INFINITY : editDistance(typed, characters, false) + firstTypo
      const start =
        isCompleted && isLong ? editDistance(typed, characters, true) + firstTypo : Number.POSITIVE_INFINITY
      return [
        ...beginning,
        ...(wholeDistance <= typos ? [wholeDistance * costOfTypo] : []),
        ...(start <= typos ? [start * costOfTypo + costOfCompletion] : []),
      ]
    })
  return costs.length === 0 ? undefined : Math.min(...costs)
}

/** Returns the lowest cost of each word: a document with the word itself gets no marks for corrections of it. */
function findLowestCosts(matches: readonly WordMatch[]): Map<MarkedWord, number> {
  const costs = new Map<MarkedWord, number>()
  for (const { marked, cost } of matches)
    costs.set(marked, Math.min(cost, costs.get(marked) ?? Number.POSITIVE_INFINITY))
  return costs
}

/** Returns the ranges to mark, in order and without overlaps. */
function mergeRanges(matches: readonly WordMatch[]): Range[] {
  const ranges = matches.map(({ start, end }) => ({ start, end }))
  ranges.sort((a, b) => a.start - b.start || a.end - b.end)
  const merged: Range[] = []
  for (const range of ranges) {
    const last = merged.at(-1)
    if (last && range.start < last.end) last.end = Math.max(last.end, range.end)
    else merged.push(range)
  }
  return merged
}

/** Returns the range of the phrase if it begins at this word. */
function matchPhrase(
  first: Word,
  { places, stop }: MarkedWord['phrases'][number],
  byPlace: ReadonlyMap<number, Word>,
): Range | undefined {
  let { end } = first
  for (const [place, text] of places) {
    const word = byPlace.get(first.position + place)
    if (word?.text !== text || word.stop !== stop) return undefined
    end = Math.max(end, word.end)
  }
  return { start: first.start, end }
}

/** Returns the most relevant fragments as HTML, in the order of the document. */
function selectBest(fragments: readonly Fragment[], countMax: number): string[] {
  return [...fragments.keys()]
    .sort((a, b) => relevance(fragments[b]) - relevance(fragments[a]))
    .slice(0, countMax)
    .sort((a, b) => a - b)
    .flatMap(index => {
      const fragment = fragments[index]
      return fragment ? [renderHtml(fragment)] : []
    })
}

/** Ranks a fragment by the number of different marked words, then by the number of marks. */
function relevance(fragment: Fragment | undefined): number {
  if (fragment === undefined) return 0
  const { text, marks } = fragment
  const different = new Set(marks.map(({ start, end }) => text.slice(start, end).toLowerCase()))
  return different.size * 1_000_000 + marks.length
}
