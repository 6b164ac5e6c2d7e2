/** Finds features in a workspace file that the format has, but this version does not support yet. */
import type { WorkspaceFile } from './workspace-file.ts'
import type { Path } from './workspace-source.ts'

export interface UnsupportedFeature {
  path: Path
  message: string
}

/** Finds the unsupported features of a checked file. A file with any of them must not be applied. */
export const findUnsupportedFeatures = (file: WorkspaceFile): UnsupportedFeature[] => {
  const describe = (path: Path, allowed: string) => ({ path, message: `not built yet; allowed: ${allowed}` })
  return Object.entries(file.collections ?? {}).flatMap(([collection, { fields = {} }]) =>
    Object.entries(fields).flatMap(([field, declared]) =>
      declared.type === 'vector' && declared.embed
        ? [describe(['collections', collection, 'fields', field, 'embed'], 'vectors that you import')]
        : [],
    ),
  )
}
