/** The change feed: what one node changes, all hear of, and forget what they kept of it. */
import { type Kysely, sql, type Transaction } from 'kysely'
import { storageNow } from './clock.ts'
import type { Tables } from './tables.ts'

/** What caches must forget: a kind of thing and which. */
const topics = [
  'workspace',
  'member',
  'client',
  'user',
  'token',
  'grant',
  'keys',
  'generations',
  'engine',
] as const
export type Topic = (typeof topics)[number]
export interface ChangeNotice {
  topic: Topic
  /** Or {@link allKeys}. */
  key: string
}
/** Key of a notice that concerns everything of its topic: this process was cut off, and may have missed changes. */
export const allKeys = '*'
/** Under which a membership is announced and cached. */
export const memberKey = (workspaceId: string, subject: string): string => `${workspaceId} ${subject}`

export interface Connection {
  db: Kysely<Tables>
  kind: 'sqlite' | 'postgres'
}

/**
 * How often other processes' changes are asked for. A revocation reaches every node within a second (query-service.md, Authorisation), also
 * where PostgreSQL's word that there are some does not get through.
 */
const pollMs = 250
/** After PostgreSQL's word; what is told meanwhile is asked for together. */
const wakeDelayMs = 5
/** Storage that answers does so every {@link pollMs}; a busy machine may take longer. */
const awayMs = 2_000
const changesKeptMs = 10 * 60 * 1000
/** After that long without an answer, changes may have been pruned unheard. */
const changesMissedMs = changesKeptMs / 2
const changesReadMax = 1000
/** Rows of one statement: databases bound its parameters. */
const changesWrittenAtOnce = 1000
const pollsBetweenPrunes = 1000

/** Writes notices in a transaction, which has seen to their order, and returns their numbers in the feed. */
export const addChanges = async (
  db: Transaction<Tables>,
  kind: Connection['kind'],
  notices: readonly ChangeNotice[],
): Promise<number[]> => {
  const now = storageNow(kind)
  const seqs: number[] = []
  for (let start = 0; start < notices.length; start += changesWrittenAtOnce) {
    const rows = notices
      .slice(start, start + changesWrittenAtOnce)
      .map(({ topic, key }) => ({ at: now, topic, key }))
    const added = await db.insertInto('changes').values(rows).returning('seq').execute()
    for (const { seq } of added) seqs.push(seq)
  }
  return seqs
}

/** What this machine's clocks say: one may be set, the other stands while the machine sleeps. */
const readClocks = () => ({ set: Date.now(), steady: performance.now() })
/** By whichever says more: nobody is let through on what is older than it seems. */
const msSince = (then: ReturnType<typeof readClocks>): number =>
  Math.max(Date.now() - then.set, performance.now() - then.steady)

export interface Feed {
  /** Numbers of this process's own changes, told when they are made: the feed does not tell them again. */
  ownSeqs: Set<number>
  /** For how long the storage has not answered. */
  silentMs(): number
  /** Whether the storage failed to answer last, or has not answered for {@link awayMs}: what is not in memory cannot be looked up. */
  isAway(): boolean
  /** There are changes: they are asked for at once. */
  wake(): void
  close(): Promise<void>
}

/** Calls `tell` with every change from now on. Throws when the storage cannot be reached. */
export const openFeed = async (
  { db, kind }: Connection,
  notify: (notice: ChangeNotice) => void,
): Promise<Feed> => {
  const ownSeqs = new Set<number>()
  const readLastSeq = async (): Promise<number> => {
    const { seq } = await db
      .selectFrom('changes')
      .select(({ fn }) => fn.coalesce(fn.max('seq'), sql<number>`0`).as('seq'))
      .executeTakeFirstOrThrow()
    return seq
  }
  let isClosed = false
  let lastPoll = readClocks()
  let lastHeardSeq = await readLastSeq()

  const notifyAll = () => {
    for (const topic of topics) notify({ topic, key: allKeys })
  }
  const poll = async (): Promise<void> => {
    let started: typeof lastPoll
    let rows: { seq: number; topic: string; key: string }[]
    do {
      started = readClocks()
      rows = await db
        .selectFrom('changes')
        .select(['seq', 'topic', 'key'])
        .where('seq', '>', lastHeardSeq)
        .orderBy('seq')
        .limit(changesReadMax)
        .execute()
      for (const { seq, topic, key } of rows) {
        lastHeardSeq = seq
        // Written by `addChanges` alone.
        if (!ownSeqs.delete(seq)) notify({ topic: topic as Topic, key })
      }
    } while (rows.length === changesReadMax && !isClosed)
    if (msSince(lastPoll) > changesMissedMs) notifyAll()
    lastPoll = started
  }
  /** What answers after having been away may be a server that took over, with less than was heard of: its numbers start lower. */
  const resync = async (): Promise<void> => {
    const started = readClocks()
    lastHeardSeq = await readLastSeq()
    ownSeqs.clear()
    notifyAll()
    lastPoll = started
  }
  const prune = () =>
    db
      .deleteFrom('changes')
      .where('at', '<', sql<number>`${storageNow(kind)} - ${sql.lit(changesKeptMs)}`)
      .execute()

  let wasAway = false
  let polls = 0
  const pollOrResync = async (): Promise<void> => {
    try {
      await (wasAway ? resync() : poll())
      wasAway = false
      // What is left over is pruned another time: the changes were heard.
      if (++polls % pollsBetweenPrunes === 0) await prune().catch(() => {})
    } catch {
      // `silentMs` grows; the next poll tries again.
      wasAway = true
    }
  }
  let timer: NodeJS.Timeout | undefined
  let isWakePending = false
  let polling: Promise<unknown> = Promise.resolve()
  const schedule = () => {
    clearTimeout(timer)
    const run = () => {
      timer = undefined
      isWakePending = false
      polling = pollOrResync().finally(() => isClosed || schedule())
    }
    timer = setTimeout(run, isWakePending ? wakeDelayMs : pollMs).unref()
  }
  schedule()

  return {
    ownSeqs,
    silentMs: () => msSince(lastPoll),
    isAway: () => wasAway || msSince(lastPoll) > awayMs,
    wake() {
      // One that is due soon stays: many words must not put it off.
      const isDue = isWakePending || isClosed
      isWakePending = true
      if (timer && !isDue) schedule()
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      await polling
    },
  }
}
