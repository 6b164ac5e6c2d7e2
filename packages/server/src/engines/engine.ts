/**
 * The interface of a search engine. The embedded engine and OpenSearch implement it; `engine.suite.ts` runs on both.
 *
 * An engine holds **generations**: each is one set of documents with one set of searchable fields. It does not know workspaces,
 * members or endpoints: row filters and endpoints reach it as nodes of a {@link Plan}.
 *
 * Engines throw `EngineError` only, and never because of a document or a plan that these types allow.
 *
 * Over 400 lines: one interface, with the types of its plans and replies.
 */
import type { GenerationFailure } from './engine-error.ts'
import type { EngineFacet, FacetRequest } from './facet.ts'
import type { Synonyms } from './synonyms.ts'

export { EngineError, type EngineErrorCode, type GenerationFailure } from './engine-error.ts'

/** Defines a generation. `fields` are the searchable ones; other attributes are stored and returned. */
export interface GenerationSpec {
  fields: EngineField[]
  /** By field, how the caller made the values in `indexed` of the documents. Engines don't look at it. */
  reading?: Record<string, object>
}

/**
 * A document as the engine keeps it: `id` a URI (at most 2 KiB), `entity` the JSON text of
 * `{"id":…,"class":[…],"attributes":{…}}`, exactly as replies carry it. Dates are RFC 3339, geo `{"lat":…,"lon":…}`. Values of declared fields
 * may be in a member `indexed` before `id` instead, which wins over the attribute of the same name; null: no value.
 * The caller has checked the values of declared fields against their types.
 */
export interface EngineDocument {
  id: string
  entity: string
}

/** One alternative of a tuple list: a document with any of these values matches, and its score is multiplied by `score` (above 0). */
export interface ScoredValues {
  score: number
  values: (string | number | boolean)[]
}

/** One alternative of circles around places: degrees of WGS84, the radius in meters. */
export interface ScoredCircles {
  score: number
  circles: { lat: number; lon: number; metres: number }[]
}

/** Parsed free text: words and phrases are alternatives; documents with an excluded word or phrase do not match. */
export interface ParsedText {
  words: string[]
  phrases: string[]
  excludedWords: string[]
  excludedPhrases: string[]
  /** The last word as typed so far, to be completed (`prefix: true`). It is not in `words`, but also matches as a whole word. */
  unfinished?: string
  /** Those of `words` that are stop words of the collection. They are ignored if the text has other words. */
  ignoredWords?: string[]
  /** Whether `unfinished` is a stop word of the collection, or may become one. Then no document needs it. */
  mayLackUnfinished?: true
  /** The synonyms of the collection. */
  synonyms?: Synonyms
}

