/** Work of the embedders: which documents need vectors, and how far each generation was scanned for such documents. */
import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Db } from './db.ts'
import type { Tables } from './tables.ts'

export type EmbeddingWork = Selectable<Tables['embedding_work']>
export type EmbeddingScan = Selectable<Tables['embedding_scans']>

/** Rows of one statement: 6 columns each stay below SQLite's limit of 32,766 parameters. */
const rowsMax = 1_000

/** Adds documents of a generation, or renews their rows: work that began before does not count for them. */
export const addEmbeddingWork = async (
  db: Db,
  workspaceId: string,
  generation: string,
  documentIds: readonly string[],
): Promise<void> => {
  const token = randomUUID()
  const ids = [...new Set(documentIds)]
  for (let start = 0; start < ids.length; start += rowsMax)
    await db
      .insertInto('embedding_work')
      .values(
        ids.slice(start, start + rowsMax).map(id => ({
          generation,
          document_id: id,
          workspace_id: workspaceId,
          token,
          due_at: Date.now(),
          attempts: 0,
        })),
      )
      .onConflict(conflict =>
        conflict.columns(['generation', 'document_id']).doUpdateSet(({ ref }) => ({
          token: ref('excluded.token'),
          due_at: ref('excluded.due_at'),
          attempts: 0,
        })),
      )
      .execute()
}

/** Lists due rows of a generation, the longest due first. */
export const listEmbeddingWork = (db: Db, generation: string, count: number): Promise<EmbeddingWork[]> =>
  db
    .selectFrom('embedding_work')
    .selectAll()
    .where('generation', '=', generation)
    .where('due_at', '<=', Date.now())
    .orderBy('due_at')
    .limit(count)
    .execute()

/** Removes rows that were not renewed meanwhile. */
export const removeEmbeddingWork = async (db: Db, rows: readonly EmbeddingWork[]): Promise<void> => {
  for (const [token, group] of Map.groupBy(rows, row => row.token))
    for (let start = 0; start < group.length; start += rowsMax)
      await db
        .deleteFrom('embedding_work')
        .where('generation', '=', group[0]?.generation ?? '')
        .where(
          'document_id',
          'in',
          group.slice(start, start + rowsMax).map(row => row.document_id),
        )
        .where('token', '=', token)
        .execute()
}

/** Puts a row off after the embedder rejected its text. */
export const postponeEmbeddingWork = async (db: Db, row: EmbeddingWork, afterMs: number): Promise<void> => {
  await db
    .updateTable('embedding_work')
    .set({ due_at: Date.now() + afterMs, attempts: row.attempts + 1 })
    .where('generation', '=', row.generation)
    .where('document_id', '=', row.document_id)
    .where('token', '=', row.token)
    .execute()
}

export const countEmbeddingWork = async (db: Db, generation: string): Promise<number> => {
  const row = await db
    .selectFrom('embedding_work')
    .select(({ fn }) => fn.countAll().as('rows'))
    .where('generation', '=', generation)
    .executeTakeFirst()
  return Number(row?.rows ?? 0)
}

export const findEmbeddingScan = (db: Db, generation: string): Promise<EmbeddingScan | undefined> =>
  db.selectFrom('embedding_scans').selectAll().where('generation', '=', generation).executeTakeFirst()

/** Begins a scan. */
export const startEmbeddingScan = async (db: Db, scan: EmbeddingScan): Promise<void> => {
  await db
    .insertInto('embedding_scans')
    .values(scan)
    .onConflict(conflict =>
      conflict.column('generation').doUpdateSet(({ ref }) => ({
        key: ref('excluded.key'),
        after_id: ref('excluded.after_id'),
        documents: ref('excluded.documents'),
        done: ref('excluded.done'),
      })),
    )
    .execute()
}

/** Saves the progress of a scan. Returns false if it was reset meanwhile. */
export const saveEmbeddingScan = async (db: Db, scan: EmbeddingScan): Promise<boolean> => {
  const { generation, key, after_id, documents, done } = scan
  const { numUpdatedRows } = await db
    .updateTable('embedding_scans')
    .set({ after_id, documents, done })
    .where('generation', '=', generation)
    .where('key', '=', key)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Makes the next round scan the generation again. */
export const resetEmbeddingScan = async (db: Db, generation: string): Promise<void> => {
  await db.deleteFrom('embedding_scans').where('generation', '=', generation).execute()
}

/** Removes the work and the scans of a workspace's generations that answer no queries. They are scanned again if they ever do. */
export const keepEmbeddingWork = async (
  db: Db,
  workspaceId: string,
  generations: readonly string[],
): Promise<void> => {
  for (const table of ['embedding_scans', 'embedding_work'] as const) {
    const rows = db.deleteFrom(table).where('workspace_id', '=', workspaceId)
    await (generations.length === 0 ? rows : rows.where('generation', 'not in', generations)).execute()
  }
}
