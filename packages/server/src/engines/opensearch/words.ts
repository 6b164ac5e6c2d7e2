/** The words and phrases that a query searches for. */
import type { Word } from './analysis.ts'
import { column, type TextField } from './schema.ts'

export interface Term {
  field: TextField
  text: string
  /** Search it in the column of stop words. */
  stop: boolean
  /** Search it in the column of further forms of words. */
  form?: boolean
  /** Search it in the column of words as typed. */
  typed?: boolean
  /** Factor for its score. */
  weight: number
  /** The parts of the weight that become less if it is rarer than the words of which it is written as one. */
  joined?: { weight: number; parts: { text: string; stop: boolean }[] }[]
}

export interface Phrase {
  field: TextField
  /** Some may be stop words among other words. */
  words: (Pick<Word, 'text' | 'position'> & { stop?: boolean })[]
  /** Whether it consists of stop words. */
  stop: boolean
  weight: number
}

/** In a canonical order, so that sums of scores do not depend on the order of words. */
export interface TextQuery {
  terms: Term[]
  phrases: Phrase[]
}

export type Weights = readonly { name: string; weight: number }[]

export const isEmptyTextQuery = ({ terms, phrases }: TextQuery): boolean =>
  terms.length + phrases.length === 0

export const termColumn = ({
  field,
  stop,
  form = false,
  typed = false,
}: Omit<Term, 'text' | 'weight'>): string => {
  if (stop) return column.stop(field)
  if (typed) return column.typed(field)
  return form ? column.forms(field) : field.column
}
/** The words of a phrase as terms. */
export const phraseTerms = ({ words, ...phrase }: Phrase): Term[] =>
  words.map(({ text, stop = phrase.stop }) => ({ ...phrase, text, stop }))

/** The words, as typed, of which a word is written as one. */
export const joinedParts = ({ field, joined = [] }: Term): Omit<Term, 'weight'>[] =>
  joined.flatMap(({ parts }) => parts.map(({ text, stop }) => ({ field, text, stop, typed: !stop })))

export const isMixedPhrase = (phrase: Phrase): boolean =>
  phrase.words.some(({ stop = phrase.stop }) => stop !== phrase.stop)

export const lengthColumn = ({ field, stop }: { field: TextField; stop: boolean }): string =>
  stop ? column.stopLength(field) : column.length(field)
