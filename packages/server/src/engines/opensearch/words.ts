/** Turns a parsed text into the words and phrases to search for in each field, like packages/engine/src/search/text_query.rs. */
import type { ParsedText } from '#engines/engine'
import type { Word } from './analysis.ts'
import { column, findTextField, type TextField } from './schema.ts'
import type { SearchContext } from './search-context.ts'

export interface Term {
  field: TextField
  text: string
  /** Search it in the subfield of stop words. */
  stop: boolean
  /** Factor for its score. */
  weight: number
}

export interface Phrase {
  field: TextField
  /** The phrase as written; the field analyzes it like documents. */
  typed: string
  words: Word[]
  stop: boolean
  weight: number
}

/** Variants of one typed word: its completions, if `isCompletion`, and its corrections with up to `typos` typos. */
export interface Group {
  text: string
  isCompletion: boolean
  typos: number
  /** The word itself in each field. */
  exact: Term[]
  fields: { field: TextField; weight: number; includesStopWords: boolean }[]
}

/** The words and phrases of a query. Maps are in order of their keys, so that scores do not depend on the order of words. */
export interface TextQuery {
  terms: Map<string, Term>
  phrases: Map<string, Phrase>
  groups: Map<string, Group>
}

/** Maximum number of words of a text; further ones are ignored. */
const wordsMax = 1_000
/** Maximum number of words that are completed or corrected; further ones match exactly. */
const groupsMax = 32
/** Word lengths that allow one and two typos. Words over the maximum are not corrected. */
const charactersForOneTypo = 3
const charactersForTwoTypos = 6
const charactersForTyposMax = 64

type Weights = readonly { name: string; weight: number }[]

export const emptyTextQuery = (): TextQuery => ({ terms: new Map(), phrases: new Map(), groups: new Map() })

export const isEmptyTextQuery = ({ terms, phrases, groups }: TextQuery): boolean =>
  terms.size + phrases.size + groups.size === 0

export async function analyzeText(
  context: SearchContext,
  text: ParsedText,
  fields: Weights,
  typos: boolean,
): Promise<TextQuery> {
  const textQuery = emptyTextQuery()
  const typedWords = text.words.slice(0, wordsMax)
  const phrases = text.phrases.slice(0, wordsMax)
  const last = text.unfinished === undefined ? [] : [text.unfinished]
  for (const { name, weight } of fields) {
    const field = findTextField(context.schema, name)
    const { analyzer, schema } = context
    const typed = [...typedWords, ...last]
    const [words, phraseWords, synonyms] = await Promise.all([
      analyzer.words(field.language, typed),
      analyzer.words(field.language, phrases),
      schema.synonyms.finderFor(field.language, analyzer),
    ])
    const isStop = (words: Word[] | undefined) => (words ?? []).every(word => word.stop)
    const isOnlyStopWords = phrases.length === 0 && words.slice(0, typedWords.length).every(isStop)
    const isAllStopWords = isOnlyStopWords && words.every(isStop)
    for (const word of words.flat())
      if (isAllStopWords || !word.stop)
        addTerm(textQuery, { field, text: word.text, stop: word.stop, weight })
    for (const synonym of synonyms(typed, words))
      addPhrase(textQuery, field, synonym.typed, synonym.words, weight)
    for (const [index, phrase] of phrases.entries())
      addPhrase(textQuery, field, phrase, phraseWords[index] ?? [], weight)
    if (!field.prefix) continue
    const typedTokens = await analyzer.typed(field.language, typed)
    // The unfinished word comes first, so that `groupsMax` never drops it.
    for (const wordIndex of [...typed.keys()].toSorted(
      (a, b) => Number(b === typedWords.length) - Number(a === typedWords.length),
    )) {
      const unfinished = wordIndex === typedWords.length
      const typedWord = typed[wordIndex] ?? ''
      if (!unfinished && !typos) continue
      for (const [place, word] of (typedTokens[wordIndex] ?? []).entries()) {
        const isCompletion =
          unfinished && place === (typedTokens[wordIndex] ?? []).length - 1 && word.end === typedWord.length
        const exact = words[wordIndex]?.find(indexWord => indexWord.position === word.position)
        if (!isCompletion && (exact?.stop === true || !typos)) continue
        addToGroup(textQuery, {
          field,
          weight,
          word,
          isCompletion,
          exact,
          typos,
          includesStopWords: isCompletion && isOnlyStopWords,
        })
      }
    }
  }
  return sortByKey(textQuery)
}

