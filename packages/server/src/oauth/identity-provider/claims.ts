/** Reads a provider's claims about a person in the terms of this server. Pure. */
import { canonicalDomain, canonicalEmail, isEmail } from '@querent/contract/email-address'
import { Email, type Role } from '@querent/contract/manage'
import { readRoleMap } from '@querent/contract/provider-roles'
import type { IdentityProvider } from '@querent/contract/workspace-file'
import { type Authentication, byPassword, byTwoFactors, federated } from '#oauth/library/authentication'
import { toVisibleName } from '#oauth/library/visible-name'

/** Claims of the ID token and of UserInfo. */
export type Claims = Readonly<Record<string, unknown>>

/** Reasons why a provider's person is not signed in. */
export type PersonFault = 'email-missing' | 'email-unverified' | 'domain' | 'domain-unproved'

const nameCharactersMax = 100

/** The same syntax as of all other addresses. The types of schemas leave their keywords out. */
const { pattern = '(?!)' } = Email as { pattern?: string }
const emailPattern = new RegExp(pattern, 'u')
const isAddress = (text: string): boolean => emailPattern.test(text) && isEmail(text)

/**
 * Returns the claims of the ID token, completed by those of UserInfo. The address is that of the ID token, or of UserInfo if the ID token has
 * none. Either vouches for its own address only.
 */
export const mergeClaims = (userInfo: Claims, idToken: Claims): Claims => {
  if (idToken.email === undefined)
    return userInfo.email === undefined
      ? { ...userInfo, ...idToken }
      : { ...userInfo, ...withoutAddress(idToken) }
  const isSameAddress =
    userInfo.email !== undefined &&
    canonicalEmail(String(userInfo.email)) === canonicalEmail(String(idToken.email))
  return { ...(isSameAddress ? userInfo : withoutAddress(userInfo)), ...idToken }
}

const withoutAddress = ({ email, email_verified, xms_edov, ...rest }: Claims): Claims => rest

/**
 * Returns address and name. The address counts only if the provider has verified it, and its domain is one of `domains` and proved.
 */
export const readPerson = (
  claims: Claims,
  { issuer, domains = [] }: Pick<IdentityProvider, 'issuer' | 'domains'>,
  provedDomains: readonly string[],
): { email: string; name: string } | PersonFault => {
  const { email: claimedEmail, name } = claims
  if (typeof claimedEmail !== 'string' || !isAddress(claimedEmail)) return 'email-missing'
  const email = canonicalEmail(claimedEmail)
  if (!isVerified(claims, issuer)) return 'email-unverified'
  if (!hasDomain(domains, email)) return 'domain'
  if (!hasDomain(provedDomains, email)) return 'domain-unproved'
  return { email, name: typeof name === 'string' ? toVisibleName(name, nameCharactersMax) : '' }
}

/** Whether the address, in any spelling, has one of the domains, in any spelling. */
export const hasDomain = (domains: readonly string[], email: string): boolean => {
  const domain = readDomain(email)
  return domain !== '' && domains.some(listed => (canonicalDomain(listed) ?? listed) === domain)
}

/** Returns the domain of an address in its one form; '' if it is none. */
export const readDomain = (email: string): string => {
  const separator = email.lastIndexOf('@')
  return separator < 1 ? '' : (canonicalDomain(email.slice(separator + 1).trim()) ?? '')
}

/** Host of Microsoft Entra ID. */
const entraHost = 'login.microsoftonline.com'

/**
 * `email_verified` is a boolean (OpenID Connect Core, section 5.1). Apple and Amazon Cognito send the text `true`.
 *
 * Microsoft Entra ID has no `email_verified`. Its `xms_edov` says the same: the owner of the domain, the tenant, vouches for the address.
 * https://learn.microsoft.com/entra/identity-platform/optional-claims-reference
 */
const isVerified = ({ email_verified: verified, xms_edov: vouched }: Claims, issuer: string): boolean => {
  if (verified !== undefined) return verified === true || verified === 'true'
  return new URL(issuer).host === entraHost && [true, 1, '1', 'true'].some(value => value === vouched)
}

/** Key of `roles` for everybody. */
const everybody = '*'
/** Values of the claim that are looked at. */
const valuesMax = 2000

/** Returns the roles of all matching values of the claim. Empty: none. */
export const mapRoles = (
  claims: Claims,
  provider: Pick<IdentityProvider, 'roles' | 'rolesClaim'>,
): Role[] => {
  const { claim, map } = readRoleMap(provider) ?? { claim: '', map: {} }
  const values = [claims[claim]]
    .flat()
    .filter(value => typeof value === 'string')
    .filter(value => value !== everybody)
    .slice(0, valuesMax)
  return [
    ...new Set(
      [everybody, ...values].flatMap(value => (Object.hasOwn(map, value) ? (map[value] ?? []) : [])),
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
