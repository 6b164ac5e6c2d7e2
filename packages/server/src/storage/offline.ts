/** Inspects, reads and fills a storage that no server uses. */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { type Kysely, sql } from 'kysely'
import { Problem } from '#errors'
import { connect, type StorageLocation, storageUnreachable } from './connection.ts'
import { type Row, readRows, type TableName, writeRows } from './dump.ts'
import { explainFileError } from './file-errors.ts'
import { laterVersion, listAppliedMigrations, migrate, migrationNames } from './migrate.ts'
import type { Tables } from './tables.ts'

/**
 * Reads all rows of a storage that no server uses, for a move. Its last migration gives its version. Throws for a later
 * version.
 */
export const readStorage = async (
  location: StorageLocation,
): Promise<{
  migration: string
  rows(engineStays: boolean): ReturnType<typeof readRows>
  close(): Promise<void>
}> => {
  const { db, kind } = connect(location)
  try {
    const appliedMigrations = await listAppliedMigrations(
      db,
      'schema' in location ? location.schema : undefined,
    )
    const laterMigration = appliedMigrations.find(name => !migrationNames.includes(name))
    if (laterMigration !== undefined) throw laterVersion(laterMigration)
    const tables = new Set((await db.introspection.getTables()).map(({ name }) => name))
    return {
      migration: appliedMigrations.at(-1) ?? '',
      rows: engineStays => readRows(db, kind, { tables, engineStays, isMove: true }),
      close: () => db.destroy(),
    }
  } catch (error) {
    await db.destroy()
    throw error
  }
}

const openOffline = (location: StorageLocation): ReturnType<typeof connect> => {
  try {
    return connect(location)
  } catch (error) {
    throw explainFileError(error, location)
  }
}

/** Whether there is no file, or no tables. */
export const isEmptyStorage = async (location: StorageLocation): Promise<boolean> =>
  'file' in location ? !existsSync(location.file) : (await inspectStorage(location)) === 'nothing'

/**
 * Inspects a location for a storage. `nobody`: our tables without any user, left by an interrupted start.
 * `else`: other tables. Throws an error with a one-line message if it is unreachable.
 */
export const inspectStorage = async (
  location: StorageLocation,
): Promise<'nothing' | 'nobody' | 'used' | 'else'> => {
  if ('file' in location && !existsSync(location.file)) return 'nothing'
  const { db } = openOffline(location)
  try {
    const names = (await listTables(db, location)).map(({ name }) => name)
    if (!['kysely_migration', 'users'].every(name => names.includes(name)))
      return names.length === 0 && 'connection' in location ? 'nothing' : 'else'
    return (await db.selectFrom('users').select('id').limit(1).execute()).length === 0 ? 'nobody' : 'used'
  } catch (error) {
    throw explainFileError(error instanceof Problem ? storageUnreachable(error) : error, location)
  } finally {
    await db.destroy()
  }
}

/** Lists the tables of the schema in use: the first of the search path, unless one is configured. */
const listTables = async (db: Kysely<Tables>, location: StorageLocation): Promise<{ name: string }[]> => {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if ('file' in location) return tables
  const { rows } = await sql<{ schema: string | null }>`select current_schema() as schema`.execute(db)
  return tables.filter(table => table.schema === rows[0]?.schema)
}

const dropTables = async (db: Kysely<Tables>, location: StorageLocation): Promise<void> => {
  for (const { name } of await listTables(db, location))
    await sql`drop table ${sql.table(name)} cascade`.execute(db)
}

const removeFiles = async (file: string): Promise<void> => {
  for (const suffix of ['', '-wal', '-shm']) await rm(`${file}${suffix}`, { force: true })
}

const removeStorage = async (location: StorageLocation): Promise<void> => {
  if ('file' in location) return removeFiles(location.file)
  const { db } = connect(location)
  try {
    await dropTables(db, location)
  } finally {
    await db.destroy()
  }
}

/**
 * Creates the tables of `migration` in a storage without people, fills them, and migrates to this version. Removes
 * everything if that or `finish` fails.
 */
export const fillStorage = async (
  location: StorageLocation,
  migration: string,
  batches: AsyncIterable<{ table: TableName; rows: Row[] }>,
  finish?: () => Promise<unknown>,
): Promise<void> => {
  if (!(await isEmptyStorage(location))) {
    // Tables without anybody in them are what a killed restore leaves.
    if ((await inspectStorage(location)) !== 'nobody')
      throw new Error('the storage to be filled is not empty')
    await removeStorage(location)
  }
  const { db, kind } = connect(location)
  const schema = 'schema' in location ? location.schema : undefined
  try {
    await migrate(db, kind, schema, migration)
    await writeRows(db, kind, batches)
    await migrate(db, kind, schema)
    await finish?.()
  } catch (error) {
    // If the database went away, empty tables may be left; report the original error.
    if ('connection' in location) await dropTables(db, location).catch(() => {})
    await db.destroy()
    if ('file' in location) await removeFiles(location.file)
    throw error
  }
  // The work is done, whatever becomes of the connection.
  await db.destroy().catch(() => {})
}
