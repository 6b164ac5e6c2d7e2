/** Brings the tables of a storage to this version. */
import { type Kysely, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { Problem } from '#errors'
import { connect, type StorageLocation } from './connection.ts'
import { migrations } from './migrations/all.ts'
import type { StorageKind, Tables } from './tables.ts'

/** Names of all migrations in order; the last one is this version's. */
export const migrationNames: readonly string[] = Object.keys(migrations(true))

/** Migrates to `targetMigration`, or to the newest. */
export const migrate = async (
  db: Kysely<Tables>,
  kind: StorageKind,
  schema: string | undefined,
  targetMigration?: string,
): Promise<void> => {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations(kind === 'sqlite') },
    ...(schema === undefined ? {} : { migrationTableSchema: schema }),
  })
  const { error } = await (targetMigration === undefined
    ? migrator.migrateToLatest()
    : migrator.migrateTo(targetMigration))
  if (!error) return
  if (error instanceof Problem) throw error
  const laterMigration = (await listAppliedMigrations(db, schema).catch(() => [])).find(
    name => !migrationNames.includes(name),
  )
  throw laterMigration === undefined ? migrationFailed(error) : laterVersion(laterMigration)
}

/** PostgreSQL error code `insufficient_privilege`. */
const insufficientPrivilege = '42501'

const migrationFailed = (cause: unknown): Error => {
  const { message, code }: { message?: unknown; code?: unknown } = Object(cause)
  const advice =
    code === insufficientPrivilege
      ? ': the role in --storage needs CREATE and USAGE on the schema and must own the tables; the owner of the database has all of these'
      : ''
  return new Error(`the storage could not be migrated to this version (${String(message)})${advice}`, {
    cause,
  })
}

/** The error code says that a restart does not help. */
export const laterVersion = (migration: string): Error => {
  const message = `the storage was changed by a later version of Querent (${migration}): start that version, or restore a backup from before`
  return Object.assign(new Error(message), { code: 'later-version' })
}

/** Lists the applied migrations in order. */
export const listAppliedMigrations = async (
  db: Kysely<Tables>,
  schema: string | undefined,
): Promise<string[]> => {
  const table = sql.table(schema === undefined ? 'kysely_migration' : `${schema}.kysely_migration`)
  const { rows } = await sql<{ name: string }>`select name from ${table} order by name`.execute(db)
  return rows.map(({ name }) => name)
}

/** Migrates without a time limit, because tables may be large. */
export const migrateStorage = async (location: StorageLocation): Promise<void> => {
  const { db, kind } = connect(location)
  try {
    await migrate(db, kind, 'schema' in location ? location.schema : undefined)
  } finally {
    await db.destroy()
  }
}
