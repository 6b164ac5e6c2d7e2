/** Makes a workspace match its file: read, compare, decide, write. */

// Each step takes 10 to 20 ms for the largest file, so other requests run in between.
import { setImmediate as letOthersRun } from 'node:timers/promises'
import type { ErrorPlace } from '@querent/contract/errors'
import { describeFault } from '@querent/contract/fault-texts'
import type { Change } from '@querent/contract/manage'
import { sortRoles } from '@querent/contract/normalize-workspace-file'
import { rolesAllow, type WorkspacePermission } from '@querent/contract/roles'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { workspaceLimits } from '@querent/contract/workspace-limits'
import { scanWorkspaceName } from '@querent/contract/workspace-scan'
import { workspaceAccess } from '#authz/access'
import { publicChange } from '#authz/public-content'
import { type Rights, unlimitedRights } from '#authz/rights'
import { Problem } from '#errors'
import type { Db, Writer } from '#storage/db'
import { findOpenInvitation } from '#storage/invitations'
import type { WithdrawnAccess } from '#storage/inviter-rights'
import { findMember, listMemberships } from '#storage/members'
import { proveAllDomains } from '#storage/provider-domains'
import { findUser, findUserByEmail, type UserRow } from '#storage/users'
import { saveWorkspaceText } from '#storage/workspace-texts'
import { findWorkspace, lockWorkspace, type WorkspaceRow } from '#storage/workspaces'
import { isOperator, refusePublicChange } from './admit.ts'
import { listRebuilds, type Plan, writeChanges } from './apply-changes.ts'
import { refuseOtherBase, refuseOtherPlan } from './apply-conflicts.ts'
import { listChangedMembers, refuseBrokenGroups, refuseClientIdsAsGroups } from './apply-groups.ts'
import {
  changesText,
  findVisibleChanges,
  refuseBrokenWhole,
  refuseHiddenRemoval,
  refuseOtherWhole,
  withHiddenParts,
  writeText,
} from './apply-hidden.ts'
import {
  accessChanges,
  changedNames,
  readingRightsChanges,
  readWrittenEmails,
  refuseBadAddresses,
  refuseBadApplicationKeys,
  refuseBrokenFilters,
  refuseClashingMembers,
  refuseMissingVectorSearch,
  refuseUnknownEmbedders,
  refuseUnknownGenerations,
  requireAdministrator,
} from './apply-rules.ts'
import {
  apiWarnings,
  configurationWarnings,
  invitationWarnings,
  listDocumentWarnings,
  synonymWarnings,
} from './apply-warnings.ts'
import type { Call, Handler, ManagementDependencies } from './call.ts'
import { changesBetween, type FullWorkspace, mergeFile, reservedParts } from './changes.ts'
import { hashExport } from './export.ts'
import { mayJoinDirectly, type StoredInvitation, sendInvitation, storeInvitation } from './invite.ts'
import { issuerWarnings } from './issuer-check.ts'
import { domainWarnings } from './provider-domains.ts'
import { recordApply } from './record-apply.ts'
import { makeRefusal } from './refuse.ts'
import { type FileSender, WorkspaceFileRefusal, workspaceFileReader } from './workspace-file-reader.ts'
import { readState } from './workspace-state.ts'
import { hashPlan } from './workspace-text.ts'

type ApplyCall = Call<'applyWorkspaceFile'>

interface CheckedPlan extends Plan {
  /** Warnings about the file and about existing documents. */
  warnings: ErrorPlace[]
  /** Whether the stored text changes; without other changes, only its comments or layout. */
  textChanged: boolean
}

export const applyHandlers = {
  applyWorkspaceFile: async (deps, call) => {
    const { source, dryRun = false } = call.input
    const { subject } = call.principal
    const owner = await refuseStranger(deps, call)
    const sender = { account: subject, owner, nativeSchemes: deps.nativeSchemes }
    const file = await workspaceFileReader.read(sender, source)
    return workspaceFileReader.withPlaces(sender, source, async () => {
      const plan = dryRun
        ? { ...(await makeCheckedPlan(deps, call, sender, file)), stored: [], withdrawn: undefined }
        : await applyFile(deps, call, sender, file)
      const workspaceTitle = file.title ?? file.workspace
      const invitationContext = { workspaceTitle, invitedBy: subject, requestId: call.origin.requestId }
      return {
        workspace: file.workspace,
        created: !plan.workspace,
        dryRun,
        changes: plan.visibleChanges,
        textChanged: plan.textChanged,
        invitations: await Promise.all(
          plan.stored.map(stored => sendInvitation(deps, stored, invitationContext)),
        ),
        ...(plan.withdrawn && { withdrawn: plan.withdrawn }),
        warnings: plan.warnings,
        rebuilds: listRebuilds(plan),
        plan: plan.hash,
      }
    })
  },
} satisfies { applyWorkspaceFile: Handler<'applyWorkspaceFile'> }

