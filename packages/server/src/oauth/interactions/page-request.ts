/** A request for a page: its reader, input and possible answers. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Mailer } from '#accounts/mail'
import type { SecurityNotices } from '#accounts/security-notices'
import type { ProviderLogout } from '#oauth/identity-provider/logout-token'
import type { RelyingParty } from '#oauth/identity-provider/relying-party'
import type { SignInRenewal } from '#oauth/identity-provider/sign-in-renewal'
import type { StartedProviderSignIns } from '#oauth/identity-provider/started-sign-in'
import type { Cookies } from '#oauth/library/cookies'
import type { Reader } from '#oauth/library/interaction-types'
import type { Locale } from '#oauth/pages/language'
import type { Page } from '#oauth/pages/page'
import type { InteractionsDependencies } from './dependencies.ts'
import type { Devices } from './device.ts'
import type { FactorCodes } from './factor-codes.ts'
import type { Flash, FlashStore } from './flash.ts'
import type { Passkeys } from './passkeys.ts'
import type { PendingSignIns } from './pending-sign-in.ts'
import type { SealedCookies } from './sealed-cookie.ts'
import type { SignIn } from './sign-in.ts'

/** Dependencies of every page. */
export interface PageDependencies extends InteractionsDependencies {
  mail: Pick<Mailer, 'send' | 'supports' | 'isAvailable'>
  securityNotices: SecurityNotices
  cookies: Cookies
  devices: Devices
  flash: FlashStore
  signIn: SignIn
  pendingSignIns: PendingSignIns
  factorCodes: FactorCodes
  passkeys: Passkeys
  sealedCookies: SealedCookies
  /** Sign-ins through workspaces' own OpenID providers. */
  providers: {
    relyingParty: RelyingParty
    started: StartedProviderSignIns
    logout: ProviderLogout
    renewal: Pick<SignInRenewal, 'keepToken'>
  }
  /** Address of the script of pages with passkeys. */
  passkeyScriptUrl: string
  /** Wrong passwords a minute for an account. */
  signInThrottle: number | 'off'
  /** Fewest characters of a new password. */
  passwordLengthMin: number
}

export interface PageRequest {
  request: IncomingMessage
  response: ServerResponse
  requestId: string
  /** The person's IP address. */
  address: string
  pathname: string
  query: URLSearchParams
  /** Fields of a submitted form; undefined if a page is requested. */
  fields: ReadonlyMap<string, string> | undefined
  /** Forgery token for the form of the page. */
  token: string
  reader: Reader
  /** In the reader's language. */
  locale: Locale
}

/**
 * `answered`: the library has replied. `afterwards`: work that the reply does not wait for, so that its
 * duration reveals nothing.
 */
export type Answer =
  | (({ page: Page } | { seeOther: string }) & { afterwards?: () => Promise<unknown> })
  | 'answered'

/** `part`: the variable last segment of the path, an id or a token. */
export type Handler = (deps: PageDependencies, pageRequest: PageRequest, part: string) => Promise<Answer>

/** Redirects back to the form, which then shows `message`. */
export const redirectBack = (
  { flash: notes }: PageDependencies,
  { response, pathname, query }: PageRequest,
  message: Flash = {},
): Exclude<Answer, 'answered'> => {
  if (Object.keys(message).length > 0) notes.set(response, pathname, message)
  return { seeOther: query.size > 0 ? `${pathname}?${query}` : pathname }
}

/** Reads a trimmed field of the form. */
export const readField = (fields: ReadonlyMap<string, string>, name: 'email' | 'name'): string =>
  (fields.get(name) ?? '').trim()
