/**
 * What an authorization or token request asks for, in the form that the library and the grants work with: a scope that has `openid`,
 * `audience` as a `resource` (RFC 8707), and each resource in its one spelling.
 */
import { assertionAlgorithms } from '@querent/contract/manage'
import { decodeProtectedHeader } from 'jose'
import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { audienceCovers } from '#authz/audience'
import type { LoadedClient } from '#oauth/clients/clients'
import { notBuiltYet } from '#oauth/provider/error-descriptions'
import { canonicalAddress, chooseAudience, type ServiceUrls } from '#oauth/tokens/resource'
import { readReplyParameters } from './request-object.ts'

/** The scopes there are (OpenID Connect Core, sections 5.4 and 11). What they let a token do at the query service is settled by membership alone. */
export const scopes = ['openid', 'profile', 'email', 'offline_access'] as const

/** Claims of each scope, as the library takes them. */
export const claims = {
  openid: ['sub'],
  profile: ['name'],
  email: ['email', 'email_verified'],
  acr: null,
  amr: null,
  auth_time: null,
  iss: null,
  sid: null,
}

/** authorization-server.md, People and accounts: "It can never sign in to the console or take part in a code flow". */
const machineSignInMessage =
  'this client_id is that of a System-to-System account, through which nobody signs in: send that of a registered application, or get a token by client_credentials at /oauth/token'

const offlineRequests = new WeakSet<KoaContextWithOIDC>()

/**
 * Called when the library has read the parameters, and looks at nothing but the client yet.
 *
 * The reply always has an ID token (seed.md, step 9), so `openid` is always in the scope.
 */
export const normalizeRequest = (
  ctx: KoaContextWithOIDC,
  services: ServiceUrls,
  client: LoadedClient | undefined,
): void => {
  const { params, route } = ctx.oidc
  if (!params) return
  if (route === 'authorization') readReplyParameters(params)
  refuseUnknownAlgorithm(params.client_assertion)
  refuseNotBuilt(params, client)
  if (route === 'authorization') {
    if (client && !client.application) throw new errors.UnauthorizedClient(machineSignInMessage)
    const requestedScopes = (typeof params.scope === 'string' ? params.scope : '').split(' ').filter(Boolean)
    if (requestedScopes.includes('offline_access')) offlineRequests.add(ctx)
    // Our page of sign-in is where another account is chosen.
    if (typeof params.prompt === 'string') params.prompt = params.prompt.replace('select_account', 'login')
    if (typeof params.scope !== 'object')
      params.scope = [...new Set(['openid', ...requestedScopes])].join(' ')
  }
  const isGrantOfPerson =
    route === 'authorization' ||
    (route === 'token' && params.grant_type !== 'client_credentials' && params.grant_type !== undefined)
  if (!isGrantOfPerson) return
  if (route === 'token') refuseForeignAudience(ctx, services, client?.row.kind === 'own')
  params.resource = canonicalResource(params.resource ?? readAudienceParameter(ctx), services)
}

