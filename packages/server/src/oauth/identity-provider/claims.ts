/** Reads a provider's claims about a person in the terms of this server. Pure. */
import type { Role } from '@querent/contract/manage'
import type { IdentityProvider } from '@querent/contract/workspace-file'
import { type Authentication, byPassword, byTwoFactors, federated } from '#oauth/sessions/authentication'
import { foldEmail } from '#storage/users'

/** Claims of the ID token and of UserInfo. */
export type Claims = Readonly<Record<string, unknown>>

/** Reasons why a provider's person is not signed in. */
export type PersonFault = 'email-missing' | 'email-unverified' | 'domain'

/** Longest address (RFC 5321, section 4.5.3.1.3). */
const emailCharactersMax = 254
const nameCharactersMax = 100

/**
 * Returns address and name. The address counts only if the provider has verified it, and its domain is one of `domains`.
 */
export const readPerson = (
  claims: Claims,
  { issuer, domains = [] }: Pick<IdentityProvider, 'issuer' | 'domains'>,
): { email: string; name: string } | PersonFault => {
  const { email: claimedEmail, name } = claims
  if (typeof claimedEmail !== 'string' || claimedEmail.length > emailCharactersMax) return 'email-missing'
  const email = foldEmail(claimedEmail)
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) return 'email-missing'
  if (!isVerified(claims, issuer)) return 'email-unverified'
  if (!domains.includes(readDomain(email))) return 'domain'
  return { email, name: typeof name === 'string' ? name.trim().slice(0, nameCharactersMax) : '' }
}

/** Returns the domain of an address in lower case; '' if it is none. */
export const readDomain = (email: string): string => {
  const separator = email.lastIndexOf('@')
  return separator < 1 ? '' : foldEmail(email.slice(separator + 1))
}

/** Host of Microsoft Entra ID. */
const entraHost = 'login.microsoftonline.com'

/**
 * Microsoft Entra ID has no `email_verified`. Its `xms_edov` says the same: the owner of the domain, the tenant, vouches for the address.
 * https://learn.microsoft.com/entra/identity-platform/optional-claims-reference
 */
const isVerified = ({ email_verified: verified, xms_edov: vouched }: Claims, issuer: string): boolean => {
  if (verified !== undefined) return verified === true
  return new URL(issuer).host === entraHost && [true, 1, '1', 'true'].some(value => value === vouched)
}

/** Key of `roles` for everybody. */
const everybody = '*'
export const defaultRolesClaim = 'groups'
/** Values of the claim that are looked at. */
const valuesMax = 2000

/** Returns the roles of all matching values of the claim. Empty: none. */
export const mapRoles = (
  claims: Claims,
  { roles = {}, rolesClaim = defaultRolesClaim }: Pick<IdentityProvider, 'roles' | 'rolesClaim'>,
): Role[] => {
  const values = [claims[rolesClaim]]
    .flat()
    .filter(value => typeof value === 'string')
    .filter(value => value !== everybody)
    .slice(0, valuesMax)
  return [
    ...new Set(
      [everybody, ...values].flatMap(value => (Object.hasOwn(roles, value) ? (roles[value] ?? []) : [])),
    ),
  ]
}

/** Methods by what they prove (RFC 8176, section 2): knowledge, possession, inherence. */
const methodsByKind = {
  knowledge: ['pwd', 'pin', 'kba'],
  possession: ['otp', 'hwk', 'swk', 'sms', 'tel', 'sc', 'pop'],
  inherence: ['face', 'fpt', 'iris', 'retina', 'vbm'],
} as const
const otherMethods = ['mfa', 'mca', 'rba', 'geo', 'user', 'wia']
const allMethods: ReadonlySet<string> = new Set([...Object.values(methodsByKind).flat(), ...otherMethods])
/** Phishing-resistant authentication (OpenID Connect Extended Authentication Profile, section 2). */
const strongLevels: readonly unknown[] = ['phr', 'phrh']
/** Whether the values are proof of two kinds, or the provider says that there were several factors. */
const hasSeveralFactors = (methods: readonly string[]): boolean =>
  methods.includes('mfa') ||
  Object.values(methodsByKind).filter(kind => kind.some(method => methods.includes(method))).length > 1

/**
 * Returns how the person signed in at the provider. Its second factor counts if `amr` says `mfa` or names methods of two kinds, or `acr` is `phr`
 * or `phrh`. Values of `amr` that are not registered are left out.
 */
export const readAuthentication = ({ amr, acr }: Claims): Authentication => {
  const methods = [amr]
    .flat()
    .filter(value => typeof value === 'string')
    .filter(value => allMethods.has(value))
  const allValues = [federated, ...methods]
  return hasSeveralFactors(methods) || strongLevels.includes(acr)
    ? byTwoFactors([], allValues)
    : { amr: [...new Set(allValues)], acr: byPassword.acr }
}
