/**
 * What the token endpoint needs of a client: the row that the directory remembers, its secrets, its lifetimes. The directory hands out
 * the same row until it was told to forget it; what is kept here stands and falls with that row, so a change takes effect on the very
 * next request.
 */
import { LRUCache } from 'lru-cache'
import { type ApplicationSettings, type ClientRow, listSecrets, type SecretRow } from '#storage/clients'
import type { Storage } from '#storage/db'
import type { Directory } from '#storage/directory'
import { findWorkspaceById } from '#storage/workspaces'
import { type AddressRanges, addressRanges } from './address-ranges.ts'
import { lifetimeSeconds } from './lifetime.ts'
import { logoutAddresses } from './logout.ts'

export interface KnownClient {
  row: ClientRow
  secrets: readonly SecretRow[]
  mayComeFrom: AddressRanges
  /** Of its workspace; undefined for the server's own clients. */
  slug: string | undefined
}

export interface Clients {
  /** Undefined: there is none, it is disabled, or its workspace is gone. Throws Problem 503 when storage is away for too long. */
  find(id: string): Promise<KnownClient | undefined>
  /** Lifetime of the access tokens of its workspace, now. */
  lifetimeSeconds(client: KnownClient): Promise<number>
}

/** Clients that are kept ready; one takes about 10 KB with what the library makes of it. */
const keptMax = 2000
/** `newClientId` and the server's own. Nothing else is looked up, so that no garbage fills the directory's memory. */
const clientId = /^[A-Za-z0-9_-]{1,64}$/

export const openClients = (storage: Storage, directory: Directory): Clients => {
  const kept = new LRUCache<string, { row: ClientRow; known: Promise<KnownClient> }>({ max: keptMax })

  const load = async (row: ClientRow): Promise<KnownClient> => {
    const secrets = await listSecrets(storage.db, [row.id])
    const workspace =
      row.workspaceId === null ? undefined : await findWorkspaceById(storage.db, row.workspaceId)
    const addresses = row.kind === 'system-to-system' ? row.settings.addresses : []
    return { row, secrets, mayComeFrom: addressRanges(addresses), slug: workspace?.slug }
  }
  const know = (row: ClientRow): Promise<KnownClient> => {
    const entry = kept.get(row.id)
    if (entry?.row === row) return entry.known
    const known = load(row)
    kept.set(row.id, { row, known })
    known.catch(() => kept.delete(row.id))
    return known
  }
  const workspaceOf = async ({ row, slug }: KnownClient) => {
    const workspace = slug === undefined ? undefined : await directory.workspace(slug)
    return workspace?.id === row.workspaceId ? workspace : undefined
  }

  return {
    async find(id) {
      const row = clientId.test(id) ? await directory.client(id) : undefined
      if (!row || row.disabled) return undefined
      const known = await know(row)
      return row.kind === 'own' || (await workspaceOf(known)) ? known : undefined
    },
    async lifetimeSeconds(client) {
      const workspace = await workspaceOf(client)
      return lifetimeSeconds(workspace?.definition.settings?.accessTokenLifetime)
    },
  }
}

/** What people call it. */
export const titleOf = (row: ClientRow): string =>
  (row.kind === 'application' && row.settings.title) || row.name

/** The metadata that oidc-provider makes a client of (RFC 7591, section 2). */
export const metadataOf = ({ row }: KnownClient) => ({
  client_id: row.id,
  client_name: titleOf(row),
  ...(row.kind === 'application' ? ofApplication(row.settings) : ofMachine(row)),
})

const ofApplication = (settings: ApplicationSettings) => ({
  redirect_uris: settings.redirectUris,
  post_logout_redirect_uris: logoutAddresses(settings),
  // Native ones come back to a loopback address on any port (RFC 8252, section 7.3).
  application_type: settings.type === 'native' ? ('native' as const) : ('web' as const),
  // With nowhere to come back to, nobody signs in through it; the library insists.
  grant_types: settings.redirectUris.length > 0 ? ['authorization_code', 'refresh_token'] : [],
  response_types: settings.redirectUris.length > 0 ? ['code' as const] : [],
  // Basic stands for the body too: the library takes both whichever is registered.
  token_endpoint_auth_method:
    settings.type === 'server' ? ('client_secret_basic' as const) : ('none' as const),
})

const ofMachine = (row: Exclude<ClientRow, { kind: 'application' }>) => ({
  redirect_uris: [],
  response_types: [],
  ...authentication(row),
})

const authentication = (row: Exclude<ClientRow, { kind: 'application' }>) => {
  if (row.kind === 'system-to-system' && row.settings.publicKeys)
    return {
      token_endpoint_auth_method: 'private_key_jwt' as const,
      jwks: row.settings.publicKeys,
      grant_types: ['client_credentials'],
    }
  // An own client that acts as nobody is a public one, through which people sign in.
  if (row.kind === 'own' && row.settings.actsAs === null)
    return { token_endpoint_auth_method: 'none' as const, grant_types: [] }
  return { token_endpoint_auth_method: 'client_secret_basic' as const, grant_types: ['client_credentials'] }
}