/** One step of a plan. A matching document satisfies all of them. */
export type PlanNode =
  | { kind: 'all' }
  /**
   * Adds its BM25 score. A blank text matches everything and adds nothing. A text of exclusions only matches every document without them.
   * A word contributes the best of the word as typed, its completion and its corrections. An engine may limit how many variants of a word
   * it accepts: the closest first, then the most frequent.
   */
  | {
      kind: 'match'
      text: ParsedText
      fields: { name: string; weight: number }[]
      /**
       * Lengths in characters from which a word may contain one typo, and two (Damerau-Levenshtein; a wrong first letter counts as two).
       * Numbers match exactly. Without it, no word may contain typos. Requires `ranking`.
       */
      typos?: { one: number; two: number }
      /**
       * Ranks by, in order of importance: more of the query's words, fewer typos, whole words before completions, `exact`, then BM25. By
       * BM25 alone without it. Texts with an unfinished word require it.
       */
      ranking?: 'words'
      /** Documents come first in which the whole text of a field is the query. */
      exact?: boolean
      /**
       * A document needs at least one of the words (`any`, default), or all of them (`all` and `relaxed`). A phrase is one word. If no
       * visible document has them all, `relaxed` drops words that no document has, then the most frequent ones, until a document matches.
       */
      matching?: 'any' | 'all' | 'relaxed'
      /** Longer words that contain a word of at least three letters count too, after all other matches. Requires `ranking`. */
      contains?: boolean
      /**
       * Ids of documents that match whatever their words, and come first in this order when results are sorted by score. Their score
       * equals the best score of the others. All other nodes and the restrictions apply to them too. Ignored inside a mix.
       */
      pinned?: string[]
      /** Ids of matching documents that come last, with a negligible score. If a document is both pinned and buried, it is pinned. */
      buried?: string[]
      /**
       * Multiply the sum of BM25 scores, so that they never lift a document over one with more of the words, fewer typos or an exact text.
       * Requires `ranking`.
       */
      boosts?: BoostNode[]
    }
  /**
   * Matches documents in which a value of the field equals one of the alternatives, and multiplies by the highest score among those.
   * Dates are RFC 3339, or a prefix that names a whole day.
   */
  | { kind: 'filter'; field: string; alternatives: ScoredValues[] }
  /**
   * Matches documents in which a value of the geo field lies within one of the circles, edge included, and multiplies by the highest
   * score among those circles. Distance is the great-circle distance on a sphere of radius 6,371,008.8 m.
   */
  | { kind: 'distance'; field: string; alternatives: ScoredCircles[] }
  /** Matches documents in which a value of the geo field is in the area, its edges included. It never scores. */
  | { kind: 'area'; field: string; area: Area }
  /** Matches the documents with these ids; without alternatives, none. */
  | { kind: 'lookup'; alternatives: ScoredValues[] }
  /** Both ends inclusive, either may be absent. `before` is an exclusive upper end, instead of `to`. */
  | {
      kind: 'range'
      field: string
      from?: string | number
      to?: string | number
      before?: string | number
    }
  /**
   * Matches other documents that share the most significant words of the document with this id, and adds the BM25 scores of those words.
   * Matches nothing if that document does not exist or does not satisfy the restrictions. If one of `fields` is a vector, matches the 1,000
   * documents with the nearest vectors instead, and adds the scores of a `nearest` node.
   */
  | { kind: 'similar'; id: string; fields: { name: string; weight: number }[] }
  /**
   * Matches the `limit` documents whose vectors are nearest, among those that satisfy the rest of the plan apart from mixes and other
   * nearest nodes, and adds the score of {@link VectorMetric}. Drops scores below `minimum` (0 to 1). A document with several vectors has
   * the score of the nearest. The choice may be approximate.
   */
  | { kind: 'nearest'; field: string; vector: number[]; limit: number; minimum: number }
  /**
   * Matches the documents that any of the parts matches; with `not`, all others. Parts are nodes of kind filter, lookup, distance, range or
   * present, or further nodes of kind any. It never scores.
   */
  | { kind: 'any'; parts: PlanNode[]; not: boolean }
  /** Matches documents with a value of the field, of any type; with `not`, those without. An empty text is no value. */
  | { kind: 'present'; field: string; not: boolean }
  /** Matches the documents of which one element of a list satisfies all parts: filters of fields with the same `list`. It never scores. */
  | { kind: 'together'; parts: PlanNode[] }
  /** Matches everything, and multiplies scores by the factor of the rule; by 1 for documents without a value. */
  | BoostNode
  /**
   * Matches documents that any of the parts matches. By rank, adds the sum of weight / (10 + rank) (reciprocal rank fusion), where equal
   * scores share a rank. By score, adds the sum of weight × share (distribution-based score fusion): a score that is three standard
   * deviations below the mean of the part's best 1,000 has the share 0, three above it 1, better ones more. Ranks and distributions count
   * only documents that satisfy the whole plan. The `boosts` of a part multiply its scores. Engines ignore the `name` of a part.
   */
  | { kind: 'mix'; parts: MixPart[]; by: 'rank' | 'score' }

export interface MixPart {
  weight: number
  node: PlanNode
  boosts?: BoostNode[]
  name?: string
}

/**
 * A sort key. The id, ascending by UTF-8 bytes, breaks the last ties. Missing values sort last. If a document has several values, the
 * smallest counts in ascending order and the largest in descending order. `distance` sorts by the distance of a geo field from a point.
 */
export type SortKey =
  | { by: 'score' }
  | { by: 'field'; field: string; order: 'ascending' | 'descending' }
  | { by: 'distance'; field: string; lat: number; lon: number; order: 'ascending' | 'descending' }

/**
 * A query. The score of a document is (the sum of the added scores, or 1 when no node adds any) × (the product of the tuple-list scores and
 * of the boosts).
 * The order of nodes makes no difference.
 */
