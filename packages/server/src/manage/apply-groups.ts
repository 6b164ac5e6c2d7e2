/** Rules about groups for applying a valid file to the current workspace. */
import { describeFault } from '@querent/contract/fault-texts'
import { groupsOfFields } from '@querent/contract/hidden-fields'
import { membershipFaults } from '@querent/contract/rights-faults'
import type { ChangedMember } from '#collections/collections'
import { findClients } from '#storage/clients'
import type { Db } from '#storage/db'
import type { Plan } from './apply-changes.ts'
import { changedNames } from './apply-rules.ts'
import type { FullWorkspace } from './changes.ts'
import { WorkspaceFileRefusal } from './workspace-file-reader.ts'
import type { FileFinding } from './workspace-file-tasks.ts'

/** More than anybody reads. */
const findingsMax = 100

/**
 * Throws 400 if the file removes a group that a membership names which the file does not change. `maySeeMembers`: whether the caller may
 * learn whose membership it is.
 */
export const refuseBrokenGroups = (desired: FullWorkspace, maySeeMembers: boolean): void => {
  const { definition, members, systemToSystem } = desired
  const holders = [
    ...Object.entries(members).map(([name, holder]) => [`members.${name}`, holder] as const),
    ...Object.entries(systemToSystem).map(([name, holder]) => [`systemToSystem.${name}`, holder] as const),
  ]
  const findings: FileFinding[] = []
  for (const [holder, rights] of holders)
    for (const { code, values } of membershipFaults(definition, rights, [])) {
      // The reader has already rejected faults of the memberships in the file.
      if (code !== 'unknown-group') continue
      const group = String(values?.found)
      const text = describeFault('named-group', { group, holder: maySeeMembers ? holder : 'a member' })
      findings.push({ path: ['groups'], ...text })
      if (findings.length === findingsMax) throw new WorkspaceFileRefusal('bad-workspace-file', findings)
    }
  for (const [group, field] of groupsOfFields(definition.collections))
    if (!Object.hasOwn(definition.groups ?? {}, group))
      findings.push({ path: ['groups'], ...describeFault('group-of-field', { group, field }) })
  if (findings.length > 0)
    throw new WorkspaceFileRefusal('bad-workspace-file', findings.slice(0, findingsMax))
}

/** Throws 400 if a new group has the name of a client: `readers` of documents could not tell them apart. */
export const refuseClientIdsAsGroups = async (
  db: Db,
  current: FullWorkspace | undefined,
  { definition }: FullWorkspace,
): Promise<void> => {
  const names = Object.keys(definition.groups ?? {}).filter(
    name => !Object.hasOwn(current?.definition.groups ?? {}, name),
  )
  const clients = await findClients(db, names)
  if (clients.length === 0) return
  const findings = clients.map(({ id }) => ({
    path: ['groups', id],
    ...describeFault('group-with-client-id', { found: id }),
  }))
  throw new WorkspaceFileRefusal('bad-workspace-file', findings)
}

/** Returns the rights that changed people will have, for the leak tests of new generations. */
export const listChangedMembers = ({ changes, desired }: Plan): Map<string, ChangedMember> =>
  new Map(
    changedNames(changes, 'members').flatMap(email => {
      const member = desired.members[email]
      if (!member) return []
      const { roles, filter, ...rights } = member
      return [[email, { roles, filter, rights }]]
    }),
  )
