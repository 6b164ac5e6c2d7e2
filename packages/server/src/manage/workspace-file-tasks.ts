/** Work on the texts of workspace files that takes too long for the main thread. Threads of the worker pool run it. */
import type { ErrorPlace } from '@querent/contract/errors'
import type { FaultText } from '@querent/contract/fault-texts'
import {
  keepAdministratorSections,
  patchWorkspaceText,
  type TextPatch,
} from '@querent/contract/patch-workspace-text'
import { readWorkspaceFile } from '@querent/contract/read-workspace-file'
import { locateFaults, type Path } from '@querent/contract/workspace-source'

/** A problem at a path of a workspace file. */
export interface FileFinding extends FaultText {
  path: Path
  target?: 'key' | 'value'
}

/**
 * Returns the file as JSON, because a string is cheaper to transfer than a tree. `nativeSchemes`: as in the settings of the server; default:
 * those of known editors.
 */
export const readFile = ({
  source,
  nativeSchemes,
}: {
  source: string
  nativeSchemes?: readonly string[]
}): { file: string } | { errors: ErrorPlace[] } => {
  const read = readWorkspaceFile(source, nativeSchemes)
  return 'errors' in read ? read : { file: JSON.stringify(read.file) }
}

/** Adds line and column to each finding. */
export const locateFindings = ({
  source,
  findings,
}: {
  source: string
  findings: readonly FileFinding[]
}): ErrorPlace[] => locateFaults(source, findings)

/** Returns undefined if the text cannot be patched. */
export const patchText = (patch: TextPatch): string | undefined => patchWorkspaceText(patch)

export const carrySections = (texts: { previous: string; next: string }): string =>
  keepAdministratorSections(texts)
