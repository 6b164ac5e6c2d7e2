/** Running nodes. Each writes a row about itself every 30 s and deletes it when it stops. */
import { sql } from 'kysely'
import { createRowReader, type Row } from './columns.ts'
import type { Storage } from './db.ts'
import { nodeColumns } from './node-tables.ts'
import { storageNow } from './tables.ts'

type Database = Pick<Storage, 'db' | 'kind'>

type StoredNode = Row<typeof nodeColumns>
/** Status of a node, reported by itself. */
export type NodeRow = Omit<StoredNode, 'startedAt' | 'seenAt'>

export interface SeenNode extends StoredNode {
  /** Time since its last report. */
  silentMs: number
}

const readNode = createRowReader(nodeColumns)

/** How long a node that crashed stays listed. */
const expiresMs = 60 * 60 * 1000
/**
 * Two rows with one address within this time are two nodes; later, the silent one was replaced by a restart.
 */
const replacedMs = 90_000

/** Writes the row of a node. Deletes rows of its earlier starts, and of nodes silent for an hour. */
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

/** Lists nodes in the order of their start. */
export const listNodes = async ({ db, kind }: Database): Promise<SeenNode[]> => {
  const rows = await db
    .selectFrom('nodes')
    .selectAll()
    .select(sql<number>`${storageNow(kind)} - seen_at`.as('silentMs'))
    .where('seen_at', '>=', sql<number>`${storageNow(kind)} - ${sql.lit(expiresMs)}`)
    .orderBy('started_at')
    .orderBy('id')
    .execute()
  return rows.map(row => ({ ...readNode(row), silentMs: row.silentMs }))
}
