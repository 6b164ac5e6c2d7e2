/** Makes a workspace match its file: read, compare, decide, write (workspace-file.md). */

import type { ErrorPlace } from '@querent/contract/errors'
import type { Change } from '@querent/contract/manage'
import { notBuiltYet } from '@querent/contract/not-built-yet'
import { readWorkspaceFile } from '@querent/contract/read-workspace-file'
import type { WorkspacePermission } from '@querent/contract/roles'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { Problem } from '#errors'
import { workspaceAccess } from '#http/access'
import type { Db, Writer } from '#storage/db'
import { findMember } from '#storage/members'
import { findUser, type UserRow } from '#storage/users'
import { findWorkspace, lockWorkspace, type WorkspaceRow } from '#storage/workspaces'
import { isOperator } from './admit.ts'
import { writeChanges } from './apply-changes.ts'
import {
  accessChanges,
  badFile,
  changedNames,
  placesIn,
  refuseBadKeysOf,
  refuseLostFilters,
  refuseNoAdministrator,
  refuseUnknownGenerations,
  usersOf,
  writtenAs,
} from './apply-rules.ts'
import { apiWarnings, documentWarnings } from './apply-warnings.ts'
import { audit, type Call, type Handler, type ManagementDependencies } from './call.ts'
import { applied, changesBetween, type Described } from './changes.ts'
import { refuse } from './refuse.ts'
import { readState, type WorkspaceState } from './workspace-state.ts'

type ApplyCall = Call<'applyWorkspaceFile'>

/** What is there, what will be, and the difference. */
export interface Plan {
  /** Undefined: the workspace is new. */
  workspace: WorkspaceRow | undefined
  state: WorkspaceState | undefined
  after: Described
  changes: Change[]
  /** Users by e-mail address, of the members that change. */
  users: Map<string, UserRow>
}

interface CheckedPlan extends Plan {
  /** What becomes of documents. */
  warnings: ErrorPlace[]
}

export const applyHandlers = {
  applyWorkspaceFile: async (deps, call) => {
    const { source, dryRun = false } = call.input
    const { file, warnings } = readFile(source)
    const plan = dryRun ? await makeCheckedPlan(deps, call, file) : await carryOut(deps, call, file)
    return {
      workspace: file.workspace,
      created: !plan.workspace,
      dryRun,
      changes: plan.changes,
      warnings: [...warnings, ...plan.warnings],
    }
  },
} satisfies { applyWorkspaceFile: Handler<'applyWorkspaceFile'> }

const carryOut = async (
  deps: ManagementDependencies,
  call: ApplyCall,
  file: WorkspaceFile,
): Promise<CheckedPlan> => {
  const { storage, collections } = deps
  const commit = (promote?: (writer: Writer) => Promise<void>) =>
    storage.write(async writer => {
      const plan = await makePlan(deps, call, writer.db, file, await lockWorkspace(writer, file.workspace))
      const workspaceId = await writeChanges(writer, plan)
      await promote?.(writer)
      if (plan.changes.length > 0)
        await audit(writer, call, { workspaceId, target: file.workspace, detail: auditDetail(plan) })
      return { plan, workspaceId }
    })
  // What is refused is refused before anything is built for it.
  const planned = await makeCheckedPlan(deps, call, file)
  const { workspace, warnings } = planned
  // Definition and generations change in one moment: a query sees both of before, or both of after.
  const { plan, workspaceId } = workspace
    ? await collections.redefine(workspace.id, planned.after.definition, commit)
    : await commit()
  // Also when nothing changed: an earlier one may have been cut off between its commit and here.
  await collections.reconcile(workspaceId)
  return { ...plan, warnings }
}

/** A plan with what the collections have to say of it. They read the storage, which a transaction of its own would wait for forever. */
const makeCheckedPlan = async (
  deps: ManagementDependencies,
  call: ApplyCall,
  file: WorkspaceFile,
): Promise<CheckedPlan> => {
  const { storage, collections } = deps
  const workspace = await findWorkspace(storage.db, file.workspace)
  const plan = await makePlan(deps, call, storage.db, file, workspace)
  const { source } = call.input
  await refuseUnknownGenerations(source, collections, workspace, plan.after)
  const warnings = workspace ? await documentWarnings(source, collections, workspace, plan.after) : []
  return { ...plan, warnings }
}

