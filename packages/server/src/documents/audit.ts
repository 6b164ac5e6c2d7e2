/**
 * What the audit log is told of documents: that all of them were replaced, or many deleted, by whom and how many. Single documents and
 * imports that add are not in it: they may come by the thousand a minute, and would bury the rest.
 */
import { recordAudit } from '#storage/audit'
import type { Writer } from '#storage/db'
import type { Asked } from './admit.ts'

/** Rejects where it cannot be recorded. */
export const auditDocuments = (
  writer: Writer,
  { principal, workspace, name, from, requestId }: Asked,
  action: 'replaceDocuments' | 'deleteDocuments',
  detail: Record<string, unknown>,
): Promise<void> =>
  recordAudit(writer, {
    workspaceId: workspace.id,
    actor: principal.subject,
    action,
    target: name,
    detail,
    address: from,
    requestId,
  })
