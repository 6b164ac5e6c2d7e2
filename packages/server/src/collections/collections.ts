/** The interface through which the rest of the server uses generations of collections. `generations.ts` implements it. */
import type { JsonObject } from '@querent/contract/read-path'
import type { Definition } from '@querent/contract/workspace-file'
import type { GenerationFailure } from '#engines/engine'
import type { Writer } from '#storage/db'
import type { MaybePromise } from '#storage/directory'
import type { GenerationRow } from '#storage/generations'
import type { MemberRow } from '#storage/members'
import type { WorkspaceRow } from '#storage/workspaces'

/** A generation as queries see it: its id in the engine, and its name as status shows it (`1`, `2`, …). */
export interface Generation {
  id: string
  name: string
}

/** A generation as the management API lists it. */
export interface GenerationInfo {
  name: string
  /** Milliseconds since 1970. */
  createdAt: number
  /** Undefined if it was never counted. */
  documents: number | undefined
  state: 'building' | 'complete' | 'promoted'
  /** Milliseconds since 1970; undefined if it was never promoted. */
  promotedAt: number | undefined
  /** Names of the configurations that it answers. */
  configurations: string[]
  /** Why it cannot answer: it could not be opened, or its index cannot be rebuilt. */
  failure: GenerationFailure | undefined
}

/** A generation that is about to become live. */
export interface Candidate {
  workspaceId: string
  collection: string
  /** Its id in the engine. */
  generation: string
  /** The definition that becomes current together with it; by default the stored one. */
  definition?: Definition
  /** Members that become current together with it, by address, as far as they change. */
  members?: ReadonlyMap<string, ChangedMember>
}

/** Rights of a member that an applied file states. */
export type ChangedMember = Pick<MemberRow, 'roles' | 'filter' | 'rights'>

/** Throws to keep a generation from being promoted. */
export type PromotionCheck = (candidate: Candidate) => Promise<void>

/** Promotes within a transaction: the generations built for it are live once the transaction is committed. */
export type Promote = (writer: Writer) => Promise<void>

export interface Collections {
  /**
   * Returns the live generation, from memory. If another node has promoted one that this node cannot open, returns the one before it.
   * Undefined if the collection doesn't exist, or its first generation is not ready.
   */
  live(workspaceId: string, collection: string): Generation | undefined
  /**
   * Returns the generation that answers under a configuration of this version of the workspace. The engine may still have to open it.
   * Undefined until it is ready. Does no I/O, except while the workspace is being loaded.
   */
  resolve(workspace: WorkspaceRow, collection: string, config: string): MaybePromise<Generation | undefined>
  /**
   * Builds the generations that a new definition needs, next to the live ones. Then `commit` stores the definition and calls `promote`
   * in the same transaction. If the build, the check of a promotion or `commit` throws, nothing has changed. Writes to a collection wait while
   * it is built. `members`: those that `commit` changes.
   */
  redefine<T>(
    workspaceId: string,
    definition: Definition,
    commit: (promote: Promote) => Promise<T>,
    members?: Candidate['members'],
  ): Promise<T>
  /**
   * Makes a workspace's generations match its definition. Builds those of new collections and of changed fields, and drops those of
   * removed collections and surplus ones. Resolves when every generation that answers queries is as defined.
   */
  reconcile(workspaceId: string): Promise<void>
  /**
   * Runs `work` on the live generation, which stays live until `work` is done. With `isExclusive`, nobody else writes meanwhile. Throws
   * 503 if there is no live generation yet. Keep `work` short: a promotion waits for it.
   */
  write<T>(
    workspaceId: string,
    collection: string,
    work: (generationId: string) => Promise<T>,
    isExclusive?: boolean,
  ): Promise<T>
  /**
   * Fills a new generation with `fill`, and promotes it unless `stage` is set. Drops it if `fill` throws. It also replaces documents
   * that others write to the collection meanwhile. If several run at once, the last one to complete stays live. `inTransaction` runs
   * in the transaction that completes the generation. If it throws, the generation is dropped. If the check of the promotion throws, the
   * generation stays and is not promoted.
   */
  replace<T>(
    workspaceId: string,
    collection: string,
    fill: (generationId: string) => Promise<T>,
    stage?: boolean,
    inTransaction?: (writer: Writer, filled: T, isPromoted: boolean) => Promise<void>,
  ): Promise<T>
  /**
   * Fills a scratch generation with `fill`, then copies it into the live one. If `fill` throws, the live one is unchanged. The documents
   * are searchable after the next refresh. `confirm` runs just before the copy and may throw. `check` may throw too; it receives
   * both ids while nobody else writes.
   */
  importAtomically<T>(
    workspaceId: string,
    collection: string,
    fill: (generationId: string) => Promise<T>,
    confirm: () => Promise<void>,
    check?: (scratch: string, live: string) => Promise<void>,
  ): Promise<T>
  /**
   * Lists generations, newest first. Calls `mayOpen` before it opens one to count its documents; without `mayOpen` it opens all. For
   * those it doesn't open, it returns the last saved count.
   */
  list(workspace: WorkspaceRow, collection: string, mayOpen?: () => boolean): Promise<GenerationInfo[]>
  /** Returns the attributes of the first documents of the live generation, in order of id. None if there is no live generation. */
  sample(workspaceId: string, collection: string, count: number): Promise<JsonObject[]>
  /** Whether a document of the live generation has a value in the field. False if there is no live generation. */
  hasValue(
    workspaceId: string,
    collection: string,
    field: string,
    value: string | number | boolean,
  ): Promise<boolean>
  /** Returns the stored entity of a document of the live generation. Throws 503 if there is none yet. */
  readDocument(workspaceId: string, collection: string, uri: string): Promise<string | undefined>
  /**
   * Promotes a complete generation. `choose` returns its name, or throws. If it has other fields than the definition, it is rebuilt
   * first. If it cannot be opened, or the check of the promotion throws, promotion fails. `inTransaction` runs in the same transaction. Returns the name.
   */
  promote(
    workspaceId: string,
    collection: string,
    choose: (candidates: Candidates) => string,
    inTransaction: (writer: Writer, name: string) => Promise<void>,
  ): Promise<string>
  /** Call it in the transaction that removes the workspace. Schedules the drop of its documents for when no query can still use them. */
  planRemoval(writer: Writer, workspaceId: string): Promise<void>
  /** Runs `work` while the engine neither drops nor closes complete generations. */
  withPinned<T>(work: () => Promise<T>): Promise<T>
  /** Opens a complete generation and returns its id in the engine. Call it within {@link Collections.withPinned}. */
  openPinned(row: GenerationRow): Promise<string>
  /** Waits for running builds and loads. Any node drops the remaining superseded generations later. */
  close(): Promise<void>
}

/** Names of the generations that may be promoted. */
export interface Candidates {
  /** All complete ones, newest first. */
  complete: string[]
  building: string[]
  latest: string | undefined
  /** By time of promotion, the live one first. */
  promoted: string[]
}
