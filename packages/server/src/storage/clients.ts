/**
 * OAuth clients: System-to-System accounts, applications, the server's own clients, and unregistered ones with
 * a Client ID Metadata Document, which have no row.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { RegisteredMetadata } from '@querent/contract/manage'
import { type Selectable, sql } from 'kysely'
import { clientColumns, secretColumns } from './client-tables.ts'
import { createRowReader, type Row } from './columns.ts'
import type { Db, Storage, Writer } from './db.ts'
import type { Tables } from './tables.ts'

/** A JSON Web Key Set (RFC 7517, section 5). */
export interface PublicKeys {
  keys: Record<string, unknown>[]
}

export interface SystemSettings {
  /** IP addresses and CIDR ranges from which it may be used; empty: any. */
  addresses: string[]
  /** Public keys for private_key_jwt; the client then has no secrets. */
  publicKeys?: PublicKeys
  /** Its tokens are bound to a key (RFC 9449): token requests need a DPoP proof. Absent: they may have one. */
  dpop?: true
}
export interface ApplicationSettings {
  /** Display name; absent: the name. */
  title?: string
  type: 'browser' | 'server' | 'native'
  redirectUris: string[]
  origins: string[]
  logoutUris: string[]
  /** Audience of authorization requests without `audience` and `resource`; absent: `/userinfo` only. */
  defaultAudience?: string
  /** First-party application of the workspace: consent may be skipped. */
  own: boolean
  /**
   * For confidential clients. `false`: requests need a `nonce` but no code challenge (RFC 7636). Absent: a
   * code challenge is required.
   */
  pkce?: boolean
  /**
   * For clients without `pkce`. `false`: requests need no `nonce` either, so nothing protects codes against
   * injection (RFC 9700, section 2.1.1). Only for the OpenID conformance suite, whose basic plan has a
   * request with neither.
   */
  nonce?: boolean
  /** Algorithm of ID tokens; absent: RS256, the OpenID default. */
  idTokenAlgorithm?: 'ES256'
  /** For confidential clients: public keys for private_key_jwt; the client then has no secrets. */
  publicKeys?: PublicKeys
  /** For confidential clients that registered themselves: address of their public keys. */
  jwksUri?: string
  /** Receives logout tokens (OpenID Connect Back-Channel Logout 1.0). */
  backchannelLogoutUri?: string
  /** Enforced security profile; absent: none. */
  profile?: 'fapi2'
  /** Its tokens are bound to a key (RFC 9449): token requests need a DPoP proof. Absent: they may have one. */
  dpop?: true
  /** Metadata that it registered by itself (RFC 7591); absent: an administrator registered it. */
  registered?: RegisteredMetadata
}

/** Whether token requests need a DPoP proof. FAPI 2.0 requires sender-constrained tokens (Security Profile, section 5.3.2.1). */
export const requiresProof = ({ dpop, profile }: Pick<ApplicationSettings, 'dpop' | 'profile'>): boolean =>
  dpop === true || profile === 'fapi2'

/** FAPI 2.0 allows no RS256 (Security Profile, section 5.4.1). */
export const readIdTokenAlgorithm = ({ idTokenAlgorithm, profile }: ApplicationSettings): 'RS256' | 'ES256' =>
  idTokenAlgorithm ?? (profile === 'fapi2' ? 'ES256' : 'RS256')

/** Client ID of the console, a public client through which everybody signs in to the management API. */
export const consoleClientId = 'console'
/** Client ID of `querent login`, a public client for the device code grant. */
export const commandLineClientId = 'querent-cli'

/** The server's own clients: the local command line and the console. */
export interface OwnSettings {
  /** User as whom its client-credentials tokens act; null: people sign in through it. */
  actsAs: string | null
}

export type ClientCommon = Pick<Row<typeof clientColumns>, 'id' | 'name' | 'disabled' | 'createdAt'>
export type ClientRow = ClientCommon &
  (
    | { kind: 'system-to-system'; workspaceId: string; settings: SystemSettings }
    | { kind: 'application'; workspaceId: string; settings: ApplicationSettings }
    | { kind: 'own'; workspaceId: null; settings: OwnSettings }
    | MetadataDocumentKind
  )
/** `workspaceId`: of the resource that the request is for; null where a request has none. */
export interface MetadataDocumentKind {
  kind: 'metadata-document'
  workspaceId: string | null
  settings: Record<string, never>
}
export type MetadataDocumentRow = ClientCommon & MetadataDocumentKind
/** A client that has a row. */
type StoredClientRow = Exclude<ClientRow, MetadataDocumentRow>
export type SystemRow = Extract<ClientRow, { kind: 'system-to-system' }>
export type ApplicationRow = Extract<ClientRow, { kind: 'application' }>

