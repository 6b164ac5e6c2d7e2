/**
 * Metadata of applications that register themselves (RFC 7591, section 2). It is read leniently, then the library checks it. The
 * server turns it into settings of an application, and makes the reply of these settings alone, so that it never promises more.
 */
import { clientFaults } from '@querent/contract/client-faults'
import { hasPrivateScheme, redirectUriProblem } from '@querent/contract/client-uris'
import type { RegisteredMetadata } from '@querent/contract/manage'
import { type AdapterPayload, errors } from 'oidc-provider'
import { publicKeyFaults } from '#keys/public-keys'
import { scopes } from '#oauth/requests/normalize-request'
import type { ApplicationRow, ApplicationSettings } from '#storage/clients'
import { makeClientMetadata, readTitle } from './clients.ts'

type Metadata = Record<string, unknown>

export interface RegistrationRules {
  /** Schemes without a dot that native applications may use for redirect URIs. */
  nativeSchemes: readonly string[]
  /** Leave out redirect URIs that are not allowed, if others are. */
  skipInvalidRedirectUris: boolean
}

/** Grants that an application can register, in the order of the errors that name them. */
const grantTypes = [
  'authorization_code',
  'refresh_token',
  'urn:ietf:params:oauth:grant-type:device_code',
] as const satisfies RegisteredMetadata['grantTypes']

/** As in a workspace file. */
const redirectUrisMax = 100
const uriCharactersMax = 2048

/**
 * Removes what counts as absent: members that are null or empty, scopes, grants and response types that the server does not have, and by
 * the rules of the workspace redirect URIs. An application with a private-use scheme is native and public (RFC 8252, section 8.5),
 * whatever else it says. Changes `metadata`. Throws `invalid_client_metadata` if no grant is left.
 */
export const normalizeMetadata = (metadata: Metadata, rules: RegistrationRules): void => {
  dropEmptyMembers(metadata)
  dropUnknownScopes(metadata)
  keepKnown(metadata, 'grant_types', grantTypes)
  keepKnown(metadata, 'response_types', ['code'])
  const otherGrant = readList(metadata.grant_types).find(grant => !isGrantType(grant))
  if (otherGrant !== undefined)
    throw new errors.InvalidClientMetadata(
      `grant_types: found ${JSON.stringify(otherGrant)}, allowed: ${grantTypes.join(', ')}`,
    )
  const isPublic = metadata.token_endpoint_auth_method !== 'private_key_jwt'
  if (rules.skipInvalidRedirectUris) skipRedirectUris(metadata, isPublic, rules)
  if (!isPublic || !readList(metadata.redirect_uris).some(hasPrivateScheme)) return
  metadata.application_type = 'native'
  metadata.token_endpoint_auth_method = 'none'
}

/** Removes members of client metadata that are null or empty, also in lists: programs write them for absent ones. */
export const dropEmptyMembers = (metadata: Metadata): void => {
  for (const [name, value] of Object.entries(metadata)) {
    const filled = Array.isArray(value) ? value.filter(item => item !== null && item !== '') : value
    if (isEmpty(filled)) delete metadata[name]
    else metadata[name] = filled
  }
}

const isEmpty = (value: unknown): boolean => {
  if (value === null || (typeof value === 'string' && value.trim() === '')) return true
  if (typeof value !== 'object') return false
  const isEmptyKeySet = 'keys' in value && Array.isArray(value.keys) && value.keys.length === 0
  return Object.keys(value).length === 0 || isEmptyKeySet
}

/** Removes scopes from client metadata that the server does not have; without any, `scope` is absent. */
export const dropUnknownScopes = (metadata: Metadata): void => {
  const { scope } = metadata
  const names = typeof scope === 'string' ? scope.split(' ') : readList(scope)
  if (scope === undefined || (typeof scope !== 'string' && names.length === 0)) return
  const supported = scopes.filter(name => names.includes(name))
  if (supported.length > 0) metadata.scope = supported.join(' ')
  else delete metadata.scope
}