/** Returns the exclusions as phrases: a word such as `state-of-the-art` is several words in the index. */
export async function analyzeExclusions(
  context: SearchContext,
  text: ParsedText,
  fields: Weights,
): Promise<TextQuery> {
  const excluded = emptyTextQuery()
  const typed = [...text.excludedWords, ...text.excludedPhrases].slice(0, wordsMax)
  for (const { name } of fields) {
    const field = findTextField(context.schema, name)
    const words = await context.analyzer.words(field.language, typed)
    for (const [index, phrase] of typed.entries()) addPhrase(excluded, field, phrase, words[index] ?? [], 1)
  }
  return excluded
}

export function addTerm(textQuery: TextQuery, term: Term): void {
  const key = `${term.field.column} ${term.stop} ${term.text}`
  const weight = (textQuery.terms.get(key)?.weight ?? 0) + term.weight
  textQuery.terms.set(key, { ...term, weight })
}

/** Inside a phrase a stop word matches any word. A phrase of stop words only is searched in their subfield. */
function addPhrase(
  textQuery: TextQuery,
  field: TextField,
  typed: string,
  allWords: Word[],
  weight: number,
): void {
  const stop = allWords.every(word => word.stop)
  const words = stop ? allWords : allWords.filter(word => !word.stop)
  const [first, ...moreWords] = words
  if (first === undefined) return
  if (moreWords.length === 0) {
    addTerm(textQuery, { field, text: first.text, stop, weight })
    return
  }
  const places = words.map(({ position, text }) => `${position - first.position}:${text}`)
  const key = `${field.column} ${stop} ${places.join(' ')}`
  const existing = textQuery.phrases.get(key)
  textQuery.phrases.set(key, { field, typed, words, stop, weight: (existing?.weight ?? 0) + weight })
}

interface Addition {
  field: TextField
  weight: number
  word: Word
  isCompletion: boolean
  exact: Word | undefined
  typos: boolean
  includesStopWords: boolean
}

function addToGroup(
  textQuery: TextQuery,
  { field, weight, word, isCompletion, exact, typos, includesStopWords }: Addition,
): void {
  const key = `${isCompletion} ${word.text}`
  const existing = textQuery.groups.get(key)
  if (!existing && textQuery.groups.size >= groupsMax) return
  const allowed = typos ? allowedTypos(word.text) : 0
  if (!isCompletion && allowed === 0) return
  const group = existing ?? { text: word.text, isCompletion, typos: allowed, exact: [], fields: [] }
  textQuery.groups.set(key, group)
  if (group.fields.some(groupField => groupField.field === field)) return
  group.fields.push({ field, weight, includesStopWords })
  if (exact && !exact.stop) group.exact.push({ field, text: exact.text, stop: false, weight })
}

/** Returns the number of typos allowed in a word. Numbers allow none, because a typo makes another number. */
function allowedTypos(word: string): number {
  const { length } = [...word]
  if (!/\p{Alphabetic}/u.test(word) || length < charactersForOneTypo || length > charactersForTyposMax)
    return 0
  return length < charactersForTwoTypos ? 1 : 2
}

function sortByKey({ terms, phrases, groups }: TextQuery): TextQuery {
  const byKey = <T>(entries: Map<string, T>) => new Map([...entries].sort(([a], [b]) => (a < b ? -1 : 1)))
  return { terms: byKey(terms), phrases: byKey(phrases), groups: byKey(groups) }
}

export const termColumn = ({ field, stop }: { field: TextField; stop: boolean }): string =>
  stop ? column.stop(field) : field.column
export const lengthColumn = ({ field, stop }: { field: TextField; stop: boolean }): string =>
  stop ? column.stopLength(field) : column.length(field)