export type SecretRow = Row<typeof secretColumns>

const readSecret = createRowReader(secretColumns)
const readClient = createRowReader(clientColumns)
const parseClient = (row: Selectable<Tables['clients']>): ClientRow =>
  // Written only by `createClient` and `updateClient`, which take these types.
  readClient(row) as ClientRow

/** Longest Client ID. Those of registered clients are much shorter. */
export const clientIdCharsMax = 255

/**
 * Whether the Client ID is the URL of a Client ID Metadata Document
 * (draft-ietf-oauth-client-id-metadata-document, section 3). No registered client has such an id.
 */
export const isMetadataDocumentId = (id: string): boolean =>
  id.length <= clientIdCharsMax && /^https:\/\//i.test(id) && URL.canParse(id)

/**
 * Describes an unregistered client by its URL alone, without its document. `id`: of
 * {@link isMetadataDocumentId}. The name is the host of the URL.
 */
export const makeMetadataDocumentRow = (id: string): MetadataDocumentRow => ({
  id,
  name: new URL(id).host,
  kind: 'metadata-document',
  workspaceId: null,
  settings: {},
  disabled: false,
  createdAt: 0,
})

/** Display name of an unregistered client, with the host that vouches for it: anybody may choose any name. */
export const titleWithHost = ({ name, host }: { name: string; host: string }): string =>
  name === host ? host : `${name} (${host})`

/** Creates a Client ID of `A-Z a-z 0-9 - _`, so that it needs no encoding. */
export const newClientId = (): string => {
  const id = randomBytes(16).toString('base64url')
  // Command lines would read it as an option.
  return id.startsWith('-') ? newClientId() : id
}

/** Fixed, so that scanners find leaked secrets. */
export const secretPrefix = 'qrs_'
/** Random characters of the hint, 6 bits each. They come on top of the 256 secret bits. */
const hintCharacters = 4
/** Creates a Client Secret with 280 random bits: 256 besides the hint. */
export const newClientSecret = (): string => `${secretPrefix}${randomBytes(35).toString('base64url')}`
/** Returns the first characters of a secret: enough to recognize it, useless for guessing the rest. */
export const makeHint = (secret: string): string => secret.slice(0, secretPrefix.length + hintCharacters)
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('base64url')

