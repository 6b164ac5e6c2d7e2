/**
 * Clients as the token endpoint needs them: row, secrets and lifetimes. Cached by the directory's row, which
 * changes when the client does, so changes apply to the next request.
 */

import type { IncomingMessage } from 'node:http'
import { createAddressMatcher } from '@querent/contract/address-range'
import { LRUCache } from 'lru-cache'
import { lifetimeSeconds } from '#oauth/library/lifetime'
import type { Clients, LoadedClient } from '#oauth/library/loaded-client'
import {
  type ApplicationSettings,
  type ClientRow,
  commandLineClientId,
  consoleClientId,
  createClient,
  findClient,
  listSecrets,
  newClientId,
  type PublicKeys,
  readIdTokenAlgorithm,
  requiresProof,
} from '#storage/clients'
import type { Storage } from '#storage/db'
import { type Directory, type MaybePromise, mapMaybePromise } from '#storage/directory'
import { findWorkspaceById } from '#storage/workspaces'
import { decodeSecret } from './secrets.ts'

/** Cached clients; one takes about 10 KB with the library's object. */
const cachedClientsMax = 2000
/** Format of all Client IDs. Other ids are not looked up, to keep garbage out of the directory's cache. */
const clientId = /^[A-Za-z0-9_-]{1,64}$/

/**
 * `authUrl` without a trailing slash. The console has the origin of the authorization server, so it needs no
 * CORS.
 */
const consoleApplication = (authUrl: string): ApplicationSettings => ({
  type: 'browser',
  // The pages about second factors sign people in through it too (interactions/fresh-sign-in.ts).
  redirectUris: [`${authUrl}/console/callback`, `${authUrl}/factors/signed-in`],
  origins: [],
  logoutUris: [`${authUrl}/console/`],
  own: true,
})

/** The command line on other machines, which signs people in by device code. */
const commandLineApplication: ApplicationSettings = {
  type: 'native',
  redirectUris: [],
  origins: [],
  logoutUris: [],
  own: true,
}

/** Registers the console and the command line in a storage without them. Their URLs come from the server's settings. */
export const ensureOwnClients = async (storage: Storage): Promise<void> => {
  for (const [id, name] of [
    [consoleClientId, 'Querent Console'],
    [commandLineClientId, 'Querent command line'],
  ] as const) {
    if (await findClient(storage.db, id)) continue
    await storage.write(writer =>
      createClient(writer, { id, kind: 'own', workspaceId: null, name, settings: { actsAs: null } }),
    )
  }
}

export const openClients = (storage: Storage, directory: Directory, authUrl: string): Clients => {
  const readApplication = (row: ClientRow): ApplicationSettings | undefined => {
    if (row.kind === 'application') return row.settings
    if (row.id === consoleClientId) return consoleApplication(authUrl)
    return row.id === commandLineClientId ? commandLineApplication : undefined
  }

  // Loaded clients need no promise.
  const cache = new LRUCache<string, { row: ClientRow; client: MaybePromise<LoadedClient> }>({
    max: cachedClientsMax,
  })

  const load = async (row: ClientRow): Promise<LoadedClient> => {
    const secrets = await listSecrets(storage.db, [row.id])
    const workspace =
      row.workspaceId === null ? undefined : await findWorkspaceById(storage.db, row.workspaceId)
    const addresses = row.kind === 'system-to-system' ? row.settings.addresses : []
    return {
      row,
      secrets: secrets.map(decodeSecret),
      mayComeFrom: createAddressMatcher(addresses),
      slug: workspace?.slug,
      application: readApplication(row),
    }
  }
  const getLoadedClient = (row: ClientRow): MaybePromise<LoadedClient> => {
    const cached = cache.get(row.id)
    if (cached?.row === row) return cached.client
    const loading = load(row)
    const entry: { row: ClientRow; client: MaybePromise<LoadedClient> } = { row, client: loading }
    cache.set(row.id, entry)
    loading.then(
      client => {
        entry.client = client
      },
      () => cache.delete(row.id),
    )
    return loading
  }
  const findLiveWorkspace = ({ row, slug }: LoadedClient) =>
    mapMaybePromise(slug === undefined ? undefined : directory.workspace(slug), workspace =>
      workspace?.id === row.workspaceId ? workspace : undefined,
    )
  const dropIfOrphaned = (client: LoadedClient): MaybePromise<LoadedClient | undefined> =>
    client.row.kind === 'own'
      ? client
      : mapMaybePromise(findLiveWorkspace(client), workspace => (workspace ? client : undefined))

  /** Requests whose client was looked up in the storage. */
  const requestsWithLookup = new WeakSet<IncomingMessage>()

  return {
    find(id, request) {
      if (!clientId.test(id)) return undefined
      const foundRow = directory.client(id)
      if (request && foundRow instanceof Promise) requestsWithLookup.add(request)
      return mapMaybePromise(foundRow, row =>
        !row || row.disabled ? undefined : mapMaybePromise(getLoadedClient(row), dropIfOrphaned),
      )
    },
    equalizeTiming: request =>
      requestsWithLookup.has(request)
        ? undefined
        : mapMaybePromise(directory.client(newClientId()), () => requestsWithLookup.add(request)),
    lifetimeSeconds: client =>
      mapMaybePromise(findLiveWorkspace(client), workspace =>
        lifetimeSeconds(workspace?.definition.settings?.accessTokenLifetime),
      ),
  }
}

