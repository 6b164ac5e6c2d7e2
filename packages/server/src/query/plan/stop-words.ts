/** The stop words of a collection, besides those of its languages. They are marked in the texts of queries, so a change needs no new generation. */
import type { ParsedText } from '#engines/engine'

export interface StopWords {
  /** Marks the words of a text that are stop words. */
  mark: (text: ParsedText) => ParsedText
}

/** Compares words without case, accents and punctuation around them. */
export const createStopWords = (words: readonly string[] = []): StopWords => {
  if (words.length === 0) return { mark: text => text }
  const folded = new Set(words.map(foldWord))
  const beginnings = new Set(words.flatMap(word => listBeginnings(foldWord(word))))
  return {
    mark: text => {
      const { words: typed, unfinished } = text
      const typedWords = unfinished === undefined ? typed : [...typed, unfinished]
      const ignoredWords = typedWords.filter(word => folded.has(foldWord(word)))
      const mayLackUnfinished = unfinished !== undefined && beginnings.has(foldWord(unfinished))
      return {
        ...text,
        ...(ignoredWords.length > 0 && { ignoredWords }),
        ...(mayLackUnfinished && { mayLackUnfinished }),
      }
    },
  }
}

const foldWord = (word: string): string => {
  const folded = word.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  return folded.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '') || folded
}

const listBeginnings = (word: string): string[] => {
  const characters = [...word]
  return characters.map((_, index) => characters.slice(0, index + 1).join(''))
}
