/** Progress of named imports. A client may ask another node than the one that imports. */
import { sql } from 'kysely'
import type { Db, Storage } from './db.ts'
import type { Tables } from './tables.ts'
import { storageNow } from './tables.ts'

type Imports = Tables['imports']
export type ImportKey = Pick<Imports, 'workspace_id' | 'collection' | 'subject' | 'name'>
export type ImportState = Pick<Imports, 'state' | 'bytes' | 'documents' | 'kept'>

/** After this long without a report, the node counts as dead. */
const silentMsMax = 10_000
const rememberedMs = 60 * 60 * 1000
/** Newest imports kept for each account and workspace, because clients choose the names. */
const rememberedMax = 200

export const saveImport = async (
  { db, kind }: Pick<Storage, 'db' | 'kind'>,
  key: ImportKey,
  state: ImportState,
): Promise<void> => {
  const row = { ...state, at: storageNow(kind) }
  await db
    .insertInto('imports')
    .values({ ...key, ...row })
    .onConflict(conflict =>
      conflict.columns(['workspace_id', 'collection', 'subject', 'name']).doUpdateSet(row),
    )
    .execute()
  const { workspace_id, subject } = key
  await db
    .deleteFrom('imports')
    .where('workspace_id', '=', workspace_id)
    .where('subject', '=', subject)
    .where('at', '<', eb =>
      eb
        .selectFrom('imports as newer')
        .select('newer.at')
        .where('newer.workspace_id', '=', workspace_id)
        .where('newer.subject', '=', subject)
        .orderBy('newer.at', 'desc')
        .offset(rememberedMax - 1)
        .limit(1),
    )
    .execute()
}

/** Returns the progress of an import; `broken` if its node has died. */
export const findImport = async (
  { db, kind }: Pick<Storage, 'db' | 'kind'>,
  { workspace_id, collection, subject, name }: ImportKey,
): Promise<Pick<Imports, 'state' | 'bytes' | 'documents'> | undefined> => {
  const row = await db
    .selectFrom('imports')
    .select(['state', 'bytes', 'documents', 'kept'])
    .select(sql<number>`${storageNow(kind)} - at`.as('silentMs'))
    .where('workspace_id', '=', workspace_id)
    .where('collection', '=', collection)
    .where('subject', '=', subject)
    .where('name', '=', name)
    .executeTakeFirst()
  if (!row) return undefined
  const { state, bytes, documents, kept, silentMs } = row
  return state === 'running' && silentMs > silentMsMax
    ? { state: 'broken', bytes, documents: kept }
    : { state, bytes, documents }
}

/** Lists named imports of one account, newest first, at most 10,000. */
export const listAccountImports = (
  db: Db,
  subject: string,
): Promise<Pick<Imports, 'workspace_id' | 'collection' | 'name' | 'state' | 'at'>[]> =>
  db
    .selectFrom('imports')
    .select(['workspace_id', 'collection', 'name', 'state', 'at'])
    .where('subject', '=', subject)
    .orderBy('at', 'desc')
    .limit(10_000)
    .execute()

/** Forgets the named imports of a removed account; the documents stay. */
export const removeAccountImports = async (db: Db, subject: string): Promise<void> => {
  await db.deleteFrom('imports').where('subject', '=', subject).execute()
}

/** Removes imports that ended long ago. */
export const pruneImports = async ({ db, kind }: Pick<Storage, 'db' | 'kind'>): Promise<void> => {
  await db
    .deleteFrom('imports')
    .where('at', '<', sql<number>`${storageNow(kind)} - ${sql.lit(rememberedMs)}`)
    .execute()
}
