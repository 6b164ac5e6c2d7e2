/**
 * Normalizes authorization and token requests for the library and for grants: adds `openid` to the scope,
 * turns `audience` into a `resource` (RFC 8707), and canonicalizes resources.
 */

import { assertionAlgorithms } from '@querent/contract/manage'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { audienceCovers } from '#authz/audience'
import { proofWindowSeconds } from '#authz/dpop-proof'
import type { ServiceUrls } from '#http/origins'
import type { LoadedClient } from '#oauth/library/loaded-client'
import { canonicalAddress, chooseAudience } from './resource.ts'

/**
 * Adds the parameters of a request object that decide how the error is sent. `state` and `response_mode`
 * replace those of the query; `redirect_uri` counts only if the query has none. The library validates all of
 * them. Does nothing if it is not a JWT.
 */
const readReplyParameters = (params: Record<string, unknown>): void => {
  const { request } = params
  if (typeof request !== 'string') return
  const { state, response_mode, redirect_uri } = readPayload(request)
  if (typeof state === 'string') params.state = state
  if (typeof response_mode === 'string') params.response_mode = response_mode
  if (typeof redirect_uri === 'string') params.redirect_uri ??= redirect_uri
}

const readPayload = (jwt: string): Record<string, unknown> => {
  try {
    return decodeJwt(jwt)
  } catch {
    return {}
  }
}

/**
 * Supported scopes (OpenID Connect Core, sections 5.4 and 11). Only the membership decides what a token may
 * do at the query service.
 */
export const scopes = ['openid', 'profile', 'email', 'offline_access'] as const

/** Claims of each scope, in the form of the library. */
export const claims = {
  // How and when the person signed in is in every ID token.
  openid: ['sub', 'acr', 'amr', 'auth_time'],
  profile: ['name'],
  email: ['email', 'email_verified'],
  acr: null,
  amr: null,
  auth_time: null,
  iss: null,
  sid: null,
}

/** A System-to-System account can never take part in a code flow. */
const machineSignInMessage =
  'this client_id belongs to a System-to-System account, which cannot sign people in: use a registered application, or get a token with client_credentials at /oauth/token'

const offlineRequests = new WeakSet<KoaContextWithOIDC>()
/** Requests without a scope. */
const requestsWithoutScope = new WeakSet<KoaContextWithOIDC>()

/**
 * Called after the library has read the parameters, and before it checks anything but the client. The reply
 * always has an ID token, so `openid` is always in the scope.
 */
export const normalizeRequest = (
  ctx: KoaContextWithOIDC,
  services: ServiceUrls,
  client: LoadedClient | undefined,
): void => {
  const { params, route } = ctx.oidc
  refuseUntimelyProof(ctx)
  if (!params) return
  if (route === 'authorization') readReplyParameters(params)
  refuseUnknownAlgorithm(params.client_assertion)
  if (route === 'authorization') {
    if (client && !client.application) throw new errors.UnauthorizedClient(machineSignInMessage)
    normalizeSignIn(ctx, params, services)
  }
  // The client is not authenticated yet, so nothing here may depend on it.
  if (readsParametersLater.has(route) && ctx.oidc.body) normalizeSignIn(ctx, ctx.oidc.body, services)
  if (route !== 'token' || params.grant_type === 'client_credentials' || params.grant_type === undefined)
    return
  refuseForeignAudience(ctx, services, client?.row.kind === 'own')
  ignoreUnknownScopes(params)
  params.resource = canonicalResource(params.resource ?? readAudienceParameter(ctx), services)
}

/** Endpoints that read the parameters from the body, once the client is authenticated. */
const readsParametersLater: ReadonlySet<string> = new Set([
  'pushed_authorization_request',
  'device_authorization',
])

/** Normalizes the parameters of an authorization request in place. */
const normalizeSignIn = (
  ctx: KoaContextWithOIDC,
  params: Record<string, unknown>,
  services: ServiceUrls,
): void => {
  const requestedScopes = (typeof params.scope === 'string' ? params.scope : '').split(' ').filter(Boolean)
  if (requestedScopes.includes('offline_access')) offlineRequests.add(ctx)
  if (requestedScopes.length === 0) requestsWithoutScope.add(ctx)
  // Our sign-in page offers the choice of another account.
  if (typeof params.prompt === 'string') params.prompt = params.prompt.replace('select_account', 'login')
  if (typeof params.scope !== 'object') params.scope = [...new Set(['openid', ...requestedScopes])].join(' ')
  params.resource = canonicalResource(params.resource ?? readAudienceParameter(ctx), services)
}

/** The library would reject a refresh with a scope that the first request did not get. */
const ignoreUnknownScopes = (params: Record<string, unknown>): void => {
  if (typeof params.scope !== 'string') return
  params.scope = readScopes(params).join(' ') || undefined
}

/**
 * Refuses DPoP proofs outside of our window. The library's is 5 minutes in both directions, but it remembers a proof for 5 minutes only, so
 * one from the future could be replayed.
 */
const refuseUntimelyProof = (ctx: KoaContextWithOIDC): void => {
  const proof = ctx.get('dpop')
  if (proof === '') return
  const { iat } = decodeClaims(proof) ?? {}
  if (iat !== undefined && Math.abs(Date.now() / 1000 - Number(iat)) > proofWindowSeconds)
    throw new errors.InvalidDpopProof(
      `the DPoP proof is more than ${proofWindowSeconds} seconds old or from the future (iat)`,
    )
}

/** Undefined if it is not a JWT; the library reports that. */
const decodeClaims = (jwt: string) => {
  try {
    return decodeJwt(jwt)
  } catch {
    return undefined
  }
}

