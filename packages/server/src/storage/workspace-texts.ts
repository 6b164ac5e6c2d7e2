/** Workspace files as last applied. */
import { randomBytes } from 'node:crypto'
import { canonicalEmail } from '@querent/contract/email-address'
import { sql } from 'kysely'
import type { Db, Writer } from './db.ts'

export const saveWorkspaceText = async (
  { db }: { db: Db },
  workspaceId: string,
  source: string,
): Promise<void> => {
  // PostgreSQL rejects NUL in a text; a file with one has no comments worth keeping.
  if (source.includes('\0')) return removeWorkspaceText(db, workspaceId)
  await db
    .insertInto('workspace_texts')
    .values({ workspace_id: workspaceId, source })
    .onConflict(c => c.column('workspace_id').doUpdateSet({ source }))
    .execute()
}

const removeWorkspaceText = async (db: Db, workspaceId: string) => {
  await db.deleteFrom('workspace_texts').where('workspace_id', '=', workspaceId).execute()
}

/** Undefined if no file was applied since texts are stored. */
export const findWorkspaceText = async (db: Db, workspaceId: string): Promise<string | undefined> => {
  const row = await db
    .selectFrom('workspace_texts')
    .select('source')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
  return row?.source
}

/** Replaces the e-mail address of a removed person by an unused one, in the files as last applied and in their history. */
export const eraseEmailFromTexts = async ({ db }: Pick<Writer, 'db'>, email: string): Promise<void> => {
  const stranger = `removed-${randomBytes(6).toString('hex')}@invalid.example`
  await eraseFromTable({ table: 'workspace_texts', key: 'workspace_id', db }, email, stranger)
  await eraseFromTable({ table: 'workspace_history', key: 'id', db }, email, stranger)
}

interface TextTable {
  db: Db
  table: 'workspace_texts' | 'workspace_history'
  /** Its primary key. */
  key: 'workspace_id' | 'id'
}

const eraseFromTable = async ({ db, table, key }: TextTable, email: string, stranger: string) => {
  const isPlain = /^[\0-\x7f]*$/.test(email) && !email.includes('xn--')
  const address = new RegExp(`(?<![\\w.+-])${email.replaceAll(/[^\w@]/g, '\\$&')}(?![\\w-]|\\.\\w)`, 'gi')
  const erase = (text: string) => replaceEmail(text.replaceAll(address, stranger), email, stranger)
  // Others have more than one spelling.
  const pattern = isPlain ? `%${email.replaceAll(/[%_\\]/g, '_')}%` : '%@%'
  const column = sql.ref(key)
  const name = sql.table(table)
  const changes = table === 'workspace_history' ? sql.ref('changes_json') : sql.lit('')
  let lastKey = ''
  for (;;) {
    const { rows } = await sql<{ key: string; source: string; changes: string }>`
      select ${column} as key, source, ${changes} as changes from ${name}
      where ${column} > ${lastKey} and (lower(source) like ${pattern} or lower(${changes}) like ${pattern})
      order by ${column} limit 1`.execute(db)
    const [row] = rows
    if (!row) return
    lastKey = row.key
    const [source, erasedChanges] = [erase(row.source), erase(row.changes)]
    if (source === row.source && erasedChanges === row.changes) continue
    await (table === 'workspace_texts'
      ? saveWorkspaceText({ db }, row.key, source)
      : db
          .updateTable('workspace_history')
          .set({ source, changes_json: erasedChanges })
          .where('id', '=', row.key)
          .execute())
  }
}

/** Possible addresses, in every spelling: without blanks, quotes and signs of YAML. */
const words = /[^\s'"<>()[\]{},;:]+/g

/** Replaces an address in every spelling. */
const replaceEmail = (source: string, email: string, stranger: string): string =>
  source.replaceAll(words, word => (word.includes('@') && canonicalEmail(word) === email ? stranger : word))

/** Returns the addresses in a text, in their one form. */
export const readEmails = (source: string): Set<string> =>
  new Set((source.match(words) ?? []).filter(word => word.includes('@')).map(canonicalEmail))
