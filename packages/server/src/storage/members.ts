/** Memberships: roles and row filter of an account in a workspace. */
import type { GivenRights, MembershipRights } from '@querent/contract/manage'
import { readMembershipEnd } from '@querent/contract/membership-end'
import { sql } from 'kysely'
import { Problem } from '#errors'
import { memberKey } from './change-feed.ts'
import { createRowReader, type Row } from './columns.ts'
import type { Db, Writer } from './db.ts'
import { memberColumns } from './member-tables.ts'
import { lockWorkspaceById } from './workspaces.ts'

export type MemberRow = Row<typeof memberColumns>

const parseMember = createRowReader(memberColumns)

export const findMember = async (
  db: Db,
  workspaceId: string,
  subject: string,
): Promise<MemberRow | undefined> => {
  const row = await db
    .selectFrom('members')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row && parseMember(row)
}

/** Returns the subjects that are members, at most 1,000, in any order. */
export const findMembers = async (
  db: Db,
  workspaceId: string,
  subjects: readonly string[],
): Promise<MemberRow[]> => {
  if (subjects.length === 0) return []
  const rows = await db
    .selectFrom('members')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('subject', 'in', subjects)
    .execute()
  return rows.map(parseMember)
}

/** Lists members after the subject `after`, in order of subject. */
export const listMembers = async (
  db: Db,
  workspaceId: string,
  after: string,
  count: number,
): Promise<MemberRow[]> => {
  const rows = await db
    .selectFrom('members')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('subject', '>', after)
    .orderBy('subject')
    .limit(count)
    .execute()
  return rows.map(parseMember)
}

/** Lists members whose rights name the group, or who may have it from a provider, after the subject `after`. The caller checks each. */
export const listMembersNaming = async (
  db: Db,
  workspaceId: string,
  group: string,
  after: string,
  count: number,
): Promise<MemberRow[]> => {
  // Names of groups have no characters that the pattern or JSON would change.
  const pattern = `%"${group}"%`
  const rows = await db
    .selectFrom('members')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('subject', '>', after)
    .where(({ or, eb }) => or([eb('rights_json', 'like', pattern), eb('given_json', 'like', pattern)]))
    .orderBy('subject')
    .limit(count)
    .execute()
  return rows.map(parseMember)
}

/** Lists memberships of one account, in order of workspace, at most 10,000. */
export const listMemberships = async (db: Db, subject: string): Promise<MemberRow[]> => {
  const rows = await db
    .selectFrom('members')
    .selectAll()
    .where('subject', '=', subject)
    .orderBy('workspace_id')
    .limit(10_000)
    .execute()
  return rows.map(parseMember)
}

