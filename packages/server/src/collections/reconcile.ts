/** Makes a workspace's generations match its definition. */
import type { Definition } from '@querent/contract/workspace-file'
import { EngineError } from '#engines/engine'
import { listGenerations } from '#storage/generations'
import { findWorkspaceById } from '#storage/workspaces'
import {
  type CollectionsContext,
  completeGeneration,
  reconcileLockKey,
  withCollection,
} from './collections-context.ts'
import { answeringRows, definedSpecKey, isReconciled, sortPromoted } from './generation-rows.ts'

/** Implements {@link Collections.reconcile}. */
export const reconcile = (context: CollectionsContext, workspaceId: string): Promise<void> =>
  context.clusterLocks.withExclusive(reconcileLockKey(workspaceId), () =>
    reconcileUnlocked(context, workspaceId),
  )

/** Returns false if another node is reconciling the workspace; this call then leaves the work to that node. */
export const reconcileIfNeeded = async (
  context: CollectionsContext,
  workspaceId: string,
): Promise<boolean> => {
  const rows = await context.registry.load(workspaceId)
  const definition = (await findWorkspaceById(context.storage.db, workspaceId))?.definition
  if (!definition || isReconciled(rows, definition)) return true
  return context.clusterLocks.tryExclusive(reconcileLockKey(workspaceId), () =>
    reconcileUnlocked(context, workspaceId),
  )
}

const reconcileUnlocked = async (context: CollectionsContext, workspaceId: string): Promise<void> => {
  const { storage, registry, gc } = context
  const failures: EngineError[] = []
  await registry.load(workspaceId)
  // The current definition: another change may have been committed since the caller's.
  const definition = (await findWorkspaceById(storage.db, workspaceId))?.definition
  const names = Object.keys(definition?.collections ?? {})
  for (const name of names)
    if (definition)
      await collectEngineError(failures, reconcileCollection(context, workspaceId, name, definition))
  for (const [name] of registry.listEntries(workspaceId))
    if (!names.includes(name)) await removeCollection(context, workspaceId, name)
  if (definition) {
    await rebuildAnswering(context, workspaceId, definition, failures)
    await gc.retireSurplus(workspaceId, definition)
  }
  await registry.load(workspaceId)
  await gc.scheduleCloseIdle(workspaceId)
  if (failures[0]) throw failures[0]
}

/** Keeps an engine error for the end, so that one collection that cannot be opened doesn't hold up the others. */
const collectEngineError = async (failures: EngineError[], work: Promise<unknown>): Promise<void> => {
  await work.catch(error => {
    if (!(error instanceof EngineError)) throw error
    failures.push(error)
  })
}

const reconcileCollection = async (
  context: CollectionsContext,
  workspaceId: string,
  collection: string,
  definition: Definition,
): Promise<void> => {
  const { storage, registry, engineGenerations, builder } = context
  if (registry.findLive(workspaceId, collection)?.specKey === definedSpecKey(definition, collection)) return
  await withCollection(context, workspaceId, collection, collectionLock =>
    builder.copyLive(workspaceId, collection, definition, async (row, buildLock) => {
      if (!row || !buildLock) return
      const previous = registry.findLive(workspaceId, collection)
      await storage.write(writer => completeGeneration(writer, row, true, [collectionLock, buildLock]))
      await registry.load(workspaceId)
      if (previous) await engineGenerations.saveCount(previous.row)
    }),
  )
}

const removeCollection = (
  context: CollectionsContext,
  workspaceId: string,
  collection: string,
): Promise<void> =>
  withCollection(context, workspaceId, collection, async () => {
    // If the whole workspace was removed, there are no rows left, and the drops are scheduled already.
    await context.gc.retire(workspaceId, rows => rows.filter(row => row.collection === collection))
    await context.registry.load(workspaceId)
  })

/** Gives the defined fields to those generations too that answer under other configurations than the live one. */
const rebuildAnswering = async (
  { storage, builder }: CollectionsContext,
  workspaceId: string,
  definition: Definition,
  failures: EngineError[],
): Promise<void> => {
  const rows = (await listGenerations(storage.db, workspaceId)).filter(({ state }) => state === 'ready')
  for (const [collection, group] of Map.groupBy(rows, row => row.collection)) {
    if (!Object.hasOwn(definition.collections ?? {}, collection)) continue
    const [live] = sortPromoted(group)
    for (const row of answeringRows(group, definition, collection))
      if (row !== live) await collectEngineError(failures, builder.rebuildIfStale(row))
  }
}
