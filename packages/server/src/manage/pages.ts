/** Pages of lists: `after` is the key of the last item of the page before, `next` null on the last page. */
import { type ClientRow, listClients } from '#storage/clients'
import type { Db } from '#storage/db'

/** Items of a page where the query does not say. */
const countDefault = 100

export interface PageRequest {
  after: string
  /** Items wanted; ask storage for one more, to know whether another page follows. */
  count: number
}

export const pageRequest = (query: { after?: string; count?: number }): PageRequest => ({
  after: query.after ?? '',
  count: query.count ?? countDefault,
})

/** `rows` are up to `count + 1`; `keyOf` gives what `after` takes. */
export const pageOf = <Row>(
  rows: readonly Row[],
  { count }: PageRequest,
  keyOf: (row: Row) => string,
): { rows: Row[]; next: string | null } => {
  const kept = rows.slice(0, count)
  const last = kept.at(-1)
  return { rows: kept, next: rows.length > count && last !== undefined ? keyOf(last) : null }
}

/** Clients of one kind, in order of Client ID. */
export const pageOfClients = async <K extends 'system-to-system' | 'application'>(
  db: Db,
  workspaceId: string,
  kind: K,
  query: { after?: string; count?: number },
) => {
  const request = pageRequest(query)
  const rows = await listClients(db, {
    workspaceId,
    kind,
    after: request.after,
    count: request.count + 1,
  })
  return pageOf(rows, request, (row: ClientRow) => row.id)
}
