/** Tells failures of requests to a workspace's own OpenID provider apart: it is away, it refuses, or it refuses the scopes. */
import * as client from 'openid-client'
import { PublicFetchError } from '#http/public-fetch'
import { isKeyFetchError } from './provider-keys.ts'

/** The provider cannot be reached, or does not follow the protocol. The cause is for the log. */
export class ProviderUnavailable extends Error {}
/** The client secret was encrypted with an earlier `QUERENT_KEY`. Without it, the server would become a public client. */
export class ProviderSecretUnreadable extends ProviderUnavailable {}
/** The provider's answer was not accepted, or says that nobody signed in. The cause is for the log. */
export class ProviderRefusal extends Error {}
/** The provider does not give this client, or this person, what the scopes ask for. */
export class ScopeRefusal extends ProviderRefusal {}

/** Errors that say that the person must sign in again (RFC 6749, section 5.2; OpenID Connect Core, section 3.1.2.6). */
const refusals: ReadonlySet<string> = new Set([
  'invalid_grant',
  'access_denied',
  'login_required',
  'interaction_required',
  'consent_required',
  'account_selection_required',
])

/** Errors of the exchange of a code because of its scopes. The last is Keycloak's. */
const scopeErrors: ReadonlySet<string> = new Set(['invalid_scope', 'unauthorized_client', 'not_allowed'])

/** Returns what a failed step of a sign-in means. */
export const toFailure = (cause: unknown): ProviderRefusal | ProviderUnavailable => {
  if (cause instanceof ProviderRefusal) return cause
  if (isUnavailable(cause)) return new ProviderUnavailable('the provider did not answer', { cause })
  const isAboutScope =
    cause instanceof client.AuthorizationResponseError || cause instanceof client.ResponseBodyError
  if (isAboutScope && scopeErrors.has(cause.error))
    return new ScopeRefusal('the provider refused the scopes', { cause })
  return new ProviderRefusal('the answer of the provider was not accepted', { cause })
}

/** For a refresh. Other errors, such as a client secret that has expired, say nothing about the person. */
export const toRefreshFailure = (cause: unknown): ProviderRefusal | ProviderUnavailable => {
  const isAboutPerson = cause instanceof client.ResponseBodyError && refusals.has(cause.error)
  const isAboutRequest =
    cause instanceof client.ResponseBodyError ||
    cause instanceof client.WWWAuthenticateChallengeError ||
    findResponse(cause)?.ok === false
  if (isAboutRequest && !isAboutPerson)
    return new ProviderUnavailable('the provider did not accept the request', { cause })
  return toFailure(cause)
}

/** A failure of the network or of the server there, rather than an answer that is wrong. */
export const isUnavailable = (error: unknown): boolean => {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof PublicFetchError || isKeyFetchError(cause)) return true
    if (cause instanceof client.ResponseBodyError && cause.status >= 500) return true
  }
  return (findResponse(error)?.status ?? 0) >= 500
}

/** Returns the response that an error of the library is about. */
export const findResponse = (error: unknown): Response | undefined => {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if (cause.cause instanceof Response) return cause.cause
  return undefined
}
