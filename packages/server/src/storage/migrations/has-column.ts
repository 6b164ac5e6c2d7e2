import { type Kysely, sql } from 'kysely'
import type { Tables } from '#storage/tables'

/** Whether the table has the column: a start that was killed may have added it. */
export const hasColumn = async (
  db: Kysely<Tables>,
  sqlite: boolean,
  table: keyof Tables,
  column: string,
): Promise<boolean> => {
  const { rows } = sqlite
    ? await sql`select 1 from pragma_table_info(${sql.lit(table)}) where name = ${column}`.execute(db)
    : await sql`select 1 from information_schema.columns
        where table_schema = current_schema() and table_name = ${table} and column_name = ${column}`.execute(
        db,
      )
  return rows.length > 0
}
