/** Plans a deletion together with the removal of its uses. */
import { applyEdits, type WorkspaceEdit } from '@querent/contract/edit-workspace-text'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import type { PlannedEdit } from '#api/workspace-file-edit.ts'
import { listUses } from './edit-error.tsx'
import { removeUses } from './remove-uses.ts'

interface Deletion {
  /** The file before the deletion. */
  file: WorkspaceFile
  edits: readonly WorkspaceEdit[]
  /** Names of the deleted entries. */
  names: readonly string[]
}

/** An endpoint of a field, its part in a mix, the boosts of that mix, and a test of it. */
const roundsMax = 5

/** Throws the refusal that remains if a use cannot be removed. */
export const planWithUses = async (
  { file, edits, names: deleted }: Deletion,
  plan: (edits: readonly WorkspaceEdit[]) => Promise<PlannedEdit>,
): Promise<PlannedEdit> => {
  const names = [...deleted]
  let allEdits = edits
  for (let round = 0; ; round += 1) {
    try {
      return await plan(allEdits)
    } catch (refusal) {
      // An endpoint that is deleted with it may have uses itself.
      const uses =
        round < roundsMax ? removeUses(applyEdits(file, allEdits), listUses(refusal, names)) : undefined
      if (!uses) throw refusal
      allEdits = [...allEdits, ...uses.edits]
      names.push(...uses.names)
    }
  }
}
