import { canonicalDomain, canonicalEmail } from '@querent/contract/email-address'
import { type RawBuilder, sql } from 'kysely'

/** Whether a column contains the text, in any case. `lower` on both sides, because SQLite folds ASCII letters only. */
export const containsText = (column: string, text: string): RawBuilder<boolean> =>
  sql<boolean>`lower(${sql.ref(column)}) like lower(${`%${text.replace(/[\\%_]/g, '\\$&')}%`}) escape '\\'`

/** Whether an address contains the text, in any spelling: a part of the local part, or whole labels of the domain. */
export const containsEmail = (column: string, text: string): RawBuilder<boolean> => {
  const spellings = new Set([text, canonicalEmail(text), canonicalDomain(text) ?? text])
  const conditions = [...spellings].map(spelling => containsText(column, spelling))
  return sql<boolean>`(${sql.join(conditions, sql` or `)})`
}
