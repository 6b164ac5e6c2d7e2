/** Titles in one language, and what people type to find them. */
export interface WordCases {
  language: string
  titles: Readonly<Record<string, string>>
  synonyms?: readonly (readonly string[] | { from: readonly string[]; to: readonly string[] })[]
  stopWords?: readonly string[]
  /** Queries with the ids that they find: all of them with `matching: all`, and as the first ones with typos. */
  find: Readonly<Record<string, string>>
  /** Titles that are not typed letter by letter, because what is typed is another letter until the next key. */
  untyped?: readonly string[]
  /** Queries with typos, with the ids that come first. */
  typos?: Readonly<Record<string, string>>
  /** Queries with all ids that they find with typos. */
  all?: Readonly<Record<string, string>>
  /** Queries with the id that comes first. */
  first?: Readonly<Record<string, string>>
  /** Queries with words that are marked in the first result. */
  marks?: Readonly<Record<string, string>>
}