/** What the contract has, and this version has not. */
const refuseNotBuilt = (
  { client_id, grant_type }: Record<string, unknown>,
  client: LoadedClient | undefined,
): void => {
  if (!client && typeof client_id === 'string' && /^https?:\/\//i.test(client_id))
    throw new errors.InvalidClient(
      notBuiltYet(
        'a URL as client_id (Client ID Metadata Documents)',
        'an administrator of the workspace registers the application, and the request names its Client ID',
      ),
    )
  if (grant_type === 'urn:ietf:params:oauth:grant-type:device_code')
    throw Object.assign(new errors.UnsupportedGrantType(), {
      error_description: notBuiltYet(
        'the device code grant (RFC 8628)',
        'send authorization_code, refresh_token or client_credentials',
      ),
    })
}

/** Giving a code whose token is bound to nothing would be a silent downgrade. Checks the parameter `dpop_jkt`. */
export const refuseDpop = (_ctx: KoaContextWithOIDC, thumbprint: unknown): void => {
  if (thumbprint === undefined || thumbprint === '') return
  throw new errors.InvalidRequest(notBuiltYet('DPoP (RFC 9449)', 'leave dpop_jkt out for a Bearer token'))
}

/** The same whoever it is of, so that nobody learns which clients there are. */
const refuseUnknownAlgorithm = (assertion: unknown): void => {
  if (typeof assertion !== 'string') return
  const { alg } = decodeHeader(assertion) ?? {}
  if (alg === undefined || assertionAlgorithms.some(allowed => allowed === alg)) return
  throw Object.assign(new errors.InvalidClientAuth('alg mismatch'), {
    error_description: `client authentication failed: an assertion is signed by one of ${assertionAlgorithms.join(', ')}`,
  })
}

/** Undefined: it is no JWT, of which the library says so. */
const decodeHeader = (jwt: string) => {
  try {
    return decodeProtectedHeader(jwt)
  } catch {
    return undefined
  }
}

/** The library would say of another service's address that it was not asked for at `/authorize`, where it would not do either. */
const refuseForeignAudience = (ctx: KoaContextWithOIDC, services: ServiceUrls, isOwn: boolean): void => {
  for (const audience of [...readResources(ctx.oidc.params ?? {}), readAudienceParameter(ctx)]) {
    if (audience === undefined || canonicalAddress(audience, isOwn, services) !== undefined) continue
    const choice = chooseAudience({ audience, resource: undefined, isOwn, workspace: undefined }, services)
    if ('error' in choice) throw new errors.InvalidTarget(choice.description)
  }
}

/** An address that is none of ours stays as it is, to be refused with its reason where the client is known. */
const canonicalResource = (resource: unknown, services: ServiceUrls): unknown => {
  const canonicalValue = (value: unknown) =>
    typeof value === 'string' ? (canonicalAddress(value, true, services) ?? value) : value
  return Array.isArray(resource) ? [...new Set(resource.map(canonicalValue))] : canonicalValue(resource)
}

/**
 * Puts `offline_access` back, which the library drops unless there is `prompt=consent`. What OpenID Connect Core, section 11, asks for
 * is that the person agreed: the prompt for consent sees to it (policy.ts).
 */
export const keepOfflineAccess = (ctx: KoaContextWithOIDC): void => {
  const { params, client } = ctx.oidc
  if (!params || !offlineRequests.has(ctx) || !client?.grantTypeAllowed('refresh_token')) return
  const scope = typeof params.scope === 'string' ? params.scope.split(' ') : []
  params.scope = [...new Set([...scope, 'offline_access'])].join(' ')
}

/** What the token is to open, by the parameters of an authorization request: addresses, in one spelling. */
export const readResources = ({ resource }: Readonly<Record<string, unknown>>): string[] =>
  [resource].flat().filter(value => typeof value === 'string')

/** The scopes of a request that there are. */
export const readScopes = ({ scope }: Readonly<Record<string, unknown>>): string[] => {
  const requestedScopes = new Set(typeof scope === 'string' ? scope.split(' ') : [])
  return scopes.filter(name => requestedScopes.has(name))
}

/** Claims asked for one by one, that the person has a say in (OpenID Connect Core, section 5.5); the library has checked its form. */
export const readPersonalClaims = (params: Readonly<Record<string, unknown>>): string[] => {
  if (typeof params.claims !== 'string') return []
  const { userinfo, id_token }: { userinfo?: object; id_token?: object } = JSON.parse(params.claims)
  const personal = new Set([...claims.profile, ...claims.email])
  return [...new Set([...Object.keys(userinfo ?? {}), ...Object.keys(id_token ?? {})])].filter(name =>
    personal.has(name),
  )
}

/** The parameter as the client sent it; an empty one counts as absent. Throws `invalid_request` when it came twice. */
export const readAudienceParameter = (ctx: KoaContextWithOIDC): string | undefined => {
  // The library keeps it at the authorization endpoint alone. Of a parameter that came twice, it makes a list.
  const value: unknown = ctx.oidc.body?.audience ?? ctx.oidc.params?.audience
  if (Array.isArray(value)) throw new errors.InvalidRequest("'audience' parameter must not be provided twice")
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Of several addresses that a code was asked for, the one that its token opens when the token request names none: the widest. */
export const findWidestResource = (resources: readonly string[]): string => {
  const widest = resources.find(one => resources.every(other => audienceCovers(one, other)))
  if (widest !== undefined) return widest
  throw new errors.InvalidTarget(
    'several resources were asked for: name one of them as resource in the token request',
  )
}
