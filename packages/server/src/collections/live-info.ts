/** Information about live generations, for health checks. */
import type { Engine, GenerationInfo } from '#engines/engine'
import type { Collections } from './collections.ts'

/**
 * Returns a function for the information about a live generation; it resolves to undefined if there is none. It calls `mayOpen` before
 * opening one. Rejects if it cannot be opened or the engine does not answer.
 */
export const createLiveInfo =
  ({ live }: Pick<Collections, 'live'>, engine: Pick<Engine, 'isOpened' | 'whenOpened' | 'info'>) =>
  async (
    workspaceId: string,
    collection: string,
    mayOpen: () => boolean,
  ): Promise<GenerationInfo | 'unopened' | undefined> => {
    const generation = live(workspaceId, collection)
    if (!generation) return undefined
    if (engine.isOpened?.(generation.id) === false && !mayOpen()) return 'unopened'
    await engine.whenOpened?.(generation.id)
    return engine.info(generation.id)
  }