export interface Plan {
  nodes: PlanNode[]
  /**
   * The row filter and other conditions that never score. The engine answers as if no other documents existed: it computes scores from
   * the statistics of these documents, and completes and corrects words only to words that they contain.
   */
  restrictions: PlanNode[]
  order: SortKey[]
  /** Minimum probability (score / best score) of a result, 0 to 1. */
  cutoff: number
  /** The requested page of items; `count` is 0 if the caller needs none. */
  offset: number
  count: number
  /**
   * Continues after the {@link Reply.next} of the previous page, at the same cost for each page; '' for the first page. The order, the
   * nodes and the restrictions must be those of that page. `total`, `best`, `statistics` and `facet` count the whole result.
   */
  after?: string
  /** The ten exact numbers of results with probability at least 0.9, 0.8, … 0.0. */
  statistics: boolean
  /** If false, the caller ignores {@link Reply.total}, so an engine may skip documents that cannot be on the page. */
  total?: boolean
  /** If false, the caller ignores {@link Reply.best} and the scores of hits, so an engine need not find the best score. */
  scores?: boolean
  facet?: FacetRequest
  collapse?: Collapse
  highlight?: HighlightRequest
  /** Requests {@link Reply.corrections}. Ignored if `count` is 0. */
  suggest?: boolean
}

export interface Hit {
  /** JSON text of the document's entity, as given at import. */
  entity: string
  score: number
  /**
   * With `highlight`: the snippets of each field that has any, in the order of the text. Matches are enclosed in `<mark>…</mark>`;
   * everything else is escaped for HTML.
   */
  highlights?: Record<string, string[]>
  /** With `collapse`: the value, its number of documents in the whole result, and further documents in their order. */
  collapsed?: { value: string | number | null; count: number; others: string[] }
}

export interface Reply {
  /** Exact number of matching documents after `cutoff`. With `total: false` in the plan it may be lower, but is 0 only if none matches. */
  total: number
  /**
   * Best score over all pages, 0 if no document matches; the probability of a hit is score / best. Unspecified if the plan requests
   * neither hits, statistics nor a cutoff.
   */
  best: number
  hits: Hit[]
  /** With `after` in the plan: the position after the last hit, if more hits follow. */
  next?: string
  statistics?: number[]
  facet?: EngineFacet
  /** The words that `matching: 'relaxed'` dropped, as typed. Absent or empty if there are none. */
  relaxed?: string[]
  /**
   * With {@link Plan.suggest}, if no document matches: the words of the match nodes that no visible document has, as typed, with up to
   * three similar words that visible documents have: the closest first, then the most frequent.
   */
  corrections?: { word: string; alternatives: string[] }[]
}

/** A change to a generation. */
export type Write = { put: EngineDocument } | { delete: string }

export interface GenerationInfo {
  documents: number
  /** Rises with every change that searches can see. It never falls, not even across restarts. */
  version: number
  /** While the index is rebuilt from the documents, searches are unavailable; `done` counts the documents indexed so far. */
  state: 'ready' | { rebuilding: { done: number; total: number } }
}

/**
 * Progress of rebuilding a lost index: it started, failed (and is retried), or is done. `open-failed`: a generation that was registered
 * with `deferred` could not be opened when it was first used; its documents are not counted.
 */
export type RebuildEvent = { generation: string; documents: number } & (
  | { state: 'started'; reason: string }
  | { state: 'failed'; message: string }
  | { state: 'open-failed'; message: string }
  | { state: 'done'; durationMs: number }
)

/** Rules by which an engine turns a line of JSON into a document. */
export interface LineRules {
  idField: string
  /** Added before and after an id that is not an absolute URI. */
  prefix: string
  suffix: string
  /** JSON of the classes of every document. */
  classes: string
  /** Required type of the values of each declared field. */
  fields: Readonly<Record<string, EngineField['type'] | 'object'>>
  /** Dimensions of the vector fields. */
  dimensions: Readonly<Record<string, number>>
  idBytesMax: number
  keywordBytesMax: number
  lineBytesMax: number
}

/** Lines that the engine has read. It leaves lines that are invalid, or may be, to the caller. */
export interface LinesRead {
  lines: number
  /** Lines for the caller, in order. `at` is the index of the line from 0; `from` and `to` delimit its bytes in the block. */
  left: readonly { at: number; from: number; to: number }[]
  /** Ids of the documents of the other lines. */
  ids: readonly string[]
  /**
   * Writes all documents like {@link Engine.write}; call it at most once. `parsedByCaller` holds the caller's document for each line of
   * `left`, or undefined to skip that line.
   */
  write(id: string, parsedByCaller: readonly (EngineDocument | undefined)[]): Promise<void>
}