/** Display name of the client. */
export const readTitle = (row: ClientRow): string =>
  (row.kind === 'application' && row.settings.title) || row.name

/** Returns client metadata for oidc-provider (RFC 7591, section 2). */
export const makeClientMetadata = ({ row, application }: Pick<LoadedClient, 'row' | 'application'>) => ({
  client_id: row.id,
  client_name: readTitle(row),
  ...(application ? makeApplicationMetadata(application) : makeMachineMetadata(row)),
})

/**
 * Allowed logout redirects: registered ones, otherwise the redirect URIs, and their origins with and without
 * slash.
 */
export const logoutAddresses = ({ logoutUris, redirectUris }: ApplicationSettings): string[] => {
  if (logoutUris.length > 0) return logoutUris
  const origins = redirectUris.flatMap(uri => {
    const url = URL.parse(uri)
    return url && url.origin !== 'null' ? [url.origin, `${url.origin}/`] : []
  })
  return [...new Set([...redirectUris, ...origins])]
}

const makeApplicationMetadata = (settings: ApplicationSettings) => ({
  redirect_uris: settings.redirectUris,
  post_logout_redirect_uris: logoutAddresses(settings),
  // Native applications redirect to a loopback address on any port (RFC 8252, section 7.3).
  application_type: settings.type === 'native' ? ('native' as const) : ('web' as const),
  grant_types: listGrantTypes(settings),
  response_types: settings.redirectUris.length > 0 ? ['code' as const] : [],
  id_token_signed_response_alg: readIdTokenAlgorithm(settings),
  ...(settings.backchannelLogoutUri !== undefined && {
    backchannel_logout_uri: settings.backchannelLogoutUri,
    backchannel_logout_session_required: true,
  }),
  ...((settings.profile === 'fapi2' || settings.registered?.pushedRequests) && {
    require_pushed_authorization_requests: true,
  }),
  ...makeRequestDefaults(settings),
  dpop_bound_access_tokens: requiresProof(settings),
  ...(settings.type === 'server'
    ? makeAuthenticationMetadata(settings, settings.registered?.assertionAlgorithm)
    : { token_endpoint_auth_method: 'none' as const }),
})

/** Defaults of authorization requests, which an application registered. */
const makeRequestDefaults = ({
  registered: { maxAge, acrValues } = { grantTypes: [] },
}: ApplicationSettings) => ({
  ...(maxAge === undefined ? {} : { default_max_age: maxAge }),
  ...(acrValues ? { default_acr_values: acrValues } : {}),
})

/** Without a redirect URI nobody can sign in by code, and the library requires consistency. */
const listGrantTypes = ({ type, redirectUris, registered }: ApplicationSettings): string[] => {
  const signInGrants = [
    ...(redirectUris.length > 0 ? ['authorization_code'] : []),
    ...(type === 'native' ? ['urn:ietf:params:oauth:grant-type:device_code'] : []),
  ]
  const grants = signInGrants.length > 0 ? [...signInGrants, 'refresh_token'] : []
  return registered ? grants.filter(grant => registered.grantTypes.some(name => name === grant)) : grants
}

const makeMachineMetadata = ({ kind, settings }: ClientRow) => ({
  redirect_uris: [],
  response_types: [],
  grant_types: ['client_credentials'],
  dpop_bound_access_tokens: kind === 'system-to-system' && settings.dpop === true,
  ...makeAuthenticationMetadata(kind === 'system-to-system' ? settings : {}),
})

/** Ed25519 has two names; the library accepts only the key's own, and the curve is enough. */
const dropEdDsaName = ({ alg, ...key }: PublicKeys['keys'][number]) =>
  alg === 'EdDSA' || alg === 'Ed25519' || alg === undefined ? key : { alg, ...key }

/** How a confidential client authenticates. */
const makeAuthenticationMetadata = (
  { publicKeys, jwksUri }: { publicKeys?: PublicKeys; jwksUri?: string },
  assertionAlgorithm?: string,
) => ({
  ...(jwksUri !== undefined
    ? { token_endpoint_auth_method: 'private_key_jwt' as const, jwks_uri: jwksUri }
    : makeKeyMetadata(publicKeys)),
  ...(assertionAlgorithm === undefined ? {} : { token_endpoint_auth_signing_alg: assertionAlgorithm }),
})

const makeKeyMetadata = (publicKeys: PublicKeys | undefined) =>
  publicKeys
    ? {
        token_endpoint_auth_method: 'private_key_jwt' as const,
        jwks: { keys: publicKeys.keys.map(dropEdDsaName) },
      }
    : // The library accepts Basic and body for either setting.
      { token_endpoint_auth_method: 'client_secret_basic' as const }
