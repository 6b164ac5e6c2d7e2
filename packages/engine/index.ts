import { createRequire } from 'node:module'
import { loadAddon } from './platform.js'

/**
 * Types and loader of the Rust addon. The addon handles generations, documents and plans as JSON; the server's
 * `engines/embedded/embedded.ts` wraps it as an `Engine`.
 */

/** An error if it has a `code` (one of `EngineErrorCode`), else the result. */
export interface Outcome {
  code?: string
  message?: string
  /** The result as JSON or as plain text. */
  head?: string
  texts?: string[]
}

/** The promises never reject: the outcome contains the error. */
export interface NativeEngine {
  /**
   * If the index has to be rebuilt, `head` is the reason. A large index is rebuilt in the background. `documents-lost` if fewer than
   * `knownWrites` writes are stored, or fewer than the index or the mark in its folder has.
   */
  open(id: string, spec: string, knownWrites: number): Promise<Outcome>
  /**
   * Closes a generation and keeps its files. `head` is the JSON of `{ documents, version }` with the current values of `info`. It is
   * absent if they are unknown, or if another thread keeps the generation open.
   */
  release(id: string): Promise<Outcome>
  drop(id: string): Promise<Outcome>
  /** Throws `Error('code: message')`. */
  info(id: string): {
    documents: number
    version: number
    rebuilding?: { reason: string; done: number; total: number }
  }
  /** While this number stays the same, so do the open generations and their versions. Costs a tenth of `version`. */
  changes(): number
  /** JSON of `[id, writes][]`: the number of durable writes of the generations that are open, or were closed since the last call. */
  writeCounts(): string
  /** The version of `info` alone, at a fifth of the cost. Throws the same errors. */
  version(id: string): number
  /** If `entities[i]` is null, deletes `ids[i]`. */
  write(id: string, ids: string[], entities: (string | null)[]): Promise<Outcome>
  /**
   * Parses the lines of `block` into writes and keeps them in `lines`. `head` is the JSON of `{ lines, left: { at, from, to }[] }`: the number
   * of lines, and the lines that the caller has to parse. `texts` holds the ids of the parsed lines.
   */
  readLines(lines: NativeLines, block: Buffer, rules: string): Promise<Outcome>
  /** Writes the parsed lines, once. `ids[i]` and `entities[i]` replace `left[i]`; with a null id that line is skipped. */
  writeLines(
    id: string,
    lines: NativeLines,
    ids: (string | null)[],
    entities: (string | null)[],
  ): Promise<Outcome>
  refresh(id: string): Promise<Outcome>
  /** `head` is the entity, absent if the document does not exist. */
  get(id: string, documentId: string): Promise<Outcome>
  /** `texts` holds id, entity, id, entity, … */
  list(id: string, after: string | undefined, count: number): Promise<Outcome>
  /** `head` is the number of deleted documents. */
  deleteMatching(id: string, plan: string): Promise<Outcome>
  copy(source: string, target: string): Promise<Outcome>
  /**
   * `head` is the reply with `scores` and perhaps `highlights` instead of hits, `texts` holds the entities of the hits. `ticket`, an unsigned
   * 32-bit number, must be unique among the running searches. Owners take turns, and a search waits for no long one of another owner.
   */
  search(id: string, plan: string, deadlineMs: number, owner: string, ticket?: number): Promise<Outcome>
  /** Cancels the search with this ticket, queued or running. Its outcome is `cancelled` unless it is already complete. */
  cancel(ticket: number): void
  close(): Promise<Outcome>
}

