/** The groups of a member, from all sources (authorization-server.md, Sources of groups). */
import type { Access, AccessKey, Member, MemberDefaults, NamedGroup } from '@querent/contract/manage'
import { readMembershipEnd } from '@querent/contract/membership-end'
import { groupName } from '@querent/contract/normalize-rights'

export interface Grant {
  name: string
  /** Undefined: it does not end. */
  until?: string
  hasEnded: boolean
}

/** Returns each group once. A source that does not end it counts more than one that does. */
export const findGrants = ({ groups = [], given = {} }: Pick<Member, 'groups' | 'given'>): Grant[] => {
  const grants = new Map<string, Grant>()
  for (const grant of groups) {
    const name = groupName(grant)
    if (typeof grant === 'string') grants.set(name, { name, hasEnded: false })
    else grants.set(name, { name, until: grant.until, hasEnded: hasEnded(grant.until) })
  }
  for (const name of Object.values(given).flatMap(({ groups: names }) => names))
    grants.set(name, { name, hasEnded: false })
  return [...grants.values()]
}

export interface GroupList {
  items: readonly NamedGroup[]
  memberDefaults: MemberDefaults
}

/** Where the rights of a member come from. A group: `{ groups: [name] }`. */
export type RightsHolder = Pick<Member, 'groups' | 'given'> & Access & { roles?: readonly string[] }

/** Returns the APIs or collections that a member may use, as the server combines them (authorization-server.md, Groups). */
export const findOpenNames = (
  key: AccessKey,
  holder: RightsHolder,
  { items, memberDefaults }: GroupList,
): 'all' | string[] => {
  if (holder.roles?.includes('administrator')) return 'all'
  const names = findGrants(holder).flatMap(({ name, hasEnded: isOver }) => (isOver ? [] : [name]))
  const sources = [holder, ...items.filter(({ group }) => names.includes(group))]
  const lists = sources.flatMap(source => source[key] ?? [])
  if (sources.every(source => source[key] === undefined)) {
    const isLimited = items.some(group => group[key] !== undefined)
    return memberDefaults[key] ?? (isLimited ? [] : 'all')
  }
  return lists.includes('all') ? 'all' : lists
}

/** Returns which of the APIs a member may use. */
export const findOpenApis = <T extends { api: string }>(
  apis: readonly T[],
  holder: RightsHolder,
  list: GroupList,
): T[] => {
  const open = findOpenNames('apis', holder, list)
  return open === 'all' ? [...apis] : apis.filter(({ api }) => open.includes(api))
}

/** Whether an end has passed. */
export const hasEnded = (until: string): boolean => (readMembershipEnd(until) ?? 0) <= Date.now()