/** The same for every client, so that nobody learns which clients exist. */
const refuseUnknownAlgorithm = (assertion: unknown): void => {
  if (typeof assertion !== 'string') return
  const { alg } = decodeHeader(assertion) ?? {}
  if (alg === undefined || assertionAlgorithms.some(allowed => allowed === alg)) return
  throw Object.assign(new errors.InvalidClientAuth('alg mismatch'), {
    error_description: `client authentication failed: an assertion is signed by one of ${assertionAlgorithms.join(', ')}`,
  })
}

/** Undefined if it is not a JWT; the library reports that. */
const decodeHeader = (jwt: string) => {
  try {
    return decodeProtectedHeader(jwt)
  } catch {
    return undefined
  }
}

/**
 * For a foreign address, the library would say that `/authorize` did not request it, which would not help.
 */
const refuseForeignAudience = (ctx: KoaContextWithOIDC, services: ServiceUrls, isOwn: boolean): void => {
  for (const audience of [...readResources(ctx.oidc.params ?? {}), readAudienceParameter(ctx)]) {
    if (audience === undefined || canonicalAddress(audience, isOwn, services) !== undefined) continue
    const choice = chooseAudience({ audience, resource: undefined, isOwn, workspace: undefined }, services)
    if ('error' in choice) throw new errors.InvalidTarget(choice.description)
  }
}

/** Keeps a foreign address, which is rejected with a reason once the client is known. */
const canonicalResource = (resource: unknown, services: ServiceUrls): unknown => {
  const canonicalValue = (value: unknown) =>
    typeof value === 'string' ? (canonicalAddress(value, true, services) ?? value) : value
  return Array.isArray(resource) ? [...new Set(resource.map(canonicalValue))] : canonicalValue(resource)
}

/**
 * Restores `offline_access`, which the library drops without `prompt=consent`. OpenID Connect Core, section
 * 11, requires agreement, which the consent prompt ensures (policy.ts).
 */
const keepOfflineAccess = (ctx: KoaContextWithOIDC, isDefault: boolean): void => {
  const { params, client } = ctx.oidc
  if (!params || !client?.grantTypeAllowed('refresh_token')) return
  if (!isOfflineRequest(ctx) && !(isDefault && hasNoScope(ctx))) return
  const scope = typeof params.scope === 'string' ? params.scope.split(' ') : []
  params.scope = [...new Set([...scope, 'offline_access'])].join(' ')
}

/** A request that names a pushed one has the scope of that one. */
const hasNoScope = (ctx: KoaContextWithOIDC): boolean =>
  ctx.oidc.entities.PushedAuthorizationRequest === undefined && requestsWithoutScope.has(ctx)

/**
 * Completes the scope of an authorization request once its client is known. An application that registered itself with the grant
 * `refresh_token` gets it without asking, because widespread SDKs of agents send no scope. Scopes that it did not register are ignored.
 */
export const completeScope = (ctx: KoaContextWithOIDC, client: LoadedClient | undefined): void => {
  const registered = client?.application?.registered
  keepOfflineAccess(ctx, registered !== undefined)
  const { params } = ctx.oidc
  if (!params || !registered?.scope || typeof params.scope !== 'string') return
  const allowed: readonly string[] = ['openid', ...registered.scope]
  params.scope = params.scope
    .split(' ')
    .filter(name => allowed.includes(name))
    .join(' ')
}

/** Whether the request, or the pushed request that it names, has `offline_access` in its scope. */
const isOfflineRequest = (ctx: KoaContextWithOIDC): boolean => {
  const pushed = ctx.oidc.entities.PushedAuthorizationRequest?.request
  if (pushed === undefined) return offlineRequests.has(ctx)
  const { scope } = decodeJwt(pushed)
  return typeof scope === 'string' && scope.split(' ').includes('offline_access')
}

/** Returns the requested resources of the token, canonicalized. */
export const readResources = ({ resource }: Readonly<Record<string, unknown>>): string[] =>
  [resource].flat().filter(value => typeof value === 'string')

/** Returns the supported scopes of a request. */
export const readScopes = ({ scope }: Readonly<Record<string, unknown>>): string[] => {
  const requestedScopes = new Set(typeof scope === 'string' ? scope.split(' ') : [])
  return scopes.filter(name => requestedScopes.has(name))
}

/**
 * Returns individually requested claims that need consent (OpenID Connect Core, section 5.5). The library has
 * validated the parameter.
 */
export const readPersonalClaims = (params: Readonly<Record<string, unknown>>): string[] => {
  if (typeof params.claims !== 'string') return []
  const { userinfo, id_token }: { userinfo?: object; id_token?: object } = JSON.parse(params.claims)
  const personal = new Set([...claims.profile, ...claims.email])
  return [...new Set([...Object.keys(userinfo ?? {}), ...Object.keys(id_token ?? {})])].filter(name =>
    personal.has(name),
  )
}

/**
 * Returns the parameter as sent; an empty one counts as absent. Throws `invalid_request` for a repeated one.
 */
export const readAudienceParameter = (ctx: KoaContextWithOIDC): string | undefined => {
  // The library keeps it only at the authorization endpoint. A repeated parameter is a list.
  const value: unknown = ctx.oidc.body?.audience ?? ctx.oidc.params?.audience
  if (Array.isArray(value)) throw new errors.InvalidRequest("'audience' parameter must not be provided twice")
  return typeof value === 'string' && value !== '' ? value : undefined
}

/**
 * Returns the widest of several requested resources, which the token opens if the token request names none.
 */
export const findWidestResource = (resources: readonly string[]): string => {
  const widest = resources.find(candidate => resources.every(resource => audienceCovers(candidate, resource)))
  if (widest !== undefined) return widest
  throw new errors.InvalidTarget(
    'several resources were requested: name one of them as resource in the token request',
  )
}
