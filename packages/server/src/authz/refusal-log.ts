/**
 * Records why requests were refused, in bounded memory and in batches (query-service.md, "Why was I refused?"). A client that floods the
 * server pushes out only its own refusals.
 */
import { slugPattern } from '@querent/contract/manage'
import { type BatchedWriter, openBatchedWriter } from '#memory/batched-writer'
import type { Storage } from '#storage/db'
import { pruneRefusals, type RefusalRow, removeRefusals, saveRefusals } from '#storage/refusals'
import { findSlugs } from '#storage/workspaces'
import { type Counters, increment } from '#telemetry/counters'
import type { UsageLog } from '#usage/usage-log'
import { createFairShare, type FairShare, sizeRanking } from './fair-share.ts'
import { toNetwork } from './network.ts'
import { isQueryUrl, redactAddress, splitQueryPath } from './query-path.ts'

export interface RefusalLog extends BatchedWriter {
  /** Redacts values in the path; checks contain none. `address` is the IP address of the client. */
  record(refusal: RefusalRow, address: string): void
}

/** Refusals between two writes. If there are more, each network (IPv4 address or IPv6 /64) keeps its share of the newest. */
const pendingMax = 1000
const pendingPerNetworkMax = 20
/** Rows that one run of a node keeps: in total, per workspace, and per network in a workspace. Unknown workspaces share one bucket. */
const rowsMax = 20_000
const rowsPerWorkspaceMax = 2000
const rowsPerNetworkMax = 100
/** Rows of earlier runs and of other nodes. */
const otherRowsMax = 80_000
const writeEveryMs = 500
const pruneEveryMs = 10 * 60 * 1000
const rowsPerStatement = 100
/** Longer paths are cut. */
const pathCharsMax = 500
const noWorkspace = ''
const slugFormat = new RegExp(slugPattern)

/** Decides which rows stay. `add` returns the ids of rows to remove. */
const createRowShares = () => {
  const shares = new Map<string, FairShare>()
  const workspaces = new Map<string, string>()
  const ranking = sizeRanking<string>()
  const recordRemoval = (id: string | undefined): string[] => {
    const workspace = id === undefined ? undefined : workspaces.get(id)
    if (id === undefined || workspace === undefined) return []
    workspaces.delete(id)
    ranking.change(workspace, -1)
    if (shares.get(workspace)?.size() === 0) shares.delete(workspace)
    return [id]
  }
  return {
    add(workspace: string, network: string, id: string): string[] {
      if (workspaces.has(id)) return []
      const removed: string[] = []
      const largest = workspaces.size >= rowsMax ? ranking.first() : undefined
      if (largest !== undefined) removed.push(...recordRemoval(shares.get(largest)?.removeOfLargest()))
      const share =
        shares.get(workspace) ?? createFairShare({ max: rowsPerWorkspaceMax, groupMax: rowsPerNetworkMax })
      shares.set(workspace, share)
      const pushedOut = share.add(network, id)
      workspaces.set(id, workspace)
      ranking.change(workspace, 1)
      removed.push(...recordRemoval(pushedOut))
      return removed
    },
  }
}

export const openRefusalLog = (storage: Storage): RefusalLog => {
  const { db } = storage
  let pending = new Map<string, { row: RefusalRow; network: string }>()
  const createPendingShare = () => createFairShare({ max: pendingMax, groupMax: pendingPerNetworkMax })
  let pendingShare = createPendingShare()
  const shares = createRowShares()
  let isPruned = false
  const write = async () => {
    const batch = pending
    pending = new Map()
    pendingShare = createPendingShare()
    if (!isPruned) await pruneRefusals(db, otherRowsMax)
    isPruned = true
    const slugs = await findSlugs(db, [...new Set([...batch.values()].map(({ row }) => row.workspace))])
    const removed = new Set<string>()
    for (const [id, { row, network }] of batch) {
      const workspace = slugs.has(row.workspace) ? row.workspace : noWorkspace
      for (const removedId of shares.add(workspace, network, id)) removed.add(removedId)
    }
    // Remove rows before inserting others, so that the table never exceeds its bound.
    for (const ids of splitIntoChunks([...removed].filter(id => !batch.has(id))))
      await removeRefusals(db, ids)
    const rows = [...batch.values()].map(({ row }) => row).filter(row => !removed.has(row.requestId))
    for (const chunk of splitIntoChunks(rows)) await saveRefusals(db, chunk)
  }
  // A failed write loses some refusals, which only help people later.
  const writer = openBatchedWriter({ everyMs: writeEveryMs, hasPending: () => pending.size > 0, write })
  const pruner = setInterval(
    // The next round removes what this one left.
    () => void pruneRefusals(db, rowsMax + otherRowsMax).catch(() => {}),
    pruneEveryMs,
  ).unref()
  return {
    record(refusal, address) {
      const network = toNetwork(address)
      const row = {
        ...refusal,
        path: copyText(redactAddress(refusal.path).slice(0, pathCharsMax)),
        // Other texts name no workspace, and may contain characters that a database rejects.
        workspace: slugFormat.test(refusal.workspace) ? copyText(refusal.workspace) : noWorkspace,
      }
      pending.set(row.requestId, { row, network })
      const pushedOut = pendingShare.add(network, row.requestId)
      if (pushedOut !== undefined) pending.delete(pushedOut)
    },
    flush: writer.flush,
    async close() {
      clearInterval(pruner)
      await writer.close()
    },
  }
}

/** Copies text, because a substring would keep the whole URL in memory. */
const copyText = (text: string): string => Buffer.from(text).toString()

const splitIntoChunks = <T>(items: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(items.length / rowsPerStatement) }, (_, index) =>
    items.slice(index * rowsPerStatement, (index + 1) * rowsPerStatement),
  )

/** Counts refusals in the metrics, and in the usage of their workspace. */
export const countRefusals = (
  log: RefusalLog,
  counts: Counters,
  usageLog: Pick<UsageLog, 'recordRefusal'>,
): RefusalLog => ({
  ...log,
  record(refusal, address) {
    const check = findFailedCheck(refusal)
    increment(counts.refusals, check)
    const { workspace, path } = refusal
    usageLog.recordRefusal(workspace, isQueryUrl(path) ? splitQueryPath(path).api : '', check)
    log.record(refusal, address)
  },
})

const findFailedCheck = ({ checks }: RefusalRow): string =>
  checks.find(({ passed }) => !passed)?.name ?? 'none'
