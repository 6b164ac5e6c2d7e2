import { blockedByRowFilterMessage, isBlockedByRowFilter } from '#authz/public-content'
import type { Db } from '#storage/db'
import { findMember } from '#storage/members'
import type { WorkspaceRow } from '#storage/workspaces'
import { isOperator } from './admit.ts'
import type { Call, ManagementDependencies } from './call.ts'
import { makeRefusal } from './refuse.ts'

/** Throws 403 if the caller has a row filter and a public API shows `part`. */
export const refusePublicChange = async (
  deps: Pick<ManagementDependencies, 'refusalLog' | 'authUrl'>,
  call: Pick<Call, 'principal' | 'path'> & { origin: Call['origin'] },
  db: Db,
  workspace: WorkspaceRow,
  part: string,
): Promise<void> => {
  const { principal } = call
  if (isOperator(principal) || !isBlockedByRowFilter(await findMember(db, workspace.id, principal.subject)))
    return
  const message = blockedByRowFilterMessage(part)
  const check = { name: 'row-filter', passed: false, message } as const
  throw makeRefusal(deps, call, { message, workspace: workspace.slug, checks: [check] })
}