/** Leaves out the unknown values of a list, unless all are unknown. */
const keepKnown = (metadata: Metadata, name: string, supported: readonly string[]): void => {
  const values = readList(metadata[name]).filter(value => supported.includes(value))
  if (values.length > 0) metadata[name] = values
}

const skipRedirectUris = (
  metadata: Metadata,
  isPublic: boolean,
  { nativeSchemes }: RegistrationRules,
): void => {
  const validUris = readList(metadata.redirect_uris).filter(
    uri => uri.length <= uriCharactersMax && !redirectUriProblem(uri, { isNative: isPublic, nativeSchemes }),
  )
  // Without any, the error names the first one.
  if (validUris.length > 0) metadata.redirect_uris = validUris
}

const isGrantType = (grant: string): grant is RegisteredMetadata['grantTypes'][number] =>
  grantTypes.some(known => known === grant)

/**
 * Turns metadata that the library has checked into settings. `pkce`: a member that the library does not know. Throws
 * `invalid_client_metadata` with what is allowed.
 */
export const toSettings = (
  metadata: AdapterPayload,
  pkce: unknown,
  { nativeSchemes }: RegistrationRules,
): ApplicationSettings => {
  const redirectUris = readList(metadata.redirect_uris)
  if (redirectUris.length === 0)
    throw new errors.InvalidClientMetadata('redirect_uris is missing: send at least one')
  if (redirectUris.length > redirectUrisMax || redirectUris.some(uri => uri.length > uriCharactersMax))
    throw new errors.InvalidClientMetadata(
      `redirect_uris: allowed: at most ${redirectUrisMax}, each of at most ${uriCharactersMax} characters`,
    )
  if (pkce !== undefined && typeof pkce !== 'boolean')
    throw new errors.InvalidClientMetadata('pkce: allowed: true, false')
  const { jwks, jwks_uri: jwksUri, backchannel_logout_uri: backchannelLogoutUri } = metadata
  const type = readType(metadata)
  const authenticatesByKey = metadata.token_endpoint_auth_method === 'private_key_jwt'
  const settings: ApplicationSettings = {
    type,
    redirectUris,
    origins: [],
    logoutUris: readList(metadata.post_logout_redirect_uris),
    own: false,
    ...(pkce === false ? { pkce } : {}),
    ...(metadata.id_token_signed_response_alg === 'ES256' ? { idTokenAlgorithm: 'ES256' as const } : {}),
    ...(typeof backchannelLogoutUri === 'string' ? { backchannelLogoutUri } : {}),
    // The library has checked that it is a key set.
    ...(authenticatesByKey && jwks
      ? { publicKeys: jwks as NonNullable<ApplicationSettings['publicKeys']> }
      : {}),
    ...(authenticatesByKey && typeof jwksUri === 'string' ? { jwksUri } : {}),
    ...(metadata.dpop_bound_access_tokens === true ? { dpop: true as const } : {}),
    registered: toRegistered(metadata, type, authenticatesByKey),
  }
  const [fault] = [
    ...clientFaults({ workspace: 'it', applications: { it: settings } }, nativeSchemes),
    ...publicKeyFaults(settings.publicKeys).map(({ path, message }) => ({
      path: ['', '', ...path],
      message,
    })),
  ]
  if (fault) throw new errors.InvalidClientMetadata(describeFault(fault))
  return settings
}

/** The library has checked the types of all members. */
const toRegistered = (
  metadata: AdapterPayload,
  type: ApplicationSettings['type'],
  authenticatesByKey: boolean,
): RegisteredMetadata => {
  const acrValues = readList(metadata.default_acr_values)
  const { default_max_age: maxAge, token_endpoint_auth_signing_alg: assertionAlgorithm, scope } = metadata
  const policyUri = readLink(metadata.policy_uri)
  const termsUri = readLink(metadata.tos_uri)
  return {
    grantTypes: readList(metadata.grant_types)
      .filter(isGrantType)
      .filter(grant => type === 'native' || !grant.endsWith('device_code')),
    ...(typeof scope === 'string' ? { scope: scopes.filter(name => scope.split(' ').includes(name)) } : {}),
    ...(metadata.require_pushed_authorization_requests === true ? { pushedRequests: true } : {}),
    ...(typeof maxAge === 'number' ? { maxAge } : {}),
    ...(acrValues.length > 0 ? { acrValues } : {}),
    ...(authenticatesByKey && typeof assertionAlgorithm === 'string' ? { assertionAlgorithm } : {}),
    ...(policyUri === undefined ? {} : { policyUri }),
    ...(termsUri === undefined ? {} : { termsUri }),
  }
}

