/** Writes the changes of an `apply` plan, in its transaction. */
import { isDeepStrictEqual } from 'node:util'
import type { Change } from '@querent/contract/manage'
import type { HiddenFields } from '#authz/hidden-fields'
import { definedSpecKey } from '#collections/generation-rows'
import { Problem } from '#errors'
import { createClient, updateClient } from '#storage/clients'
import type { Writer } from '#storage/db'
import { withdrawInvitationsTo } from '#storage/invitations'
import { type WithdrawnAccess, withdrawAccess } from '#storage/inviter-rights'
import { setMember } from '#storage/members'
import type { UserRow } from '#storage/users'
import { createWorkspace, saveDefinition, type WorkspaceRow } from '#storage/workspaces'
import { changedNames } from './apply-rules.ts'
import type { FullWorkspace } from './changes.ts'
import type { WorkspaceState } from './workspace-state.ts'

/** Current state, desired state, and the difference. */
export interface Plan {
  /** Undefined: the workspace is new. */
  workspace: WorkspaceRow | undefined
  state: WorkspaceState | undefined
  desired: FullWorkspace
  changes: Change[]
  /** The changes without hidden parts, for the caller. */
  visibleChanges: Change[]
  /** Stands for these changes, see {@link hashPlan}. */
  hash: string
  /** Whether the caller may change what only administrators may. */
  mayAdminister: boolean
  /** The fields that the caller does not see. Undefined: none. */
  hidden: HiddenFields | undefined
  /** Users by email address: members that change, without invitees. */
  users: Map<string, UserRow>
  /**
   * Members of the file whose address is not confirmed and who are not members yet. They get an invitation
   * instead.
   */
  invitees: ReadonlySet<string>
}

/**
 * Returns the id of the workspace, and what members gave others and may no longer give. Throws 409 if the last administrator would step down.
 */
export const writeChanges = async (
  writer: Writer,
  plan: Plan,
): Promise<{ workspaceId: string; withdrawn: WithdrawnAccess | undefined }> => {
  const workspaceId = await writeDefinition(writer, plan)
  const withdrawn = await writeMembers(writer, plan, workspaceId)
  await writeApplications(writer, plan, workspaceId)
  await writeSystemToSystem(writer, plan, workspaceId)
  return { workspaceId, withdrawn }
}

const writeDefinition = async (writer: Writer, { workspace, desired }: Plan): Promise<string> => {
  if (!workspace) {
    const createdWorkspace = await createWorkspace(writer, desired.definition)
    // Another request has created it since this transaction read it.
    if (!createdWorkspace)
      throw new Problem(
        'conflict',
        `the workspace ${desired.definition.workspace} was just created: apply again`,
      )
    return createdWorkspace.id
  }
  if (!isDeepStrictEqual(workspace.definition, desired.definition))
    await saveDefinition(writer, workspace.id, desired.definition)
  return workspace.id
}

const writeMembers = async (
  writer: Writer,
  plan: Plan,
  workspaceId: string,
): Promise<WithdrawnAccess | undefined> => {
  const collected: WithdrawnAccess = { invitations: [], registrationTokens: [] }
  const names = changedNames(plan.changes, 'members').filter(email => !plan.invitees.has(email))
  const isAdministrator = (email: string) => {
    const member = plan.desired.members[email]
    return member?.roles.includes('administrator') && member.until === undefined
  }
  // Lasting administrators first: one may step down if the same file adds another.
  for (const email of [...names.filter(isAdministrator), ...names.filter(name => !isAdministrator(name))]) {
    const user = plan.users.get(email)
    const member = plan.desired.members[email]
    if (!user || !member) throw new Error('a member of the plan has no user')
    const { roles, filter, ...rights } = member
    await setMember(writer, { workspaceId, subject: user.id, kind: 'user', roles, filter, rights })
    await withdrawInvitationsTo(writer, workspaceId, email)
    const withdrawn = await withdrawAccess(writer, user.id, workspaceId)
    collected.invitations.push(...(withdrawn?.invitations ?? []))
    collected.registrationTokens.push(...(withdrawn?.registrationTokens ?? []))
  }
  return collected.invitations.length + collected.registrationTokens.length > 0 ? collected : undefined
}

const writeApplications = async (writer: Writer, plan: Plan, workspaceId: string): Promise<void> => {
  for (const name of changedNames(plan.changes, 'applications')) {
    const settings = plan.desired.applications[name]
    if (!settings) throw new Error('an application of the plan is not there')
    const existingApplication = plan.state?.applications.get(name)
    if (existingApplication) await updateClient(writer, existingApplication.id, { settings })
    else await createClient(writer, { kind: 'application', workspaceId, name, settings })
  }
}

const writeSystemToSystem = async (writer: Writer, plan: Plan, workspaceId: string): Promise<void> => {
  for (const name of changedNames(plan.changes, 'systemToSystem')) {
    const account = plan.desired.systemToSystem[name]
    if (!account) throw new Error('a System-to-System account of the plan is not there')
    const { roles, addresses, dpop, filter, ...rights } = account
    const settings = { addresses, ...(dpop ? { dpop } : {}) }
    const existingAccount = plan.state?.systemToSystem.get(name)
    if (existingAccount) {
      // A file cannot have the keys of an account.
      const { dpop: _, ...kept } = existingAccount.settings
      await updateClient(writer, existingAccount.id, { settings: { ...kept, ...settings } })
    }
    const client =
      existingAccount ??
      (await createClient(writer, { kind: 'system-to-system', workspaceId, name, settings }))
    if (!client) throw new Error('a System-to-System account was created at the same time')
    const member = {
      workspaceId,
      subject: client.id,
      kind: 'system-to-system',
      roles,
      filter,
      rights,
    } as const
    await setMember(writer, member)
  }
}

const auditPathsMax = 200
/** Paths of the changes only; values may be large. */
export const auditDetail = ({ changes }: Pick<Plan, 'changes'>) => {
  const rights = changes.filter(changesRights)
  return {
    changes: changes.length,
    paths: changes.slice(0, auditPathsMax).map(({ change, path }) => `${change} ${path}`),
    ...(rights.length > 0 && { rights: rights.slice(0, auditRightsMax).map(describeRights) }),
  }
}

/** Changes of rights with their values. */
const auditRightsMax = 100
const rightsCharsMax = 500

const changesRights = ({ path }: Change): boolean =>
  ['members', 'systemToSystem', 'groups', 'memberDefaults'].includes(path.split('.', 1)[0] ?? '')

const describeRights = ({ path, before, after }: Change): string => {
  const [previous, next] = [before, after].map(value =>
    JSON.stringify(value ?? null).slice(0, rightsCharsMax),
  )
  return `${path}: ${previous} → ${next}`
}

/** Returns the existing collections for which the new definition needs a new generation. */
export const listRebuilds = ({ workspace, desired }: Plan): string[] =>
  Object.keys(workspace?.definition.collections ?? {}).filter(
    name =>
      workspace &&
      Object.hasOwn(desired.definition.collections ?? {}, name) &&
      definedSpecKey(workspace.definition, name) !== definedSpecKey(desired.definition, name),
  )
