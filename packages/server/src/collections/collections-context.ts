/** The parts that the operations on collections share, and the locks under which they run. */
import type { Engine } from '#engines/engine'
import type { LostDocuments } from '#engines/lost-documents'
import { Problem } from '#errors'
import type { WorkReports } from '#memory/work-reports'
import type { Storage, Writer } from '#storage/db'
import { finishGeneration, type GenerationRow } from '#storage/generations'
import type { Locks } from '#storage/locks'
import { type ClusterLocks, createClusterLocks, type LockHandle } from './cluster-lock.ts'
import type { PromotionCheck } from './collections.ts'
import { createEngineGenerations, type EngineGenerations } from './engine-generations.ts'
import { createGenerationBuilder, type GenerationBuilder } from './generation-builder.ts'
import { type GenerationGc, openGenerationGc } from './generation-gc.ts'
import {
  createGenerationRegistry,
  type GenerationEntry,
  type GenerationRegistry,
} from './generation-registry.ts'

export interface CollectionsContext {
  storage: Storage
  engine: Engine
  engineGenerations: EngineGenerations
  registry: GenerationRegistry
  clusterLocks: ClusterLocks
  builder: GenerationBuilder
  gc: GenerationGc
  /** Other nodes may change generations, so memory may be out of date. */
  hasPeers: boolean
  checkPromotion: PromotionCheck
}

interface ContextDependencies {
  storage: Storage
  engine: Engine
  lostDocuments: LostDocuments
  locks: Locks | undefined
  reports: WorkReports
  graceMs: number
  checkPromotion: PromotionCheck
}

/** Close `gc` when you are done. */
export const openCollectionsContext = ({
  storage,
  engine,
  lostDocuments,
  locks,
  reports,
  graceMs,
  checkPromotion,
}: ContextDependencies): CollectionsContext => {
  const engineGenerations = createEngineGenerations({ storage, engine, lostDocuments })
  const registry = createGenerationRegistry({ storage, engineGenerations })
  const shared = {
    storage,
    engineGenerations,
    registry,
    clusterLocks: createClusterLocks(locks),
    reports,
    graceMs,
  }
  return {
    ...shared,
    engine,
    builder: createGenerationBuilder({ ...shared, engine }),
    gc: openGenerationGc(shared),
    hasPeers: locks !== undefined,
    checkPromotion,
  }
}

/** Reads what other nodes have changed. Call it with the collection's lock, before you rely on which generation is live. */
export const catchUp = async (
  { hasPeers, registry }: CollectionsContext,
  workspaceId: string,
  collection: string,
): Promise<void> => {
  if (hasPeers) await registry.catchUp(workspaceId, collection)
}

const collectionLockKey = (workspaceId: string, collection: string) => `${workspaceId} ${collection}`
export const reconcileLockKey = (workspaceId: string): string => `reconcile ${workspaceId}`

/** Runs `work` while nobody else writes to the collection or promotes in it. */
export const withCollection = <T>(
  context: CollectionsContext,
  workspaceId: string,
  collection: string,
  work: (lock: LockHandle) => Promise<T>,
): Promise<T> =>
  context.clusterLocks.withExclusive(collectionLockKey(workspaceId, collection), async lock => {
    await catchUp(context, workspaceId, collection)
    return work(lock)
  })

/** Takes the locks of several collections. Pass the names sorted: one order for all callers prevents deadlocks. */
export const withCollections = <T>(
  context: CollectionsContext,
  workspaceId: string,
  names: readonly string[],
  work: (locks: LockHandle[]) => Promise<T>,
): Promise<T> => {
  const [first, ...otherNames] = names
  if (first === undefined) return work([])
  return withCollection(context, workspaceId, first, lock =>
    withCollections(context, workspaceId, otherNames, locks => work([lock, ...locks])),
  )
}

/** Runs `work` on the live generation, together with other writers unless `isExclusive`. Throws 503 if there is none. */
export const withLive = <T>(
  context: CollectionsContext,
  workspaceId: string,
  collection: string,
  work: (generationId: string) => Promise<T>,
  isExclusive = false,
): Promise<T> => {
  const runOnLive = async () => work(requireLive(context, workspaceId, collection).id)
  if (isExclusive) return withCollection(context, workspaceId, collection, runOnLive)
  return context.clusterLocks.withShared(collectionLockKey(workspaceId, collection), runOnLive, () =>
    catchUp(context, workspaceId, collection),
  )
}

/** Throws 503 if the collection has no live generation yet. */
export const requireLive = (
  { registry }: CollectionsContext,
  workspaceId: string,
  collection: string,
): GenerationEntry => {
  const live = registry.findLive(workspaceId, collection)
  if (!live) throw notReady(collection)
  return live
}

export const notReady = (collection: string): Problem =>
  new Problem('unavailable', `the collection "${collection}" is not ready yet; try again shortly`)

/** Completes a generation, and promotes it if asked. The transaction fails if one of the locks is lostDocuments before its commit. */
export const completeGeneration = async (
  writer: Writer,
  row: GenerationRow,
  promote: boolean,
  locks: readonly LockHandle[],
): Promise<void> => {
  await finishGeneration(writer, row, promote)
  for (const lock of locks) lock.assertHeldAtCommit(writer)
}
