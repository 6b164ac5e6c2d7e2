/**
 * The interface of a search engine. The embedded engine and OpenSearch implement it; `engine.suite.ts` runs on both.
 *
 * An engine holds **generations**: each is one set of documents with one set of searchable fields. It does not know workspaces,
 * members or endpoints: row filters and endpoints reach it as nodes of a {@link Plan}, whose types are written from those of the embedded engine.
 *
 * Engines throw `EngineError` only, and never because of a document or a plan that these types allow.
 */
import type { Plan, PlanNode } from '@querent/engine/plan'
import type { GenerationFailure } from './engine-error.ts'
import type { EngineFacet } from './facet.ts'

export type {
  Area,
  BoostRule,
  Box,
  Collapse,
  HighlightRequest,
  MixPart,
  ParsedText,
  Plan,
  PlanNode,
  Polygon,
  ScoredCircles,
  ScoredValues,
  SortKey,
} from '@querent/engine/plan'
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
  /** A number of `makeRawNumber` has digits that others of JavaScript lose. */
  collapsed?: { value: string | number | object | null; count: number; others: string[] }
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

export type BoostNode = Extract<PlanNode, { kind: 'boost' }>

/** Larger numbers would leave the range of scores. */
export const boostNumberMax = 1e9

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
