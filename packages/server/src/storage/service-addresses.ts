/** Addresses of this service. A restored or renamed server has others, and what belongs to the former ones no longer works. */
import { createRowReader } from './columns.ts'
import type { Db, Storage } from './db.ts'
import { serviceAddressColumns } from './node-tables.ts'

/** Both without a trailing slash. */
export interface ServiceAddress {
  baseUrl: string
  authUrl: string
}

/** Former addresses that are kept. */
const formerMax = 20

/**
 * Records the addresses of an authorization server that starts. Returns the former ones, newest first, and whether they changed with this
 * start. Writes only after a change.
 */
export const recordServiceAddress = async (
  storage: Storage,
  { baseUrl, authUrl }: ServiceAddress,
): Promise<{ former: ServiceAddress[]; hasMoved: boolean }> => {
  const [latest, ...earlier] = await listServiceAddresses(storage.db)
  if (latest?.baseUrl === baseUrl && latest.authUrl === authUrl) return { former: earlier, hasMoved: false }
  await storage.write(async ({ db }) => {
    // Passkeys of versions that stored no host name.
    await db
      .updateTable('passkeys')
      .set({ rp_id: new URL(latest?.authUrl ?? authUrl).hostname })
      .where('rp_id', 'is', null)
      .execute()
    const usedFrom = Math.max(Date.now(), (latest?.usedFrom ?? 0) + 1)
    await db
      .insertInto('service_addresses')
      .values({ base_url: baseUrl, auth_url: authUrl, used_from: usedFrom })
      .onConflict(c => c.columns(['base_url', 'auth_url']).doUpdateSet({ used_from: usedFrom }))
      .execute()
    // The latest is a former one now.
    const oldest = earlier[formerMax - 2]
    if (oldest) await db.deleteFrom('service_addresses').where('used_from', '<', oldest.usedFrom).execute()
  })
  const former = (await listServiceAddresses(storage.db)).slice(1)
  return { former, hasMoved: latest !== undefined }
}

const readAddress = createRowReader(serviceAddressColumns)

/** Newest first: the current address, then the former ones. */
export const listServiceAddresses = async (
  db: Db,
): Promise<(ServiceAddress & { /** Milliseconds since 1970. */ usedFrom: number })[]> => {
  const rows = await db.selectFrom('service_addresses').selectAll().orderBy('used_from', 'desc').execute()
  return rows.map(readAddress)
}

/** Passkeys of other host names than the current one. */
export interface FormerPasskeys {
  /** The host names. */
  hosts: string[]
  passkeys: number
  /** People who have no other second factor. */
  people: number
}

/** `host`: the current host name of the authorization server, which new passkeys belong to. */
export const countFormerPasskeys = async (db: Db, host: string): Promise<FormerPasskeys> => {
  const rows = await db
    .selectFrom('passkeys')
    .select(['rp_id', ({ fn }) => fn.countAll<number>().as('count')])
    .where('rp_id', '!=', host)
    .groupBy('rp_id')
    .execute()
  if (rows.length === 0) return { hosts: [], passkeys: 0, people: 0 }
  const { count: people } = await db
    .selectFrom('passkeys')
    .select(({ fn }) => fn.count<number>('passkeys.user_id').distinct().as('count'))
    .where('passkeys.rp_id', '!=', host)
    .where(({ not, exists, and, selectFrom }) =>
      and([
        not(
          exists(
            selectFrom('authenticator_apps')
              .select('authenticator_apps.user_id')
              .whereRef('authenticator_apps.user_id', '=', 'passkeys.user_id'),
          ),
        ),
        not(
          exists(
            selectFrom('passkeys as current')
              .select('current.id')
              .whereRef('current.user_id', '=', 'passkeys.user_id')
              .where(({ or, eb }) => or([eb('current.rp_id', '=', host), eb('current.rp_id', 'is', null)])),
          ),
        ),
      ]),
    )
    .executeTakeFirstOrThrow()
  return {
    hosts: rows.flatMap(({ rp_id }) => rp_id ?? []),
    passkeys: rows.reduce((sum, { count }) => sum + Number(count), 0),
    people: Number(people),
  }
}

/** Counts the applications whose default audience starts with one of these base URLs. */
export const countFormerAudiences = async (db: Db, baseUrls: readonly string[]): Promise<number> => {
  if (baseUrls.length === 0) return 0
  const rows = await db
    .selectFrom('clients')
    .select('settings_json')
    .where('kind', '=', 'application')
    .where('settings_json', 'like', '%"defaultAudience"%')
    .execute()
  return rows.filter(({ settings_json }) => {
    const { defaultAudience }: { defaultAudience?: unknown } = Object(JSON.parse(settings_json))
    return baseUrls.some(url => defaultAudience === url || String(defaultAudience).startsWith(`${url}/`))
  }).length
}
