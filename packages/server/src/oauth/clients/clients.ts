/**
 * What the token endpoint needs of a client: the row that the directory remembers, its secrets, its lifetimes. The directory hands out
 * the same row until it was told to forget it; what is kept here stands and falls with that row, so a change takes effect on the very
 * next request.
 */
import type { IncomingMessage } from 'node:http'
import { createAddressMatcher } from '@querent/contract/address-range'
import { LRUCache } from 'lru-cache'
import { logoutAddresses } from '#oauth/sessions/logout'
import { lifetimeSeconds } from '#oauth/tokens/lifetime'
import {
  type ApplicationSettings,
  type ClientRow,
  consoleClientId,
  createClient,
  findClient,
  listSecrets,
  newClientId,
  type PublicKeys,
} from '#storage/clients'
import type { Storage } from '#storage/db'
import { type Directory, type MaybePromise, mapMaybePromise } from '#storage/directory'
import { findWorkspaceById } from '#storage/workspaces'
import { decodeSecret, type LoadedSecret } from './secrets.ts'

export interface LoadedClient {
  row: ClientRow
  secrets: readonly LoadedSecret[]
  mayComeFrom: (address: string) => boolean
  /** Of its workspace; undefined for the server's own clients. */
  slug: string | undefined
  /** As what people sign in through it; undefined: it is a machine, through which nobody does. */
  application: ApplicationSettings | undefined
}

export interface Clients {
  /**
   * Undefined: there is none, it is disabled, or its workspace is gone. Throws Problem 503 when storage is away for too long. `request`
   * is what names the client, where it is to authenticate itself.
   */
  find(id: string, request?: IncomingMessage): MaybePromise<LoadedClient | undefined>
  /**
   * To be waited for before a client is refused that did not authenticate itself: asks the storage for nobody, unless `request` had it
   * asked already. Else a wrong Client ID, which is not in memory, would take longer than a wrong secret. Throws as `find`.
   */
  equalizeTiming(request: IncomingMessage): MaybePromise<unknown>
  /** Lifetime of the access tokens of its workspace, now. */
  lifetimeSeconds(client: LoadedClient): MaybePromise<number>
}

/** Clients that are kept ready; one takes about 10 KB with what the library makes of it. */
const cachedClientsMax = 2000
/** `newClientId` and the server's own. Nothing else is looked up, so that no garbage fills the directory's memory. */
const clientId = /^[A-Za-z0-9_-]{1,64}$/

/** `authUrl`: without a slash at the end. Its page is on the origin of the authorization server, which needs no CORS. */
const consoleApplication = (authUrl: string): ApplicationSettings => ({
  type: 'browser',
  redirectUris: [`${authUrl}/console/callback`],
  origins: [],
  logoutUris: [`${authUrl}/console/`],
  own: true,
})

/** Registers the console with a storage that does not know it yet. Its addresses come from the settings of the server. */
export const ensureConsoleClient = async (storage: Storage): Promise<void> => {
  if (await findClient(storage.db, consoleClientId)) return
  await storage.write(writer =>
    createClient(writer, {
      id: consoleClientId,
      kind: 'own',
      workspaceId: null,
      name: 'Querent Console',
      settings: { actsAs: null },
    }),
  )
}

export const openClients = (storage: Storage, directory: Directory, authUrl: string): Clients => {
  const readApplication = (row: ClientRow): ApplicationSettings | undefined => {
    if (row.kind === 'application') return row.settings
    return row.id === consoleClientId ? consoleApplication(authUrl) : undefined
  }

  // Once it is read, it is there without a promise.
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

  /** Requests for whose client the storage was asked. */
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

/** What people call it. */
export const readTitle = (row: ClientRow): string =>
  (row.kind === 'application' && row.settings.title) || row.name

/** The metadata that oidc-provider makes a client of (RFC 7591, section 2). */
export const makeClientMetadata = ({ row, application }: LoadedClient) => ({
  client_id: row.id,
  client_name: readTitle(row),
  ...(application ? makeApplicationMetadata(application) : makeMachineMetadata(row)),
})

const makeApplicationMetadata = (settings: ApplicationSettings) => ({
  redirect_uris: settings.redirectUris,
  post_logout_redirect_uris: logoutAddresses(settings),
  // Native ones come back to a loopback address on any port (RFC 8252, section 7.3).
  application_type: settings.type === 'native' ? ('native' as const) : ('web' as const),
  // With nowhere to come back to, nobody signs in through it; the library insists.
  grant_types: settings.redirectUris.length > 0 ? ['authorization_code', 'refresh_token'] : [],
  response_types: settings.redirectUris.length > 0 ? ['code' as const] : [],
  id_token_signed_response_alg: settings.idTokenAlgorithm ?? ('RS256' as const),
  ...(settings.type === 'server'
    ? makeAuthenticationMetadata(settings)
    : { token_endpoint_auth_method: 'none' as const }),
})

const makeMachineMetadata = ({ kind, settings }: ClientRow) => ({
  redirect_uris: [],
  response_types: [],
  grant_types: ['client_credentials'],
  ...makeAuthenticationMetadata(kind === 'system-to-system' ? settings : {}),
})

/** Ed25519 has two names, of which the library takes the one that the key has; its curve says enough. */
const dropEdDsaName = ({ alg, ...key }: PublicKeys['keys'][number]) =>
  alg === 'EdDSA' || alg === 'Ed25519' || alg === undefined ? key : { alg, ...key }

/** How a confidential client proves who it is. */
const makeAuthenticationMetadata = ({ publicKeys }: { publicKeys?: PublicKeys }) =>
  publicKeys
    ? {
        token_endpoint_auth_method: 'private_key_jwt' as const,
        jwks: { keys: publicKeys.keys.map(dropEdDsaName) },
      }
    : // Basic stands for the body too: the library takes both whichever is registered.
      { token_endpoint_auth_method: 'client_secret_basic' as const }
