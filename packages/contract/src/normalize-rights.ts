/** Writes the rights of a membership in one form. */
import type { Attributes, GroupGrant, MembershipRights } from './manage/rights.ts'

const compareText = (one: string, next: string): number => (one < next ? -1 : Number(one > next))

const sortGrants = (groups: readonly GroupGrant[]): GroupGrant[] =>
  [...groups].sort((one, next) => compareText(groupName(one), groupName(next)))

const normalizeAttributes = (attributes: Attributes): Attributes =>
  Object.fromEntries(
    Object.entries(attributes)
      .sort(([one], [next]) => compareText(one, next))
      .map(([name, values]) => [name, [values].flat()]),
  )

/** Omits what says nothing, and sorts what has no order. */
export const normalizeRights = ({
  groups = [],
  attributes = {},
  apis,
  collections,
  limits,
  until,
}: MembershipRights): MembershipRights => ({
  ...(groups.length > 0 ? { groups: sortGrants(groups) } : {}),
  ...(Object.keys(attributes).length > 0 ? { attributes: normalizeAttributes(attributes) } : {}),
  ...(apis ? { apis: sortNames(apis) } : {}),
  ...(collections ? { collections: sortNames(collections) } : {}),
  ...(limits ? { limits } : {}),
  ...(until === undefined ? {} : { until }),
})

const sortNames = (names: 'all' | string[]): 'all' | string[] => (names === 'all' ? names : [...names].sort())

/** Returns the name of the group. */
export const groupName = (grant: GroupGrant): string => (typeof grant === 'string' ? grant : grant.group)
