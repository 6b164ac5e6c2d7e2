/** Leak tests, for people who see everything: the outcome names documents. */
import { testFaults } from '@querent/contract/relevance-test-faults'
import { isLeakTest, type LeakTest } from '@querent/contract/relevance-tests'
import { workspaceAccess } from '#authz/access'
import { findRights, isLimited } from '#authz/rights'
import type { Call, Handler, ManagementDependencies } from './call.ts'
import { makeRefusal } from './refuse.ts'
import { makeFaultsProblem } from './validation-problem.ts'

export const leakTestHandlers = {
  runLeakTests: async (deps, call) => {
    await refuseLimited(deps, call)
    const { workspace, input } = call
    const { definition } = workspace
    const tests = input.tests ?? (definition.tests ?? []).filter(isLeakTest)
    if (input.tests) refuseFaults(definition, input.tests)
    return { items: await deps.leakTests.run(workspace, tests, input.config) }
  },
} satisfies { runLeakTests: Handler<'runLeakTests'> }

/** Throws 403. A `user` does not learn who is a member. */
const refuseLimited = async (deps: ManagementDependencies, call: Call<'runLeakTests'>): Promise<void> => {
  const { workspace, principal, input } = call
  const member = await deps.directory.member(workspace.id, principal.subject)
  if (workspaceAccess(principal, workspace, member, 'administer').allowed) return
  const isUnlimited = member && !isLimited(findRights(workspace.definition, member))
  const namesMembers = input.tests?.some(({ as }) => 'member' in as) ?? false
  if (isUnlimited && !namesMembers) return
  const message = isUnlimited
    ? 'only administrators may name members in leak tests that the workspace file does not have'
    : 'members who do not see everything may not run leak tests, which name documents'
  throw makeRefusal(deps, call, {
    message,
    workspace: workspace.slug,
    checks: [{ name: isUnlimited ? 'role' : 'row-filter', passed: false, message }],
  })
}

/** Throws 400. A group that does not exist is an error of the test, as in the workspace file of another state. */
const refuseFaults = (definition: Call['workspace']['definition'], tests: readonly LeakTest[]): void => {
  const { groups: _, ...file } = definition
  const faults = tests.flatMap((test, index) => [...testFaults(file, test, ['tests', index])])
  const problem = makeFaultsProblem('body', faults)
  if (problem) throw problem
}