const applyFile = async (
  deps: ManagementDependencies,
  call: ApplyCall,
  sender: FileSender,
  file: WorkspaceFile,
): Promise<CheckedPlan & { stored: StoredInvitation[]; withdrawn?: WithdrawnAccess | undefined }> => {
  const { storage, collections } = deps
  const commit = (promote?: (writer: Writer) => Promise<void>) =>
    storage.write(async writer => {
      const plan = await makePlan(deps, call, writer.db, file, await lockWorkspace(writer, file.workspace))
      refuseOtherWhole(planned, plan)
      const { workspaceId, withdrawn } = await writeChanges(writer, plan)
      const provedDomains = isOperator(call.principal) ? await proveAllDomains(writer, workspaceId) : []
      const stored = await writeInvitations(writer, deps, call, plan, workspaceId)
      await saveWorkspaceText(writer, workspaceId, text)
      await promote?.(writer)
      const applied = { ...plan, workspaceId, source: text, textChanged, withdrawn, provedDomains }
      await recordApply(deps, writer, call, applied)
      return { plan, workspaceId, stored, withdrawn }
    })
  // Reject invalid changes before anything is built for them.
  const planned = await makeCheckedPlan(deps, call, sender, file)
  const { workspace, warnings, textChanged } = planned
  const text = await writeText(storage.db, planned, call.input.source)
  // Definition and generations change together, so that a query sees both of before or both of after.
  const { plan, workspaceId, stored, withdrawn } = workspace
    ? await collections.redefine(
        workspace.id,
        planned.desired.definition,
        commit,
        listChangedMembers(planned),
      )
    : await commit()
  // Also if nothing changed: an earlier apply may have been interrupted after its commit.
  await collections.reconcile(workspaceId)
  return { ...plan, warnings, textChanged, stored, withdrawn }
}

/** Stores an invitation for each changed invitee; without a mail beyond the limit of mails. */
const writeInvitations = async (
  writer: Writer,
  deps: ManagementDependencies,
  { principal }: ApplyCall,
  { changes, invitees, desired }: Plan,
  workspaceId: string,
): Promise<StoredInvitation[]> => {
  const stored: StoredInvitation[] = []
  for (const email of changedNames(changes, 'members')) {
    const member = desired.members[email]
    if (!member || !invitees.has(email)) continue
    const { roles, filter, ...rights } = member
    const invited = { workspaceId, email, roles, filter, rights, invitedBy: principal.subject }
    stored.push(await storeInvitation(writer, deps, invited, 'optional'))
  }
  return stored
}

/**
 * Adds checks of the collections. They read the storage themselves, so inside a transaction they would
 * deadlock.
 */
const makeCheckedPlan = async (
  deps: ManagementDependencies,
  call: ApplyCall,
  sender: FileSender,
  file: WorkspaceFile,
): Promise<CheckedPlan> => {
  const { storage, collections } = deps
  const workspace = await findWorkspace(storage.db, file.workspace)
  const plan = await makePlan(deps, call, storage.db, file, workspace)
  refuseUnknownEmbedders(deps.vectors?.embedders, workspace?.definition, plan.desired)
  await refuseMissingVectorSearch(deps.vectors?.missing, workspace?.definition, plan.desired)
  await refuseUnknownGenerations(collections, workspace, plan.desired)
  await refuseBrokenWhole(deps, call, sender, plan)
  await letOthersRun()
  const unlocatedWarnings = [
    ...apiWarnings(file),
    ...configurationWarnings(file),
    ...synonymWarnings(file),
    ...invitationWarnings(file, plan),
    ...(await domainWarnings(call, storage.db, file, workspace)),
    ...(await issuerWarnings(deps, workspace?.definition, plan.desired)),
    ...(workspace ? await listDocumentWarnings(deps, call, workspace, file, plan.desired) : []),
  ]
  return {
    ...plan,
    warnings: await workspaceFileReader.locate(sender, call.input.source, unlocatedWarnings),
    textChanged: await changesText(storage.db, call.input.source, plan),
  }
}

