/** Explains a rejected request, by its requestId. */
import { type Check, checkNames } from '@querent/contract/manage'
import { workspaceAccess } from '#authz/access'
import type { Principal } from '#authz/bearer'
import { Problem } from '#errors'
import { findRefusal, type RefusalRow } from '#storage/refusals'
import { isOperator } from './admit.ts'
import { type Handler, type ManagementDependencies, timestamp } from './call.ts'
import { addAccountNames, makeUnreachedCheck } from './tokens.ts'

export const refusalHandlers = {
  getRefusal: async (deps, { principal, params }) => {
    // Include refusals of the last moments.
    await deps.refusalLog.flush()
    const row = await findRefusal(deps.storage.db, params.requestId)
    if (!row || !(await maySee(deps, principal, row)))
      throw new Problem(
        'no-such-resource',
        `no rejected request ${params.requestId} of yours or of a workspace that you administer; records are kept for 24 hours`,
      )
    const checks = await addAccountNames(deps, completeRefusalChecks(row.checks), row)
    return { ...row, at: timestamp(row.at), checks }
  },
} satisfies { getRefusal: Handler<'getRefusal'> }

/** Returns every check in order. A request stops at the first failure, so earlier checks have passed. */
const completeRefusalChecks = (storedChecks: readonly Check[]): Check[] => {
  const failedAt = checkNames.findIndex(name =>
    storedChecks.some(check => check.name === name && !check.passed),
  )
  return checkNames.map(
    (name, index) =>
      storedChecks.find(check => check.name === name) ??
      (index < failedAt ? { name, passed: true, message: 'passed' } : makeUnreachedCheck(name)),
  )
}

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
