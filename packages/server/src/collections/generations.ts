/**
 * Opens the generations of collections. A query sees the generation before a change or the one after it, never a half-built one
 * (workspace-file.md). Any number of nodes may change generations at the same time, under locks that they share.
 */
import { type Engine, EngineError, type Plan } from '#engines/engine'
import type { LostDocuments } from '#engines/lost-documents'
import { createWorkReports, type WorkReports } from '#memory/work-reports'
import type { Storage } from '#storage/db'
import { makeEngineId } from '#storage/generations'
import type { Locks } from '#storage/locks'
import { listWorkspaceIds } from '#storage/workspaces'
import type { Collections, PromotionCheck } from './collections.ts'
import { notReady, openCollectionsContext, withLive } from './collections-context.ts'
import { pinLockKey } from './generation-gc.ts'
import { createGenerationResolver } from './generation-resolver.ts'
import { forEachWorkspace, openGenerationSubscriber } from './generation-subscriber.ts'
import { importAtomically, replaceGeneration } from './import.ts'
import { describeGenerations, promoteGeneration } from './promote.ts'
import { reconcile, reconcileIfNeeded } from './reconcile.ts'
import { openReconcileLoop } from './reconcile-loop.ts'
import { redefine } from './redefine.ts'
import { parseEntity } from './stored-entity.ts'

export interface CollectionsDependencies {
  storage: Storage
  engine: Engine
  /** The engine refuses the generations in it. Collections add those whose documents are lost. */
  lostDocuments?: LostDocuments
  /** Locks between the nodes that share storage and engine. Undefined if this is the only node. */
  locks?: Locks | undefined
  reports?: WorkReports
  /** How long a superseded generation stays, for queries that run on it here and on nodes that have not noticed the change. */
  graceMs?: number
  /** Start even if the engine doesn't answer. Its generations are opened on first use, or by a later round. */
  mayBeAway?: boolean
  /** Runs before each promotion that somebody asks for. By default nothing is checked. */
  checkPromotion?: PromotionCheck
  /** How many serving generations to open before this resolves; 16 by default. The engine may open the others on first use. */
  openAtStart?: number
}

/** More would slow the start down. Opening one takes no longer than a query may. */
export const openAtStartMax = 16

/** Loads the generations of all collections, and finishes or drops those that a crash left incomplete. */
export const openCollections = async ({
  storage,
  engine,
  lostDocuments = new Map(),
  locks,
  reports = createWorkReports(),
  graceMs = 30_000,
  mayBeAway = false,
  openAtStart = openAtStartMax,
  checkPromotion = async () => {},
}: CollectionsDependencies): Promise<Collections> => {
  const context = openCollectionsContext({
    storage,
    engine,
    lostDocuments,
    locks,
    reports,
    graceMs,
    checkPromotion,
  })
  const { registry, engineGenerations, clusterLocks, gc, hasPeers } = context
  const { track, settleAll } = createWorkTracker()

  await gc.collect(!hasPeers)
  // Subscribe before the first read, so that no later change is missed.
  const subscriber = openGenerationSubscriber({
    storage,
    registry,
    engineGenerations,
    async read(workspaceId) {
      await registry.load(workspaceId)
      if (hasPeers) await gc.scheduleCloseIdle(workspaceId)
    },
    track,
  })
  const reconcileAtStart = (workspaceId: string) =>
    reconcileIfNeeded(context, workspaceId).catch(error => {
      // One collection that a remote engine cannot open must not hold up the others. A later round tries again.
      if (!(mayBeAway || hasPeers) || !(error instanceof EngineError)) throw error
      registry.stale.add(workspaceId)
    })
  await forEachWorkspace(
    (await listWorkspaceIds(storage.db)).map(({ id }) => id),
    reconcileAtStart,
  )
  await registry.openNewest(openAtStart)
  const loop = openReconcileLoop({
    storage,
    reports,
    intervalMs: Math.min(graceMs, 10_000),
    retryStale: subscriber.retryStale,
    collectGarbage: () => track(gc.collect()),
    reconcile: hasPeers ? id => track(reconcileIfNeeded(context, id)) : undefined,
  })

  return {
    live: registry.findServing,
    planRemoval: gc.planRemoval,
    resolve: createGenerationResolver({ registry, engineGenerations }),
    redefine: (...args) => track(redefine(context, ...args)),
    reconcile: workspaceId => track(reconcile(context, workspaceId)),
    write: (...args) => withLive(context, ...args),
    replace: (...args) => track(replaceGeneration(context, ...args)),
    importAtomically: (...args) => track(importAtomically(context, ...args)),
    list: (...args) => describeGenerations(context, ...args),
    async sample(workspaceId, collection, count) {
      const live = registry.findServing(workspaceId, collection)
      const documents = live ? await context.engine.list(live.id, undefined, count) : []
      return documents.map(({ entity }) => parseEntity(entity).attributes)
    },
    async hasValue(workspaceId, collection, field, value) {
      const live = registry.findServing(workspaceId, collection)
      if (!live) return false
      const { total } = await context.engine.search(live.id, planValue(field, value), valueSearchMs)
      return total > 0
    },
    async readDocument(workspaceId, collection, uri) {
      const live = registry.findServing(workspaceId, collection)
      if (!live) throw notReady(collection)
      return context.engine.get(live.id, uri)
    },
    promote: (...args) => track(promoteGeneration(context, ...args)),
    withPinned: work => track(clusterLocks.withShared(pinLockKey, work)),
    async openPinned(row) {
      const id = makeEngineId(row)
      const wasRegistered = engineGenerations.registered.has(id)
      await engineGenerations.openLazily(row)
      if (!wasRegistered) gc.scheduleClose(id)
      return id
    },
    async close() {
      subscriber.close()
      loop.close()
      gc.close()
      await settleAll()
    },
  }
}

const valueSearchMs = 5000

/** Counts the documents with a value. */
const planValue = (field: string, value: string | number | boolean): Plan => ({
  nodes: [{ kind: 'all' }],
  restrictions: [{ kind: 'filter', field, alternatives: [{ score: 1, values: [value] }] }],
  order: [],
  cutoff: 0,
  offset: 0,
  count: 0,
  statistics: false,
})

/** Remembers running work, so that a close can wait for it. */
const createWorkTracker = () => {
  const running = new Set<Promise<unknown>>()
  return {
    track<T>(work: Promise<T>): Promise<T> {
      running.add(work)
      const forget = () => running.delete(work)
      work.then(forget, forget)
      return work
    },
    settleAll: () => Promise.allSettled(running),
  }
}
