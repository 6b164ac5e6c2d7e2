/** Refuses to apply what would undo a change that the caller has not seen. */
import { Problem } from '#errors'
import type { Call } from './call.ts'

type ApplyCall = Call<'applyWorkspaceFile'>

/** Somebody else changed the workspace after the dry run, so the caller would overwrite this without seeing it. */
export const refuseOtherPlan = ({ input }: ApplyCall, hash: string): void => {
  if (input.plan !== undefined && input.plan !== hash)
    throw new Problem(
      'conflict',
      'the workspace has changed since the dry run: export the file, and make your changes again',
    )
}

/** Somebody else changed the workspace after the export, so the caller would undo this without seeing it. */
export const refuseOtherBase = ({ input }: ApplyCall, tag: string | undefined): void => {
  if (input.base !== undefined && input.base !== tag)
    throw new Problem(
      'conflict',
      'the workspace has changed since you exported the file: export it again, and make your changes in that',
    )
}