/** Authorizes before planning, so that others learn nothing about the workspace. */
const makePlan = async (
  deps: ManagementDependencies,
  call: ApplyCall,
  db: Db,
  file: WorkspaceFile,
  workspace: WorkspaceRow | undefined,
): Promise<Plan> => {
  const rights = await requireEditAccess(deps, call, db, file.workspace, workspace)
  const { hidden } = rights
  if (workspace && call.input.onlyNew)
    throw new Problem('conflict', `the workspace ${file.workspace} already exists: choose another name`)
  const state = workspace && (await readState(db, workspace))
  const mayAdminister = !workspace || (await checkAccess(call, db, workspace, 'administer')).allowed
  const sight = { isAdministrator: mayAdminister, hidden }
  refuseOtherBase(
    call,
    state && workspace && (await hashExport(db, workspace.id, state.fullWorkspace, sight)),
  )
  refuseClashingMembers(state?.fullWorkspace)
  await letOthersRun()
  const merged = mergeFile(state?.fullWorkspace, file, mayAdminister)
  const desired = withHiddenParts(state?.fullWorkspace, merged, hidden)
  await letOthersRun()
  if (!workspace) await makeAdministrator(call, db, file, desired)
  const {
    users: newUsers,
    invitees,
    invited,
  } = await readNewcomers(call, db, workspace, state?.fullWorkspace, desired)
  const current = state && { ...state.fullWorkspace, members: { ...state.fullWorkspace.members, ...invited } }
  const changes = changesBetween(current, desired)
  await letOthersRun()
  const visibleChanges = hidden ? findVisibleChanges(current, desired, hidden) : changes
  const hash = await hashPlan(db, workspace?.id, visibleChanges)
  refuseOtherPlan(call, hash)
  await letOthersRun()
  if (workspace) {
    await refuseChangesBeyondRole(deps, call, db, workspace, desired, changes)
    refuseHiddenRemoval(deps, call, rights, workspace, desired)
  }
  refuseBrokenFilters(state?.fullWorkspace, desired, mayAdminister)
  refuseBrokenGroups(desired, mayAdminister)
  await refuseClientIdsAsGroups(db, state?.fullWorkspace, desired)
  refuseBadApplicationKeys(state?.fullWorkspace, desired)
  await letOthersRun()
  refuseBadAddresses(file, invitees)
  await letOthersRun()
  if (state) await requireAdministrator(db, file, state.fullWorkspace, desired, invitees)
  const users = new Map(newUsers)
  for (const email of changedNames(changes, 'members')) {
    const user = users.has(email) || invitees.has(email) ? undefined : await findUserByEmail(db, email)
    if (user) users.set(email, user)
  }
  return { workspace, state, desired, changes, visibleChanges, hash, mayAdminister, hidden, users, invitees }
}

/**
 * Returns people of the file who are not members yet: `users` become members now, `invitees` are invited
 * first. `invited` has the roles and row filters of pending invitations, so that unchanged ones are in sync.
 */
const readNewcomers = async (
  { principal }: ApplyCall,
  db: Db,
  workspace: WorkspaceRow | undefined,
  workspaceBefore: FullWorkspace | undefined,
  desired: FullWorkspace,
): Promise<{ users: Map<string, UserRow>; invitees: Set<string>; invited: FullWorkspace['members'] }> => {
  const users = new Map<string, UserRow>()
  const invited: FullWorkspace['members'] = {}
  const newcomers = Object.keys(desired.members).filter(
    email => !Object.hasOwn(workspaceBefore?.members ?? {}, email),
  )
  const invitees = new Set<string>()
  for (const email of newcomers) {
    const user = await findUserByEmail(db, email)
    if (mayJoinDirectly(user, principal)) {
      users.set(email, user)
      continue
    }
    invitees.add(email)
    const pending = workspace && (await findOpenInvitation(db, workspace.id, email))
    if (pending)
      invited[email] = {
        roles: sortRoles(pending.roles),
        ...(pending.filter ? { filter: pending.filter } : {}),
        ...pending.rights,
      }
  }
  return { users, invitees, invited }
}

