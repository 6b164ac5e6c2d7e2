/**
 * Reads the groups and attributes that a provider's claims give a membership (authorization-server.md, Sources of groups). Pure. A claim that is
 * missing or incomplete gives none, and the sign-in log says so.
 */
import {
  attributeValuesMax,
  claimValuesMax,
  type GivenRights,
  groupsPerMemberMax,
  type RowFilterScalar,
} from '@querent/contract/manage'
import { isStorable } from '@querent/contract/storable-text'
import type { IdentityProvider } from '@querent/contract/workspace-file'
import type { Claims } from './claims.ts'

/** Results in the sign-in log. */
export type ClaimFault = 'claim-missing' | 'claim-incomplete' | 'claim-too-long'

type ProviderRights = Pick<IdentityProvider, 'groups' | 'attributes'>

/** Whether the provider gives groups or attributes. */
export const givesRights = ({ groups, attributes }: ProviderRights): boolean =>
  groups !== undefined || attributes !== undefined

/** Names of the claims that give rights. */
export const rightsClaims = ({ groups, attributes = {} }: ProviderRights): string[] => [
  ...(groups ? [groups.claim] : []),
  ...Object.values(attributes),
]

/** Returns what the claims give, and what was wrong with them, each once. */
export const readGivenRights = (
  claims: Claims,
  { groups, attributes = {} }: ProviderRights,
): { rights: GivenRights; faults: ClaimFault[] } => {
  const faults = new Set<ClaimFault>()
  const read = (claim: string) => {
    const values = readClaim(claims, claim)
    if (typeof values !== 'string') return values
    faults.add(values)
    return []
  }
  const names = new Set<string>()
  if (groups) {
    const values = read(groups.claim)
    if (values.length > claimValuesMax) faults.add('claim-too-long')
    for (const value of values.slice(0, claimValuesMax))
      for (const name of Object.hasOwn(groups.map, String(value)) ? (groups.map[String(value)] ?? []) : [])
        names.add(name)
  }
  if (names.size > groupsPerMemberMax) faults.add('claim-too-long')
  const copied = Object.entries(attributes).map(([attribute, claim]): [string, RowFilterScalar[]] => {
    const values = read(claim)
    if (values.length <= attributeValuesMax) return [attribute, values]
    // A part of the values would open more, inside `not`.
    faults.add('claim-too-long')
    return [attribute, []]
  })
  return {
    rights: {
      groups: [...names].slice(0, groupsPerMemberMax).sort(),
      attributes: Object.fromEntries(copied.filter(([, values]) => values.length > 0)),
    },
    faults: [...faults],
  }
}

/**
 * Returns the values of a claim. Providers leave out long lists: distributed claims name it in `_claim_names` (OpenID Connect Core, section
 * 5.6.2), and Microsoft Entra ID sets `hasgroups` (https://learn.microsoft.com/entra/identity-platform/access-token-claims-reference).
 */
const readClaim = (claims: Claims, claim: string): RowFilterScalar[] | ClaimFault => {
  const { _claim_names: elsewhere, hasgroups } = claims
  const isElsewhere = typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, claim)
  if (isElsewhere || (claim === 'groups' && (hasgroups === true || hasgroups === 'true')))
    return 'claim-incomplete'
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined
  if (value === undefined || value === null) return 'claim-missing'
  const values = [value].flat()
  return values.every(isScalar) ? values : 'claim-incomplete'
}

const isScalar = (value: unknown): value is RowFilterScalar =>
  typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && isStorable(value))
