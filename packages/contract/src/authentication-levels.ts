/**
 * Authentication levels of sign-ins: values of `acr` (OpenID Connect Core, section 2) and `acr_values`. URIs of ours,
 * because no registered value means a password alone.
 */

/** Signed in with one factor: a password. */
export const passwordLevel = 'urn:querent:acr:password'
/** Signed in with two factors: a password with a second factor, or a passkey with user verification. */
export const twoFactorLevel = 'urn:querent:acr:mfa'

export const authenticationLevels: readonly string[] = [passwordLevel, twoFactorLevel]
