import { type RawBuilder, sql } from 'kysely'

/** Whether a column contains the text, in any case. `lower` on both sides, because SQLite folds ASCII letters only. */
export const containsText = (column: string, text: string): RawBuilder<boolean> =>
  sql<boolean>`lower(${sql.ref(column)}) like lower(${`%${text.replace(/[\\%_]/g, '\\$&')}%`}) escape '\\'`
