/** The change feed notifies every node of changes, so that they drop cached values. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Tables } from './tables.ts'
import { storageNow } from './tables.ts'

/** Kinds of things that caches must drop. */
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
/** Key of a notice for everything of a topic: this process was disconnected and may have missed changes. */
export const allKeys = '*'
/** Key of a membership in notices and caches. */
export const memberKey = (workspaceId: string, subject: string): string => `${workspaceId} ${subject}`

export interface Connection {
  db: Kysely<Tables>
  kind: 'sqlite' | 'postgres'
}

/**
 * Poll interval. A revocation reaches every node within a second, even if PostgreSQL's notification is lost.
 */
const pollMs = 250
/** Delay after a notification, so that several changes are read together. */
const wakeDelayMs = 5
/** A reachable storage answers within milliseconds; a busy machine may take longer. */
const awayMs = 2_000
const changesKeptMs = 10 * 60 * 1000
/** After this long without an answer, changes may have been pruned before they were read. */
const changesMissedMs = changesKeptMs / 2
const changesReadMax = 1000
/** Rows per statement, because databases limit its parameters. */
const changesWrittenAtOnce = 1000
const pollsBetweenPrunes = 1000

/** Writes notices in a transaction that orders them, and returns their sequence numbers. */
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

/** Reads both clocks: the wall clock may be set, and the monotonic one may stop while the machine sleeps. */
const readClocks = () => ({ set: Date.now(), steady: performance.now() })
/** Uses the larger difference, so that cached values are never older than assumed. */
const msSince = (earlier: ReturnType<typeof readClocks>): number =>
  Math.max(Date.now() - earlier.set, performance.now() - earlier.steady)

export interface Feed {
  /** Sequence numbers of this process's own changes. They were notified when made, so the feed skips them. */
  ownSeqs: Set<number>
  /** How long the storage has not answered. */
  silentMs(): number
  /**
   * Whether the last request to the storage failed, or has no answer for {@link awayMs}. Values outside of
   * memory cannot be looked up then. A process that is too busy to ask does not call the storage away.
   */
  isAway(): boolean
  /**
   * Asks the storage now. Resolves when it has answered or failed, or has not answered for {@link awayMs}. For use
   * when `silentMs` says too long of a storage that is not away: this process was busy or asleep, or its clock was set.
   */
  catchUp(): Promise<void>
  /** Polls at once, because there are changes. */
  wake(): void
  close(): Promise<void>
}

/** Calls `notify` with every change from now on. Throws if the storage is unreachable. */
export const openFeed = async (
  connection: Connection,
  notify: (notice: ChangeNotice) => void,
): Promise<Feed> => {
  const changes = await openChangeReader(connection, notify)
  const answers = createAnswerWatch()
  let isClosed = false
  let wasAway = false
  let polls = 0
  const pollOrResync = async (): Promise<void> => {
    const endWait = answers.await()
    try {
      await (wasAway ? changes.resync() : changes.readAll(() => isClosed))
      wasAway = false
      // A failed prune is retried later; the changes were read.
      if (++polls % pollsBetweenPrunes === 0) await prune(connection).catch(() => {})
    } catch {
      // `silentMs` grows; the next poll tries again.
      wasAway = true
    } finally {
      if (!isClosed) schedule()
      endWait()
    }
  }
  let timer: NodeJS.Timeout | undefined
  let isWakePending = false
  let polling: Promise<unknown> = Promise.resolve()
  const run = () => {
    clearTimeout(timer)
    timer = undefined
    isWakePending = false
    polling = pollOrResync()
  }
  const schedule = () => {
    clearTimeout(timer)
    timer = setTimeout(run, isWakePending ? wakeDelayMs : pollMs).unref()
  }
  /** Begins to poll, unless it polls already. Resolves with the answer, or without one after {@link awayMs}. */
  const ask = (): Promise<void> => {
    if (timer && !isClosed) run()
    return answers.answerOrSilence()
  }
  schedule()

  return {
    ownSeqs: changes.ownSeqs,
    silentMs: changes.silentMs,
    isAway: () => wasAway || answers.isMissing(),
    async catchUp() {
      const start = readClocks()
      await ask()
      // A poll that began before this process slept says nothing of the time since.
      if (changes.silentMs() > msSince(start)) await ask()
    },
    wake() {
      // Keep a poll that is due soon: frequent notifications must not postpone it.
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

/** Reads the changes that came after the last one it saw. */
const openChangeReader = async ({ db }: Connection, notify: (notice: ChangeNotice) => void) => {
  const ownSeqs = new Set<number>()
  const readLastSeq = async (): Promise<number> => {
    const { seq } = await db
      .selectFrom('changes')
      .select(({ fn }) => fn.coalesce(fn.max('seq'), sql<number>`0`).as('seq'))
      .executeTakeFirstOrThrow()
    return seq
  }
  let lastPoll = readClocks()
  let lastSeenSeq = await readLastSeq()

  const notifyAll = () => {
    for (const topic of topics) notify({ topic, key: allKeys })
  }
  return {
    ownSeqs,
    silentMs: () => msSince(lastPoll),
    async readAll(isClosed: () => boolean): Promise<void> {
      let started: typeof lastPoll
      let rows: { seq: number; topic: string; key: string }[]
      do {
        started = readClocks()
        rows = await db
          .selectFrom('changes')
          .select(['seq', 'topic', 'key'])
          .where('seq', '>', lastSeenSeq)
          .orderBy('seq')
          .limit(changesReadMax)
          .execute()
        for (const { seq, topic, key } of rows) {
          lastSeenSeq = seq
          // Written only by `addChanges`.
          if (!ownSeqs.delete(seq)) notify({ topic: topic as Topic, key })
        }
      } while (rows.length === changesReadMax && !isClosed())
      if (msSince(lastPoll) > changesMissedMs) notifyAll()
      lastPoll = started
    },
    /**
     * After an interruption, another server may have taken over with fewer changes, so its numbers start lower.
     */
    async resync(): Promise<void> {
      const started = readClocks()
      lastSeenSeq = await readLastSeq()
      ownSeqs.clear()
      notifyAll()
      lastPoll = started
    },
  }
}

const prune = ({ db, kind }: Connection) =>
  db
    .deleteFrom('changes')
    .where('at', '<', sql<number>`${storageNow(kind)} - ${sql.lit(changesKeptMs)}`)
    .execute()

/** Knows whether the storage answers. */
const createAnswerWatch = () => {
  let isUnanswered = false
  /** Resolves when the current poll has an answer, or none for too long. */
  let answerOrSilence: Promise<void> = Promise.resolve()
  const awaitAnswer = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    answerOrSilence = promise
    let isAnswered = false
    const judge = () => {
      isUnanswered = !isAnswered
      resolve()
    }
    // An answer may have arrived while this process was busy: it is read before `setImmediate`.
    const timer = setTimeout(() => setImmediate(judge), awayMs).unref()
    return () => {
      clearTimeout(timer)
      isAnswered = true
      judge()
    }
  }
  return {
    /** Begins to wait for an answer. Returns a function to call with it. */
    await: awaitAnswer,
    isMissing: () => isUnanswered,
    answerOrSilence: () => answerOrSilence,
  }
}
