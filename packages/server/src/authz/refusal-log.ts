/**
 * Writes down why requests were refused, away from their path: bounded in number, and sampled beyond that (query-service.md, "Why was I
 * refused?"). Whoever floods a server pushes out their own refusals and nobody else's.
 */
import { slugPattern } from '@querent/contract/manage'
import type { Storage } from '#storage/db'
import { pruneRefusals, type RefusalRow, removeRefusals, saveRefusals } from '#storage/refusals'
import { findSlugs } from '#storage/workspaces'
import { type Counters, increment } from '#telemetry/counters'
import { createFairShare, type FairShare, sizeRanking } from './fair-share.ts'
import { toNetwork } from './network.ts'
import { redactAddress } from './query-path.ts'

export interface RefusalLog {
  /** Keeps no values of the path; the checks have none. `address`: IP address of the client. */
  record(refusal: RefusalRow, address: string): void
  /** Writes what is waiting; then a refusal recorded before can be found. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** Between two writes; of more, the newest stay, of each network (IPv4 address or IPv6 /64) its share. */
const pendingMax = 1000
const pendingPerNetworkMax = 20
/** Rows that one run of a node keeps: in all, for a workspace, and for a network in that. Names of no workspace share one bucket. */
const rowsMax = 20_000
const rowsPerWorkspaceMax = 2000
const rowsPerNetworkMax = 100
/** Rows of earlier runs and of other nodes that stay. */
const otherRowsMax = 80_000
const writeEveryMs = 500
const pruneEveryMs = 10 * 60 * 1000
const rowsPerStatement = 100
/** Letters of a path that are kept. */
const pathCharsMax = 500
const noWorkspace = ''
const slugFormat = new RegExp(slugPattern)

/** Decides which rows stay. `add` returns the ids of rows that must go. */
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
      for (const each of shares.add(workspace, network, id)) removed.add(each)
    }
    // Rows go before others come, so that there are never more than the bound.
    for (const ids of splitIntoChunks([...removed].filter(id => !batch.has(id))))
      await removeRefusals(db, ids)
    const rows = [...batch.values()].map(({ row }) => row).filter(row => !removed.has(row.requestId))
    for (const chunk of splitIntoChunks(rows)) await saveRefusals(db, chunk)
  }
  let writing: Promise<void> = Promise.resolve()
  // Refusals are for people who ask later; storage that is away costs some of them and nothing else.
  const flush = () => {
    writing = writing.then(write).catch(() => {})
    return writing
  }
  const writer = setInterval(() => pending.size > 0 && void flush(), writeEveryMs).unref()
  const pruner = setInterval(
    () => void pruneRefusals(db, rowsMax + otherRowsMax).catch(() => {}),
    pruneEveryMs,
  ).unref()
  return {
    record(refusal, address) {
      const network = toNetwork(address)
      const row = {
        ...refusal,
        path: copyText(redactAddress(refusal.path).slice(0, pathCharsMax)),
        // Anything else names no workspace, and may hold what a database does not take.
        workspace: slugFormat.test(refusal.workspace) ? copyText(refusal.workspace) : noWorkspace,
      }
      pending.set(row.requestId, { row, network })
      const pushedOut = pendingShare.add(network, row.requestId)
      if (pushedOut !== undefined) pending.delete(pushedOut)
    },
    flush,
    async close() {
      clearInterval(writer)
      clearInterval(pruner)
      await flush()
    },
  }
}

/** A part of a URL would keep all of the URL in memory. */
const copyText = (text: string): string => Buffer.from(text).toString()

const splitIntoChunks = <T>(items: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(items.length / rowsPerStatement) }, (_, index) =>
    items.slice(index * rowsPerStatement, (index + 1) * rowsPerStatement),
  )

/** The same log, counted. */
export const countRefusals = (log: RefusalLog, counts: Counters): RefusalLog => ({
  ...log,
  record(refusal, address) {
    increment(counts.refusals, findFailedCheck(refusal))
    log.record(refusal, address)
  },
})

const findFailedCheck = ({ checks }: RefusalRow): string =>
  checks.find(({ passed }) => !passed)?.name ?? 'none'
