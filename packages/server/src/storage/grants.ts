/** What people allowed applications to do (consents), and its end. The OAuth library keeps each as a record of its own. */
import type { Db, Writer } from './db.ts'
import { removeRecordsOfGrant } from './oidc-records.ts'
import { revoke } from './revocations.ts'

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

/** What the library stores of a grant, as far as it is read here. */
interface GrantPayload {
  iat?: number
  openid?: { scope?: string }
  resources?: Record<string, string>
}

const scopesOf = ({ openid, resources = {} }: GrantPayload): string[] => [
  ...new Set(
    [openid?.scope ?? '', ...Object.values(resources)]
      .flatMap(scope => scope.split(' '))
      .filter(scope => scope !== ''),
  ),
]

/** Newest first, at most 1,000. */
export const listGrantsOf = async (db: Db, userId: string): Promise<GrantRow[]> => {
  const rows = await db
    .selectFrom('oidc_records')
    .selectAll()
    .where('account_id', '=', userId)
    .where('model', '=', 'Grant')
    .where(e => e.or([e('expires_at', 'is', null), e('expires_at', '>', Date.now())]))
    .limit(listedMax)
    .execute()
  return rows
    .flatMap(row => {
      if (row.grant_id === null || row.client_id === null) return []
      // Written by the library's adapter alone.
      const payload = JSON.parse(row.payload_json) as GrantPayload
      return {
        id: row.grant_id,
        clientId: row.client_id,
        scopes: scopesOf(payload),
        since: (payload.iat ?? 0) * 1000,
        expiresAt: row.expires_at,
      }
    })
    .toSorted((a, b) => b.since - a.since)
}

/** Ends a grant: its codes and refresh tokens are gone, its access tokens refused from the next request on. */
export const endGrant = async (writer: Writer, grantId: string): Promise<void> => {
  await removeRecordsOfGrant(writer.db, grantId)
  await revoke(writer, 'grant', grantId, Date.now() + longestTokenMs)
}

/** Of one application, or of all. */
export const grantIdsOf = async (db: Db, userId: string, clientId?: string): Promise<string[]> => {
  let query = db
    .selectFrom('oidc_records')
    .select('grant_id')
    .distinct()
    .where('account_id', '=', userId)
    .where('grant_id', 'is not', null)
  if (clientId !== undefined) query = query.where('client_id', '=', clientId)
  return (await query.execute()).flatMap(({ grant_id }) => grant_id ?? [])
}

/** Ends what a person allowed one application, or all of them. Returns how many grants there were. */
export const endGrantsOf = async (writer: Writer, userId: string, clientId?: string): Promise<number> => {
  const ids = await grantIdsOf(writer.db, userId, clientId)
  for (const id of ids) await endGrant(writer, id)
  return ids.length
}
