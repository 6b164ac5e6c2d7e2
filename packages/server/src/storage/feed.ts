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
  /** Or {@link everyKey}. */
  key: string
}
/** Key of a notice that concerns everything of its topic: this process was cut off, and may have missed changes. */
export const everyKey = '*'
/** Under which a membership is announced and cached. */
export const memberKey = (workspaceId: string, subject: string): string => `${workspaceId} ${subject}`

export interface Connected {
  db: Kysely<Tables>
  kind: 'sqlite' | 'postgres'
}

/**
 * How often other processes' changes are asked for. A revocation reaches every node within a second (query-service.md, Authorisation), also
 * where PostgreSQL's word that there are some does not get through.
 */
const pollMs = 250
/** After PostgreSQL's word; what is told meanwhile is asked for together. */
const toldMs = 5
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
  kind: Connected['kind'],
  notices: readonly ChangeNotice[],
): Promise<number[]> => {
  const at = storageNow(kind)
  const seqs: number[] = []
  for (let from = 0; from < notices.length; from += changesWrittenAtOnce) {
    const rows = notices
      .slice(from, from + changesWrittenAtOnce)
      .map(({ topic, key }) => ({ at, topic, key }))
    const added = await db.insertInto('changes').values(rows).returning('seq').execute()
    for (const { seq } of added) seqs.push(seq)
  }
  return seqs
}

/** What this machine's clocks say: one may be set, the other stands while the machine sleeps. */
const clocks = () => ({ set: Date.now(), steady: performance.now() })
/** By whichever says more: nobody is let through on what is older than it seems. */
const msSince = (then: ReturnType<typeof clocks>): number =>
  Math.max(Date.now() - then.set, performance.now() - then.steady)

export interface Feed {
  /** Numbers of this process's own changes, told when they are made: the feed does not tell them again. */
  ownSeqs: Set<number>
  /** For how long the storage has not answered. */
  silentMs(): number
  /** There are changes: they are asked for at once. */
  told(): void
  close(): Promise<void>
}

/** Calls `tell` with every change from now on. Throws when the storage cannot be reached. */
export const openFeed = async (
  { db, kind }: Connected,
  tell: (notice: ChangeNotice) => void,
): Promise<Feed> => {
  const ownSeqs = new Set<number>()
  const lastSeq = async (): Promise<number> => {
    const { seq } = await db
      .selectFrom('changes')
      .select(({ fn }) => fn.coalesce(fn.max('seq'), sql<number>`0`).as('seq'))
      .executeTakeFirstOrThrow()
    return seq
  }
  let isClosed = false
  let heard = clocks()
  let heardSeq = await lastSeq()

  const tellAll = () => {
    for (const topic of topics) tell({ topic, key: everyKey })
  }
  const hear = async (): Promise<void> => {
    let started: typeof heard
    let rows: { seq: number; topic: string; key: string }[]
    do {
      started = clocks()
      rows = await db
        .selectFrom('changes')
        .select(['seq', 'topic', 'key'])
        .where('seq', '>', heardSeq)
        .orderBy('seq')
        .limit(changesReadMax)
        .execute()
      for (const { seq, topic, key } of rows) {
        heardSeq = seq
        // Written by `addChanges` alone.
        if (!ownSeqs.delete(seq)) tell({ topic: topic as Topic, key })
      }
    } while (rows.length === changesReadMax && !isClosed)
    if (msSince(heard) > changesMissedMs) tellAll()
    heard = started
  }
  /** What answers after having been away may be a server that took over, with less than was heard of: its numbers start lower. */
  const hearAgain = async (): Promise<void> => {
    const started = clocks()
    heardSeq = await lastSeq()
    ownSeqs.clear()
    tellAll()
    heard = started
  }
  const prune = () =>
    db
      .deleteFrom('changes')
      .where('at', '<', sql<number>`${storageNow(kind)} - ${sql.lit(changesKeptMs)}`)
      .execute()

  let wasAway = false
  let polls = 0
  const poll = async (): Promise<void> => {
    try {
      await (wasAway ? hearAgain() : hear())
      wasAway = false
      // What is left over is pruned another time: the changes were heard.
      if (++polls % pollsBetweenPrunes === 0) await prune().catch(() => {})
    } catch {
      // `silentMs` grows; the next poll tries again.
      wasAway = true
    }
  }
  let timer: NodeJS.Timeout | undefined
  let isTold = false
  let polling: Promise<unknown> = Promise.resolve()
  const schedule = () => {
    clearTimeout(timer)
    const run = () => {
      timer = undefined
      isTold = false
      polling = poll().finally(() => isClosed || schedule())
    }
    timer = setTimeout(run, isTold ? toldMs : pollMs).unref()
  }
  schedule()

  return {
    ownSeqs,
    silentMs: () => msSince(heard),
    told() {
      // One that is due soon stays: many words must not put it off.
      const isDue = isTold || isClosed
      isTold = true
      if (timer && !isDue) schedule()
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      await polling
    },
  }
}
