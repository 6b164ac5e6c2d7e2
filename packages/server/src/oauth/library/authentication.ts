/** How a person signed in: methods (`amr`, RFC 8176, section 2) and level (`acr`). */
import { passwordLevel, twoFactorLevel } from '@querent/contract/authentication-levels'

export interface Authentication {
  amr: string[]
  acr: string
}

export const byPassword: Authentication = { amr: ['pwd'], acr: passwordLevel }

/** Value of `amr` for a sign-in at another server. Not registered, but widely used. */
export const federated = 'fed'

/** A code of an authenticator app, or a recovery code, which is a one-time password too. */
export const codeMethods: readonly string[] = ['otp']

/**
 * A passkey with user verification. A synced one exists as software on several devices, others are taken for
 * hardware. `user`: the person was present.
 */
export const passkeyMethods = ({ synced }: { synced: number }): readonly string[] => [
  synced === 1 ? 'swk' : 'hwk',
  'user',
]

/** Two factors: the methods of a passkey alone, or of a second factor with those before. */
export const byTwoFactors = (
  methods: readonly string[],
  before: readonly string[] | undefined = [],
): Authentication => ({ amr: [...new Set([...before, ...methods, 'mfa'])], acr: twoFactorLevel })

export const hasTwoFactors = ({ acr }: { acr?: string | undefined }): boolean => acr === twoFactorLevel