const readFile = (source: string): { file: WorkspaceFile; warnings: ErrorPlace[] } => {
  const read = readWorkspaceFile(source)
  if ('errors' in read) throw badFile('bad-workspace-file', read.errors)
  const { refused, warnings } = notBuiltYet(read.file)
  if (refused.length > 0) throw badFile('not-built-yet', placesIn(source, refused))
  return { file: read.file, warnings: [...placesIn(source, warnings), ...apiWarnings(source, read.file)] }
}

/** Refuses before it plans: who may not change the workspace learns nothing of it. */
const makePlan = async (
  deps: ManagementDependencies,
  call: ApplyCall,
  db: Db,
  file: WorkspaceFile,
  workspace: WorkspaceRow | undefined,
): Promise<Plan> => {
  await refuseWithout(deps, call, db, file.workspace, workspace)
  if (workspace && call.input.onlyNew)
    throw new Problem('conflict', `there is a workspace ${file.workspace} already: choose another name`)
  const state = workspace && (await readState(db, workspace))
  const after = applied(state?.described, file)
  if (!workspace) await makeAdministrator(call, db, file, after)
  const changes = changesBetween(state?.described, after)
  const { source } = call.input
  const mayAdminister = !workspace || (await mayDo(call, db, workspace, 'administer')).allowed
  if (workspace) await refuseBeyondRole(deps, call, db, workspace, after, changes)
  refuseLostFilters(source, state?.described, after, mayAdminister)
  refuseBadKeysOf(source, state?.described, after)
  if (state) await refuseNoAdministrator(source, db, file, state.described, after)
  const users = await usersOf(source, db, file, changedNames(changes, 'members'))
  return { workspace, state, after, changes, users }
}

const mayDo = async (
  { principal }: ApplyCall,
  db: Db,
  workspace: WorkspaceRow,
  permission: WorkspacePermission,
) => workspaceAccess(principal, workspace, await findMember(db, workspace.id, principal.subject), permission)

/** The same answer whether the workspace is another's or is not there. */
const refuseWithout = async (
  deps: ManagementDependencies,
  call: ApplyCall,
  db: Db,
  slug: string,
  workspace: WorkspaceRow | undefined,
): Promise<void> => {
  const message =
    'the account is no member of this workspace with the role user or administrator; only operators make new workspaces'
  if (!workspace) {
    if (isOperator(call.principal)) return
    throw refuse(deps, call, { message, workspace: slug })
  }
  const access = await mayDo(call, db, workspace, 'edit')
  if (!access.allowed) throw refuse(deps, call, { message, workspace: slug, checks: access.checks })
}

/** Parts of the file that are the administrators' alone (authorization-server.md, People and accounts), beside the `access` of an API. */
const administratorsParts = ['members', 'applications', 'systemToSystem', 'settings', 'identityProvider']

const refuseBeyondRole = async (
  deps: ManagementDependencies,
  call: ApplyCall,
  db: Db,
  workspace: WorkspaceRow,
  after: Described,
  changes: readonly Change[],
): Promise<void> => {
  const parts = changes
    .map(({ path }) => path)
    .filter(path => administratorsParts.includes(path.split('.', 1)[0] ?? ''))
  const [beyond] = [...parts, ...accessChanges(workspace.definition, after.definition)]
  if (beyond === undefined) return
  const access = await mayDo(call, db, workspace, 'administer')
  if (!access.allowed)
    throw refuse(deps, call, {
      message: `the file changes ${beyond}, which only administrators may; nothing was applied`,
      workspace: workspace.slug,
      checks: access.checks,
    })
}

/** Who first applies a workspace becomes its administrator. */
const makeAdministrator = async (
  { principal, input }: ApplyCall,
  db: Db,
  file: WorkspaceFile,
  after: Described,
): Promise<void> => {
  const user = await findUser(db, principal.subject)
  if (!user) throw new Error('an operator is no user')
  const named = after.members[user.email]
  if (named && !named.roles.includes('administrator')) {
    const path = ['members', writtenAs(file, user.email)]
    const message =
      'who first applies a workspace becomes its administrator: name that role, or leave the member out'
    throw badFile('bad-workspace-file', placesIn(input.source, [{ path, message }]))
  }
  after.members[user.email] = named ?? { roles: ['administrator'] }
}

/** Names of the parts that changed; the values may be large. */
const auditPathsMax = 200
const auditDetail = ({ changes }: Plan) => ({
  changes: changes.length,
  paths: changes.slice(0, auditPathsMax).map(({ change, path }) => `${change} ${path}`),
})
