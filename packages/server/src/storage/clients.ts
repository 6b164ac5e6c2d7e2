/** OAuth clients: System-to-System accounts, applications, and the server's own. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { Db, Storage, Writer } from './db.ts'
import type { Tables } from './tables.ts'

/** A JSON Web Key Set (RFC 7517, section 5). */
export interface PublicKeys {
  keys: Record<string, unknown>[]
}

export interface SystemSettings {
  /** IP addresses and CIDR ranges it may be used from; empty: any. */
  addresses: string[]
  /** Public keys for private_key_jwt; then it has no secrets. */
  publicKeys?: PublicKeys
}
export interface ApplicationSettings {
  /** What people see; absent: the name. */
  title?: string
  type: 'browser' | 'server' | 'native'
  redirectUris: string[]
  origins: string[]
  logoutUris: string[]
  /** The workspace's own: consent may be skipped. */
  own: boolean
  /** Of confidential ones: `false`, it need not send a code challenge (RFC 7636), but a `nonce`. Absent: it must. */
  pkce?: boolean
  /**
   * Of those without `pkce`: `false`, it need not send a `nonce` either. Then nothing guards its codes against injection (RFC 9700, section
   * 2.1.1): for runs of the OpenID conformance suite, whose basic plan has a request with neither, and nothing else.
   */
  nonce?: boolean
  /** Of its ID tokens; absent: RS256, the OpenID default. */
  idTokenAlgorithm?: 'ES256'
  /** Of confidential ones: public keys for private_key_jwt; then it has no secrets. */
  publicKeys?: PublicKeys
}

/** Client ID of the console: a public client of ours, through which everybody signs in to the management API, member or not. */
export const consoleClientId = 'console'

/** The server's own clients: the command line beside the data folder, the console. */
export interface OwnSettings {
  /** Id of the user as whom its client-credentials tokens act; null: it has none, people sign in through it. */
  actsAs: string | null
}

export interface ClientCommon {
  /** Client ID. */
  id: string
  name: string
  disabled: boolean
  createdAt: number
}
export type ClientRow = ClientCommon &
  (
    | { kind: 'system-to-system'; workspaceId: string; settings: SystemSettings }
    | { kind: 'application'; workspaceId: string; settings: ApplicationSettings }
    | { kind: 'own'; workspaceId: null; settings: OwnSettings }
  )
export type SystemRow = Extract<ClientRow, { kind: 'system-to-system' }>
export type ApplicationRow = Extract<ClientRow, { kind: 'application' }>

export interface SecretRow {
  id: string
  clientId: string
  hash: string
  /** How it begins; null: not kept when it was made. */
  hint: string | null
  createdAt: number
  expiresAt: number | null
  lastUsedAt: number | null
}

const parseClient = (row: Selectable<Tables['clients']>): ClientRow =>
  // Written by `createClient` and `updateClient` alone, which take these same types.
  ({
    id: row.id,
    name: row.name,
    disabled: row.disabled === 1,
    createdAt: row.created_at,
    kind: row.kind,
    workspaceId: row.workspace_id,
    settings: JSON.parse(row.settings_json),
  }) as ClientRow

/** A Client ID: `A-Z a-z 0-9 - _` only, so that clients may paste it unencoded. */
export const newClientId = (): string => {
  const id = randomBytes(16).toString('base64url')
  // Command lines would take it for an option.
  return id.startsWith('-') ? newClientId() : id
}

/** Fixed, so that scanners find leaked secrets. */
export const secretPrefix = 'qrs_'
/** Of a secret's chance, so many characters are its hint: 6 bits each, made in addition to the 256 that nobody but its owner knows. */
const hintCharacters = 4
/** A Client Secret of 280 bits of chance: 256 without its hint. */
export const newClientSecret = (): string => `${secretPrefix}${randomBytes(35).toString('base64url')}`
/** How a secret begins: enough to tell it from others, of no use in guessing the rest. */
export const makeHint = (secret: string): string => secret.slice(0, secretPrefix.length + hintCharacters)
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('base64url')

/** Returns undefined when the workspace has a client of this kind and name. */
export const createClient = async (
  { db, announce }: Writer,
  client: Pick<ClientRow, 'kind' | 'workspaceId' | 'settings' | 'name'> & { id?: string },
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

/** Those of the ids that there are, at most 1,000 asked for, in any order. */
export const findClients = async (db: Db, ids: readonly string[]): Promise<ClientRow[]> =>
  ids.length === 0
    ? []
    : (await db.selectFrom('clients').selectAll().where('id', 'in', ids).execute()).map(parseClient)

export const findClient = async (db: Db, id: string): Promise<ClientRow | undefined> => {
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
  // The query asks for this kind alone.
  return row && (parseClient(row) as Extract<ClientRow, { kind: K }>)
}

/** In order of Client ID, after `after`. */
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
  // The query asks for this kind alone.
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

/** Removes the client and its secrets; its tokens are refused from then on. */
export const removeClient = async ({ db, announce }: Writer, id: string): Promise<void> => {
  await db.deleteFrom('clients').where('id', '=', id).execute()
  announce('client', id)
}

/** Makes one more secret and returns it in clear, the only time that it is. */
export const addSecret = async (
  { db, announce }: Writer,
  clientId: string,
  expiresAt: number | null,
): Promise<{ id: string; secret: string }> => {
  const secret = newClientSecret()
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

/** Returns false when there was no such secret. */
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

/** Returns false when there is no such secret. */
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
  return rows.map(row => ({
    id: row.id,
    clientId: row.client_id,
    hash: row.hash,
    hint: row.hint,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  }))
}

/** Two parameters each; SQLite takes 32,766, PostgreSQL 65,535. */
const touchBatchSize = 500

/** Notes when secrets were last used; written together, off the path of a token request. */
export const touchSecrets = async (
  { db, kind }: Pick<Storage, 'db' | 'kind'>,
  used: ReadonlyMap<string, number>,
): Promise<void> => {
  const uses = [...used].sort(([one], [other]) => (one < other ? -1 : 1))
  // One transaction: a durable write for each would hold up every other request. And one statement for many: with one for each, 1,000
  // clients took a tenth of a server's time.
  await db.transaction().execute(async trx => {
    for (let start = 0; start < uses.length; start += touchBatchSize) {
      const batch = uses.slice(start, start + touchBatchSize)
      const rows = batch.map(([id, at]) => sql`(cast(${id} as text), cast(${at} as bigint))`)
      // All nodes lock the rows in one order, so that none waits for another that waits for it.
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

/** Every application, for the origins that browsers may call from. */
export const listAllApplications = async (db: Db): Promise<ApplicationRow[]> => {
  const rows = await db.selectFrom('clients').selectAll().where('kind', '=', 'application').execute()
  // The query asks for this kind alone.
  return rows.map(row => parseClient(row) as ApplicationRow)
}
