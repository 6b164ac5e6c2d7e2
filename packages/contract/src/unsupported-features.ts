/** Finds features in a workspace file that the format has, but this version does not support yet. */
import type { WorkspaceFile } from './workspace-file.ts'
import type { Path } from './workspace-source.ts'

export interface UnsupportedFeature {
  path: Path
  message: string
}

/** Finds the unsupported features of a checked file. A file with any of them must not be applied. This version supports all. */
export const findUnsupportedFeatures = (_file: WorkspaceFile): UnsupportedFeature[] => []
