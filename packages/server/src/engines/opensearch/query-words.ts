/** Turns a parsed text into the words that a document may have, each with its completions and corrections, like compile_words in packages/engine/src/search/text_query.rs. */
import type { ParsedText, PlanNode } from '#engines/engine'
import { typedWords, type Word } from './analysis.ts'
import type { Schema, TextField } from './schema.ts'
import {
  type AnalyzedText,
  addPhrase,
  addTerm,
  analyzeField,
  divideLimits,
  emptyTextQuery,
  sortByKey,
  type TextQuery,
  type Weights,
  type WordLimits,
} from './words.ts'

/** A word or a phrase of a text. A document has it if it has any of its terms, phrases, completions and corrections. */
export interface QueryWord {
  /** As typed, such as `state-of-the-art` for each of its four words. */
  typed: string
  /** Lowercase and without accents. */
  text: string
  /** The word itself and its synonyms. */
  query: TextQuery
  /** Empty for a word that is neither completed nor corrected. */
  sources: WordSource[]
}

/** Where to find completions and corrections of a word. */
export interface WordSource {
  field: TextField
  weight: number
  isCompleted: boolean
  /** Number of typos allowed, 0 to 2. */
  typos: number
  includesStopWords: boolean
}

export type TypoLengths = NonNullable<Extract<PlanNode, { kind: 'match' }>['typos']>

/**
 * Maximum number of words that are completed or corrected, and of their fields together; further ones match exactly. The unfinished word is
 * completed anyway.
 */
const expandedWordsMax = 32
const expandedFieldsMax = 64
/** A word needs up to four clauses, and more if it is completed or corrected. */
const countedWordLimits: WordLimits = { words: 200, synonyms: 30, phrases: 30 }
/** Longer words are not corrected. */
const charactersForTyposMax = 64

/** Returns the words of a text in the order typed, then its phrases. */
export function analyzeWords(
  schema: Schema,
  text: ParsedText,
  fields: Weights,
  typos: TypoLengths | undefined,
): QueryWord[] {
  const words = new Map<string, QueryWord>()
  const limits = divideLimits(countedWordLimits, fields.length)
  for (const weighted of fields) {
    const analyzed = analyzeField(schema, text, weighted, limits)
    const { field, weight } = analyzed
    const asTyped = typedWords(field.language, analyzed.typed)
    addWords(words, analyzed, asTyped, typos, Math.min(expandedWordsMax, expandedFieldsMax / fields.length))
    addSynonyms(words, analyzed, asTyped)
    for (const phrase of analyzed.phrases)
      addPhrase(findOrAdd(words, `"${phrase.typed}"`, phrase.typed).query, field, phrase.words, weight)
  }
  return [...words.values()].map(word => ({ ...word, query: sortByKey(word.query) }))
}

function findOrAdd(words: Map<string, QueryWord>, key: string, typed: string): QueryWord {
  const existing = words.get(key)
  if (existing) return existing
  const word = { typed, text: key, query: emptyTextQuery(), sources: [] }
  words.set(key, word)
  return word
}

const keyWord = (word: Word, asTyped: readonly Word[] = []): string =>
  asTyped.find(({ position }) => position === word.position)?.text ?? word.text

function addWords(
  words: Map<string, QueryWord>,
  { field, weight, typed, hasUnfinished, words: indexed, finishedAreStopWords, isSearched }: AnalyzedText,
  asTyped: readonly Word[][],
  typos: TypoLengths | undefined,
  expandedMax: number,
): void {
  for (const [index, typedWord] of typed.entries()) {
    const indexWords = indexed[index] ?? []
    const typedTokens = asTyped[index] ?? []
    for (const word of indexWords)
      if (isSearched(word)) {
        const { query } = findOrAdd(words, keyWord(word, typedTokens), typedWord)
        addTerm(query, { field, text: word.text, stop: word.stop, weight })
      }
    if (!field.prefix) continue
    const isUnfinished = hasUnfinished && index === typed.length - 1
    for (const [place, { text, position, isLast }] of typedTokens.entries()) {
      const isCompleted = isUnfinished && place === typedTokens.length - 1 && isLast
      const indexWord = indexWords.find(word => word.position === position)
      if (indexWord === undefined) continue
      const allowed = indexWord.stop && !isCompleted ? 0 : allowedTypos(text, typos)
      if (!isCompleted && (allowed === 0 || !mayExpand(words, text, expandedMax))) continue
      const { sources } = findOrAdd(words, text, typedWord)
      const includesStopWords = isCompleted && finishedAreStopWords
      if (!sources.some(source => source.field === field && source.isCompleted === isCompleted))
        sources.push({ field, weight, isCompleted, typos: allowed, includesStopWords })
    }
  }
}

const mayExpand = (words: ReadonlyMap<string, QueryWord>, text: string, expandedMax: number): boolean =>
  (words.get(text)?.sources.length ?? 0) > 0 ||
  [...words.values()].filter(({ sources }) => sources.length > 0).length < expandedMax

/** A synonym of several words stands for each of them. */
function addSynonyms(
  words: Map<string, QueryWord>,
  { field, weight, typed, words: indexed, synonyms, isSearched }: AnalyzedText,
  asTyped: readonly Word[][],
): void {
  const keys = indexed.flatMap((indexWords, index) =>
    indexWords.map(word =>
      isSearched(word) ? ([keyWord(word, asTyped[index]), typed[index] ?? ''] as const) : undefined,
    ),
  )
  for (const synonym of synonyms) {
    const replaced = keys.slice(synonym.start, synonym.end).filter(key => key !== undefined)
    for (const [key, typedWord] of replaced)
      addPhrase(findOrAdd(words, key, typedWord).query, field, synonym.words, weight / replaced.length)
  }
}

/** Returns the number of typos allowed in a word. Numbers allow none, because a typo makes another number. */
export function allowedTypos(word: string, lengths: TypoLengths | undefined): number {
  const { length } = [...word]
  if (lengths === undefined || length > charactersForTyposMax || /^\p{N}*$/u.test(word)) return 0
  return Number(length >= lengths.one) + Number(length >= lengths.two)
}
