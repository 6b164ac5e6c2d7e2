/**
 * What people allowed applications to do, and its end. A consent is of a person and an application, and stays until it is withdrawn
 * (oauth/sessions/consents.ts); a grant is what the tokens of one code come from. Both are records under their own id as `grant_id`.
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
  /** Milliseconds since 1970. */
  since: number
  expiresAt: number | null
}

const listedMax = 1000
/** No access token lives longer (authorization-server.md, Tokens), and clocks that differ. */
const longestTokenMs = 24 * 60 * 60 * 1000 + 60 * 1000

/** What is stored of a grant and of a consent, as far as it is read here. */
interface GrantPayload {
  iat?: number
  openid?: { scope?: string }
  permissions?: { scopes?: string[] }
}

// Written by the library's adapter and by oauth/sessions/consents.ts alone.
const parsePayload = (row: Pick<Selectable<Tables['oidc_records']>, 'payload_json'>) =>
  JSON.parse(row.payload_json) as GrantPayload

/** Scopes of the record of a grant or consent. */
export const readGrantScopes = (row: Pick<Selectable<Tables['oidc_records']>, 'payload_json'>): string[] => {
  const { openid, permissions } = parsePayload(row)
  return permissions?.scopes ?? (openid?.scope ?? '').split(' ').filter(scope => scope !== '')
}

/** Consents and grants, newest first, at most 1,000. An application of the workspace's own has grants without a consent. */
export const listUserGrants = async (db: Db, userId: string): Promise<GrantRow[]> => {
  const rows = await db
    .selectFrom('oidc_records')
    .selectAll()
    .where('account_id', '=', userId)
    .where('model', 'in', ['Consent', 'Grant'])
    .where(e => e.or([e('expires_at', 'is', null), e('expires_at', '>', Date.now())]))
    // Consents first: of grants there is one for each code.
    .orderBy('model')
    .limit(listedMax)
    .execute()
  return rows
    .flatMap(row => {
      if (row.grant_id === null || row.client_id === null) return []
      return {
        id: row.grant_id,
        clientId: row.client_id,
        scopes: readGrantScopes(row),
        since: (parsePayload(row).iat ?? 0) * 1000,
        expiresAt: row.expires_at,
      }
    })
    .toSorted((a, b) => b.since - a.since)
}

/** Ends a grant: its codes and refresh tokens are gone, its access tokens refused from the next request on. */
export const endGrant = async (writer: Writer, grantId: string): Promise<void> => {
  await removeGrantRecords(writer.db, grantId)
  await revoke(writer, 'grant', grantId, Date.now() + longestTokenMs)
}

/** Of consents and grants; of one application, or of all. */
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

/** Ends all that a person's tokens came from; what they agreed to is not asked again. */
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

/** Ends what a person allowed one application, or all of them. Returns how many grants there were. */
export const endUserGrants = async (writer: Writer, userId: string, clientId?: string): Promise<number> => {
  const ids = await listUserGrantIds(writer.db, userId, clientId)
  for (const id of ids) await endGrant(writer, id)
  return ids.length
}