export interface Engine {
  /**
   * Number of concurrent searches: beyond `useful` they only queue inside the engine, in order of arrival. Beyond `max` the engine may
   * reject them as overloaded. Undefined means any number.
   */
  searchesAtOnce?: { useful: number; max: number }
  /**
   * Opens the generation and creates it if it does not exist. Indexes documents that were acknowledged but not indexed before a crash.
   * If the index is lost, damaged, or was built for another `spec`, the engine rebuilds it from the documents. Then this resolves at once;
   * until the rebuild is done `info` reports it, searches and `deleteMatching` are unavailable, and `refresh` waits.
   *
   * `id` has characters of `a-z 0-9 - _`, at most 200. With `deferred` this only registers the generation, without I/O; the engine opens
   * it at its first use or earlier. If that fails, the use fails like this call would, and a later use tries again after a second at the
   * earliest. An unresponsive remote engine fails within seconds, although the operation may complete there.
   */
  open(id: string, spec: GenerationSpec, deferred?: boolean): Promise<void>
  /**
   * Resolves when `info` and `version` know a generation that was registered with `deferred`. Rejects if it cannot be opened within
   * `deadlineMs` (5 s), or when `signal` is aborted. Returns undefined if they know it already, or if nobody registered it.
   */
  whenOpened?(id: string, deadlineMs?: number, signal?: AbortSignal): Promise<void> | undefined
  /** Reports whether `whenOpened` has nothing to wait for; opens nothing. */
  isOpened?(id: string): boolean
  /** Closes the generation and keeps its data; does nothing if it is not open. Running searches complete. */
  release(id: string): Promise<void>
  /** Closes the generation and deletes all of its data. */
  drop(id: string): Promise<void>
  /** Documents and version of an open generation, from memory: no I/O. */
  info(id: string): GenerationInfo
  /** The version of {@link Engine.info} alone, because every query needs it. */
  version(id: string): number
  /** Applies the writes in order, all or none. They are durable when it resolves, and searchable after the next `refresh`. */
  write(id: string, writes: Write[]): Promise<void>
  /**
   * Does the same, and resolves when the writes are searchable too: faster than `write` and `refresh` one after the other. Absent if the
   * engine has no faster way.
   */
  writeSearchable?(id: string, writes: Write[]): Promise<void>
  /** Reads documents from whole lines of JSON, off this thread. Absent if the engine does not support it. */
  readLines?(block: Buffer, rules: LineRules): Promise<LinesRead>
  /** Resolves when everything written before the call is searchable. Concurrent calls share one commit. */
  refresh(id: string): Promise<void>
  /** Returns the entity of a document as last written, searchable or not; undefined if it does not exist. */
  get(id: string, documentId: string): Promise<string | undefined>
  /** Returns at most `count` (1 to 10,000) documents in order of id (UTF-8 bytes), beginning after `afterId`. */
  list(id: string, afterId: string | undefined, count: number): Promise<EngineDocument[]>
  /** Deletes the documents that match the plan (durable), and returns their number. */
  deleteMatching(id: string, plan: Plan): Promise<number>
  /** Writes every document of `source` into `target`; both must be open. */
  copy(source: string, target: string): Promise<void>
  /**
   * Answers a plan within `deadlineMs`, off the JavaScript thread. After `signal` is aborted it fails as soon as possible with
   * `cancelled`, whether it was queued or running. Owners take turns where an engine can do few searches at once; `owner` is the id of a
   * workspace, by default that of the generation.
   */
  search(id: string, plan: Plan, deadlineMs: number, signal?: AbortSignal, owner?: string): Promise<Reply>
  /**
   * Names what the engine lacks to search vectors, such as a plugin, for the person who applies a workspace file; undefined if nothing.
   * Without it, `open` keeps vectors as other attributes, and searches for them are `unsupported`. Absent if every engine of this kind
   * searches vectors. Rejects with `unavailable` if a remote engine does not respond.
   */
  missingForVectors?(): Promise<string | undefined>
  /**
   * Returns the generations that could not be opened at the last attempt, or whose index cannot be rebuilt, by id; from memory. The engine
   * also tries again without being used, every 30 s. Absent if the engine does not track them.
   */
  failures?(): ReadonlyMap<string, GenerationFailure>
  /** Sets the only listener for rebuild events, and sends it the events that occurred before. */
  onRebuild(listener: (event: RebuildEvent) => void): void
  /** Resolves when a remote engine responds within `msMax`, otherwise throws. An engine inside this process has no `ping`. */
  ping?(msMax: number): Promise<void>
  close(): Promise<void>
}

