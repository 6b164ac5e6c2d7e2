/** Asks for proof that the person is there, where a token alone is not enough. */
import { twoFactorLevel } from '@querent/contract/authentication-levels'
import { Problem } from '#errors'
import { hasSecondFactor } from '#storage/second-factors'
import { findSignInOfGrant } from '#storage/sessions'
import type { UserRow } from '#storage/users'
import type { Call, ManagementDependencies } from './call.ts'
import { refuseWrongPassword } from './own-password.ts'

const recentSeconds = 5 * 60
/** Leaves time for the way back from the sign-in. */
const leewaySeconds = 30

/**
 * Passes with the right `password`, or a sign-in to the console of the last five minutes, with a second factor if the person has one. Throws 401
 * with `max_age` (RFC 9470, section 3), and like {@link refuseWrongPassword}.
 */
export const requireRecentSignIn = async (
  deps: Pick<ManagementDependencies, 'storage' | 'signInThrottle'>,
  call: Pick<Call, 'principal'>,
  user: UserRow,
  password: string | undefined,
): Promise<void> => {
  if (password !== undefined) return refuseWrongPassword(deps, user, password, 'password')
  if (await isRecent(deps, call, user)) return
  throw new Problem(
    'sign-in-too-old',
    'send your password, or sign in again: this needs a sign-in of the last five minutes',
    {
      headers: {
        'www-authenticate': `Bearer realm="querent", error="insufficient_user_authentication", error_description="sign in again", max_age="${recentSeconds}"`,
      },
    },
  )
}

const isRecent = async (
  { storage }: Pick<ManagementDependencies, 'storage'>,
  { principal: { client, token } }: Pick<Call, 'principal'>,
  user: UserRow,
): Promise<boolean> => {
  // An application of a workspace has a fresh token too, right after a sign-in. It must not take the account over.
  if (client.kind !== 'own' || token.grantId === undefined) return false
  if (token.acr !== twoFactorLevel && (await hasSecondFactor(storage.db, user.id))) return false
  const signIn = await findSignInOfGrant(storage.db, user.id, token.grantId)
  // A new sign-in doesn't refresh tokens from before it, which may have been stolen.
  return signIn !== undefined && isWithin(signIn.signedInAt) && isWithin(signIn.grantedAt)
}

const isWithin = (ms: number): boolean => Date.now() - ms <= (recentSeconds + leewaySeconds) * 1000
