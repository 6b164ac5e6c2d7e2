/**
 * Pages of lists. `after` is the key of the last item of the previous page; `next` is null on the last page.
 */
import { type AccountSearch, searchAccounts } from '#storage/account-search'
import { type ClientRow, listClients } from '#storage/clients'
import type { Db, Storage } from '#storage/db'

/** Items on a page by default. */
const countDefault = 100

export interface PageQuery {
  after: string
  /** Requested items; read one more to know whether another page follows. */
  count: number
}

export const readPageQuery = (query: { after?: string; count?: number }): PageQuery => ({
  after: query.after ?? '',
  count: query.count ?? countDefault,
})

/** Makes a page of up to `count + 1` rows; `readKey` returns the value for `after`. */
export const makePage = <Row>(
  rows: readonly Row[],
  { count }: PageQuery,
  readKey: (row: Row) => string,
): { rows: Row[]; next: string | null } => {
  const pageRows = rows.slice(0, count)
  const last = pageRows.at(-1)
  return { rows: pageRows, next: rows.length > count && last !== undefined ? readKey(last) : null }
}

/** Returns the search text; undefined: list everything. */
export const readSearchText = (query: { search?: string }): string | undefined =>
  query.search?.trim() || undefined

/** Returns matching rows in the order of the search. `find` reads up to 1,000 ids, in any order. */
export const readSearchPage = async <Row>(
  storage: Pick<Storage, 'db' | 'kind'>,
  search: Omit<AccountSearch, 'after' | 'count'> & PageQuery,
  find: (ids: readonly string[]) => Promise<Row[]>,
  readId: (row: Row) => string,
): Promise<{ rows: Row[]; next: string | null }> => {
  const { ids, next } = await searchAccounts(storage, search)
  const rowById = new Map((await find(ids)).map(row => [readId(row), row]))
  return { rows: ids.flatMap(id => rowById.get(id) ?? []), next }
}

/** Reads clients of one kind, in order of Client ID. */
export const readClientPage = async <K extends 'system-to-system' | 'application'>(
  db: Db,
  workspaceId: string,
  kind: K,
  query: { after?: string; count?: number },
) => {
  const request = readPageQuery(query)
  const rows = await listClients(db, {
    workspaceId,
    kind,
    after: request.after,
    count: request.count + 1,
  })
  return makePage(rows, request, (row: ClientRow) => row.id)
}
