/** Turns a parsed text into the words and phrases to search for in each field. */
import type { ParsedText } from '#engines/engine'
import { indexedWords, type Word } from './analysis.ts'
import { column, findTextField, type Schema, type TextField } from './schema.ts'
import type { Synonym } from './synonyms.ts'

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
  words: Word[]
  stop: boolean
  weight: number
}

/** The words and phrases of a query. Maps are in order of their keys, so that scores do not depend on the order of words. */
export interface TextQuery {
  terms: Map<string, Term>
  phrases: Map<string, Phrase>
}

/** Maximum number of words and phrases that are read. */
const wordsMax = 1_000
/**
 * Maximum numbers of words of a text, of its synonyms and of its phrases, each in all fields together. Further ones are ignored, because
 * OpenSearch rejects a query of more than 1,024 clauses (`indices.query.bool.max_clause_count`).
 */
export interface WordLimits {
  words: number
  synonyms: number
  phrases: number
}
/** A word needs two clauses. */
const anyWordLimits: WordLimits = { words: 400, synonyms: 50, phrases: 50 }

export type Weights = readonly { name: string; weight: number }[]

export const emptyTextQuery = (): TextQuery => ({ terms: new Map(), phrases: new Map() })

export const isEmptyTextQuery = ({ terms, phrases }: TextQuery): boolean => terms.size + phrases.size === 0

/** The words of a text in one field. */
export interface AnalyzedText {
  field: TextField
  weight: number
  /** The words as typed. The unfinished one comes last. */
  typed: string[]
  hasUnfinished: boolean
  /** The indexed words of each typed word. */
  words: Word[][]
  phrases: { typed: string; words: Word[] }[]
  synonyms: Synonym[]
  /** All finished words are stop words, so the unfinished one may be completed to a stop word. */
  finishedAreStopWords: boolean
  isSearched: (word: Word) => boolean
}

export function analyzeField(
  schema: Schema,
  text: ParsedText,
  { name, weight }: Weights[number],
  limits: WordLimits,
): AnalyzedText {
  const field = findTextField(schema, name)
  const hasUnfinished = text.unfinished !== undefined
  const typed = [
    ...text.words.slice(0, wordsMax),
    ...(text.unfinished === undefined ? [] : [text.unfinished]),
  ]
  const typedPhrases = text.phrases.slice(0, wordsMax)
  const allWords = indexedWords(field.language, typed)
  const phraseWords = indexedWords(field.language, typedPhrases)
  const findSynonyms = schema.synonyms.finderFor(field.language)
  const words = cutWords(allWords, limits.words, hasUnfinished)
  const isStop = (wordList: Word[]) => wordList.every(word => word.stop)
  const finished = hasUnfinished ? words.slice(0, -1) : words
  const finishedAreStopWords = typedPhrases.length === 0 && finished.every(isStop)
  const searchesStopWords = finishedAreStopWords && words.every(isStop)
  return {
    field,
    weight,
    typed,
    hasUnfinished,
    words,
    phrases: limitPhrases(
      typedPhrases.map((phrase, index) => ({ typed: phrase, words: phraseWords[index] ?? [] })),
      limits.phrases,
    ),
    synonyms: limitPhrases(findSynonyms(typed, words), limits.synonyms),
    finishedAreStopWords,
    isSearched: word => searchesStopWords || !word.stop,
  }
}

/** Cuts the lists after this number of words. An unfinished word comes last, but is cut last too. */
function cutWords(lists: readonly Word[][], max: number, hasUnfinished: boolean): Word[][] {
  let remaining = Math.floor(max)
  const cut = (words: Word[]) => {
    const part = words.slice(0, remaining)
    remaining -= part.length
    return part
  }
  const unfinished = hasUnfinished ? lists.slice(-1).map(cut) : []
  return [...lists.slice(0, lists.length - unfinished.length).map(cut), ...unfinished]
}

/** Returns the first phrases that have at most this number of words together. */
function limitPhrases<T extends { words: Word[] }>(phrases: readonly T[], max: number): T[] {
  let remaining = max
  return phrases.filter(({ words }) => {
    remaining -= words.length
    return remaining >= 0
  })
}

export const divideLimits = ({ words, synonyms, phrases }: WordLimits, fields: number): WordLimits => ({
  words: words / fields,
  synonyms: synonyms / fields,
  phrases: phrases / fields,
})

/** Compiles a text whose documents contain any of its words, and score by all of them. */
export function analyzeText(schema: Schema, text: ParsedText, fields: Weights): TextQuery {
  const textQuery = emptyTextQuery()
  const limits = divideLimits(anyWordLimits, fields.length)
  for (const weighted of fields) {
    const { field, weight, words, phrases, synonyms, isSearched } = analyzeField(
      schema,
      text,
      weighted,
      limits,
    )
    for (const word of words.flat())
      if (isSearched(word)) addTerm(textQuery, { field, text: word.text, stop: word.stop, weight })
    for (const synonym of synonyms) addPhrase(textQuery, field, synonym.words, weight)
    for (const phrase of phrases) addPhrase(textQuery, field, phrase.words, weight)
  }
  return sortByKey(textQuery)
}

/** Returns the exclusions as phrases: a word such as `state-of-the-art` is several words in the index. */
export function analyzeExclusions(schema: Schema, text: ParsedText, fields: Weights): TextQuery {
  const excluded = emptyTextQuery()
  const typed = [...text.excludedWords, ...text.excludedPhrases].slice(0, wordsMax)
  for (const { name } of fields) {
    const field = findTextField(schema, name)
    for (const words of indexedWords(field.language, typed)) addPhrase(excluded, field, words, 1)
  }
  return excluded
}

export function addTerm(textQuery: TextQuery, term: Term): void {
  const key = `${term.field.column} ${term.stop} ${term.text}`
  const weight = (textQuery.terms.get(key)?.weight ?? 0) + term.weight
  textQuery.terms.set(key, { ...term, weight })
}

/** Inside a phrase a stop word matches any word. A phrase of stop words only is searched in their subfield. */
export function addPhrase(textQuery: TextQuery, field: TextField, allWords: Word[], weight: number): void {
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
  const sum = (textQuery.phrases.get(key)?.weight ?? 0) + weight
  textQuery.phrases.set(key, { field, words, stop, weight: sum })
}

/** Returns the query in a canonical order, so that sums of its scores do not depend on the order of the words. */
export function sortByKey({ terms, phrases }: TextQuery): TextQuery {
  const byKey = <T>(entries: Map<string, T>) => new Map([...entries].sort(([a], [b]) => (a < b ? -1 : 1)))
  return { terms: byKey(terms), phrases: byKey(phrases) }
}

export const termColumn = ({ field, stop }: { field: TextField; stop: boolean }): string =>
  stop ? column.stop(field) : field.column
export const lengthColumn = ({ field, stop }: { field: TextField; stop: boolean }): string =>
  stop ? column.stopLength(field) : column.length(field)
