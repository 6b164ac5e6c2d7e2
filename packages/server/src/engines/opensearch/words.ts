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
  /** Factor for its score. */
  weight: number
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

export const termColumn = ({ field, stop, form = false }: Omit<Term, 'text' | 'weight'>): string => {
  if (stop) return column.stop(field)
  return form ? column.forms(field) : field.column
}
/** The words of a phrase as terms. */
export const phraseTerms = ({ words, ...phrase }: Phrase): Term[] =>
  words.map(({ text, stop = phrase.stop }) => ({ ...phrase, text, stop }))

export const isMixedPhrase = (phrase: Phrase): boolean =>
  phrase.words.some(({ stop = phrase.stop }) => stop !== phrase.stop)

export const lengthColumn = ({ field, stop }: { field: TextField; stop: boolean }): string =>
  stop ? column.stopLength(field) : column.length(field)
