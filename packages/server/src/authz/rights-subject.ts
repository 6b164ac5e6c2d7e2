/** The rights of somebody whom a preview or a leak test names: a member, or anybody in one group (authorization-server.md, Seeing what holds). */
import type { Definition } from '@querent/contract/workspace-file'
import type { Directory } from '#storage/directory'
import type { MemberRow } from '#storage/members'
import type { WorkspaceRow } from '#storage/workspaces'
import type { EffectiveFilter } from './effective-filter.ts'
import { findGroupReaders, findReaders } from './readers.ts'
import { combineRights, findRights, type Rights } from './rights.ts'

export interface SubjectRights {
  rights: Rights
  /** The condition on readers. */
  readers: EffectiveFilter | undefined
}

/** Returns the rights of a person in this group only, without attributes. Undefined if the group does not exist. */
export const findGroupRights = (
  { definition }: Pick<WorkspaceRow, 'definition'>,
  group: string,
): SubjectRights | undefined => {
  if (!Object.hasOwn(definition.groups ?? {}, group)) return undefined
  const holder = { roles: ['api' as const], filter: undefined, rights: { groups: [group] } }
  const rights = combineRights(definition, holder, Date.now())
  return { rights, readers: findGroupReaders(definition, rights) }
}

type Lookups = Pick<Directory, 'member' | 'user' | 'userByEmail'>

/** Finds a member by email address or Client ID. */
export const findNamedMember = async (
  directory: Lookups,
  { id }: Pick<WorkspaceRow, 'id'>,
  name: string,
): Promise<MemberRow | undefined> => {
  const subject = name.includes('@') ? (await directory.userByEmail(name))?.id : name
  return subject === undefined ? undefined : directory.member(id, subject)
}

export const findMemberRights = async (
  directory: Lookups,
  definition: Definition,
  member: MemberRow,
): Promise<SubjectRights> => {
  const rights = findRights(definition, member)
  return { rights, readers: await findReaders(definition, rights, member, directory) }
}