/** Text analysis, for engines with an index elsewhere. It needs no engine and no folder. */
export interface TextFunctions {
  /** A new version means that words may differ. */
  analyzerVersion(): number
  /** Throws `Error('unsupported: message')` for an unknown language. */
  hasStopWords(language: string): boolean
  /** Whether the words of a language may be compounds. Throws as `hasStopWords` does. */
  hasCompounds(language: string): boolean
  /** The words of short texts as indexed, or as typed. Returns the JSON of `[text, position, isStopWord][][]`. */
  analyzeTexts(language: string, texts: readonly string[], asTyped: boolean): string
  /** Returns sort keys of texts: by code point, they sort as the texts should. */
  sortTexts(texts: readonly string[]): string[]
  /**
   * Analyzes the texts of many fields, on a thread of its own. `head` is the JSON of `TextColumns[]` (text_columns.rs), one for each item of
   * `texts`. `typed[i]` is whether the field is completed and corrected.
   */
  textColumns(
    languages: readonly string[],
    typed: readonly boolean[],
    texts: readonly (readonly string[])[],
  ): Promise<Outcome>
  /**
   * Cuts snippets out of texts and marks matches, on a thread of its own. `markedWords` is the JSON of `MarkedWord[]` (snippets.rs). `head` is
   * the JSON of `string[][]`, the snippets of each item of `texts`.
   */
  cutTextSnippets(
    language: string,
    markedWords: string,
    texts: readonly (readonly string[])[],
    snippets: number,
    chars: number,
  ): Promise<Outcome>
  /** Counts the words of texts as indexed, without stop words, on a thread of its own. `head` is the JSON of `[word, count][]`. */
  countWords(language: string, texts: readonly string[]): Promise<Outcome>
  /** The JSON of the numbers by which the embedded engine ranks documents (ranking_rules.rs). */
  rankingRules(): string
  /** How many typos a word may have to be corrected. */
  correctionTypos(word: string): number
  /**
   * The share of its weight that a word has which is several words written as one, by the numbers of documents: all, those with this word, and
   * those with each of the words.
   */
  joinedShare(documents: number, joined: number, parts: readonly number[]): number
  /**
   * Finds the words of texts that may correct a word, on a thread of its own. `head` is the JSON of `SimilarForm[]` (corrections.rs).
   * `comparesTyped` is whether words are compared as typed, instead of as indexed.
   */
  findSimilarForms(
    language: string,
    word: string,
    comparesTyped: boolean,
    texts: readonly string[],
  ): Promise<Outcome>
}

export const textFunctions = (): TextFunctions => addon()

/** Filters the options of a facet by the start of a word, without case and accents. Every option passes a blank text. */
export interface NativeOptionFilter {
  accepts(option: string): boolean
}

export const createNativeOptionFilter = (text: string): NativeOptionFilter =>
  new (addon().NativeOptionFilter)(text)

/** The text form of values, for engines with an index elsewhere. */
export interface ValueFunctions {
  /**
   * The moments that a date stands for, in microseconds since 1970, both ends inclusive: one moment for an RFC 3339 date-time, a whole UTC day
   * for a date. Null for other texts.
   */
  parseDate(text: string): { from: bigint; to: bigint } | null
  /** Formats a moment in UTC, without trailing zeros in the fraction. */
  dateText(micros: bigint): string
  /** Null for a text that is not a number. `large` has the digits of a whole number from 2^53 or down to -2^63, and `float` is near it. */
  parseNumber(text: string): { float: number; large?: string } | null
}

export const valueFunctions = (): ValueFunctions => addon()

/** The synonyms of a collection. Plans name them by number while somebody holds this object. */
export interface NativeSynonyms {
  number(): number
}

/** `sets` is the JSON of `SynonymSet[]`. Throws `Error('code: message')`. */
export const createNativeSynonyms = (sets: string): NativeSynonyms => new (addon().NativeSynonyms)(sets)

/** The fields of a generation with an index elsewhere. */
export interface NativeTextSchema {
  /** Takes the JSON of a `MatchRequest` and returns that of `MatchWords` (match_words.rs). Throws `Error('code: message')`. */
  matchWords(request: string): string
  /** Takes the JSON of a `LookupRequest` and returns that of a `LookupReply` (lookups.rs). Throws `Error('code: message')`. */
  lookUp(request: string): string
}

/** `spec` is the JSON of a `GenerationSpec`. Throws `Error('code: message')`. */
export const createTextSchema = (spec: string): NativeTextSchema => new (addon().NativeTextSchema)(spec)

/** Lines that were parsed and not yet written. */
export type NativeLines = object

export const createLines = (): NativeLines => new (addon().NativeLines)()

/**
 * Opens the engine in a folder, with `threads` search threads and at most `queueMax` queued searches. With `isShared`, threads of this
 * process that open the same folder share one engine, which the last of them closes. Throws `Error('code: message')`.
 */
export function openNativeEngine(
  dataDir: string,
  threads: number,
  queueMax: number,
  isShared = false,
): NativeEngine {
  return new (addon().NativeEngine)(dataDir, threads, queueMax, isShared)
}

let cachedAddon: Addon | undefined
/** Loads the addon on first use. */
const addon = (): Addon => {
  cachedAddon ??= loadAddon(createRequire(import.meta.url)) as Addon
  return cachedAddon
}

/** The exports of lib.rs. */
type Addon = TextFunctions &
  ValueFunctions & {
    NativeEngine: new (dataDir: string, threads: number, queueMax: number, isShared: boolean) => NativeEngine
    NativeLines: new () => NativeLines
    NativeSynonyms: new (sets: string) => NativeSynonyms
    NativeTextSchema: new (spec: string) => NativeTextSchema
    NativeOptionFilter: new (text: string) => NativeOptionFilter
  }
