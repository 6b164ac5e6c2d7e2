/** Workspace files as last applied. */
import { randomBytes } from 'node:crypto'
import { canonicalEmail } from '@querent/contract/email-address'
import type { Db, Writer } from './db.ts'

export const saveWorkspaceText = async ({ db }: Pick<Writer, 'db'>, workspaceId: string, source: string) => {
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

/** Replaces the e-mail address of a removed person by an unused one. */
export const eraseEmailFromTexts = async ({ db }: Pick<Writer, 'db'>, email: string): Promise<void> => {
  const isPlain = /^[\0-\x7f]*$/.test(email) && !email.includes('xn--')
  const address = new RegExp(`(?<![\\w.+-])${email.replaceAll(/[^\w@]/g, '\\$&')}(?![\\w-]|\\.\\w)`, 'gi')
  let lastWorkspaceId = ''
  for (;;) {
    const row = await db
      .selectFrom('workspace_texts')
      .selectAll()
      .where('workspace_id', '>', lastWorkspaceId)
      // Others have more than one spelling.
      .where(({ eb, fn }) =>
        eb(
          fn<string>('lower', ['source']),
          'like',
          isPlain ? `%${email.replaceAll(/[%_\\]/g, '_')}%` : '%@%',
        ),
      )
      .orderBy('workspace_id')
      .limit(1)
      .executeTakeFirst()
    if (!row) return
    lastWorkspaceId = row.workspace_id
    const stranger = `removed-${randomBytes(6).toString('hex')}@invalid.example`
    const source = replaceEmail(row.source.replaceAll(address, stranger), email, stranger)
    if (source !== row.source) await saveWorkspaceText({ db }, row.workspace_id, source)
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
