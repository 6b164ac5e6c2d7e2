/**
 * Queue of generations to be dropped from the engine, by engine id: unfinished builds, and superseded
 * generations that nobody can still be using. Any node processes it, so nothing is left behind by a dead
 * node.
 */
import type { Selectable } from 'kysely'
import type { Db, Storage, Writer } from './db.ts'
import type { Tables } from './tables.ts'
import { storageNow } from './tables.ts'

export type EngineDrop = Selectable<Tables['engine_drops']>

/** Schedules a drop after `afterMs`; replaces an earlier schedule. */
export const scheduleDrop = async (
  { db }: Pick<Writer, 'db'>,
  kind: Storage['kind'],
  drop: Omit<EngineDrop, 'due_at'>,
  afterMs: number,
): Promise<void> => {
  const due = storageNow(kind)
  await db
    .insertInto('engine_drops')
    .values(({ eb }) => ({ ...drop, due_at: eb(due, '+', afterMs) }))
    .onConflict(conflict =>
      conflict.column('id').doUpdateSet(({ ref }) => ({ due_at: ref('excluded.due_at') })),
    )
    .execute()
}

/** Removes a drop that was done or canceled. */
export const removeDrop = async (db: Db, id: string): Promise<void> => {
  await db.deleteFrom('engine_drops').where('id', '=', id).execute()
}

export const isToBeDropped = async (db: Db, id: string): Promise<boolean> =>
  (await db.selectFrom('engine_drops').select('id').where('id', '=', id).executeTakeFirst()) !== undefined

/** Lists due drops; with `includeLater` all of them. */
export const listDrops = (db: Db, kind: Storage['kind'], includeLater: boolean): Promise<EngineDrop[]> => {
  const drops = db.selectFrom('engine_drops').selectAll()
  return (includeLater ? drops : drops.where('due_at', '<=', storageNow(kind))).execute()
}
