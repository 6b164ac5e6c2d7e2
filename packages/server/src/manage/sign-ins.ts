/** The sign-in log of a workspace, of the whole server, and a person's own. */
import type { OperationQuery, SignInCounts, SignInEntry } from '@querent/contract/manage'
import { findNames } from '#storage/audit'
import type { Db } from '#storage/db'
import { countSignIns, listSignIns, type SignInRow, type SignInScope } from '#storage/sign-in-log'
import { findWorkspaceById } from '#storage/workspaces'
import { requirePerson } from './account.ts'
import { type Handler, type ManagementDependencies, timestamp } from './call.ts'
import { makePage, readPageQuery } from './pages.ts'

export const signInHandlers = {
  listSignIns: async (deps, { workspace, query }) =>
    readEntries(deps, { workspaceId: workspace.id }, query, describeSignIn),

  listServerSignIns: async (deps, { query }) => {
    const slugs = new Map<string, string | null>()
    const { items, next } = await readEntries(deps, 'all', query, (row, names) => ({ row, names }))
    for (const id of new Set(items.map(({ row }) => row.workspace_id)))
      slugs.set(id, (await findWorkspaceById(deps.storage.db, id))?.slug ?? null)
    return {
      items: items.map(({ row, names }) => ({
        ...describeSignIn(row, names),
        workspace: slugs.get(row.workspace_id) ?? null,
      })),
      next,
    }
  },

  listMySignIns: async (deps, call) => {
    const { id: userId } = await requirePerson(deps, call)
    return readEntries(deps, { userId }, call.query, describeSignIn)
  },

  countSignIns: (deps, { workspace, query }) => readCounts(deps, { workspaceId: workspace.id }, query.days),

  countServerSignIns: (deps, { query }) => readCounts(deps, 'all', query.days),
} satisfies {
  [Id in
    | 'listSignIns'
    | 'listServerSignIns'
    | 'listMySignIns'
    | 'countSignIns'
    | 'countServerSignIns']: Handler<Id>
}

type Names = ReadonlyMap<string, string>

const readEntries = async <Entry>(
  { storage: { db, logs }, signInLog }: Pick<ManagementDependencies, 'storage' | 'signInLog'>,
  scope: SignInScope,
  { outcome, kind, user, application, address, from, to, ...paging }: OperationQuery<'listSignIns'>,
  describe: (row: SignInRow, names: Names) => Entry,
): Promise<{ items: Entry[]; next: string | null }> => {
  // Include entries of the last moments.
  await signInLog.flush()
  const request = readPageQuery(paging)
  const candidates = await listSignIns(logs, {
    scope,
    ...(outcome === undefined ? {} : { failed: outcome === 'failed' }),
    ...(kind === undefined ? {} : { kind }),
    ...(user === undefined ? {} : { user: user.trim() }),
    ...(application === undefined ? {} : { clientId: application }),
    ...(address === undefined ? {} : { address }),
    ...(from === undefined ? {} : { from: Date.parse(from) }),
    ...(to === undefined ? {} : { to: Date.parse(to) }),
    ...(request.after === '' ? {} : { before: request.after }),
    count: request.count + 1,
  })
  const { rows, next } = makePage(candidates, request, row => row.id)
  const names = await findSignInNames(db, rows)
  return { items: rows.map(row => describe(row, names)), next }
}

/** Ids per statement, because databases limit its parameters. */
const idsAtOnce = 500

/** Returns names of the people and applications of entries, by id. */
const findSignInNames = async (db: Db, rows: readonly SignInRow[]): Promise<Names> => {
  const ids = [...new Set(rows.flatMap(({ user_id, client_id }) => [user_id ?? [], client_id ?? []].flat()))]
  const names = new Map<string, string>()
  for (let start = 0; start < ids.length; start += idsAtOnce)
    for (const [id, name] of await findNames(db, ids.slice(start, start + idsAtOnce))) names.set(id, name)
  return names
}

/** Describes entries in the form of the contract, with names. */
export const describeSignIns = async (db: Db, rows: readonly SignInRow[]): Promise<SignInEntry[]> => {
  const names = await findSignInNames(db, rows)
  return rows.map(row => describeSignIn(row, names))
}

const describeSignIn = (row: SignInRow, names: Names): SignInEntry => {
  const describeParty = (id: string | null) => {
    const name = id === null ? undefined : names.get(id)
    return id === null || name === undefined ? null : { id, name }
  }
  return {
    id: row.id,
    at: timestamp(row.at),
    kind: row.kind,
    failed: row.failed === 1,
    result: row.result,
    method: row.method,
    user: describeParty(row.user_id),
    // The URL of a Client ID Metadata Document is its own name.
    application:
      describeParty(row.client_id) ??
      (row.client_id?.startsWith('https://') ? { id: row.client_id, name: row.client_id } : null),
    address: row.address,
    browser: row.browser,
    system: row.system,
    requestId: row.request_id,
  }
}

const dayMs = 24 * 60 * 60 * 1000

const readCounts = async (
  { storage: { logs }, signInLog }: Pick<ManagementDependencies, 'storage' | 'signInLog'>,
  scope: SignInScope,
  days = 30,
): Promise<SignInCounts> => {
  await signInLog.flush()
  const today = Math.floor(Date.now() / dayMs)
  const first = today - days + 1
  const counts = new Map((await countSignIns(logs, scope, first * dayMs)).map(count => [count.day, count]))
  return {
    points: Array.from({ length: days }, (_, index) => {
      const { succeeded = 0, failed = 0 } = counts.get(first + index) ?? {}
      return { start: timestamp((first + index) * dayMs), succeeded, failed }
    }),
  }
}
