/**
 * Creates snippets of hits in which matches are marked, like packages/engine/src/search/highlight.rs. It analyzes texts like the index
 * does, so it marks exactly the words that matched. Everything except the marks is escaped for HTML.
 */
import type { HighlightRequest } from '#engines/engine'
import type { Word } from './analysis.ts'
import { editDistance } from './fuzzy.ts'
import { readTexts, type TextField } from './schema.ts'
import type { SearchContext } from './search-context.ts'
import { type Fragment, type Range, renderHtml, splitIntoFragments } from './snippets.ts'
import type { Group, TextQuery } from './words.ts'

/** Maximum number of characters that are analyzed per document and field. */
const charactersMax = 256 * 1024

/** The words and phrases to mark in one field. */
interface Marks {
  words: Set<string>
  stopWords: Set<string>
  phrases: { places: [number, string][]; stop: boolean }[]
  groups: (Group & { stopToo: boolean })[]
}

/** Returns for each entity the snippets by field, if anything is marked there. Ignores fields that are not text. */
export async function highlightEntities(
  context: SearchContext,
  textQueries: readonly TextQuery[],
  request: HighlightRequest,
  entities: readonly string[],
): Promise<Record<string, string[]>[]> {
  const highlights = entities.map((): Record<string, string[]> => ({}))
  for (const name of request.fields) {
    const field = context.schema.fields.get(name)
    if (field?.type !== 'text') continue
    const marks = collectMarks(textQueries, field)
    if (marks.words.size + marks.stopWords.size + marks.phrases.length + marks.groups.length === 0) continue
    const texts = entities.map(entity => limitTexts(readTexts(field, entity)))
    const allTexts = texts.flat()
    const [words, typed] = await Promise.all([
      context.analyzer.words(field.language, allTexts),
      marks.groups.length > 0 ? context.analyzer.typed(field.language, allTexts) : [],
    ])
    let textIndex = 0
    for (const [place, entityTexts] of texts.entries()) {
      const fragments: Fragment[] = entityTexts.flatMap(text => {
        const ranges = findRanges(marks, words[textIndex] ?? [], typed[textIndex] ?? [])
        textIndex++
        return splitIntoFragments(text, ranges, request.chars)
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

function collectMarks(textQueries: readonly TextQuery[], field: TextField): Marks {
  const terms = textQueries.flatMap(one => [...one.terms.values()]).filter(term => term.field === field)
  const phrases = textQueries
    .flatMap(one => [...one.phrases.values()])
    .filter(phrase => phrase.field === field)
  return {
    words: new Set(terms.filter(({ stop }) => !stop).map(({ text }) => text)),
    stopWords: new Set(terms.filter(({ stop }) => stop).map(({ text }) => text)),
    phrases: phrases.map(({ words, stop }) => ({
      places: words.map(({ position, text }) => [position - (words[0]?.position ?? 0), text]),
      stop,
    })),
    groups: textQueries
      .flatMap(one => [...one.groups.values()])
      .flatMap(group => {
        const groupField = group.fields.find(one => one.field === field)
        return groupField ? [{ ...group, stopToo: groupField.includesStopWords }] : []
      }),
  }
}

/** Returns the ranges of a text to mark, in order and without overlaps. */
function findRanges(marks: Marks, words: readonly Word[], typed: readonly Word[]): Range[] {
  const byPlace = new Map(words.map(word => [word.position, word]))
  const ranges = [
    ...words.filter(({ stop, text }) => (stop ? marks.stopWords : marks.words).has(text)),
    ...typed.filter(word =>
      marks.groups.some(group => {
        const isStop = byPlace.get(word.position)?.stop === true
        return (!isStop || (group.isCompletion && group.stopToo)) && matchesGroup(word.text, group)
      }),
    ),
    ...marks.phrases.flatMap(phrase => words.flatMap(word => matchPhrase(word, phrase, byPlace) ?? [])),
  ].map(({ start, end }) => ({ start, end }))
  ranges.sort((a, b) => a.start - b.start || a.end - b.end)
  const merged: Range[] = []
  for (const range of ranges) {
    const last = merged.at(-1)
    if (last && range.start < last.end) last.end = Math.max(last.end, range.end)
    else merged.push(range)
  }
  return merged
}

function matchesGroup(word: string, { text, isCompletion: completed, typos }: Group): boolean {
  if (word === text) return false
  if (completed && word.startsWith(text)) return true
  return typos > 0 && editDistance([...text], [...word], completed) <= typos
}

/** Returns the range of the phrase if it begins at this word. */
function matchPhrase(
  first: Word,
  { places, stop }: Marks['phrases'][number],
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
