/** The versions of generations, as the addon last reported them. */
import type { NativeEngine } from '@querent/engine'
import { withEngineErrors } from '#engines/outcome'

export type VersionCache = ReturnType<typeof createVersionCache>

/** Caches versions until the addon reports a change, because its `changes` costs a tenth of its `version`. */
export const createVersionCache = (native: NativeEngine) => {
  const versions = new Map<string, number>()
  let lastChanges: number | undefined
  return {
    get(id: string, closedVersion: (id: string) => number | undefined): number {
      const changes = native.changes()
      if (changes !== lastChanges) versions.clear()
      lastChanges = changes
      const cached = versions.get(id)
      if (cached !== undefined) return cached
      const version = closedVersion(id) ?? withEngineErrors(() => native.version(id))
      versions.set(id, version)
      return version
    },
    delete: (id: string) => versions.delete(id),
  }
}
