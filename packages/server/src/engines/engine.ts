/**
 * What the query service asks of a search engine. The embedded engine and OpenSearch implement it; `engine.suite.ts` is run on both.
 *
 * An engine holds **generations**: each is one set of documents with one set of searchable fields. It knows nothing of workspaces,
 * members or endpoints: row filters and endpoints reach it as nodes of a {@link Plan}.
 *
 * Errors: `EngineError` only. An engine never throws for a document or a plan that these types allow.
 */

/**
 * A searchable field of a generation. Values are found in `attributes[name]`; an array has several values. `prefix`: its words are
 * wanted as typed too. Without them nothing is completed or corrected in that field: words are found as they are.
 */
export type EngineField =
  | { name: string; type: 'text'; language: string; prefix: boolean }
  | { name: string; type: 'keyword' | 'number' | 'date' | 'boolean' | 'geo' }

/**
 * Words that find each other, as typed; several words are a phrase. One-way: a query with one of `from` finds those of `to`, and a query
 * with one of `to` does not find those of `from`.
 */
export type SynonymSet = string[] | { from: string[]; to: string[] }

/** Defines a generation. `fields` are the searchable ones; other attributes are stored and returned. */
export interface GenerationSpec {
  fields: EngineField[]
  synonyms: SynonymSet[]
}

/**
 * A document as the engine keeps it: `id` a URI (at most 2 KiB), `entity` the JSON text of
 * `{"id":…,"class":[…],"attributes":{…}}`, exactly as replies carry it. Dates are RFC 3339, geo `{"lat":…,"lon":…}`.
 * The caller has checked the values of declared fields against their types.
 */
export interface EngineDocument {
  id: string
  entity: string
}

/** One alternative of a tuple list: a document with any of these values matches; `score` (above 0) multiplies. */
export interface ScoredValues {
  score: number
  values: (string | number | boolean)[]
}

/** One alternative of rings around places: degrees of WGS84, the radius in metres. */
export interface ScoredCircles {
  score: number
  circles: { lat: number; lon: number; metres: number }[]
}

/** Free text, parsed: words and phrases are alternatives; what `excluded` names must not be there. */
export interface ParsedText {
  words: string[]
  phrases: string[]
  excludedWords: string[]
  excludedPhrases: string[]
  /** The last word as typed so far, to be completed (`prefix: true`); then it is not in `words`. It is found as a whole word as well. */
  unfinished?: string
}

/** One step of a plan. Every document that is found satisfies all of them. */
export type PlanNode =
  | { kind: 'all' }
  /**
   * Adds its BM25 score. A blank text matches everything and adds nothing; only exclusions: everything without them. With `typos`, a
   * word of 3 letters may have one wrong, of 6 two (added, left out, exchanged for another or for their neighbour); no numbers. Where
   * documents have a word itself, they rank by it above those that have a correction or completion of it. An engine may bound how many
   * words of a field stand for one: the closest first, then the commonest.
   */
  | {
      kind: 'match'
      text: ParsedText
      fields: { name: string; weight: number }[]
      typos: boolean
      /**
       * Ids of documents that are found whatever words they have, and stand first where the score decides, in this order, as good as the
       * best of the others. All other nodes and the restrictions narrow them too. Of a match in a mix nothing is pinned.
       */
      pinned?: string[]
      /** Ids of documents that stand last among those that are found; their scores are as good as none. Pinned ones stay pinned. */
      buried?: string[]
    }
  /** A document matches when a value of the field equals one of the alternatives; the highest score among those it has multiplies. Dates are RFC 3339 or a prefix that names a whole day. */
  | { kind: 'filter'; field: string; alternatives: ScoredValues[] }
  /**
   * A document matches when a value of the geo field lies within one of the circles, rim included: great-circle distance on a sphere of
   * 6,371,008.8 m. The highest score among the circles that hold one multiplies.
   */
  | { kind: 'distance'; field: string; alternatives: ScoredCircles[] }
  /** The documents with these ids; without alternatives, none. */
  | { kind: 'lookup'; alternatives: ScoredValues[] }
  /** Both ends inclusive, either may be absent. */
  | { kind: 'range'; field: string; from?: string | number; to?: string | number }
  /**
   * The documents that share the most telling words of the one with this id, and not that one itself; adds the BM25 scores of those
   * words. Finds nothing where there is no such document, or none that the restrictions let through.
   */
  | { kind: 'similar'; id: string; fields: { name: string; weight: number }[] }
  | { kind: 'nearest'; field: string; vector: number[] }
  /**
   * What any of the parts finds. By rank, adds the sum of weight / (60 + rank), where equal scores share a rank; by score, the sum of
   * weight × score / best score of the part. Ranks and best scores are those among the documents that satisfy the whole plan.
   */
  | { kind: 'mix'; parts: { weight: number; node: PlanNode }[]; by: 'rank' | 'score' }

