/** Finds features in a workspace file that the format has, but this version does not support yet. */
import type { WorkspaceFile } from './workspace-file.ts'
import type { Path } from './workspace-source.ts'

export interface UnsupportedFeature {
  path: Path
  message: string
}

/**
 * Finds the unsupported features of a checked file. `rejected` are settings that would be unsafe to ignore: the file must not be applied.
 * `warnings` are features that the server stores, but rejects or ignores when they are used.
 */
export const findUnsupportedFeatures = (
  file: WorkspaceFile,
): { rejected: UnsupportedFeature[]; warnings: UnsupportedFeature[] } => {
  const rejected: UnsupportedFeature[] = []
  const reject = (path: Path, allowed: string) =>
    rejected.push({ path, message: `not built yet; allowed: ${allowed}` })
  if (file.identityProvider) reject(['identityProvider'], 'null')
  return { rejected, warnings: [] }
}
