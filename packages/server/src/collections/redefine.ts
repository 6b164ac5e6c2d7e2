/** Changes a workspace's definition together with the generations that the new definition needs. */
import type { Definition } from '@querent/contract/workspace-file'
import { finishGeneration, type GenerationRow, makeEngineId } from '#storage/generations'
import type { LockHandle } from './cluster-lock.ts'
import type { Candidate, Promote } from './collections.ts'
import { type CollectionsContext, reconcileLockKey, withCollections } from './collections-context.ts'
import { definedSpecKey } from './generation-rows.ts'

/** Implements {@link Collections.redefine}. */
export const redefine = <T>(
  context: CollectionsContext,
  workspaceId: string,
  definition: Definition,
  commit: (promote: Promote) => Promise<T>,
  members?: Candidate['members'],
): Promise<T> => {
  const { registry, engineGenerations, clusterLocks, hasPeers, checkPromotion } = context
  const names = Object.keys(definition.collections ?? {}).toSorted()
  const isChanged = (name: string) =>
    registry.findLive(workspaceId, name)?.specKey !== definedSpecKey(definition, name)
  return clusterLocks.withExclusive(reconcileLockKey(workspaceId), async reconcileLock => {
    if (hasPeers) await registry.load(workspaceId)
    const changed = names.filter(isChanged)
    // From here until the promotion writes wait. So no write is lost, and no collection changes while it is copied.
    return withCollections(context, workspaceId, changed, collectionLocks =>
      buildAll(context, workspaceId, changed, definition, async builds => {
        for (const { row } of builds) {
          const { collection } = row
          const generation = makeEngineId(row)
          await checkPromotion({
            workspaceId,
            collection,
            generation,
            definition,
            ...(members && { members }),
          })
        }
        const previous = builds.map(({ row }) => registry.findLive(workspaceId, row.collection))
        const locks = [reconcileLock, ...collectionLocks, ...builds.map(({ lock }) => lock)]
        try {
          return await commit(async writer => {
            for (const { row } of builds) await finishGeneration(writer, row, true)
            for (const lock of locks) lock.assertHeldAtCommit(writer)
          })
        } finally {
          // The notice of the change has it read again.
          await registry.load(workspaceId).catch(() => {})
          for (const live of previous) if (live) await engineGenerations.saveCount(live.row)
        }
      }),
    )
  })
}

interface Build {
  row: GenerationRow
  lock: LockHandle
}

/** Builds a generation for each collection. One `commit` completes all of them; if it fails, all are dropped. */
const buildAll = <T>(
  context: CollectionsContext,
  workspaceId: string,
  names: readonly string[],
  definition: Definition,
  commit: (builds: Build[]) => Promise<T>,
): Promise<T> => {
  const [name, ...otherNames] = names
  if (name === undefined) return commit([])
  return context.builder.copyLive(workspaceId, name, definition, (row, lock) =>
    buildAll(context, workspaceId, otherNames, definition, builds =>
      commit(row && lock ? [{ row, lock }, ...builds] : builds),
    ),
  )
}
