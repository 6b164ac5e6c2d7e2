/**
 * Records sign-ins, second factors, token errors and refusals (authorization-server.md, "Sign-in log"), in bounded memory and in batches, so
 * that no request waits for it. Entries never contain what people typed.
 */
import type { SignInKind, SignInMethod } from '@querent/contract/manage'
import { type BatchedWriter, openBatchedWriter } from '#memory/batched-writer'
import type { Storage } from '#storage/db'
import {
  newSignInId,
  pruneSignIns,
  type SignInBounds,
  type SignInRow,
  saveSignIns,
  signInBounds,
  trimFailures,
  trimSource,
  trimTotal,
  trimWorkspace,
} from '#storage/sign-in-log'
import { createFairShare } from './fair-share.ts'
import { toNetwork } from './network.ts'

export interface SignInEvent {
  kind: SignInKind
  /** `ok`, `second-factor-needed`, `claim-…` (a claim gave no rights), or why it failed: a word of this server or an OAuth error. */
  result: string
  method?: SignInMethod | undefined
  /** Undefined: no account has the address typed. */
  userId?: string | undefined
  clientId?: string | undefined
  /** Undefined: an application of the server itself, or an unknown one. */
  workspaceId?: string | undefined
  /** IP address. */
  address: string
  /** `User-Agent` of the request. */
  userAgent: string | undefined
  requestId: string
}

export interface SignInLog extends BatchedWriter {
  record(event: SignInEvent): void
}

interface Dependencies {
  storage: Pick<Storage, 'db'>
  /** Days that entries are kept. */
  days: number
  /** Returns names of browser and system for a `User-Agent`; null if unknown. */
  describeAgent(userAgent: string): { browser: string | null; system: string | null }
  bounds?: SignInBounds
}

/** Entries between two writes. If there are more, each person and each network keeps its share of the newest. */
const pendingMax = 1000
const pendingPerSourceMax = 50
const writeEveryMs = 500
const pruneEveryMs = 10 * 60 * 1000
const rowsPerStatement = 100
const dayMs = 24 * 60 * 60 * 1000
/** Client IDs may be URLs. */
const clientIdCharsMax = 255
const userAgentCharsMax = 512

export const openSignInLog = ({
  storage: { db },
  days,
  describeAgent,
  bounds = signInBounds,
}: Dependencies): SignInLog => {
  type Pending = Omit<SignInRow, 'browser' | 'system'> & { userAgent: string }
  let pending = new Map<string, Pending>()
  const createPendingShare = () => createFairShare({ max: pendingMax, groupMax: pendingPerSourceMax })
  let pendingShare = createPendingShare()
  /** Rows that this node has added to each workspace since its bound was last checked. */
  const added = new Map<string, number>()
  let addedInTotal = 0

  const write = async () => {
    const batch = [...pending.values()]
    pending = new Map()
    pendingShare = createPendingShare()
    const rows = batch.map(({ userAgent, ...row }) => ({ ...row, ...describeAgent(userAgent) }))
    for (let start = 0; start < rows.length; start += rowsPerStatement)
      await saveSignIns(db, rows.slice(start, start + rowsPerStatement))
    await trim(rows)
  }
  const trim = async (rows: readonly SignInRow[]): Promise<void> => {
    const sources = new Map(
      rows.map(row => [JSON.stringify([row.workspace_id, row.failed, row.source]), row]),
    )
    for (const row of sources.values()) await trimSource(db, row, bounds)
    const attacked = new Set(
      rows.flatMap(row => (row.failed === 1 && row.user_id !== null ? row.user_id : [])),
    )
    for (const userId of attacked) await trimFailures(db, userId, bounds)
    for (const row of rows) {
      const key = `${row.failed} ${row.workspace_id}`
      added.set(key, (added.get(key) ?? 0) + 1)
    }
    addedInTotal += rows.length
    // Counting takes longer than adding: a twentieth more may be stored for a while.
    for (const [key, count] of added)
      if (count > bounds.perWorkspace / 20) {
        added.delete(key)
        await trimWorkspace(db, { failed: Number(key[0]), workspace_id: key.slice(2) }, bounds)
      }
    if (addedInTotal <= bounds.total / 20) return
    addedInTotal = 0
    await trimTotal(db, bounds)
  }
  // A failed write loses some entries. Sign-ins go on: an attacker must not be able to stop them through the log.
  const writer = openBatchedWriter({ everyMs: writeEveryMs, hasPending: () => pending.size > 0, write })
  const prune = () => pruneSignIns(db, Date.now() - days * dayMs).catch(() => {})
  const pruner = setInterval(() => void prune(), pruneEveryMs).unref()
  void prune()
  return {
    record({ kind, result, method, userId, clientId, workspaceId = '', address, userAgent, requestId }) {
      const now = Date.now()
      const failed =
        result === 'ok' || result === 'second-factor-needed' || result.startsWith('claim-') ? 0 : 1
      const source = failed === 0 && userId !== undefined ? userId : toNetwork(address)
      const row: Pending = {
        id: newSignInId(now),
        at: now,
        kind,
        result,
        failed,
        method: method ?? null,
        user_id: userId ?? null,
        client_id: clientId?.slice(0, clientIdCharsMax) ?? null,
        workspace_id: workspaceId,
        source,
        address,
        userAgent: (userAgent ?? '').slice(0, userAgentCharsMax),
        request_id: requestId,
      }
      pending.set(row.id, row)
      const pushedOut = pendingShare.add(`${failed} ${source}`, row.id)
      if (pushedOut !== undefined) pending.delete(pushedOut)
    },
    flush: writer.flush,
    async close() {
      clearInterval(pruner)
      await writer.close()
    },
  }
}
