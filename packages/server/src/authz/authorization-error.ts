/** Requests that are rejected for their token, or for what it may do. */
import type { Check } from '@querent/contract/manage'
import { Problem } from '#errors'
import type { AccessToken } from './access-token.ts'

export type RefusalCode =
  | 'no-token'
  | 'invalid-token'
  | 'insufficient-scope'
  | 'insufficient-user-authentication'
  | 'api-not-allowed'
  | 'collection-not-allowed'
  | 'membership-ended'

/** A rejected request, with the failed check and the values that differ. Only administrators see the values. */
export class AuthorizationError extends Problem {
  override readonly code: RefusalCode
  readonly check: Check
  readonly token: AccessToken | undefined
  constructor(
    code: RefusalCode,
    description: string,
    check: Check,
    token?: AccessToken,
    wwwAuthenticate?: string,
  ) {
    super(
      code,
      description,
      wwwAuthenticate === undefined ? {} : { headers: { 'www-authenticate': wwwAuthenticate } },
    )
    this.code = code
    this.check = check
    this.token = token
  }

  /** Returns a copy that is ready to send. */
  withChallenge(wwwAuthenticate: string): AuthorizationError {
    return new AuthorizationError(this.code, this.message, this.check, this.token, wwwAuthenticate)
  }
}

/** The refusal of a token that failed a check. */
export const makeTokenRefusal = (check: Check, token?: AccessToken): AuthorizationError =>
  new AuthorizationError('invalid-token', check.message, check, token)
