/** The groups of a member, from all sources (authorization-server.md, Sources of groups). */
import type { Member, MemberDefaults, NamedGroup } from '@querent/contract/manage'
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

/** Returns which of the APIs a member may use, as the server combines it (authorization-server.md, Groups). A group: `{ groups: [name] }`. */
export const findOpenApis = <T extends { api: string }>(
  apis: readonly T[],
  holder: Pick<Member, 'groups' | 'given'> & { apis?: Member['apis']; roles?: readonly string[] },
  { items, memberDefaults }: GroupList,
): T[] => {
  if (holder.roles?.includes('administrator')) return [...apis]
  const names = findGrants(holder).flatMap(({ name, hasEnded: isOver }) => (isOver ? [] : [name]))
  const sources = [holder, ...items.filter(({ group }) => names.includes(group))]
  const lists = sources.flatMap(source => (source.apis === undefined ? [] : [source.apis]))
  if (lists.length === 0) {
    const isLimited = items.some(group => group.apis !== undefined)
    lists.push(memberDefaults.apis ?? (isLimited ? [] : 'all'))
  }
  return lists.includes('all') ? [...apis] : apis.filter(({ api }) => lists.some(list => list.includes(api)))
}

/** Whether an end has passed. */
export const hasEnded = (until: string): boolean => (readMembershipEnd(until) ?? 0) <= Date.now()
