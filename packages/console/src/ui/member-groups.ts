/** The groups of a member, from all sources (authorization-server.md, Sources of groups). */
import type { Member } from '@querent/contract/manage'
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

/** Whether an end has passed. */
export const hasEnded = (until: string): boolean => (readMembershipEnd(until) ?? 0) <= Date.now()