/** Returns undefined if the workspace has a client of this kind and name. */
export const createClient = async (
  { db, announce }: Writer,
  client: Pick<StoredClientRow, 'kind' | 'workspaceId' | 'settings' | 'name'> & { id?: string },
): Promise<ClientRow | undefined> => {
  const row = await db
    .insertInto('clients')
    .values({
      id: client.id ?? newClientId(),
      workspace_id: client.workspaceId,
      kind: client.kind,
      name: client.name,
      settings_json: JSON.stringify(client.settings),
      disabled: 0,
      created_at: Date.now(),
    })
    .onConflict(c => c.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (row) announce('client', row.id)
  return row && parseClient(row)
}

/** Returns the clients with these ids, at most 1,000, in any order. */
export const findClients = async (db: Db, ids: readonly string[]): Promise<ClientRow[]> =>
  ids.length === 0
    ? []
    : (await db.selectFrom('clients').selectAll().where('id', 'in', ids).execute()).map(parseClient)

export const findClient = async (db: Db, id: string): Promise<ClientRow | undefined> => {
  if (isMetadataDocumentId(id)) return makeMetadataDocumentRow(id)
  const row = await db.selectFrom('clients').selectAll().where('id', '=', id).executeTakeFirst()
  return row && parseClient(row)
}

export const findClientByName = async <K extends 'system-to-system' | 'application'>(
  db: Db,
  { workspaceId, kind, name }: { workspaceId: string; kind: K; name: string },
): Promise<Extract<ClientRow, { kind: K }> | undefined> => {
  const row = await db
    .selectFrom('clients')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', kind)
    .where('name', '=', name)
    .executeTakeFirst()
  // The query selects this kind only.
  return row && (parseClient(row) as Extract<ClientRow, { kind: K }>)
}

/** Returns clients after the Client ID `after`, in order of Client ID. */
export const listClients = async <K extends 'system-to-system' | 'application'>(
  db: Db,
  {
    workspaceId,
    kind,
    after = '',
    count = 1000,
  }: { workspaceId: string; kind: K; after?: string; count?: number },
): Promise<Extract<ClientRow, { kind: K }>[]> => {
  const rows = await db
    .selectFrom('clients')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', kind)
    .where('id', '>', after)
    .orderBy('id')
    .limit(count)
    .execute()
  // The query selects this kind only.
  return rows.map(row => parseClient(row) as Extract<ClientRow, { kind: K }>)
}

export const updateClient = async (
  { db, announce }: Writer,
  id: string,
  change: { name?: string; settings?: ClientRow['settings']; disabled?: boolean },
): Promise<void> => {
  const columns = {
    ...(change.name === undefined ? {} : { name: change.name }),
    ...(change.settings === undefined ? {} : { settings_json: JSON.stringify(change.settings) }),
    ...(change.disabled === undefined ? {} : { disabled: change.disabled ? 1 : 0 }),
  }
  if (Object.keys(columns).length > 0)
    await db.updateTable('clients').set(columns).where('id', '=', id).execute()
  announce('client', id)
}

/** Removes the client and its secrets; its tokens are rejected from then on. */
export const removeClient = async ({ db, announce }: Writer, id: string): Promise<void> => {
  await db.deleteFrom('clients').where('id', '=', id).execute()
  announce('client', id)
}

/** Adds a secret and returns it in clear, for the only time. */
export const addSecret = async (
  { db, announce }: Writer,
  clientId: string,
  expiresAt: number | null,
  secret = newClientSecret(),
): Promise<{ id: string; secret: string }> => {
  const id = randomUUID()
  await db
    .insertInto('client_secrets')
    .values({
      id,
      client_id: clientId,
      hash: hashSecret(secret),
      hint: makeHint(secret),
      created_at: Date.now(),
      expires_at: expiresAt,
      last_used_at: null,
    })
    .execute()
  announce('client', clientId)
  return { id, secret }
}

/** Returns false if there was no such secret. */
export const removeSecret = async (
  { db, announce }: Writer,
  clientId: string,
  id: string,
): Promise<boolean> => {
  const { numDeletedRows } = await db
    .deleteFrom('client_secrets')
    .where('client_id', '=', clientId)
    .where('id', '=', id)
    .executeTakeFirst()
  announce('client', clientId)
  return numDeletedRows > 0n
}

/** Returns false if the secret does not exist. */
export const extendSecret = async (
  { db, announce }: Writer,
  clientId: string,
  id: string,
  expiresAt: number,
): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('client_secrets')
    .set({ expires_at: expiresAt })
    .where('client_id', '=', clientId)
    .where('id', '=', id)
    .executeTakeFirst()
  announce('client', clientId)
  return numUpdatedRows > 0n
}

/** Oldest first. */
export const listSecrets = async (db: Db, clientIds: readonly string[]): Promise<SecretRow[]> => {
  if (clientIds.length === 0) return []
  const rows = await db
    .selectFrom('client_secrets')
    .selectAll()
    .where('client_id', 'in', clientIds)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(readSecret)
}

/** Two parameters per row; SQLite allows 32,766, PostgreSQL 65,535. */
const touchBatchSize = 500

/** Saves when secrets were last used; one batch, off the path of token requests. */
export const touchSecrets = async (
  { db, kind }: Pick<Storage, 'db' | 'kind'>,
  usedAtById: ReadonlyMap<string, number>,
): Promise<void> => {
  const uses = [...usedAtById].sort(([a], [b]) => (a < b ? -1 : 1))
  // One transaction, because a durable write for each secret would hold up other requests. One statement for
  // many: with one for each, 1,000 clients took a tenth of a server's time.
  await db.transaction().execute(async trx => {
    for (let start = 0; start < uses.length; start += touchBatchSize) {
      const batch = uses.slice(start, start + touchBatchSize)
      const rows = batch.map(([id, usedAt]) => sql`(cast(${id} as text), cast(${usedAt} as bigint))`)
      // All nodes lock the rows in the same order, which prevents deadlocks.
      if (kind === 'postgres')
        await trx
          .selectFrom('client_secrets')
          .select('id')
          .where(
            'id',
            'in',
            batch.map(([id]) => id),
          )
          .orderBy('id')
          .forUpdate()
          .execute()
      await sql`with used (id, used_at) as (values ${sql.join(rows)})
        update client_secrets set last_used_at = used.used_at from used
        where client_secrets.id = used.id and coalesce(last_used_at, 0) < used.used_at`.execute(trx)
    }
  })
}

/** Lists every application, for the origins that browsers may call from. */
export const listAllApplications = async (db: Db): Promise<ApplicationRow[]> => {
  const rows = await db.selectFrom('clients').selectAll().where('kind', '=', 'application').execute()
  // The query selects this kind only.
  return rows.map(row => parseClient(row) as ApplicationRow)
}