/** The consent page links to https addresses only. */
export const readLink = (uri: unknown): string | undefined => {
  const url = typeof uri === 'string' && uri.length <= uriCharactersMax ? URL.parse(uri) : null
  const isLinkable = url?.protocol === 'https:' && url.username === '' && url.password === ''
  // The address as the browser reads it, without characters that only look like an address.
  return isLinkable && url ? url.href.replaceAll(/[;,'"]/g, percentEncode) : undefined
}

const percentEncode = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`

const parameterNames: Readonly<Record<string, string>> = {
  redirectUris: 'redirect_uris',
  logoutUris: 'post_logout_redirect_uris',
  backchannelLogoutUri: 'backchannel_logout_uri',
  publicKeys: 'jwks',
  jwksUri: 'jwks_uri',
}

const describeFault = ({ path, message }: { path: readonly (string | number)[]; message: string }): string =>
  `${parameterNames[String(path[2])] ?? path[2]}: ${message}`

const readType = ({
  application_type: type,
  token_endpoint_auth_method: method,
}: AdapterPayload): ApplicationSettings['type'] => {
  if (method !== 'none') return 'server'
  return type === 'native' ? 'native' : 'browser'
}

const readList = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter(item => typeof item === 'string') : []

/** Scopes that an application can get. Every sign-in has `openid`. */
const listScopes = ({ registered }: ApplicationSettings): string[] =>
  scopes.filter(
    name =>
      (name === 'openid' || (registered?.scope ?? scopes).includes(name)) &&
      (name !== 'offline_access' || registered?.grantTypes.includes('refresh_token')),
  )

/**
 * Returns the reply to a registration (RFC 7591, section 3.2.1): the metadata that the server honors. `sent`: the normalized request.
 * `metadata`: what the library made of it.
 */
export const describeRegistration = (
  row: ApplicationRow,
  sent: Metadata,
  metadata: AdapterPayload,
): Record<string, unknown> => {
  const { settings } = row
  const { registered, publicKeys, jwksUri, logoutUris } = settings
  const honored: Record<string, unknown> = makeClientMetadata({ row, application: settings })
  for (const name of ['client_name', 'post_logout_redirect_uris', 'jwks']) delete honored[name]
  const isConfidential = settings.type === 'server'
  return {
    ...honored,
    client_id_issued_at: metadata.client_id_issued_at,
    ...(metadata.client_secret === undefined
      ? {}
      : { client_secret: metadata.client_secret, client_secret_expires_at: 0 }),
    ...(sent.client_name === undefined ? {} : { client_name: readTitle(row) }),
    // Both methods with a secret work.
    ...(isConfidential ? { token_endpoint_auth_method: metadata.token_endpoint_auth_method } : {}),
    ...(publicKeys ? { jwks: publicKeys } : {}),
    ...(jwksUri === undefined ? {} : { jwks_uri: jwksUri }),
    ...(logoutUris.length > 0 ? { post_logout_redirect_uris: logoutUris } : {}),
    subject_type: 'public',
    scope: listScopes(settings).join(' '),
    // Every ID token has `auth_time`.
    ...(metadata.require_auth_time === true ? { require_auth_time: true } : {}),
    ...(registered?.policyUri === undefined ? {} : { policy_uri: registered.policyUri }),
    ...(registered?.termsUri === undefined ? {} : { tos_uri: registered.termsUri }),
    ...(sent.pkce === undefined ? {} : { pkce: settings.pkce ?? true }),
  }
}
