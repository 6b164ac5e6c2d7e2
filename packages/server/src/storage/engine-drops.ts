/**
 * What the engine is to drop, by its id there: what is being built until it is complete, what was superseded when nobody can be using it
 * any more. Any node does it, whichever began; so nothing is left by one that died.
 */
import type { Selectable } from 'kysely'
import { storageNow } from './clock.ts'
import type { Db, Storage, Writer } from './db.ts'
import type { Tables } from './tables.ts'

export type EngineDrop = Selectable<Tables['engine_drops']>

/** In `afterMs` at the earliest, whatever was planned before. */
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

/** It is dropped, or stays after all. */
export const removeDrop = async (db: Db, id: string): Promise<void> => {
  await db.deleteFrom('engine_drops').where('id', '=', id).execute()
}

export const isToBeDropped = async (db: Db, id: string): Promise<boolean> =>
  (await db.selectFrom('engine_drops').select('id').where('id', '=', id).executeTakeFirst()) !== undefined

/** Those whose time has come; `all`: the others too. */
export const listDrops = (db: Db, kind: Storage['kind'], includeLater: boolean): Promise<EngineDrop[]> => {
  const drops = db.selectFrom('engine_drops').selectAll()
  return (includeLater ? drops : drops.where('due_at', '<=', storageNow(kind))).execute()
}
