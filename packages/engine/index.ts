import { createRequire } from 'node:module'
import { loadAddon } from './platform.js'

/**
 * The Rust addon, typed. It knows generations, documents and plans as JSON, nothing of what they are for; the server's
 * `engines/embedded/embedded.ts` gives it the shape of an `Engine`.
 */

/** An error when it has a `code` (one of `EngineErrorCode`), else the answer. */
export interface Outcome {
  code?: string
  message?: string
  /** JSON, or a text where the answer is one. */
  head?: string
  texts?: string[]
}

/** Each method resolves, never rejects: what failed is said in the outcome. */
export interface NativeEngine {
  /** Where the index has to be built again, `head` is the reason; the rebuilding goes on, or is done already when it is small. */
  open(id: string, spec: string): Promise<Outcome>
  /** Closes it; what is on the disk stays. `head` is JSON, `{ documents, version }` as `info` would have them now; absent where that is unknown. */
  release(id: string): Promise<Outcome>
  drop(id: string): Promise<Outcome>
  /** Throws `Error('code: message')`. */
  info(id: string): {
    documents: number
    version: number
    rebuilding?: { reason: string; done: number; total: number }
  }
  /** As long as this number is the same, so are the versions of all generations, and which there are. Costs a tenth of `version`. */
  changes(): number
  /** That of `info` alone, which costs a fifth. Throws the same. */
  version(id: string): number
  /** `entities[i]` null deletes `ids[i]`. */
  write(id: string, ids: string[], entities: (string | null)[]): Promise<Outcome>
  /** Keeps in `lines` what the lines of `block` ask to be written. `head` is the JSON of `{ lines, left: { at, from, to }[] }`. */
  readLines(lines: NativeLines, block: Buffer, rules: string): Promise<Outcome>
  /** Writes what was read, once; `ids[i]` and `entities[i]` take the place of `left[i]`, null that of none. */
  writeLines(
    id: string,
    lines: NativeLines,
    ids: (string | null)[],
    entities: (string | null)[],
  ): Promise<Outcome>
  refresh(id: string): Promise<Outcome>
  /** `head` is the entity, absent when there is none. */
  get(id: string, documentId: string): Promise<Outcome>
  /** `texts` holds id, entity, id, entity, … */
  list(id: string, after: string | undefined, count: number): Promise<Outcome>
  /** `head` is the number of deleted documents. */
  deleteMatching(id: string, plan: string): Promise<Outcome>
  copy(source: string, target: string): Promise<Outcome>
  /** `head` is the reply with `scores` and perhaps `highlights` instead of hits, `texts` the hits' entities. `ticket`, a number of 32 bits, is of no other search that runs. */
  search(id: string, plan: string, deadlineMs: number, ticket?: number): Promise<Outcome>
  /** Ends the search with this ticket, running or waiting: its outcome is `cancelled`, unless it was done already. */
  cancel(ticket: number): void
  close(): Promise<Outcome>
}

/** Holds lines that were read and not yet written. */
export type NativeLines = object

export const newLines = (): NativeLines => new (addon().NativeLines)()

/** Opens the engine over a folder, with so many threads that search and so many searches that may wait for one. Throws `Error('code: message')`. */
export function openNativeEngine(dataDir: string, threads: number, queueMax: number): NativeEngine {
  return new (addon().NativeEngine)(dataDir, threads, queueMax)
}

let loaded: Addon | undefined
/** What napi-rs makes of lib.rs; loaded when it is first needed. */
const addon = (): Addon => {
  loaded ??= loadAddon(createRequire(import.meta.url)) as Addon
  return loaded
}

type Addon = {
  NativeEngine: new (dataDir: string, threads: number, queueMax: number) => NativeEngine
  NativeLines: new () => NativeLines
}
