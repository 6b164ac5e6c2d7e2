/** An open generation, and how its writes become searchable under a new version. */
import type { Indexes } from './indexes.ts'
import type { Schema } from './schema.ts'
import type { createStatisticsCaches } from './search-context.ts'
import type { GenerationVersion, GenerationVersions } from './versions.ts'

export interface OpenGeneration {
  schema: Schema
  version: number
  documents: number
  rebuilding: { done: number; total: number } | undefined
  statistics: ReturnType<typeof createStatisticsCaches>
  /** There are writes that no refresh has made searchable. */
  isDirty: boolean
  /** Timer of the next automatic refresh. */
  timer: NodeJS.Timeout | undefined
  runningRefresh: Promise<void> | undefined
  /** The refresh that starts after the running one. */
  nextRefresh: Promise<void> | undefined
}

/** Delay of the refresh that makes writes searchable if nobody requests one. */
const autoRefreshMs = 1_000

/** Applies a stored version, unless the generation has a newer one. */
export const applyVersion = (generation: OpenGeneration, stored: GenerationVersion | undefined): void => {
  if (stored === undefined || stored.version <= generation.version) return
  generation.version = stored.version
  generation.documents = stored.documents
}

interface Dependencies {
  indexes: Pick<Indexes, 'refreshAndCount' | 'aliasName'>
  versions: Pick<GenerationVersions, 'bump'>
  generations: ReadonlyMap<string, OpenGeneration>
}

export type Refresher = ReturnType<typeof createRefresher>

export function createRefresher({ indexes, versions, generations }: Dependencies) {
  const runRefresh = async (id: string, generation: OpenGeneration): Promise<void> => {
    clearTimeout(generation.timer)
    generation.timer = undefined
    const wasDirty = generation.isDirty
    generation.isDirty = false
    try {
      const documents = await indexes.refreshAndCount(indexes.aliasName(id))
      if (wasDirty) applyVersion(generation, await versions.bump(id, documents))
    } catch (error) {
      generation.isDirty = wasDirty
      throw error
    }
  }
  /** Waits for a refresh that starts after the call. Concurrent callers share it. */
  const refresh = (id: string, generation: OpenGeneration): Promise<void> => {
    const { runningRefresh } = generation
    if (runningRefresh === undefined) {
      generation.runningRefresh = runRefresh(id, generation).finally(() => {
        generation.runningRefresh = undefined
      })
      return generation.runningRefresh
    }
    generation.nextRefresh ??= runningRefresh
      // Its own callers get the failure.
      .catch(() => {})
      .then(() => {
        generation.nextRefresh = undefined
        return refresh(id, generation)
      })
    return generation.nextRefresh
  }
  /** Schedules a refresh, and retries it until it succeeds or the generation is closed. */
  const markDirty = (id: string, generation: OpenGeneration): void => {
    generation.isDirty = true
    generation.timer ??= setTimeout(() => {
      generation.timer = undefined
      void refresh(id, generation).catch(
        () => generations.get(id) === generation && markDirty(id, generation),
      )
    }, autoRefreshMs).unref()
  }
  return { refresh, markDirty }
}