/**
 * What decides the order; the id, ascending by UTF-8 bytes, breaks the last ties. Missing values sort last. Of several values the
 * smallest counts ascending, the largest descending. By `distance`: that of a geo field from a point, ascending the nearest first.
 */
export type SortKey =
  | { by: 'score' }
  | { by: 'field'; field: string; order: 'ascending' | 'descending' }
  | { by: 'distance'; field: string; lat: number; lon: number; order: 'ascending' | 'descending' }

/**
 * A query. Score of a document = (sum of the added scores, or 1 when no node adds any) × (product of the tuple-list scores):
 * the order of nodes makes no difference (query-service.md, Stacking: "Filters commute").
 */
export interface Plan {
  nodes: PlanNode[]
  /**
   * The row filter and other conditions that never score. The plan is answered as if there were only the documents that satisfy them:
   * scores are made of their statistics, words complete and correct others only where these documents have them.
   */
  restrictions: PlanNode[]
  order: SortKey[]
  /** Least probability (score over best score) of a result, 0 to 1. */
  cutoff: number
  /** The page of items wanted; `count` 0 when none are. */
  offset: number
  count: number
  /** The ten exact numbers of results with probability at least 0.9, 0.8, … 0.0. */
  statistics: boolean
  /** False: nobody reads {@link Reply.total}, and an engine may leave out documents that cannot be on the page. */
  total?: boolean
  facet?: FacetRequest
  highlight?: HighlightRequest
}

/** Snippets of the hits, with what the match nodes of the plan found in them marked. */
export interface HighlightRequest {
  /** Text fields; others are left out. */
  fields: string[]
  /** At most so many for each field. */
  snippets: number
  /** At most so many characters of the text in one, unless what is marked alone is longer. */
  chars: number
}

/** Options of a keyword, number, boolean or date field over the documents that the plan finds. */
export interface FacetRequest {
  field: string
  /** The page of options wanted: by falling count, then by value ascending (UTF-8 bytes). */
  offset: number
  count: number
  /** Values whose counts are wanted whatever page they are on. */
  selected: string[]
  /** Least count/largest of an option, 0 to 1: what has less is left out of options, distinct and statistics. */
  cutoff?: number
}

export interface FacetOption {
  value: string
  /** Number of found documents that have the value; exact. */
  count: number
}

export interface EngineFacet {
  options: FacetOption[]
  /**
   * One for each of `selected` in that order, 0 where no document has it; numbers and dates written as options are. A whole day is the
   * option in it; where it has several or none, it is as it came, with the number of documents that have any.
   */
  selected: FacetOption[]
  /** Number of different values among the found documents. */
  distinct: number
  /** Count of the commonest one, 0 when there are none. */
  largest: number
  /** The ten numbers of options with count/largest at least 0.9, 0.8, … 0.0; only with `statistics`. */
  statistics?: number[]
}

export interface Hit {
  /** JSON text of the document's entity, as given at import. */
  entity: string
  score: number
  /**
   * With `highlight`: by field, where anything is marked, snippets in the order of the text. `<mark>…</mark>` around what matched, all
   * else escaped for HTML.
   */
  highlights?: Record<string, string[]>
}

export interface Reply {
  /** Number of documents found, exact, after `cutoff`; with `total` false it may be less, but 0 only when none is found. */
  total: number
  /** Score of the best document found, over all pages; 0 when none is. Probability of a hit = score / best. Any number where neither hits, statistics nor a cutoff are wanted. */
  best: number
  hits: Hit[]
  statistics?: number[]
  facet?: EngineFacet
}

/** A change to a generation. */
export type Write = { put: EngineDocument } | { delete: string }

export interface GenerationInfo {
  documents: number
  /** Rises with every change that searches can see, never falls, also over restarts. */
  version: number
  /** While its index is being built again from its documents, searches are unavailable; how many of the documents are done. */
  state: 'ready' | { rebuilding: { done: number; total: number } }
}

/**
 * The rebuilding of an index that was lost: when it begins, fails and is to be repeated, and is done. And that a generation which was
 * opened `later` could not be opened when it was used; its documents are not counted.
 */
export type RebuildEvent = { generation: string; documents: number } & (
  | { state: 'begun'; reason: string }
  | { state: 'failed'; message: string }
  | { state: 'unopened'; message: string }
  | { state: 'done'; durationMs: number }
)

export type EngineErrorCode =
  /** A node or option of the plan that this engine cannot do yet; the message names it. */
  | 'unsupported'
  /** No such generation, or it is being rebuilt, or the disk is full, or storage cannot be read: 503. */
  | 'unavailable'
  /** The bounded queue in front of the engine is full: 503. */
  | 'overloaded'
  /** The deadline passed: 503. */
  | 'timeout'
  /** Its signal was aborted: nobody waits for an answer. */
  | 'cancelled'
  /** A fault of the engine's own: 500. */
  | 'fault'

