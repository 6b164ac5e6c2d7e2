/** Losing a group must never open anything (authorization-server.md, Row filters). */
import type { MemberDefaults } from '@querent/contract/manage'

const keys = ['filter', 'apis', 'collections'] as const
export type DefaultKey = (typeof keys)[number]

/** Returns the keys that a group sets and the defaults do not. */
export const missingDefaults = (
  group: { [Key in DefaultKey]?: unknown },
  memberDefaults: MemberDefaults,
): DefaultKey[] => keys.filter(key => group[key] !== undefined && memberDefaults[key] === undefined)

/** Returns defaults that allow everything. */
export const openDefaults = (missing: readonly DefaultKey[]): MemberDefaults => ({
  ...(missing.includes('filter') ? { filter: {} } : {}),
  ...(missing.includes('apis') ? { apis: 'all' as const } : {}),
  ...(missing.includes('collections') ? { collections: 'all' as const } : {}),
})
