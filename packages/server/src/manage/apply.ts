/** Makes a workspace match its file: read, compare, decide, write (workspace-file.md). */
import type { ErrorPlace } from '@querent/contract/errors'
import type { Change } from '@querent/contract/manage'
import { notBuiltYet } from '@querent/contract/not-built-yet'
import { readWorkspaceFile } from '@querent/contract/read-workspace-file'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { readSource } from '@querent/contract/workspace-source'
import { Problem } from '#errors'
import { type WorkspacePermission, workspaceAccess } from '#http/access'
import type { Db } from '#storage/db'
import { findMember } from '#storage/members'
import { findUser, findUserByEmail, type UserRow } from '#storage/users'
import { findWorkspace, lockWorkspace, type WorkspaceRow } from '#storage/workspaces'
import { isOperator } from './admit.ts'
import { writeChanges } from './apply-changes.ts'
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

export const applyHandlers = {
  applyWorkspaceFile: async (deps, call) => {
    const { source, dryRun = false } = call.input
    const { file, warnings } = readFile(source)
    const plan = dryRun
      ? await makePlan(
          deps,
          call,
          deps.storage.db,
          file,
          await findWorkspace(deps.storage.db, file.workspace),
        )
      : await carryOut(deps, call, file)
    return { workspace: file.workspace, created: !plan.workspace, dryRun, changes: plan.changes, warnings }
  },
} satisfies { applyWorkspaceFile: Handler<'applyWorkspaceFile'> }

const carryOut = async (
  deps: ManagementDependencies,
  call: ApplyCall,
  file: WorkspaceFile,
): Promise<Plan> => {
  const { plan, workspaceId } = await deps.storage.write(async writer => {
    const plan = await makePlan(deps, call, writer.db, file, await lockWorkspace(writer, file.workspace))
    const workspaceId = await writeChanges(writer, plan)
    if (plan.changes.length > 0)
      await audit(writer, call, { workspaceId, target: file.workspace, detail: auditDetail(plan) })
    return { plan, workspaceId }
  })
  // Also when nothing changed: an earlier one may have been cut off between its commit and here.
  await deps.collections.reconcile(workspaceId)
  return plan
}

const readFile = (source: string): { file: WorkspaceFile; warnings: string[] } => {
  const read = readWorkspaceFile(source)
  if ('errors' in read) throw badFile('bad-workspace-file', read.errors)
  const { refused, warnings } = notBuiltYet(read.file)
  if (refused.length > 0) throw badFile('not-built-yet', refused)
  return { file: read.file, warnings }
}

/** The message is about the first place, all are in `errors`. */
const badFile = (code: 'bad-workspace-file' | 'not-built-yet', errors: readonly ErrorPlace[]): Problem => {
  const [first] = errors
  const place = first?.line === undefined ? '' : `line ${first.line}, column ${first.column}: `
  const path = first?.path && !first.message.startsWith(first.path) ? `${first.path}: ` : ''
  return new Problem(code, `${place}${path}${first?.message ?? 'the workspace file is not allowed'}`, {
    errors,
  })
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
  const state = workspace && (await readState(db, workspace))
  const after = applied(state?.described, file)
  if (!workspace) await makeAdministrator(call, db, after)
  const changes = changesBetween(state?.described, after)
  if (workspace) await refuseBeyondRole(deps, call, db, workspace, changes)
  const users = await usersOf(call.input.source, db, file, changes)
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

/** Parts of the file that are the administrators' alone (authorization-server.md, People and accounts). */
const administratorsParts = ['members', 'applications', 'systemToSystem', 'settings', 'identityProvider']

const refuseBeyondRole = async (
  deps: ManagementDependencies,
  call: ApplyCall,
  db: Db,
  workspace: WorkspaceRow,
  changes: readonly Change[],
): Promise<void> => {
  const beyond = changes.find(({ path }) => administratorsParts.includes(path.split('.', 1)[0] ?? ''))
  if (!beyond) return
  const access = await mayDo(call, db, workspace, 'administer')
  if (!access.allowed)
    throw refuse(deps, call, {
      message: `the file changes ${beyond.path}, which only administrators may; nothing was applied`,
      workspace: workspace.slug,
      checks: access.checks,
    })
}

/** Who first applies a workspace becomes its administrator. */
const makeAdministrator = async ({ principal }: ApplyCall, db: Db, after: Described): Promise<void> => {
  const user = await findUser(db, principal.subject)
  if (!user) throw new Error('an operator is no user')
  const named = after.members[user.email]
  if (named && !named.roles.includes('administrator'))
    throw new Problem(
      'bad-workspace-file',
      `members.${user.email}: who first applies a workspace becomes its administrator: name that role, or leave the member out`,
    )
  after.members[user.email] = named ?? { roles: ['administrator'] }
}

/** Throws 400 with the places of members who are no users of this server. */
const usersOf = async (
  source: string,
  db: Db,
  file: WorkspaceFile,
  changes: readonly Change[],
): Promise<Map<string, UserRow>> => {
  const users = new Map<string, UserRow>()
  const unknown: string[] = []
  for (const email of changedNames(changes, 'members')) {
    const user = await findUserByEmail(db, email)
    if (user) users.set(email, user)
    else unknown.push(email)
  }
  if (unknown.length === 0) return users
  const written = Object.keys(file.members ?? {})
  const read = readSource(source)
  throw badFile(
    'bad-workspace-file',
    unknown.map(email => {
      const path = ['members', written.find(name => name.trim().toLowerCase() === email) ?? email]
      return {
        path: path.join('.'),
        message: `there is no user ${email}: make one first with \`querent users create ${email}\``,
        ...('errors' in read ? {} : read.placeOf(path, 'key')),
      }
    }),
  )
}

/** Names of the members, applications or accounts that change. Sections are compared one level deep, so a path is `section.name`. */
export const changedNames = (changes: readonly Change[], section: string): string[] => [
  ...new Set(
    changes
      .filter(({ path }) => path.startsWith(`${section}.`))
      .map(({ path }) => path.slice(section.length + 1)),
  ),
]

/** Names of the parts that changed; the values may be large. */
const auditPathsMax = 200
const auditDetail = ({ changes }: Plan) => ({
  changes: changes.length,
  paths: changes.slice(0, auditPathsMax).map(({ change, path }) => `${change} ${path}`),
})
