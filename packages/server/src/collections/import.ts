/** Imports into a collection: as a new generation, or atomically into the live one. */
import type { GenerationSpec } from '#engines/engine'
import { Problem } from '#errors'
import type { Writer } from '#storage/db'
import { type GenerationRow, makeEngineId } from '#storage/generations'
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
  inTransaction?: (writer: Writer, filled: T, isPromoted: boolean) => Promise<void>,
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
    const candidate = { workspaceId, collection, generation: makeEngineId(current) }
    const failure = stage ? undefined : await context.checkPromotion(candidate).catch(toFailure)
    const isPromoted = !stage && !failure
    await storage.write(async writer => {
      await inTransaction?.(writer, filled, isPromoted)
      await completeGeneration(writer, current, isPromoted, [buildLock, ...locks])
    })
    await registry.load(workspaceId)
    if (failure) throw failure
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

/** Returns why a complete generation is not promoted. Throws all other errors. */
const toFailure = (error: unknown): Problem => {
  if (error instanceof Problem && error.code === 'leak-test-failed') return error
  throw error
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
  const spec: GenerationSpec = { fields: [] }
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
