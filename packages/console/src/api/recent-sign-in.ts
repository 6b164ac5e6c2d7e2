/** Changes of the account need a sign-in of the last five minutes, with the second factor of those who have one (RFC 9470). */
import { ApiError } from '@querent/client'
import { twoFactorLevel } from '@querent/contract/authentication-levels'
import { management } from './manage.ts'
import { isSignInRecent, readRecoveredText, signIn } from './session.ts'

const maxAgeSeconds = 5 * 60
const accountPath = '/console/you'

/** A form of the account page, with what the person typed. Never has a password. */
export type AccountDraft =
  | { form: 'email'; email: string }
  | { form: 'deletion'; typed: string }
  | { form: 'password' }
  | { form: 'export' }

/** Opens the sign-in page, which leads back to the form. Never resolves. */
export const signInForAccount = async (draft: AccountDraft, hasFactor: boolean): Promise<never> =>
  signIn(accountPath, {
    maxAgeSeconds,
    level: hasFactor ? twoFactorLevel : undefined,
    unsaved: JSON.stringify(draft),
  })

/** Runs the operation of a form. If the sign-in is too old for it, opens the sign-in page and never resolves. */
export const runWithRecentSignIn = async <T>(work: () => Promise<T>, draft: AccountDraft): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'sign-in-too-old')) throw error
    const { app, passkeys } = await management.call('listMyFactors', {})
    return signInForAccount(draft, app !== null || passkeys.length > 0)
  }
}

/** Whether a form may ask for secrets, which would be lost by a sign-in after it. */
export const mayAskForSecrets = (hasFactor: boolean): boolean =>
  isSignInRecent(maxAgeSeconds, hasFactor ? twoFactorLevel : undefined)

/** Returns the form that the person left for the sign-in. */
export const readAccountDraft = (): AccountDraft | undefined => {
  const text = readRecoveredText()
  // Written by `signInForAccount`, for this page only.
  return text === undefined ? undefined : (JSON.parse(text) as AccountDraft)
}
