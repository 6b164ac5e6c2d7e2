/**
 * Snippets of what was found, with what was looked for marked (as packages/engine/src/search/highlight.rs). A text is split as the index
 * split it, so what is marked is what matched. Everything but the marks is escaped for HTML.
 */
import type { HighlightRequest } from '#engines/engine'
import type { Word } from './analysis.ts'
import { lettersBetween } from './fuzzy.ts'
import { type TextField, textsOf } from './schema.ts'
import type { Ground } from './search-context.ts'
import { type Fragment, fragmentsOf, html, type Range } from './snippets.ts'
import type { Group, Wanted } from './words.ts'

/** Of a longer document only so much is read for each field. */
const lettersMax = 256 * 1024

/** What is looked for in one field. */
interface Marks {
  words: Set<string>
  stopWords: Set<string>
  phrases: { places: [number, string][]; stop: boolean }[]
  groups: (Group & { stopToo: boolean })[]
}

/** Of each entity by field, where anything is marked. Fields that are no text are left out. */
export async function highlightsOf(
  ground: Ground,
  wanted: readonly Wanted[],
  request: HighlightRequest,
  entities: readonly string[],
): Promise<Record<string, string[]>[]> {
  const highlights = entities.map((): Record<string, string[]> => ({}))
  for (const name of request.fields) {
    const field = ground.schema.fields.get(name)
    if (field?.type !== 'text') continue
    const marks = marksOf(wanted, field)
    if (marks.words.size + marks.stopWords.size + marks.phrases.length + marks.groups.length === 0) continue
    const texts = entities.map(entity => shortened(textsOf(field, entity)))
    const all = texts.flat()
    const [words, typed] = await Promise.all([
      ground.analyser.words(field.language, all),
      marks.groups.length > 0 ? ground.analyser.typed(field.language, all) : [],
    ])
    let at = 0
    for (const [place, ofEntity] of texts.entries()) {
      const fragments: Fragment[] = ofEntity.flatMap(text => {
        const ranges = rangesIn(marks, words[at] ?? [], typed[at] ?? [])
        at++
        return fragmentsOf(text, ranges, request.chars)
      })
      const snippets = bestOf(fragments, request.snippets)
      const highlight = highlights[place]
      if (highlight && snippets.length > 0) highlight[name] = snippets
    }
  }
  return highlights
}

function shortened(texts: string[]): string[] {
  let left = lettersMax
  return texts.map(text => {
    const kept = text.slice(0, left).toWellFormed()
    left -= kept.length
    return kept
  })
}

function marksOf(wanted: readonly Wanted[], field: TextField): Marks {
  const terms = wanted.flatMap(one => [...one.terms.values()]).filter(term => term.field === field)
  const phrases = wanted.flatMap(one => [...one.phrases.values()]).filter(phrase => phrase.field === field)
  return {
    words: new Set(terms.filter(({ stop }) => !stop).map(({ text }) => text)),
    stopWords: new Set(terms.filter(({ stop }) => stop).map(({ text }) => text)),
    phrases: phrases.map(({ words, stop }) => ({
      places: words.map(({ position, text }) => [position - (words[0]?.position ?? 0), text]),
      stop,
    })),
    groups: wanted
      .flatMap(one => [...one.groups.values()])
      .flatMap(group => {
        const own = group.fields.find(one => one.field === field)
        return own ? [{ ...group, stopToo: own.stopToo }] : []
      }),
  }
}

/** The parts of a text that are looked for, in order, none within another. */
function rangesIn(marks: Marks, words: readonly Word[], typed: readonly Word[]): Range[] {
  const byPlace = new Map(words.map(word => [word.position, word]))
  const found = [
    ...words.filter(({ stop, text }) => (stop ? marks.stopWords : marks.words).has(text)),
    ...typed.filter(word =>
      marks.groups.some(group => {
        const isStop = byPlace.get(word.position)?.stop === true
        return (!isStop || (group.completed && group.stopToo)) && standsFor(word.text, group)
      }),
    ),
    ...marks.phrases.flatMap(phrase => words.flatMap(word => phraseAt(word, phrase, byPlace) ?? [])),
  ].map(({ start, end }) => ({ start, end }))
  found.sort((left, right) => left.start - right.start || left.end - right.end)
  const apart: Range[] = []
  for (const range of found) {
    const last = apart.at(-1)
    if (last && range.start < last.end) last.end = Math.max(last.end, range.end)
    else apart.push(range)
  }
  return apart
}

function standsFor(word: string, { text, completed, typos }: Group): boolean {
  if (word === text) return false
  if (completed && word.startsWith(text)) return true
  return typos > 0 && lettersBetween([...text], [...word], completed) <= typos
}

/** Where the phrase stands that begins with the word, if it does. */
function phraseAt(
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

/** As they stand in the document. */
function bestOf(fragments: readonly Fragment[], most: number): string[] {
  return [...fragments.keys()]
    .sort((left, right) => worth(fragments[right]) - worth(fragments[left]))
    .slice(0, most)
    .sort((left, right) => left - right)
    .flatMap(at => {
      const fragment = fragments[at]
      return fragment ? [html(fragment)] : []
    })
}

/** Different words marked, then all: the more the better. */
function worth(fragment: Fragment | undefined): number {
  if (fragment === undefined) return 0
  const { text, marks } = fragment
  const different = new Set(marks.map(({ start, end }) => text.slice(start, end).toLowerCase()))
  return different.size * 1_000_000 + marks.length
}
