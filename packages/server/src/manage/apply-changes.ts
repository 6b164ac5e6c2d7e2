/** Writes what a plan of `apply` changes, in its transaction. */
import { isDeepStrictEqual } from 'node:util'
import type { Change } from '@querent/contract/manage'
import { Problem } from '#errors'
import { createClient, updateClient } from '#storage/clients'
import type { Writer } from '#storage/db'
import { withdrawInvitationsTo } from '#storage/invitations'
import { setMember } from '#storage/members'
import type { UserRow } from '#storage/users'
import { createWorkspace, saveDefinition, type WorkspaceRow } from '#storage/workspaces'
import { changedNames } from './apply-rules.ts'
import type { FullWorkspace } from './changes.ts'
import type { WorkspaceState } from './workspace-state.ts'

/** What is there, what will be, and the difference. */
export interface Plan {
  /** Undefined: the workspace is new. */
  workspace: WorkspaceRow | undefined
  state: WorkspaceState | undefined
  after: FullWorkspace
  changes: Change[]
  /** Users by email address: of the members that change, without those who are invited first. */
  users: Map<string, UserRow>
  /** Addresses in `members` that are not confirmed and no members yet: each gets an invitation instead. */
  invitees: ReadonlySet<string>
}

/** Returns the id of the workspace. Throws 409 when the last administrator would step down. */
export const writeChanges = async (writer: Writer, plan: Plan): Promise<string> => {
  const workspaceId = await writeDefinition(writer, plan)
  await writeMembers(writer, plan, workspaceId)
  await writeApplications(writer, plan, workspaceId)
  await writeSystemToSystem(writer, plan, workspaceId)
  return workspaceId
}

const writeDefinition = async (writer: Writer, { workspace, after }: Plan): Promise<string> => {
  if (!workspace) {
    const createdWorkspace = await createWorkspace(writer, after.definition)
    // Another one made it since this transaction looked.
    if (!createdWorkspace)
      throw new Problem('conflict', `the workspace ${after.definition.workspace} was just made: apply again`)
    return createdWorkspace.id
  }
  if (!isDeepStrictEqual(workspace.definition, after.definition))
    await saveDefinition(writer, workspace.id, after.definition)
  return workspace.id
}

const writeMembers = async (writer: Writer, plan: Plan, workspaceId: string): Promise<void> => {
  const names = changedNames(plan.changes, 'members').filter(email => !plan.invitees.has(email))
  const isAdministrator = (email: string) => plan.after.members[email]?.roles.includes('administrator')
  // Administrators first: one may step down where another is made in the same file.
  for (const email of [...names.filter(isAdministrator), ...names.filter(name => !isAdministrator(name))]) {
    const user = plan.users.get(email)
    const member = plan.after.members[email]
    if (!user || !member) throw new Error('a member of the plan has no user')
    await setMember(writer, {
      workspaceId,
      subject: user.id,
      kind: 'user',
      roles: member.roles,
      filter: member.filter,
    })
    await withdrawInvitationsTo(writer, workspaceId, email)
  }
}

const writeApplications = async (writer: Writer, plan: Plan, workspaceId: string): Promise<void> => {
  for (const name of changedNames(plan.changes, 'applications')) {
    const settings = plan.after.applications[name]
    if (!settings) throw new Error('an application of the plan is not there')
    const existingApplication = plan.state?.applications.get(name)
    if (existingApplication) await updateClient(writer, existingApplication.id, { settings })
    else await createClient(writer, { kind: 'application', workspaceId, name, settings })
  }
}

const writeSystemToSystem = async (writer: Writer, plan: Plan, workspaceId: string): Promise<void> => {
  for (const name of changedNames(plan.changes, 'systemToSystem')) {
    const account = plan.after.systemToSystem[name]
    if (!account) throw new Error('a System-to-System account of the plan is not there')
    const { roles, addresses, filter } = account
    const known = plan.state?.systemToSystem.get(name)
    if (known) await updateClient(writer, known.id, { settings: { ...known.settings, addresses } })
    const client =
      known ??
      (await createClient(writer, { kind: 'system-to-system', workspaceId, name, settings: { addresses } }))
    if (!client) throw new Error('a System-to-System account was made at the same time')
    await setMember(writer, { workspaceId, subject: client.id, kind: 'system-to-system', roles, filter })
  }
}
