/** Queries as people type them: half a word, and with a typo. The same in every run. */
import { below, pick, randomFrom } from '#bench/random'

/** How many letters of the last word are typed. */
export const typedLetters = [1, 2, 3, 4] as const

/** Returns the last word of a text, and what precedes it, without punctuation behind it. */
const splitLastWord = (text: string): { before: string; word: string } => {
  const withoutPunctuation = text.trim().replace(/[^\p{L}\p{N}]+$/u, '')
  const start = withoutPunctuation.search(/[\p{L}\p{N}]+$/u)
  return { before: withoutPunctuation.slice(0, start), word: withoutPunctuation.slice(start) }
}

export const lastWord = (text: string): string => splitLastWord(text).word

export const cutWord = (text: string, letters: number): string => {
  const { before, word } = splitLastWord(text)
  return before + word.slice(0, letters)
}

const typos: ((random: () => number, word: string, position: number) => string)[] = [
  (random, word, position) => `${word.slice(0, position)}${letter(random)}${word.slice(position)}`,
  (_, word, position) => `${word.slice(0, position)}${word.slice(position + 1)}`,
  (random, word, position) => `${word.slice(0, position)}${letter(random)}${word.slice(position + 1)}`,
  (_, word, position) =>
    `${word.slice(0, position)}${word.charAt(position + 1)}${word.charAt(position)}${word.slice(position + 2)}`,
]

const letter = (random: () => number) => pick(random, [...'abcdefghijklmnopqrstuvwxyz'])

/** Adds, leaves out, replaces or swaps a letter, but not the first, of one of the words with at least 4 letters. */
export const mistype = (text: string, seed: number): string => {
  const random = randomFrom(seed + 1)
  const words = [...text.matchAll(/\p{L}{4,}/gu)]
  const word = words[below(random, Math.max(1, words.length))]
  if (!word) return text
  const typo = pick(random, typos)(random, word[0], 1 + below(random, word[0].length - 2))
  return text.slice(0, word.index) + typo + text.slice(word.index + word[0].length)
}
