/** Reads and replaces values that the server's key encrypts, for a change of that key (keys/sealed-columns.ts). */
import { setImmediate } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from './db.ts'
import type { TableName } from './dump.ts'

/** Columns of one table with an encrypted value. */
export interface SealedPlace {
  table: TableName
  column: string
  /** Primary key. */
  key: readonly string[]
  /** Limits the rows to those with one of these values in the first column of the key. */
  first?: readonly string[]
  /** Column that grows with the time when a row was written. For rows that expire. */
  newestBy?: string
}

/** One row: its key by column, and the encrypted value. */
export interface SealedValue {
  key: Readonly<Record<string, string | number>>
  value: string
}

/** Rows per statement. Other requests run between two of them. */
const rowsAtOnce = 200

/** Yields all values that are not null in batches, in the order of the key. Rows may be replaced meanwhile. */
export async function* readSealedValues(
  db: Db,
  { table, column, key, first }: SealedPlace,
): AsyncGenerator<SealedValue[]> {
  const columns = selectKey(key)
  for (let last: SealedValue | undefined; ; ) {
    const isNext: RawBuilder<unknown> = last
      ? sql`(${columns}) > (${sql.join(Object.values(last.key))})`
      : sql`1 = 1`
    const { rows } = await sql<Record<string, string | number>>`
      select ${columns}, ${sql.ref(column)} as sealed_value from ${sql.table(table)}
      where ${sql.ref(column)} is not null and ${isIncluded(key, first)} and ${isNext}
      order by ${columns} limit ${sql.lit(rowsAtOnce)}`.execute(db)
    const values = rows.map(toSealedValue)
    last = values.at(-1)
    if (last === undefined) return
    yield values
    if (values.length < rowsAtOnce) return
    await setImmediate()
  }
}

/** Yields the newest values that are not null in batches, at most `countMax`, by the column `newestBy`. */
export async function* readNewestSealedValues(
  db: Db,
  { table, column, key, first }: SealedPlace,
  { newestBy, countMax }: { newestBy: string; countMax: number },
): AsyncGenerator<SealedValue[]> {
  const { rows } = await sql<Record<string, string | number>>`
    select ${selectKey(key)}, ${sql.ref(column)} as sealed_value from ${sql.table(table)}
    where ${sql.ref(column)} is not null and ${isIncluded(key, first)}
    order by ${sql.ref(newestBy)} desc limit ${sql.lit(countMax)}`.execute(db)
  for (let index = 0; index < rows.length; index += rowsAtOnce) {
    yield rows.slice(index, index + rowsAtOnce).map(toSealedValue)
    await setImmediate()
  }
}

const selectKey = (key: SealedPlace['key']): RawBuilder<unknown> => sql.join(key.map(name => sql.ref(name)))

const isIncluded = (key: SealedPlace['key'], first: SealedPlace['first']): RawBuilder<unknown> =>
  first ? sql`${sql.ref(key[0] ?? '')} in (${sql.join(first)})` : sql`1 = 1`

const toSealedValue = ({ sealed_value, ...key }: Record<string, string | number>): SealedValue => ({
  key,
  value: String(sealed_value),
})

export const replaceSealedValue = async (
  db: Db,
  { table, column }: SealedPlace,
  { key, value }: SealedValue,
): Promise<void> => {
  const conditions = Object.entries(key).map(([name, part]) => sql`${sql.ref(name)} = ${part}`)
  await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${value} where ${sql.join(conditions, sql` and `)}`.execute(
    db,
  )
}

/** Replaces the hash of a search, unless another row of the day has the new one. */
export const replaceSearchHash = async (
  db: Db,
  key: { workspace_id: string; day: number; api: string; parameters: string },
  hash: string,
): Promise<void> => {
  const { workspace_id, day, api, parameters } = key
  await db
    .updateTable('searches')
    .set({ parameters: hash })
    .where('workspace_id', '=', workspace_id)
    .where('day', '=', day)
    .where('api', '=', api)
    .where('parameters', '=', parameters)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('searches as other')
            .select('other.day')
            .where('other.workspace_id', '=', workspace_id)
            .where('other.day', '=', day)
            .where('other.api', '=', api)
            .where('other.parameters', '=', hash),
        ),
      ),
    )
    .execute()
}

/** Returns the number of removed rows. */
export const removeAllRows = async (db: Db, table: TableName): Promise<number> => {
  const { numDeletedRows } = await db.deleteFrom(table).executeTakeFirst()
  return Number(numDeletedRows)
}
