/**
 * What the token endpoint needs of a client: the row that the directory remembers, its secrets, its lifetimes. The directory hands out
 * the same row until it was told to forget it; what is kept here stands and falls with that row, so a change takes effect on the very
 * next request.
 */
import type { IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
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
import { type Directory, type Known, whenKnown } from '#storage/directory'
import { findWorkspaceById } from '#storage/workspaces'
import { type AddressRanges, addressRanges } from './address-ranges.ts'
import { lifetimeSeconds } from './lifetime.ts'
import { logoutAddresses } from './logout.ts'
import { type KnownSecret, knownSecret } from './secrets.ts'

export interface KnownClient {
  row: ClientRow
  secrets: readonly KnownSecret[]
  mayComeFrom: AddressRanges
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
  find(id: string, request?: IncomingMessage): Known<KnownClient | undefined>
  /**
   * To be waited for before a client is refused that did not authenticate itself: asks the storage for nobody, unless `request` had it
   * asked already. Else a wrong Client ID, which is not in memory, would take longer than a wrong secret. Throws as `find`.
   */
  takeAsLong(request: IncomingMessage): Known<unknown>
  /** Lifetime of the access tokens of its workspace, now. */
  lifetimeSeconds(client: KnownClient): Known<number>
}

/** Clients that are kept ready; one takes about 10 KB with what the library makes of it. */
const keptMax = 2000
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
export const registerConsole = async (storage: Storage): Promise<void> => {
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
  const applicationOf = (row: ClientRow): ApplicationSettings | undefined => {
    if (row.kind === 'application') return row.settings
    return row.id === consoleClientId ? consoleApplication(authUrl) : undefined
  }

  // Once it is read, it is there without a promise.
  const kept = new LRUCache<string, { row: ClientRow; known: Known<KnownClient> }>({
    max: keptMax,
  })

  const load = async (row: ClientRow): Promise<KnownClient> => {
    const secrets = await listSecrets(storage.db, [row.id])
    const workspace =
      row.workspaceId === null ? undefined : await findWorkspaceById(storage.db, row.workspaceId)
    const addresses = row.kind === 'system-to-system' ? row.settings.addresses : []
    return {
      row,
      secrets: secrets.map(knownSecret),
      mayComeFrom: addressRanges(addresses),
      slug: workspace?.slug,
      application: applicationOf(row),
    }
  }
  const know = (row: ClientRow): Known<KnownClient> => {
    const found = kept.get(row.id)
    if (found?.row === row) return found.known
    const loading = load(row)
    const entry: { row: ClientRow; known: Known<KnownClient> } = { row, known: loading }
    kept.set(row.id, entry)
    loading.then(
      known => {
        entry.known = known
      },
      () => kept.delete(row.id),
    )
    return loading
  }
  const workspaceOf = ({ row, slug }: KnownClient) =>
    whenKnown(slug === undefined ? undefined : directory.workspace(slug), workspace =>
      workspace?.id === row.workspaceId ? workspace : undefined,
    )
  const usable = (known: KnownClient): Known<KnownClient | undefined> =>
    known.row.kind === 'own'
      ? known
      : whenKnown(workspaceOf(known), workspace => (workspace ? known : undefined))

  /** Requests for whose client the storage was asked. */
  const asked = new WeakSet<IncomingMessage>()

  return {
    find(id, request) {
      if (!clientId.test(id)) return undefined
      const found = directory.client(id)
      if (request && found instanceof Promise) asked.add(request)
      return whenKnown(found, row => (!row || row.disabled ? undefined : whenKnown(know(row), usable)))
    },
    takeAsLong: request =>
      asked.has(request) ? undefined : whenKnown(directory.client(newClientId()), () => asked.add(request)),
    lifetimeSeconds: client =>
      whenKnown(workspaceOf(client), workspace =>
        lifetimeSeconds(workspace?.definition.settings?.accessTokenLifetime),
      ),
  }
}

/** What people call it. */
export const titleOf = (row: ClientRow): string =>
  (row.kind === 'application' && row.settings.title) || row.name

/** The metadata that oidc-provider makes a client of (RFC 7591, section 2). */
export const metadataOf = ({ row, application }: KnownClient) => ({
  client_id: row.id,
  client_name: titleOf(row),
  ...(application ? ofApplication(application) : ofMachine(row)),
})

const ofApplication = (settings: ApplicationSettings) => ({
  redirect_uris: settings.redirectUris,
  post_logout_redirect_uris: logoutAddresses(settings),
  // Native ones come back to a loopback address on any port (RFC 8252, section 7.3).
  application_type: settings.type === 'native' ? ('native' as const) : ('web' as const),
  // With nowhere to come back to, nobody signs in through it; the library insists.
  grant_types: settings.redirectUris.length > 0 ? ['authorization_code', 'refresh_token'] : [],
  response_types: settings.redirectUris.length > 0 ? ['code' as const] : [],
  id_token_signed_response_alg: settings.idTokenAlgorithm ?? ('RS256' as const),
  ...(settings.type === 'server' ? proofOf(settings) : { token_endpoint_auth_method: 'none' as const }),
})

const ofMachine = ({ kind, settings }: ClientRow) => ({
  redirect_uris: [],
  response_types: [],
  grant_types: ['client_credentials'],
  ...proofOf(kind === 'system-to-system' ? settings : {}),
})

/** Ed25519 has two names, of which the library takes the one that the key has; its curve says enough. */
const anyName = ({ alg, ...key }: PublicKeys['keys'][number]) =>
  alg === 'EdDSA' || alg === 'Ed25519' || alg === undefined ? key : { alg, ...key }

/** How a confidential client proves who it is. */
const proofOf = ({ publicKeys }: { publicKeys?: PublicKeys }) =>
  publicKeys
    ? { token_endpoint_auth_method: 'private_key_jwt' as const, jwks: { keys: publicKeys.keys.map(anyName) } }
    : // Basic stands for the body too: the library takes both whichever is registered.
      { token_endpoint_auth_method: 'client_secret_basic' as const }