/** Parts of the surface of the earth. */
/** Places within latitudes and longitudes. If `west` is greater than `east`, the box crosses the antimeridian. */
export interface Box {
  south: number
  west: number
  north: number
  east: number
}

/**
 * Each edge is the shorter arc of a great circle, and the last corner is joined to the first. Longitudes are at least -180 and less than
 * 180. A corner at a pole stands twice, with the longitudes of its neighbors; an edge of a half turn between two of them leads east. A place
 * is inside if an odd number of edges is north of it on its meridian; with `hasNorthPole`, an even number.
 */
export interface Polygon {
  corners: { lat: number; lon: number }[]
  hasNorthPole: boolean
}

export type Area = { box: Box } | { polygon: Polygon }

/** Boosts of a plan. */
export interface BoostNode {
  kind: 'boost'
  field: string
  rule: BoostRule
}

/**
 * The factor of a boost. The most favorable value of a document counts: the largest number, the latest date, the nearest place.
 *
 * - `value`: `factor` for documents with one of the values, at least 1e-3 and at most 1,000.
 * - `log` and `linear`: 1 + log10(1 + number) and 1 + number; numbers count as at least 0 and at most {@link boostNumberMax}.
 * - `age`: 1 + 0.5 ^ (age / half-life); `nowMs` and `halfLifeMs` are in milliseconds, `nowMs` since 1970. Dates after `nowMs` have age 0.
 * - `distance`: 1 + 0.5 ^ (distance / half distance), in meters.
 */
export type BoostRule =
  | { by: 'value'; values: (string | number | boolean)[]; factor: number }
  | { by: 'log' | 'linear' }
  | { by: 'age'; nowMs: number; halfLifeMs: number }
  | { by: 'distance'; lat: number; lon: number; halfMetres: number }

/** Larger numbers would leave the range of scores. */
export const boostNumberMax = 1e9

/** Results with one item for each value of a field. */
/**
 * Keeps one result for each value of a keyword or number field: the first in the order of the plan. A document belongs to its first value
 * that is not an empty text; one without a value stays alone. `total`, `statistics`, `offset`, `count` and `after` count values. Cutoff
 * and facets apply to documents, before. The score of a value in `statistics` is the best of its documents.
 */
export interface Collapse {
  field: string
  /** Documents to return for each value, 1 to 10. */
  best: number
}

/** The searchable fields of a generation. */
/**
 * A searchable field of a generation. Its values are in `indexed[name]` or `attributes[name]`; an array holds several values. With `prefix` the engine also
 * indexes words as typed, which completion and correction need. Without it the field matches whole words only. With `codes` it holds codes such
 * as part numbers, which match however they are written, and are never corrected.
 */
export type EngineField =
  | { name: string; type: 'text'; language: string; prefix: boolean; codes?: true }
  | ({ name: string; type: 'keyword' | 'number' | 'date' | 'boolean' | 'geo' } & ElementField)
  /** A value is a list of `dimensions` numbers, or a list of such lists. */
  | { name: string; type: 'vector'; dimensions: number; metric: VectorMetric }

/** With `elements`, a value is a list with a list of values for each element of the document's list of objects, which `list` names. */
interface ElementField {
  elements?: true
  list?: string
}

/**
 * How a score in (0, 1] is computed for two vectors: `cosine` (1 + cosine) / 2; `euclidean` 1 / (1 + d²) of their distance d; `dot` from
 * their inner product p: 1 - 1 / (2 + 2p) if p is at least 0, otherwise 1 / (2 - 2p).
 */
export type VectorMetric = 'cosine' | 'dot' | 'euclidean'

/** The snippets that a plan asks for. */
/** Snippets of the hits, in which the words that the match nodes found are marked. */
export interface HighlightRequest {
  /** Text fields; other fields are ignored. */
  fields: string[]
  /** Maximum number of snippets of a field. */
  snippets: number
  /** Maximum number of characters of text in a snippet, unless the marked part alone is longer. */
  chars: number
}
