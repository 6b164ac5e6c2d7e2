/** What the rest of the server may ask of the generations of collections; `generations.ts` keeps them. */
import type { Definition } from '@querent/contract/workspace-file'
import type { Writer } from '#storage/db'
import type { MaybePromise } from '#storage/directory'
import type { GenerationRow } from '#storage/generations'
import type { WorkspaceRow } from '#storage/workspaces'

/** A generation as queries know it: its id in the engine, and its name as status shows it (`1`, `2`, …). */
export interface Generation {
  id: string
  name: string
}

/** A generation as those see it who manage them. */
export interface KeptGeneration {
  name: string
  /** Milliseconds since 1970. */
  createdAt: number
  /** Undefined when it was never counted. */
  documents: number | undefined
  state: 'building' | 'complete' | 'promoted'
  /** Milliseconds since 1970; undefined when it never was. */
  promotedAt: number | undefined
  /** Names of the configurations that answer with it. */
  configurations: string[]
}

/** Tells in a transaction that what was built for it is live when that is committed. */
export type Promote = (writer: Writer) => Promise<void>

export interface Collections {
  /**
   * The generation that is promoted; from memory. While another node has promoted one that cannot be opened, it is the one before.
   * Undefined: no such collection, or it is being made.
   */
  live(workspaceId: string, collection: string): Generation | undefined
  /**
   * The generation that answers under a configuration of this version of the workspace; the engine may have to open it. Undefined while
   * it is not ready. No I/O, unless the workspace is being read anew at this moment.
   */
  answering(workspace: WorkspaceRow, collection: string, config: string): MaybePromise<Generation | undefined>
  /**
   * Builds what a new definition needs beside the live generations; then `commit` stores both in one transaction, by calling
   * `promote` in it. Nothing has changed when the building or `commit` throws. Writes to a collection that is built wait.
   */
  redefine<T>(
    workspaceId: string,
    definition: Definition,
    commit: (promote: Promote) => Promise<T>,
  ): Promise<T>
  /**
   * Brings a workspace's generations in line with its definition: makes those of new collections, builds others anew where fields
   * changed, drops those of removed collections and those that nothing keeps. Resolves when all that answer are as defined.
   */
  reconcile(workspaceId: string): Promise<void>
  /**
   * Runs `work` on the live generation, which stays the live one until it is done; with `alone` nobody else writes meanwhile. Throws
   * 503 when there is none yet. Keep `work` short: a generation that is to take its place waits for it.
   */
  write<T>(
    workspaceId: string,
    collection: string,
    work: (generationId: string) => Promise<T>,
    alone?: boolean,
  ): Promise<T>
  /**
   * Fills a new generation with `fill` and, unless it is staged, makes it the live one; drops it when `fill` throws. What is written
   * to the collection meanwhile is replaced too. Of several at once each counts when it is complete: the last one stays live. `also` runs
   * in the transaction that completes it, and drops it by throwing.
   */
  replace<T>(
    workspaceId: string,
    collection: string,
    fill: (generationId: string) => Promise<T>,
    stage?: boolean,
    also?: (writer: Writer, filled: T) => Promise<void>,
  ): Promise<T>
  /**
   * Fills a generation set aside with `fill`, then copies it into the live one; when `fill` throws the live one stays as it was.
   * Searchable after the next refresh. `confirm` runs just before the copy and may throw; so does `check`, which is handed both while
   * nobody else writes.
   */
  putTogether<T>(
    workspaceId: string,
    collection: string,
    fill: (generationId: string) => Promise<T>,
    confirm: () => Promise<void>,
    check?: (aside: string, live: string) => Promise<void>,
  ): Promise<T>
  /** Newest first. `mayOpen` is asked before one is opened to be counted; without it all are, otherwise the last count is told. */
  list(workspace: WorkspaceRow, collection: string, mayOpen?: () => boolean): Promise<KeptGeneration[]>
  /**
   * Makes a complete generation the live one; `choose` picks it among the rows, newest first, or throws. One that was made for other
   * fields is built anew before; one that cannot be opened is refused. `also` runs in the same transaction. Returns its name.
   */
  promote(
    workspaceId: string,
    collection: string,
    choose: (candidates: Candidates) => string,
    also: (writer: Writer, name: string) => Promise<void>,
  ): Promise<string>
  /** In the transaction that removes the workspace: its documents are dropped when no query can be running on them. */
  planRemoval(writer: Writer, workspaceId: string): Promise<void>
  /** Runs `work` while the engine drops and closes none of the complete generations: what was to go waits. */
  keeping<T>(work: () => Promise<T>): Promise<T>
  /** Opens a complete generation until nobody needs it any more; its id in the engine. For use within {@link Collections.keeping}. */
  opening(row: GenerationRow): Promise<string>
  /** Lets what is being built or loaded end. Superseded generations that are left are dropped by the next round of any node. */
  close(): Promise<void>
}

/** What may be promoted, by name. */
export interface Candidates {
  /** All that are complete, newest first. */
  complete: string[]
  building: string[]
  latest: string | undefined
  /** By when they were promoted, the live one first. */
  promoted: string[]
}