/** Counts people and System-to-System accounts by workspace, at most 1,000 workspaces. */
export const countMembers = async (
  db: Db,
  workspaceIds: readonly string[],
): Promise<Map<string, { people: number; systemToSystem: number }>> => {
  if (workspaceIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('members')
    .select(({ fn }) => ['workspace_id', 'kind', fn.countAll<number>().as('count')])
    .where('workspace_id', 'in', workspaceIds)
    .groupBy(['workspace_id', 'kind'])
    .execute()
  const counts = new Map(workspaceIds.map(id => [id, { people: 0, systemToSystem: 0 }]))
  for (const { workspace_id, kind, count } of rows) {
    const workspaceCounts = counts.get(workspace_id)
    if (workspaceCounts) workspaceCounts[kind === 'user' ? 'people' : 'systemToSystem'] = Number(count)
  }
  return counts
}

const minuteMs = 60_000
/** Subjects per statement, because databases limit its parameters. */
const subjectsAtOnce = 500

/** Saves when members were last active, by subject, to the minute. Skips former members. */
export const saveActivity = async (
  db: Db,
  workspaceId: string,
  times: ReadonlyMap<string, number>,
): Promise<void> => {
  const minutes = Map.groupBy(times, ([, activeAt]) => Math.floor(activeAt / minuteMs) * minuteMs)
  for (const [minute, entries] of minutes) {
    const subjects = entries.map(([subject]) => subject)
    for (let start = 0; start < subjects.length; start += subjectsAtOnce)
      await db
        .updateTable('members')
        .set({ last_active_at: minute })
        .where('workspace_id', '=', workspaceId)
        .where('subject', 'in', subjects.slice(start, start + subjectsAtOnce))
        // Another node may have saved a later time.
        .where(e => e.or([e('last_active_at', 'is', null), e('last_active_at', '<', minute)]))
        .execute()
  }
}

/** Lists the enabled administrators with a confirmed address, at most `countMax`. Skips ended memberships. */
export const listAdministrators = (
  db: Db,
  workspaceId: string,
  countMax: number,
): Promise<{ email: string; language: string | null }[]> =>
  db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.subject')
    .select(['users.email', 'users.language'])
    .where('workspace_id', '=', workspaceId)
    .where('users.disabled', '=', 0)
    .where('users.email_verified', '=', 1)
    .where(e => e.or([e('ends_at', 'is', null), e('ends_at', '>', Date.now())]))
    .where(sql<boolean>`roles_json like '%"administrator"%'`)
    .orderBy('users.email')
    .limit(countMax)
    .execute()

/** Throws 409 unless a user other than `subject` is an enabled administrator without an end. */
const refuseLastAdministrator = async (db: Db, workspaceId: string, subject: string): Promise<void> => {
  const rows = await db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.subject')
    .select('roles_json')
    .where('workspace_id', '=', workspaceId)
    .where('subject', '!=', subject)
    .where('users.disabled', '=', 0)
    .where('ends_at', 'is', null)
    // Literal, as in the index members_administrators; a parameter would not match it.
    .where(sql<boolean>`roles_json like '%"administrator"%'`)
    .limit(1)
    .execute()
  if (rows.length === 0)
    throw new Problem(
      'conflict',
      'the last administrator of a workspace cannot be removed, step down or have an end: add another administrator first',
    )
}

/**
 * Adds the member, or updates roles, row filter and rights. Without `rights`, a member keeps them. `isFromProvider`: for a new member; default false. Throws 409
 * if the last administrator would step down.
 */
export const setMember = async (
  { db, announce }: Writer,
  member: Pick<MemberRow, 'workspaceId' | 'subject' | 'kind' | 'roles' | 'filter'> & {
    rights?: MembershipRights | undefined
    isFromProvider?: boolean
  },
): Promise<void> => {
  const { workspaceId, subject, kind, roles, filter } = member
  // Two administrators must not remove each other at the same time.
  await lockWorkspaceById(db, workspaceId)
  const memberBefore = await findMember(db, workspaceId, subject)
  const endsAt = member.rights ? readEnd(member.rights) : (memberBefore?.endsAt ?? null)
  const isAdministrator = roles.includes('administrator')
  const stays = isAdministrator && endsAt === null
  if (!stays && (isAdministrator || memberBefore?.roles.includes('administrator')))
    await refuseLastAdministrator(db, workspaceId, subject)
  const changed = {
    roles_json: JSON.stringify(roles),
    filter_json: filter === undefined ? null : JSON.stringify(filter),
    ...(member.rights ? { rights_json: writeRights(member.rights), ends_at: endsAt } : {}),
  }
  await db
    .insertInto('members')
    .values({
      workspace_id: workspaceId,
      subject,
      kind,
      created_at: Date.now(),
      from_provider: member.isFromProvider ? 1 : 0,
      ...changed,
    })
    .onConflict(c => c.columns(['workspace_id', 'subject']).doUpdateSet(changed))
    .execute()
  announce('member', memberKey(workspaceId, subject))
}

/** Text that is no date ends the membership at once. */
const readEnd = ({ until }: MembershipRights): number | null =>
  until === undefined ? null : (readMembershipEnd(until) ?? 0)

/** Rights that say nothing are null. */
export const writeRights = (rights: MembershipRights | undefined): string | null =>
  rights === undefined || Object.keys(rights).length === 0 ? null : JSON.stringify(rights)

/** Finds a membership or an open invitation whose rights name the group, as `names` decides. Returns what it is. */
export const findMemberWithGroup = async (
  db: Db,
  workspaceId: string,
  group: string,
  names: (rights: MembershipRights) => boolean,
): Promise<'member' | 'open invitation' | undefined> => {
  // Names of groups have no characters that the pattern or JSON would change.
  const pattern = `%"${group}"%`
  const members = await db
    .selectFrom('members')
    .select('rights_json')
    .where('workspace_id', '=', workspaceId)
    .where('rights_json', 'like', pattern)
    .execute()
  const isNamed = ({ rights_json }: { rights_json: string | null }) =>
    rights_json !== null && names(JSON.parse(rights_json) as MembershipRights)
  if (members.some(isNamed)) return 'member'
  const invitations = await db
    .selectFrom('invitations')
    .select('rights_json')
    .where('workspace_id', '=', workspaceId)
    .where('rights_json', 'like', pattern)
    .where('accepted_at', 'is', null)
    .where('withdrawn_at', 'is', null)
    .where('expires_at', '>', Date.now())
    .execute()
  return invitations.some(isNamed) ? 'open invitation' : undefined
}

/** Replaces the rights that one source gave the member. Without any, the source is removed. */
export const setGivenRights = async (
  { db, announce }: Writer,
  { workspaceId, subject }: Pick<MemberRow, 'workspaceId' | 'subject'>,
  source: string,
  rights: GivenRights | undefined,
): Promise<void> => {
  await lockWorkspaceById(db, workspaceId)
  const member = await findMember(db, workspaceId, subject)
  const sources = Object.entries({ ...member?.given, [source]: rights }).filter(([, value]) => value)
  await db
    .updateTable('members')
    .set({ given_json: sources.length > 0 ? JSON.stringify(Object.fromEntries(sources)) : null })
    .where('workspace_id', '=', workspaceId)
    .where('subject', '=', subject)
    .execute()
  announce('member', memberKey(workspaceId, subject))
}

/** Returns false if there was no such member. Throws 409 for the last administrator. */
export const removeMember = async (
  { db, announce }: Writer,
  workspaceId: string,
  subject: string,
): Promise<boolean> => {
  await lockWorkspaceById(db, workspaceId)
  const memberBefore = await findMember(db, workspaceId, subject)
  if (!memberBefore) return false
  if (memberBefore.roles.includes('administrator')) await refuseLastAdministrator(db, workspaceId, subject)
  await db
    .deleteFrom('members')
    .where('workspace_id', '=', workspaceId)
    .where('subject', '=', subject)
    .execute()
  announce('member', memberKey(workspaceId, subject))
  return true
}
