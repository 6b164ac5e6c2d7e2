import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'
import { hasColumn } from './has-column.ts'

const textColumns = ['token', 'proof', 'last_check', 'link_hash', 'link_address'] as const
const timeColumns = ['proved_at', 'checked_at', 'failing_since', 'link_expires_at'] as const

/**
 * Proofs of the e-mail domains of workspaces' own OpenID providers. Domains from before are not proved: any administrator could have listed
 * them.
 */
export const domainProofs = (sqlite: boolean) => ({
  async up(db: Kysely<Tables>): Promise<void> {
    for (const [columns, type] of [
      [textColumns, 'text'],
      [timeColumns, 'bigint'],
    ] as const)
      for (const column of columns)
        if (!(await hasColumn(db, sqlite, 'provider_domains', column)))
          await db.schema.alterTable('provider_domains').addColumn(column, type).execute()
    const rows = await db
      .selectFrom('provider_domains')
      .select(['domain', 'workspace_id'])
      .where('token', 'is', null)
      .execute()
    for (const { domain, workspace_id } of rows)
      await db
        .updateTable('provider_domains')
        .set({ token: randomBytes(24).toString('base64url') })
        .where('domain', '=', domain)
        .where('workspace_id', '=', workspace_id)
        .execute()
  },
})
