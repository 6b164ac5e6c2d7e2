/** Reads a workspace's generations when any node changes them. The reconcile loop retries reads that fail. */
import { allKeys, type Storage } from '#storage/db'
import { listWorkspaceIds } from '#storage/workspaces'
import type { EngineGenerations } from './engine-generations.ts'
import type { GenerationRegistry } from './generation-registry.ts'
import { createKeyedLocks } from './read-write-lock.ts'

interface SubscriberDependencies {
  storage: Storage
  registry: GenerationRegistry
  engineGenerations: EngineGenerations
  /** Reads a workspace's generations, and acts on changes. */
  read: (workspaceId: string) => Promise<void>
  /** Keeps track of running work, so that a close waits for it. */
  track: (work: Promise<void>) => Promise<void>
}

/** How many workspaces are read in parallel. */
const parallelMax = 8

/** Runs `work` for each workspace, a few at a time. After the first failure, waits for running work, then rejects with it. */
export const forEachWorkspace = async (
  ids: readonly string[],
  work: (workspaceId: string) => Promise<unknown>,
): Promise<void> => {
  const remaining = ids.values()
  const failures: unknown[] = []
  const runNext = async () => {
    for (const id of remaining) {
      if (failures.length > 0) return
      await work(id).catch(error => failures.push(error))
    }
  }
  await Promise.all(Array.from({ length: parallelMax }, runNext))
  if (failures.length > 0) throw failures[0]
}

export const openGenerationSubscriber = ({
  storage,
  registry: { stale },
  engineGenerations: { registered },
  read,
  track,
}: SubscriberDependencies) => {
  const locks = createKeyedLocks()
  let isClosed = false

  const readOne = async (workspaceId: string): Promise<void> => {
    // While storage or engine is away, the generations in memory go on answering until a later round reads them.
    if (!isClosed) await read(workspaceId).catch(() => void stale.add(workspaceId))
  }
  /** Reads removed workspaces too, which closes their generations. The first of several waiting calls reads for all of them. */
  const readAll = (): Promise<void> =>
    locks.withExclusive(allKeys, async () => {
      if (!stale.delete(allKeys)) return
      try {
        const ids = (await listWorkspaceIds(storage.db)).map(({ id }) => id)
        const registeredIds = [...registered.values()].map(row => row.workspace_id)
        await forEachWorkspace([...new Set([...ids, ...registeredIds])], readOne)
      } catch {
        stale.add(allKeys)
      }
    })
  const handleChange = (key: string): Promise<void> => {
    if (key !== allKeys) return readOne(key)
    stale.add(allKeys)
    return readAll()
  }
  const unsubscribe = storage.onChange(({ topic, key }) => {
    if (topic === 'generations') void track(handleChange(key))
  })
  return {
    /** Repeats the reads that failed. */
    retryStale: () => track(forEachWorkspace([...stale], handleChange)),
    close() {
      isClosed = true
      unsubscribe()
    },
  }
}
