/** A parsed text over fields → the words and phrases that are looked for in the index (as packages/engine/src/search/words.rs). */
import type { ParsedText } from '#engines/engine'
import type { Word } from './analysis.ts'
import { column, type TextField, textFieldOf } from './schema.ts'
import type { Ground } from './search-context.ts'

export interface Term {
  field: TextField
  text: string
  /** It stands in the twin field of stop words. */
  stop: boolean
  /** What its score is multiplied by. */
  weight: number
}

export interface Phrase {
  field: TextField
  /** As somebody wrote it; the field splits it as it splits documents. */
  typed: string
  words: Word[]
  stop: boolean
  weight: number
}

/** What may stand for one word as typed: what it begins, where `completed`, and what differs by a letter or two. */
export interface Group {
  text: string
  completed: boolean
  typos: number
  /** The word itself in each field. */
  exact: Term[]
  fields: { field: TextField; weight: number; stopToo: boolean }[]
}

/** In the order of their keys: scores are summed up the same however the query was written. */
export interface Wanted {
  terms: Map<string, Term>
  phrases: Map<string, Phrase>
  groups: Map<string, Group>
}

/** What goes beyond so many words of a text is ignored. */
const wordsMax = 1_000
/** So many words are completed or corrected; further ones are only taken as they are. */
const groupsMax = 32
/** From so many letters on one may be wrong, and from so many two; a longer word is none that somebody mistyped. */
const lettersForOneTypo = 3
const lettersForTwoTypos = 6
const lettersForTyposMax = 64

type Weights = readonly { name: string; weight: number }[]

export const nothingWanted = (): Wanted => ({ terms: new Map(), phrases: new Map(), groups: new Map() })

export const isNothing = ({ terms, phrases, groups }: Wanted): boolean =>
  terms.size + phrases.size + groups.size === 0

export async function wantedOf(
  ground: Ground,
  text: ParsedText,
  fields: Weights,
  typos: boolean,
): Promise<Wanted> {
  const wanted = nothingWanted()
  const typedWords = text.words.slice(0, wordsMax)
  const phrases = text.phrases.slice(0, wordsMax)
  const last = text.unfinished === undefined ? [] : [text.unfinished]
  for (const { name, weight } of fields) {
    const field = textFieldOf(ground.schema, name)
    const { analyser, schema } = ground
    const typed = [...typedWords, ...last]
    const [words, ofPhrases, synonyms] = await Promise.all([
      analyser.words(field.language, typed),
      analyser.words(field.language, phrases),
      schema.synonyms.in(field.language, analyser),
    ])
    const isStop = (found: Word[] | undefined) => (found ?? []).every(word => word.stop)
    const soFarOnlyStop = phrases.length === 0 && words.slice(0, typedWords.length).every(isStop)
    const onlyStop = soFarOnlyStop && words.every(isStop)
    for (const word of words.flat())
      if (onlyStop || !word.stop) addTerm(wanted, { field, text: word.text, stop: word.stop, weight })
    for (const synonym of synonyms(typed, words))
      addPhrase(wanted, field, synonym.typed, synonym.words, weight)
    for (const [at, one] of phrases.entries()) addPhrase(wanted, field, one, ofPhrases[at] ?? [], weight)
    if (!field.prefix) continue
    const ofTwin = await analyser.typed(field.language, typed)
    // The unfinished word first: it is never left out for being one too many.
    for (const at of [...typed.keys()].toSorted(
      (left, right) => Number(right === typedWords.length) - Number(left === typedWords.length),
    )) {
      const unfinished = at === typedWords.length
      const whole = typed[at] ?? ''
      if (!unfinished && !typos) continue
      for (const [place, word] of (ofTwin[at] ?? []).entries()) {
        const completed = unfinished && place === (ofTwin[at] ?? []).length - 1 && word.end === whole.length
        const exact = words[at]?.find(other => other.position === word.position)
        if (!completed && (exact?.stop === true || !typos)) continue
        addToGroup(wanted, {
          field,
          weight,
          word,
          completed,
          exact,
          typos,
          stopToo: completed && soFarOnlyStop,
        })
      }
    }
  }
  return sorted(wanted)
}

/** A word may be several to the index (`state-of-the-art`): only where they stand together is it excluded. */
export async function excludedOf(ground: Ground, text: ParsedText, fields: Weights): Promise<Wanted> {
  const excluded = nothingWanted()
  const typed = [...text.excludedWords, ...text.excludedPhrases].slice(0, wordsMax)
  for (const { name } of fields) {
    const field = textFieldOf(ground.schema, name)
    const words = await ground.analyser.words(field.language, typed)
    for (const [at, one] of typed.entries()) addPhrase(excluded, field, one, words[at] ?? [], 1)
  }
  return excluded
}

export function addTerm(wanted: Wanted, term: Term): void {
  const key = `${term.field.column} ${term.stop} ${term.text}`
  const weight = (wanted.terms.get(key)?.weight ?? 0) + term.weight
  wanted.terms.set(key, { ...term, weight })
}

/** Stop words inside a phrase stand for any word; a phrase of nothing else goes to their own field. */
function addPhrase(wanted: Wanted, field: TextField, typed: string, all: Word[], weight: number): void {
  const stop = all.every(word => word.stop)
  const words = stop ? all : all.filter(word => !word.stop)
  const [first, ...others] = words
  if (first === undefined) return
  if (others.length === 0) {
    addTerm(wanted, { field, text: first.text, stop, weight })
    return
  }
  const places = words.map(({ position, text }) => `${position - first.position}:${text}`)
  const key = `${field.column} ${stop} ${places.join(' ')}`
  const known = wanted.phrases.get(key)
  wanted.phrases.set(key, { field, typed, words, stop, weight: (known?.weight ?? 0) + weight })
}

interface Addition {
  field: TextField
  weight: number
  word: Word
  completed: boolean
  exact: Word | undefined
  typos: boolean
  stopToo: boolean
}

function addToGroup(
  wanted: Wanted,
  { field, weight, word, completed, exact, typos, stopToo }: Addition,
): void {
  const key = `${completed} ${word.text}`
  const known = wanted.groups.get(key)
  if (!known && wanted.groups.size >= groupsMax) return
  const allowed = typos ? typosAllowed(word.text) : 0
  if (!completed && allowed === 0) return
  const group = known ?? { text: word.text, completed, typos: allowed, exact: [], fields: [] }
  wanted.groups.set(key, group)
  if (group.fields.some(other => other.field === field)) return
  group.fields.push({ field, weight, stopToo })
  if (exact && !exact.stop) group.exact.push({ field, text: exact.text, stop: false, weight })
}

/** One wrong digit makes another number, so numbers have none. */
function typosAllowed(word: string): number {
  const { length } = [...word]
  if (!/\p{Alphabetic}/u.test(word) || length < lettersForOneTypo || length > lettersForTyposMax) return 0
  return length < lettersForTwoTypos ? 1 : 2
}

function sorted({ terms, phrases, groups }: Wanted): Wanted {
  const byKey = <T>(found: Map<string, T>) =>
    new Map([...found].sort(([left], [right]) => (left < right ? -1 : 1)))
  return { terms: byKey(terms), phrases: byKey(phrases), groups: byKey(groups) }
}

export const columnOf = ({ field, stop }: { field: TextField; stop: boolean }): string =>
  stop ? column.stop(field) : field.column
export const lengthsOf = ({ field, stop }: { field: TextField; stop: boolean }): string =>
  stop ? column.stopLength(field) : column.length(field)
