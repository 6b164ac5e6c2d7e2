/** Imports into a collection: as a new generation, or atomically into the live one. */
import type { GenerationSpec } from '#engines/engine'
import type { Writer } from '#storage/db'
import type { GenerationRow } from '#storage/generations'
import type { LockHandle } from './cluster-lock.ts'
import {
  type CollectionsContext,
  catchUp,
  completeGeneration,
  requireLive,
  withCollection,
  withLive,
} from './collections-context.ts'
import { readSpec } from './generation-rows.ts'
import { reconcile } from './reconcile.ts'

/** Implements {@link Collections.replace}. */
export const replaceGeneration = async <T>(
  context: CollectionsContext,
  workspaceId: string,
  collection: string,
  fill: (generationId: string) => Promise<T>,
  stage = false,
  inTransaction?: (writer: Writer, filled: T) => Promise<void>,
): Promise<T> => {
  const { storage, registry, engineGenerations, builder } = context
  if (!registry.findLive(workspaceId, collection)) await catchUp(context, workspaceId, collection)
  const spec = readSpec(requireLive(context, workspaceId, collection).row)
  const finish = async (
    row: GenerationRow,
    filled: T,
    buildLock: LockHandle,
    locks: readonly LockHandle[],
  ) => {
    // Fields may have changed during the import.
    const current = await builder.rebuild(row, buildLock)
    const previous = registry.findLive(workspaceId, collection)
    await storage.write(async writer => {
      await inTransaction?.(writer, filled)
      await completeGeneration(writer, current, !stage, [buildLock, ...locks])
    })
    await registry.load(workspaceId)
    if (previous && !stage) await engineGenerations.saveCount(previous.row)
  }
  const result = await builder.build(
    { workspaceId, collection, spec },
    fill,
    async (row, filled, buildLock) => {
      await engineGenerations.saveCount(row)
      await (stage
        ? finish(row, filled, buildLock, [])
        : withCollection(context, workspaceId, collection, lock => finish(row, filled, buildLock, [lock])))
      return filled
    },
  )
  await reconcile(context, workspaceId)
  return result
}

/** Implements {@link Collections.importAtomically}. */
export const importAtomically = <T>(
  context: CollectionsContext,
  workspaceId: string,
  collection: string,
  fill: (generationId: string) => Promise<T>,
  confirm: () => Promise<void>,
  check?: (scratch: string, live: string) => Promise<void>,
): Promise<T> => {
  // Without fields: nobody searches a scratch generation.
  const spec: GenerationSpec = { fields: [], synonyms: [] }
  const { builder, engine } = context
  return builder.build({ workspaceId, collection, spec, isScratch: true }, fill, async (row, filled) => {
    const copyToLive = async (live: string) => {
      await check?.(row.id, live)
      await confirm()
      await engine.copy(row.id, live)
    }
    await withLive(context, workspaceId, collection, copyToLive, check !== undefined)
    // If the drop fails, the next round of garbage collection repeats it.
    await builder.discard(row).catch(() => {})
    return filled
  })
}
