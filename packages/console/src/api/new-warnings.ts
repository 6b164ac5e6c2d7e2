/** Warnings that an edit of the workspace file causes. The rest of the file may have others, which the person did not touch. */
import type { WorkspaceEdit } from '@querent/contract/edit-workspace-text'
import type { ErrorPlace } from '@querent/contract/errors'

/** `earlier`: warnings about the file without the edits. One of these is listed only if its place is edited. */
export const listNewWarnings = (
  warnings: readonly ErrorPlace[],
  earlier: readonly ErrorPlace[],
  edits: readonly WorkspaceEdit[],
): ErrorPlace[] => {
  const earlierKeys = new Set(earlier.map(writeKey))
  return warnings.filter(
    warning => !earlierKeys.has(writeKey(warning)) || edits.some(edit => isAt(warning, edit)),
  )
}

/** A place without its line, which the edit may move. */
const writeKey = ({ path, code, message }: ErrorPlace): string => JSON.stringify([path, code, message])

const isAt = ({ path = '' }: ErrorPlace, edit: WorkspaceEdit): boolean =>
  `${path}.`.startsWith(`${edit.path.join('.')}.`)
