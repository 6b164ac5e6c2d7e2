/** The audit log of a workspace. */

import { listAudit } from '#storage/audit'
import { findClient } from '#storage/clients'
import type { Db } from '#storage/db'
import { findUserByEmail, findUsers } from '#storage/users'
import { type Handler, timestamp } from './call.ts'
import { pageOf, pageRequest } from './pages.ts'

export const auditHandlers = {
  listAudit: async ({ storage: { db } }, { workspace, query }) => {
    const request = pageRequest(query)
    const { action, actor, from, to } = query
    const rows = await listAudit(db, {
      workspaceId: workspace.id,
      ...(action === undefined ? {} : { action }),
      ...(actor === undefined ? {} : { actor: (await findUserByEmail(db, actor))?.id ?? actor }),
      ...(from === undefined ? {} : { from: Date.parse(from) }),
      ...(to === undefined ? {} : { to: Date.parse(to) }),
      ...(request.after === '' ? {} : { before: Number(request.after) }),
      count: request.count + 1,
    })
    const page = pageOf(rows, request, row => String(row.seq))
    const names = await namesOf(db, [...new Set(page.rows.map(row => row.actor))])
    const items = page.rows.map(row => ({
      id: String(row.seq),
      at: timestamp(row.at),
      actor: names.get(row.actor) ?? row.actor,
      action: row.action,
      target: row.target,
      // Written by `recordAudit` alone.
      detail: JSON.parse(row.detail_json) as Record<string, unknown>,
      address: row.address,
      requestId: row.request_id,
    }))
    return { items, next: page.next }
  },
} satisfies { listAudit: Handler<'listAudit'> }

/** Addresses of users and names of clients, by id; who is removed has none. */
const namesOf = async (db: Db, ids: readonly string[]): Promise<Map<string, string>> => {
  const users = await findUsers(db, ids)
  const names = new Map(users.map(({ id, email }) => [id, email]))
  for (const id of ids) {
    if (names.has(id)) continue
    const client = await findClient(db, id)
    if (client) names.set(id, client.name)
  }
  return names
}