export class EngineError extends Error {
  readonly code: EngineErrorCode
  constructor(code: EngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EngineError'
    this.code = code
  }
}

/** How a line becomes a document, where that is certain. */
export interface LineRules {
  idField: string
  /** What stands before and behind an id that is no absolute URI. */
  prefix: string
  suffix: string
  /** JSON of the classes of every document. */
  classes: string
  /** Of each declared field what its values have to be. */
  fields: Readonly<Record<string, EngineField['type'] | 'object' | 'vector'>>
  idBytesMax: number
  keywordBytesMax: number
  lineBytesMax: number
}

/** Lines that were read; those that are wrong, or not certain to be right, are left to the caller. */
export interface LinesRead {
  lines: number
  /** In their order; `at`: which of the lines, from 0; `from` and `to`: its bytes in the block. */
  left: readonly { at: number; from: number; to: number }[]
  /** As {@link Engine.write}, once: all that was read, and in the places of those left what the caller made of them; undefined for none. */
  write(id: string, others: readonly (EngineDocument | undefined)[]): Promise<void>
}

export interface Engine {
  /**
   * Searches to give it at once: with more than `useful` they only wait inside it, in the order in which they come. More than `max` may
   * be refused as overloaded. Undefined: any number.
   */
  searchesAtOnce?: { useful: number; max: number }
  /**
   * Opens the generation, making it when it is not there. Catches up with documents that were acknowledged but not indexed before a
   * crash. Where the index is lost, damaged, or was built for another `spec`, it is built again from the documents: this resolves at
   * once, and until it is done `info` says so, searches and `deleteMatching` are unavailable, and `refresh` waits.
   * `id` is of `a-z 0-9 - _`, at most 200 characters. With `later` it is noted alone, without I/O, and all this is done when the
   * generation is first used, or before: that use fails as this would, and it is tried again at the next, a second later at the earliest.
   * One elsewhere that hangs fails within seconds as well; what it was asked for goes on there.
   */
  open(id: string, spec: GenerationSpec, later?: boolean): Promise<void>
  /**
   * Resolves when `info` and `version` know the generation, which was opened `later`; rejects when it cannot be opened, or not within
   * `deadlineMs` (5 s), or when `signal` is aborted. Undefined: they do already, or nobody opened it.
   */
  whenOpened?(id: string, deadlineMs?: number, signal?: AbortSignal): Promise<void> | undefined
  /** Whether `whenOpened` has nothing to wait for; opens nothing. */
  isOpened?(id: string): boolean
  /** Closes the generation and keeps all of it, to be opened again; nothing to do when it is not open. Searches on it end as they would. */
  release(id: string): Promise<void>
  /** Closes the generation and deletes all that is kept of it. */
  drop(id: string): Promise<void>
  /** Documents and version of an open generation, from memory: no I/O. */
  info(id: string): GenerationInfo
  /** That of {@link Engine.info} alone, as every query asks for it. */
  version(id: string): number
  /** Applies the writes in order, all or none; durable when it resolves, searchable after the next `refresh`. */
  write(id: string, writes: Write[]): Promise<void>
  /** Reads documents from whole lines of JSON, off this thread. An engine that cannot has none. */
  readLines?(block: Buffer, rules: LineRules): Promise<LinesRead>
  /** Resolves when everything written before the call is searchable. Calls at the same time share one commit. */
  refresh(id: string): Promise<void>
  /** Entity of a document as last written, searchable or not; undefined when absent. */
  get(id: string, documentId: string): Promise<string | undefined>
  /** Documents in order of id (UTF-8 bytes), after `after` (exclusive), at most `count` (1 to 10,000). */
  list(id: string, after: string | undefined, count: number): Promise<EngineDocument[]>
  /** Deletes the documents that the plan finds (durable), and says how many. */
  deleteMatching(id: string, plan: Plan): Promise<number>
  /** Puts every document of `source` into `target`; both are open. */
  copy(source: string, target: string): Promise<void>
  /**
   * Answers a plan within `deadlineMs`, off the JavaScript thread. When `signal` is aborted it ends as soon as it can, waiting or
   * running, as cancelled; unless it is answered already.
   */
  search(id: string, plan: Plan, deadlineMs: number, signal?: AbortSignal): Promise<Reply>
  /** Who is told of rebuilds, those before the call included; another call takes its place. */
  onRebuild(listener: (event: RebuildEvent) => void): void
  /** Resolves when it answers at all, within `msMax`; throws when it does not. One inside this process has none. */
  ping?(msMax: number): Promise<void>
  close(): Promise<void>
}
