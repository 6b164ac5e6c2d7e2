/** The audit log of a workspace and of the whole server. */

import type { OperationQuery } from '@querent/contract/manage'
import { type AuditRow, findNames, listAudit } from '#storage/audit'
import type { Db } from '#storage/db'
import { findWorkspaceById } from '#storage/workspaces'
import { type Handler, timestamp } from './call.ts'
import { makePage, readPageQuery } from './pages.ts'

export const auditHandlers = {
  listAudit: async ({ storage: { db, logs } }, { workspace, query }) => {
    const { rows, next } = await readAuditPage(logs, query, workspace.id)
    const names = await findActorNames(db, rows)
    return { items: rows.map(row => describeAuditEntry(row, names)), next }
  },
  listServerAudit: async ({ storage: { db, logs } }, { query }) => {
    const { rows, next } = await readAuditPage(logs, query)
    const names = await findActorNames(db, rows)
    const slugs = new Map<string, string | undefined>()
    for (const id of new Set(rows.flatMap(row => row.workspace_id ?? [])))
      slugs.set(id, (await findWorkspaceById(db, id))?.slug)
    const items = rows.map(row => ({
      ...describeAuditEntry(row, names),
      workspace: slugs.get(row.workspace_id ?? '') ?? null,
    }))
    return { items, next }
  },
} satisfies { [Id in 'listAudit' | 'listServerAudit']: Handler<Id> }

const readAuditPage = async (logs: Db, query: OperationQuery<'listAudit'>, workspaceId?: string) => {
  const request = readPageQuery(query)
  const { action, actor, from, to } = query
  const rows = await listAudit(logs, {
    ...(workspaceId === undefined ? {} : { workspaceId }),
    ...(action === undefined ? {} : { action }),
    ...(actor === undefined ? {} : { actor }),
    ...(from === undefined ? {} : { from: Date.parse(from) }),
    ...(to === undefined ? {} : { to: Date.parse(to) }),
    ...(request.after === '' ? {} : { before: Number(request.after) }),
    count: request.count + 1,
  })
  return makePage(rows, request, row => String(row.seq))
}

const describeAuditEntry = (row: AuditRow, names: ReadonlyMap<string, string>) => ({
  id: String(row.seq),
  at: timestamp(row.at),
  actor: names.get(row.actor) ?? row.actor,
  action: row.action,
  target: row.target,
  targetName: names.get(row.target) ?? null,
  // Written only by `recordAudit`.
  detail: JSON.parse(row.detail_json) as Record<string, unknown>,
  address: row.address,
  requestId: row.request_id,
})

/** Returns names of actors and targets. */
const findActorNames = (db: Db, rows: readonly AuditRow[]): Promise<Map<string, string>> =>
  findNames(db, [...new Set(rows.flatMap(({ actor, target }) => [actor, target]))])
