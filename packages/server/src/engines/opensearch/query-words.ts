/** Turns a match into the words and phrases that documents may have. The addon compiles it, as it does for the embedded engine. */
import type { PlanNode } from '#engines/engine'
import { withEngineErrors } from '#engines/outcome'
import { rankingRules } from './ranking-rules.ts'
import { findTextField, type Schema, type TextField } from './schema.ts'
import type { TextQuery } from './words.ts'

/** A word or a phrase of a text. A document has it if it has any of its terms, phrases, completions and corrections. */
export interface QueryWord {
  /** As typed, such as `wireless` in `Wireless-keyboard`. */
  typed: string
  /** Dropped if no document has all words: a last word that is a stop word, or may become one. */
  isOptional: boolean
  /** Lowercase and without accents, if it is completed or corrected. */
  text: string
  /** The word itself and its synonyms. */
  query: TextQuery
  /** Other spellings, and the synonyms of close words, which count like completions and corrections of these costs. */
  alternatives: { cost: number; query: TextQuery }[]
  /** Empty for a word that is neither completed nor corrected. */
  sources: WordSource[]
  /**
   * Beginnings of codes, of words with symbols and of words as typed in another spelling, of which the unfinished word is the end. They count
   * as completions.
   */
  formBeginnings: { field: TextField; text: string; weight: number; isTyped: boolean }[]
  lookups: Lookups
  /** The pairs of `lookups` of which no document has one of the words. */
  pairs?: readonly MistypedPair[]
}

/** Words with further spellings that depend on the words of the index (lookups.ts). */
export interface Lookups {
  /** The words whose compounds count. */
  compounds: readonly Lookup[]
  /** The words that may be several words written as one. */
  joined: readonly Lookup[]
  /** The words that may be one mistyped word with a neighbour. */
  pairs: readonly MistypedPair[]
}

/** Two neighbouring words that may be one mistyped word. */
export interface MistypedPair {
  field: TextField
  words: readonly [string, string]
  /** Whether the second word is being typed. */
  isUnfinished: boolean
  typos: number
  weight: number
}

/** A word in a field, as typed and as indexed. */
export interface Lookup {
  field: TextField
  text: string
  stem: string
  weight: number
  /** Whether the query has another word, of which this one is a synonym. */
  isSynonym: boolean
}

/** Where to find completions and corrections of a word. */
export interface WordSource {
  field: TextField
  weight: number
  isCompleted: boolean
  /** Number of typos allowed, 0 to 2. */
  typos: number
  includesStopWords: boolean
  /** Whether longer words that contain the word count too. */
  contains: boolean
}

/** Two neighbouring words of the text in one field. */
export interface NeighbouringWords {
  field: TextField
  first: string
  second: string
  wordsBetween: number
}

/** A word as it was typed in one field. Documents with the form `mark` have it in other spellings only. */
export interface TypedForm {
  field: TextField
  part: 'word' | 'typed' | 'stop' | 'form'
  text: string
  mark: string | null
}

export interface MatchWords {
  /** All words and phrases together, unless they are counted. */
  query: TextQuery
  /** Each word and phrase in the order typed, if they are counted. */
  words: QueryWord[]
  /** For all words together, unless they are counted. */
  lookups: Lookups
  excluded: TextQuery
  /** Each two neighbouring words, in each field, if words are counted. */
  neighbours: NeighbouringWords[][]
  /** Each word as it was typed, in each field, if words are counted. */
  asTyped: TypedForm[][]
  /** The beginning of the sort key of texts that begin with the query. Empty if the query is too short or too long. */
  beginning: string
  /** The words as typed in each field, if the text may be the whole text of a field. */
  exact: string[][] | null
}

type MatchNode = Extract<PlanNode, { kind: 'match' }>

/**
 * Maximum numbers of words of a text, of its synonyms and of its phrases, each in all fields together. Further ones are ignored, because
 * OpenSearch rejects a query of more than 1,024 clauses (`indices.query.bool.max_clause_count`).
 */
const limits = {
  /** A word needs two clauses. */
  together: { words: 400, synonymWords: 50, phraseWords: 50, splits: 50 },
  /** A word needs up to four clauses, and more if it is completed or corrected. */
  counted: { words: 200, synonymWords: 30, phraseWords: 30, splits: 40 },
}
/** Maximum number of completed or corrected words in all fields together; further ones match exactly. */
const expandedFieldsMax = 64

/** Returns the words of a match. They are counted if documents are matched or ranked word by word. */
export function compileWords(
  schema: Schema,
  { text, fields, typos, matching, contains }: MatchNode,
  isCounted: boolean,
): MatchWords {
  for (const { name } of fields) findTextField(schema, name)
  const fieldCount = Math.max(1, fields.length)
  const { words, synonymWords, phraseWords, splits } = isCounted ? limits.counted : limits.together
  const request = {
    text,
    fields,
    typos,
    matching,
    contains,
    isCounted,
    limits: {
      words: Math.floor(words / fieldCount),
      synonymWords: Math.floor(synonymWords / fieldCount),
      phraseWords: Math.floor(phraseWords / fieldCount),
      splits: Math.floor(splits / fieldCount),
      expandedWords: Math.min(rankingRules.expandedWordsMax, Math.ceil(expandedFieldsMax / fieldCount)),
    },
  }
  const json = withEngineErrors(() => schema.texts.matchWords(JSON.stringify(request)))
  // The format of the addon, which names fields.
  return JSON.parse(json, (key, value) =>
    key === 'field' ? findTextField(schema, value) : value,
  ) as MatchWords
}
