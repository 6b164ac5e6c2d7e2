/** Asks for proof that the person is there, where a token alone is not enough. */
import { twoFactorLevel } from '@querent/contract/authentication-levels'
import type { Principal } from '#authz/principal'
import { Problem } from '#errors'
import { hasSecondFactor } from '#storage/second-factors'
import { findSignInOfGrant } from '#storage/sessions'
import type { UserRow } from '#storage/users'
import type { Call, ManagementDependencies } from './call.ts'

const recentSeconds = 5 * 60
/** Leaves time for the way back from the sign-in. */
const leewaySeconds = 30

type Dependencies = Pick<ManagementDependencies, 'storage'>

/**
 * Passes for a sign-in to one of the server's own clients of the last five minutes, with a second factor if the person has one. Throws 401 with
 * `max_age` and `acr_values` (RFC 9470, section 3). No password in a request replaces the sign-in: who has stolen it would pass the factor by.
 */
export const requireRecentSignIn = async (
  { storage }: Dependencies,
  { client, token, subject }: Pick<Principal, 'client' | 'token' | 'subject'>,
): Promise<void> => {
  const hasFactor = await hasSecondFactor(storage.db, subject)
  const isStrong = token.acr === twoFactorLevel || !hasFactor
  // An application of a workspace has a fresh token too, right after a sign-in. It must not take the account over.
  const mayProve = client.kind === 'own' && token.grantId !== undefined && isStrong
  const signIn = mayProve && (await findSignInOfGrant(storage.db, subject, token.grantId ?? ''))
  // A new sign-in doesn't refresh tokens from before it, which may have been stolen.
  if (signIn && isWithin(signIn.signedInAt) && isWithin(signIn.grantedAt)) return
  const factor = hasFactor ? ', with your second factor' : ''
  const level = hasFactor ? `, acr_values="${twoFactorLevel}"` : ''
  throw new Problem(
    'sign-in-too-old',
    `sign in again: this needs a sign-in to the console of the last five minutes${factor}`,
    {
      headers: {
        'www-authenticate': `Bearer realm="querent", error="insufficient_user_authentication", error_description="sign in again", max_age="${recentSeconds}"${level}`,
      },
    },
  )
}

const isWithin = (ms: number): boolean => Date.now() - ms <= (recentSeconds + leewaySeconds) * 1000

/**
 * Operators act on their own account only as everybody does: otherwise a session from before their second factor could remove it. The
 * credential in the data folder may, because whoever reads it can do anything to the storage.
 */
export const requireRecentSignInForOwnAccount = async (
  deps: Dependencies,
  { principal }: Pick<Call, 'principal'>,
  user: Pick<UserRow, 'id'>,
): Promise<void> => {
  const { client, subject } = principal
  const isLocal = client.kind === 'own' && client.settings.actsAs !== null
  if (user.id === subject && !isLocal) await requireRecentSignIn(deps, principal)
}
