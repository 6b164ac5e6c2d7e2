/** The nodes that run on this storage: each writes a row about itself every 30 s, and deletes it when it stops. */
import type { HealthCheck } from '@querent/contract/manage'
import { sql } from 'kysely'
import { storageNow } from './clock.ts'
import type { Storage } from './db.ts'

type Database = Pick<Storage, 'db' | 'kind'>

/** What a node says about itself. */
export interface NodeRow {
  /** Another one for each start. */
  id: string
  services: ('query' | 'authorization')[]
  /** Name of its machine. */
  host: string
  /** Origins on which it listens, by service as in `services`. */
  listening: string[]
  version: string
  checks: HealthCheck[]
}

export interface SeenNode extends NodeRow {
  /** Milliseconds since 1970, by the database's clock; so is `seenAt`. */
  startedAt: number
  seenAt: number
  /** For how long it has written nothing. */
  silentMs: number
}

/** A node that ended without a stop is listed for so long. */
const expiresMs = 60 * 60 * 1000
/** Two rows of one address within this time are two nodes; after it, the silent one was replaced by a new start. */
const replacedMs = 90_000

/** Writes the row of a node, and deletes those of its earlier starts and of nodes that have been silent for an hour. */
export const saveNode = async ({ db, kind }: Database, node: NodeRow): Promise<void> => {
  const now = storageNow(kind)
  const { id, host, version } = node
  const listening_json = JSON.stringify(node.listening)
  const checks_json = JSON.stringify(node.checks)
  const services_json = JSON.stringify(node.services)
  await db
    .insertInto('nodes')
    .values({
      ...{ id, host, version, listening_json, services_json, checks_json },
      started_at: now,
      seen_at: now,
    })
    .onConflict(conflict => conflict.column('id').doUpdateSet({ checks_json, seen_at: now }))
    .execute()
  await db
    .deleteFrom('nodes')
    .where(eb =>
      eb.or([
        eb('seen_at', '<', sql<number>`${now} - ${sql.lit(expiresMs)}`),
        eb.and([
          eb('host', '=', host),
          eb('listening_json', '=', listening_json),
          eb('id', '<>', id),
          eb('seen_at', '<', sql<number>`${now} - ${sql.lit(replacedMs)}`),
        ]),
      ]),
    )
    .execute()
}

export const removeNode = async ({ db }: Pick<Storage, 'db'>, id: string): Promise<void> => {
  await db.deleteFrom('nodes').where('id', '=', id).execute()
}

/** In the order in which they started. */
export const listNodes = async ({ db, kind }: Database): Promise<SeenNode[]> => {
  const rows = await db
    .selectFrom('nodes')
    .selectAll()
    .select(sql<number>`${storageNow(kind)} - seen_at`.as('silentMs'))
    .where('seen_at', '>=', sql<number>`${storageNow(kind)} - ${sql.lit(expiresMs)}`)
    .orderBy('started_at')
    .orderBy('id')
    .execute()
  return rows.map(row => ({
    id: row.id,
    host: row.host,
    version: row.version,
    startedAt: row.started_at,
    seenAt: row.seen_at,
    silentMs: row.silentMs,
    // Written by saveNode.
    services: JSON.parse(row.services_json) as NodeRow['services'],
    listening: JSON.parse(row.listening_json) as string[],
    checks: JSON.parse(row.checks_json) as HealthCheck[],
  }))
}
