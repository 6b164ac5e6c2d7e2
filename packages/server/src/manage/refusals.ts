/** Explains rejected requests: one by its requestId, or those of a workspace in groups. */
import { type Check, checkNames, type RefusalGroup } from '@querent/contract/manage'
import { workspaceAccess } from '#authz/access'
import type { Principal } from '#authz/principal'
import { Problem } from '#errors'
import { findNames } from '#storage/audit'
import type { Db } from '#storage/db'
import { findRefusal, listWorkspaceRefusals, type RefusalRow } from '#storage/refusals'
import { isOperator } from './admit.ts'
import { type Handler, type ManagementDependencies, timestamp } from './call.ts'
import { addAccountNames, makeUnreachedCheck } from './tokens.ts'

/** Rows that one reply summarizes, and groups in it. */
const rowsMax = 2000
const groupsMax = 200

export const refusalHandlers = {
  listRefusals: async (deps, { workspace, query }) => {
    const { db } = deps.storage
    // Include refusals of the last moments.
    await deps.refusalLog.flush()
    const groups = groupRefusals(await listWorkspaceRefusals(db, workspace, rowsMax))
    const names = await findAllNames(
      db,
      groups.flatMap(({ latest }) => [latest.subject, latest.clientId]),
    )
    const matches = groups
      .map(group => describeGroup(group, names))
      .filter(({ reason }) => query.reason === undefined || reason === query.reason)
      .filter(group => query.account === undefined || isAbout(group, query.account))
    return { items: matches.slice(0, groupsMax) }
  },

  getRefusal: async (deps, { principal, params }) => {
    // Include refusals of the last moments.
    await deps.refusalLog.flush()
    const row = await findRefusal(deps.storage.db, params.requestId)
    if (!row || !(await maySee(deps, principal, row)))
      throw new Problem(
        'no-such-resource',
        `no rejected request ${params.requestId} of yours or of a workspace that you administer; records are kept for 24 hours`,
      )
    const checks = await addAccountNames(deps, completeRefusalChecks(row.checks), row)
    return { ...row, at: timestamp(row.at), checks }
  },
} satisfies { listRefusals: Handler<'listRefusals'>; getRefusal: Handler<'getRefusal'> }

interface Group {
  reason: Check['name']
  latest: RefusalRow
  firstAt: number
  count: number
}

/** Groups rows by account, client, failed check and its kind of failure, in the order of their latest one. `rows` are newest first. */
const groupRefusals = (rows: readonly RefusalRow[]): Group[] => {
  const groups = new Map<string, Group>()
  for (const row of rows) {
    const failed = row.checks.find(({ passed }) => passed === false)
    if (!failed) continue
    const reason = failed.name
    // A request without a token and one with a malformed token need different remedies. Messages of this check have no values.
    const kind = reason === 'token' ? failed.message : ''
    const key = JSON.stringify([row.subject, row.clientId, reason, kind, row.status])
    const group = groups.get(key)
    if (group) {
      group.count += 1
      group.firstAt = row.at
    } else groups.set(key, { reason, latest: row, firstAt: row.at, count: 1 })
  }
  return [...groups.values()]
}

/** Ids per statement, because databases limit its parameters. */
const idsAtOnce = 500

export const findAllNames = async (db: Db, ids: readonly (string | null)[]): Promise<Map<string, string>> => {
  const unique = [...new Set(ids.filter(id => id !== null))]
  const names = new Map<string, string>()
  for (let start = 0; start < unique.length; start += idsAtOnce)
    for (const [id, name] of await findNames(db, unique.slice(start, start + idsAtOnce))) names.set(id, name)
  return names
}

const describeGroup = (
  { reason, latest, firstAt, count }: Group,
  names: ReadonlyMap<string, string>,
): RefusalGroup => {
  const describeParty = (id: string | null) => {
    const name = id === null ? undefined : names.get(id)
    return id === null || name === undefined ? null : { id, name }
  }
  return {
    reason,
    status: latest.status,
    message: latest.checks.find(({ name }) => name === reason)?.message ?? '',
    account: describeParty(latest.subject),
    client: describeParty(latest.clientId),
    count,
    firstAt: timestamp(firstAt),
    lastAt: timestamp(latest.at),
    requestId: latest.requestId,
  }
}

const isAbout = ({ account, client }: RefusalGroup, text: string): boolean => {
  const part = text.trim().toLowerCase()
  return [account, client].some(
    party => party && (party.id === text.trim() || party.name.toLowerCase().includes(part)),
  )
}

/** Returns every check in order. A request stops at the first failure, so earlier checks have passed. */
const completeRefusalChecks = (storedChecks: readonly Check[]): Check[] => {
  const failedAt = checkNames.findIndex(name =>
    storedChecks.some(check => check.name === name && !check.passed),
  )
  return checkNames.map(
    (name, index) =>
      storedChecks.find(check => check.name === name) ??
      (index < failedAt ? { name, passed: true, message: 'passed' } : makeUnreachedCheck(name)),
  )
}

const maySee = async (
  { directory }: ManagementDependencies,
  principal: Principal,
  refusal: RefusalRow,
): Promise<boolean> => {
  if (isOperator(principal)) return true
  const workspace = await directory.workspace(refusal.workspace)
  const { workspaceId, subject } = principal.token
  // A workspace's own OpenID provider does not speak for the person in other workspaces.
  if (workspaceId !== undefined && workspace?.id !== workspaceId) return false
  if (refusal.subject === principal.subject || refusal.subject === subject) return true
  // A deleted workspace may have had this name before.
  if (!workspace || refusal.at < workspace.created_at) return false
  const member = await directory.member(workspace.id, principal.subject)
  return workspaceAccess(principal, workspace, member, 'administer').allowed
}
