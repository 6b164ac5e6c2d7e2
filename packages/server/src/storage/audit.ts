/** Who did what, when, from where. */
import type { Db } from './db.ts'

export interface AuditEntry {
  /** Undefined for what concerns the whole server. */
  workspaceId?: string
  /** Id of a user, or Client ID. */
  actor: string
  /** Id of the management operation. */
  action: string
  target: string
  /** Never a secret. */
  detail?: Record<string, unknown>
  address: string
  requestId: string
}

/** Part of the transaction that makes the change: what is not recorded does not happen. */
export const recordAudit = async (db: Db, entry: AuditEntry): Promise<void> => {
  await db
    .insertInto('audit')
    .values({
      at: Date.now(),
      workspace_id: entry.workspaceId ?? null,
      actor: entry.actor,
      action: entry.action,
      target: entry.target,
      detail_json: JSON.stringify(entry.detail ?? {}),
      address: entry.address,
      request_id: entry.requestId,
    })
    .execute()
}
