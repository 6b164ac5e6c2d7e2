/** The synonyms of a collection, in the form that engines use. They belong to a plan, so a change needs no new generation. */
import { createNativeSynonyms, type NativeSynonyms } from '@querent/engine'

/**
 * Words that find each other, as typed; several words are a phrase. The object form is one-way: a query for a word in `from` also finds
 * the words in `to`, but a query for a word in `to` does not find those in `from`.
 */
export type SynonymSet = string[] | { from: string[]; to: string[] }

/** In the JSON of a plan, a number stands for them. The addon knows it while this object lives. */
export class Synonyms {
  readonly #native: NativeSynonyms

  constructor(sets: readonly SynonymSet[]) {
    this.#native = createNativeSynonyms(JSON.stringify(sets))
  }

  toJSON(): number {
    return this.#native.number()
  }
}

/** Undefined without any. */
export const compileSynonyms = (sets: readonly SynonymSet[] = []): Synonyms | undefined =>
  sets.length === 0 ? undefined : new Synonyms(sets)
