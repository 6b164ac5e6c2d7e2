/** Generations of collections, and which one is live. Their documents are in the engine. */
import { randomUUID } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import { Problem } from '#errors'
import type { Db, Writer } from './db.ts'
import type { Tables } from './tables.ts'
import { lockWorkspaceById } from './workspaces.ts'

/** `spec` is the engine's GenerationSpec as JSON text. */
export type GenerationRow = Selectable<Tables['generations']>

export interface NewGeneration {
  id?: string
  workspaceId: string
  collection: string
  spec: unknown
  /** For an atomic import only; never live. */
  isScratch?: boolean
  /** Number of the generation whose documents it inherits. */
  origin?: number
}

/** Returns the id in the engine. Each rebuild of the same documents has its own. */
export const makeEngineId = ({ id, build }: Pick<GenerationRow, 'id' | 'build'>): string =>
  build === 0 ? id : `${id}-${build}`

/** Length of the id of a row, a UUID, at the beginning of its id in the engine. */
const idChars = 36

/** Returns whose generation this id in the engine is. */
export const findGenerationPlace = (
  db: Db,
  engineId: string,
): Promise<{ workspace: string; collection: string; number: number } | undefined> =>
  db
    .selectFrom('generations')
    .innerJoin('workspaces', 'workspaces.id', 'generations.workspace_id')
    .select(['workspaces.slug as workspace', 'generations.collection', 'generations.number'])
    .where('generations.id', '=', engineId.slice(0, idChars))
    .executeTakeFirst()

/** Adds the next generation of the collection. */
export const createGeneration = async (
  { db, announce }: Writer,
  { id = randomUUID(), workspaceId, collection, spec, isScratch = false, origin }: NewGeneration,
): Promise<GenerationRow> => {
  // Two nodes must not assign the same number.
  await lockWorkspaceById(db, workspaceId)
  const last = await db
    .selectFrom('generations')
    .select(({ fn }) => fn.max('number').as('number'))
    .where('workspace_id', '=', workspaceId)
    .where('collection', '=', collection)
    .executeTakeFirst()
  const row = await db
    .insertInto('generations')
    .values({
      id,
      workspace_id: workspaceId,
      collection,
      number: (last?.number ?? 0) + 1,
      spec_json: JSON.stringify(spec),
      state: isScratch ? 'aside' : 'building',
      created_at: Date.now(),
      promoted_at: null,
      origin: origin ?? null,
      documents: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  announce('generations', workspaceId)
  return row
}

/** Newest first. */
export const listGenerations = (
  db: Db,
  workspaceId: string,
  collection?: string,
): Promise<GenerationRow[]> => {
  let query = db.selectFrom('generations').selectAll().where('workspace_id', '=', workspaceId)
  if (collection !== undefined) query = query.where('collection', '=', collection)
  return query.orderBy('number', 'desc').execute()
}

/** The one that is live. */
export const findLiveGeneration = (
  db: Db,
  workspaceId: string,
  collection: string,
): Promise<GenerationRow | undefined> =>
  db
    .selectFrom('generations')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('collection', '=', collection)
    .where('state', '=', 'ready')
    .where('promoted_at', 'is not', null)
    .orderBy('promoted_at', 'desc')
    .executeTakeFirst()

export const findGeneration = (db: Db, id: string): Promise<GenerationRow | undefined> =>
  db.selectFrom('generations').selectAll().where('id', '=', id).executeTakeFirst()

/** Lists generations that are being built, whose builder has died, or that are retired. */
export const listUnfinishedGenerations = (
  db: Db,
): Promise<Pick<GenerationRow, 'id' | 'build' | 'workspace_id'>[]> =>
  db
    .selectFrom('generations')
    .select(['id', 'build', 'workspace_id'])
    // Literal, as in the partial index: SQLite does not match a parameter.
    .where('state', '!=', sql.lit('ready'))
    .execute()

/** Lists every collection with complete generations, of all workspaces. */
export const listCollections = (
  db: Db,
): Promise<{ workspaceId: string; workspace: string; collection: string }[]> =>
  db
    .selectFrom('generations')
    .innerJoin('workspaces', 'workspaces.id', 'generations.workspace_id')
    .select(['workspaces.id as workspaceId', 'workspaces.slug as workspace', 'generations.collection'])
    .distinct()
    .where('generations.state', '=', 'ready')
    .orderBy('workspace')
    .orderBy('collection')
    .execute()

/**
 * Returns the current time, or later than the last promotion if the clock is behind: the latest promotion is
 * live.
 */
const nextPromotion = async (db: Db, workspaceId: string): Promise<number> => {
  await lockWorkspaceById(db, workspaceId)
  const last = await db
    .selectFrom('generations')
    .select(({ fn }) => fn.max('promoted_at').as('at'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
  return Math.max(Date.now(), (last?.at ?? 0) + 1)
}

/** Marks the generation as complete; `promote` makes it live. Throws 503 if it was retired meanwhile. */
export const finishGeneration = async (
  { db, announce }: Writer,
  row: Pick<GenerationRow, 'id' | 'workspace_id'>,
  promote: boolean,
): Promise<void> => {
  const promotedAt = promote ? await nextPromotion(db, row.workspace_id) : undefined
  const changed = await db
    .updateTable('generations')
    .set({ state: 'ready', ...(promotedAt === undefined ? {} : { promoted_at: promotedAt }) })
    .where('id', '=', row.id)
    .where('state', '!=', 'aside')
    .executeTakeFirst()
  if (changed.numUpdatedRows === 0n) throw retiredMeanwhile()
  announce('generations', row.workspace_id)
}

const retiredMeanwhile = (): Problem =>
  new Problem('unavailable', 'the generation was dropped or rebuilt meanwhile; try again')

/** Saves the number of documents, used while the generation is not open. */
export const saveDocumentCount = async (db: Db, id: string, documents: number): Promise<void> => {
  await db.updateTable('generations').set({ documents }).where('id', '=', id).execute()
}

/**
 * Saves a new spec for the same documents, which the engine has built under the id of the next build. Throws
 * 503 if another build came first.
 */
export const saveGenerationSpec = async (
  { db, announce }: Writer,
  row: Pick<GenerationRow, 'id' | 'workspace_id' | 'build'>,
  spec: unknown,
): Promise<void> => {
  const changed = await db
    .updateTable('generations')
    .set({ spec_json: JSON.stringify(spec), build: row.build + 1 })
    .where('id', '=', row.id)
    .where('build', '=', row.build)
    .executeTakeFirst()
  if (changed.numUpdatedRows === 0n) throw retiredMeanwhile()
  announce('generations', row.workspace_id)
}

/**
 * Retires a generation: it is no longer live and cannot be promoted. The row stays until the engine has
 * dropped it.
 */
export const retireGeneration = async (
  { db, announce }: Writer,
  row: Pick<GenerationRow, 'id' | 'workspace_id'>,
): Promise<void> => {
  await db
    .updateTable('generations')
    .set({ promoted_at: null, state: 'aside' })
    .where('id', '=', row.id)
    .execute()
  announce('generations', row.workspace_id)
}

export const removeGeneration = async (
  { db, announce }: Writer,
  row: Pick<GenerationRow, 'id' | 'workspace_id'>,
): Promise<void> => {
  await db.deleteFrom('generations').where('id', '=', row.id).execute()
  announce('generations', row.workspace_id)
}