const checkAccess = async (
  { principal }: ApplyCall,
  db: Db,
  workspace: WorkspaceRow,
  permission: WorkspacePermission,
) => workspaceAccess(principal, workspace, await findMember(db, workspace.id, principal.subject), permission)

/**
 * Runs before the file is parsed, because parsing a hostile file takes seconds. The scanned name is only a
 * claim; the plan authorizes again for the parsed name. If the scan finds no name, anyone with an editing
 * role in some workspace may continue. Returns whose work the reading is: that of a workspace which the caller may edit, or of the account.
 */
const refuseStranger = async (deps: ManagementDependencies, call: ApplyCall): Promise<string> => {
  const { db } = deps.storage
  const { subject } = call.principal
  const slug = scanWorkspaceName(call.input.source.slice(0, workspaceLimits.fileBytes))
  if (slug !== undefined) {
    const workspace = await findWorkspace(db, slug)
    await requireEditAccess(deps, call, db, slug, workspace)
    return workspace?.id ?? subject
  }
  if (isOperator(call.principal)) return subject
  // Leaving out the name gives the caller no further turns.
  for (const member of await listMemberships(db, subject))
    if (rolesAllow(member.roles, 'edit')) return member.workspaceId
  throw makeRefusal(deps, call, { message: notAllowedMessage, workspace: '' })
}

const notAllowedMessage =
  'the account needs the role user or administrator in this workspace; only operators create workspaces'

/** Answers the same for a foreign and for a missing workspace. Returns the rights of the caller. */
const requireEditAccess = async (
  deps: ManagementDependencies,
  call: ApplyCall,
  db: Db,
  slug: string,
  workspace: WorkspaceRow | undefined,
): Promise<Rights> => {
  if (!workspace) {
    if (isOperator(call.principal)) return unlimitedRights
    throw makeRefusal(deps, call, { message: notAllowedMessage, workspace: slug })
  }
  const access = await checkAccess(call, db, workspace, 'edit')
  if (!access.allowed)
    throw makeRefusal(deps, call, { message: notAllowedMessage, workspace: slug, checks: access.checks })
  return access.rights
}

/** Sections that only administrators may change, besides the `access` of an API. */
const administratorsParts: readonly string[] = ['members', 'applications', 'systemToSystem', ...reservedParts]

const refuseChangesBeyondRole = async (
  deps: ManagementDependencies,
  call: ApplyCall,
  db: Db,
  workspace: WorkspaceRow,
  desired: FullWorkspace,
  changes: readonly Change[],
): Promise<void> => {
  const parts = changes
    .map(({ path }) => path)
    .filter(path => administratorsParts.includes(path.split('.', 1)[0] ?? ''))
  const [forbiddenPart] = [
    ...parts,
    ...accessChanges(workspace.definition, desired.definition),
    ...readingRightsChanges(workspace.definition, desired.definition),
  ]
  if (forbiddenPart === undefined) {
    const publicPart = publicChange(workspace.definition, desired.definition)
    if (publicPart !== undefined) await refusePublicChange(deps, call, db, workspace, publicPart)
    return
  }
  const access = await checkAccess(call, db, workspace, 'administer')
  if (!access.allowed)
    throw makeRefusal(deps, call, {
      message: `the file changes ${forbiddenPart}, which only administrators may change; nothing was applied`,
      workspace: workspace.slug,
      checks: access.checks,
    })
}

/** The caller who creates a workspace becomes its administrator. */
const makeAdministrator = async (
  { principal }: ApplyCall,
  db: Db,
  file: WorkspaceFile,
  desired: FullWorkspace,
): Promise<void> => {
  const user = await findUser(db, principal.subject)
  if (!user) throw new Error('an operator is no user')
  const listedMember = desired.members[user.email]
  if (listedMember && !listedMember.roles.includes('administrator')) {
    const path = ['members', readWrittenEmails(file).get(user.email) ?? user.email]
    throw new WorkspaceFileRefusal('bad-workspace-file', [{ path, ...describeFault('creator-without-role') }])
  }
  desired.members[user.email] = listedMember ?? { roles: ['administrator'] }
}
