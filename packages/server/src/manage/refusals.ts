/** Why a request was refused, under its requestId (query-service.md, "Why was I refused?"). */
import { Problem } from '#errors'
import { workspaceAccess } from '#http/access'
import type { Principal } from '#http/bearer'
import { findRefusal, type RefusalRow } from '#storage/refusals'
import { isOperator } from './admit.ts'
import { type Handler, type ManagementDependencies, timestamp } from './call.ts'

export const refusalHandlers = {
  getRefusal: async (deps, { principal, params }) => {
    // It may have happened a moment ago.
    await deps.refusalLog.flush()
    const row = await findRefusal(deps.storage.db, params.requestId)
    if (!row || !(await maySee(deps, principal, row)))
      throw new Problem(
        'no-such-resource',
        `there is no refused request ${params.requestId} of yours or of a workspace that you administer; they are kept for 24 hours`,
      )
    return { ...row, at: timestamp(row.at) }
  },
} satisfies { getRefusal: Handler<'getRefusal'> }

const maySee = async (
  { directory }: ManagementDependencies,
  principal: Principal,
  refusal: RefusalRow,
): Promise<boolean> => {
  if (isOperator(principal)) return true
  if (refusal.subject === principal.subject || refusal.subject === principal.token.subject) return true
  const workspace = await directory.workspace(refusal.workspace)
  const member = workspace && (await directory.member(workspace.id, principal.subject))
  return workspaceAccess(principal, workspace, member, 'administer').allowed
}
