/**
 * Consents and grants. A consent belongs to a person and an application, and stays until it is withdrawn
 * (oauth/sessions/consents.ts). The tokens of one code come from one grant. Both are records with their own
 * id as `grant_id`.
 */
import type { Selectable } from 'kysely'
import type { Db, Writer } from './db.ts'
import { removeGrantRecords } from './oidc-records.ts'
import { revoke } from './revocations.ts'
import type { Tables } from './tables.ts'

export interface GrantRow {
  id: string
  clientId: string
  scopes: string[]
  /** Addresses that its tokens open. */
  resources: string[]
  /** Document of an unregistered client, as the person saw it; grants have none. */
  document: { name: string; host: string } | undefined
  /** Milliseconds since 1970. */
  since: number
  expiresAt: number | null
}

const listedMax = 1000
/** Longest lifetime of an access token, plus the difference of clocks. */
const longestTokenMs = 24 * 60 * 60 * 1000 + 60 * 1000

/** Stored fields of a grant or consent that are read here. */
interface GrantPayload {
  iat?: number
  openid?: { scope?: string }
  permissions?: { scopes?: string[]; resources?: string[] }
  resources?: Record<string, string>
  document?: { name: string; host: string }
}

// Written only by the library's adapter and oauth/sessions/consents.ts.
const parsePayload = (row: Pick<Selectable<Tables['oidc_records']>, 'payload_json'>) =>
  JSON.parse(row.payload_json) as GrantPayload

/** Returns the scopes of a grant or consent record. */
export const readGrantScopes = (row: Pick<Selectable<Tables['oidc_records']>, 'payload_json'>): string[] => {
  const { openid, permissions } = parsePayload(row)
  return permissions?.scopes ?? (openid?.scope ?? '').split(' ').filter(scope => scope !== '')
}

/**
 * Lists consents and grants, newest first, at most 1,000. First-party applications have grants without a
 * consent.
 */
export const listUserGrants = async (db: Db, userId: string): Promise<GrantRow[]> => {
  const rows = await db
    .selectFrom('oidc_records')
    .selectAll()
    .where('account_id', '=', userId)
    .where('model', 'in', ['Consent', 'Grant'])
    .where(e => e.or([e('expires_at', 'is', null), e('expires_at', '>', Date.now())]))
    // Consents first: there is one grant for each code.
    .orderBy('model')
    .limit(listedMax)
    .execute()
  return rows
    .flatMap(row => {
      if (row.grant_id === null || row.client_id === null) return []
      const { iat = 0, permissions, resources = {}, document } = parsePayload(row)
      return {
        id: row.grant_id,
        clientId: row.client_id,
        scopes: readGrantScopes(row),
        resources: permissions?.resources ?? Object.keys(resources),
        document,
        since: iat * 1000,
        expiresAt: row.expires_at,
      }
    })
    .toSorted((a, b) => b.since - a.since)
}

/**
 * Ends a grant: removes its codes and refresh tokens; its access tokens are rejected from the next request
 * on.
 */
export const endGrant = async (writer: Writer, grantId: string): Promise<void> => {
  await removeGrantRecords(writer.db, grantId)
  await revoke(writer, 'grant', grantId, Date.now() + longestTokenMs)
}

/** Lists grants and consents, of one application or of all. */
export const listUserGrantIds = async (db: Db, userId: string, clientId?: string): Promise<string[]> => {
  let query = db
    .selectFrom('oidc_records')
    .select('grant_id')
    .distinct()
    .where('account_id', '=', userId)
    .where('grant_id', 'is not', null)
  if (clientId !== undefined) query = query.where('client_id', '=', clientId)
  return (await query.execute()).flatMap(({ grant_id }) => grant_id ?? [])
}

/** Ends all tokens of a person. Consents stay. */
export const endUserTokens = async (
  writer: Writer,
  userId: string,
  spared: ReadonlySet<string>,
): Promise<void> => {
  const consents = await writer.db
    .selectFrom('oidc_records')
    .select('grant_id')
    .where('account_id', '=', userId)
    .where('model', '=', 'Consent')
    .execute()
  const keptGrantIds = new Set([...spared, ...consents.map(({ grant_id }) => grant_id)])
  for (const id of await listUserGrantIds(writer.db, userId))
    if (!keptGrantIds.has(id)) await endGrant(writer, id)
}

/** Ends a person's grants and consents, of one application or of all. Returns their number. */
export const endUserGrants = async (writer: Writer, userId: string, clientId?: string): Promise<number> => {
  const ids = await listUserGrantIds(writer.db, userId, clientId)
  for (const id of ids) await endGrant(writer, id)
  return ids.length
}
