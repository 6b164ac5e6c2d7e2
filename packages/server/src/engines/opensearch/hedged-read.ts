/**
 * Reads that survive a node that hangs: if a read has no reply after a part of its time limit and a node hangs, the read is sent once more,
 * to copies of its shards on other nodes. The first reply counts. The pattern is the hedged request of Dean and Barroso, The Tail at Scale
 * (2013), https://doi.org/10.1145/2408776.2408794.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { CallLimits } from './cluster.ts'
import type { NodeWatch } from './node-watch.ts'

/** Without a reply for this long, a read looks for nodes that hang. Most searches take a tenth of it. */
const slowMs = 300
/** The same as a share of the time limit of the read, if that is shorter. */
const slowShare = 0.1
/** Attempts at once of a read that cannot select copies, while a node hangs. With one replica, each reaches that node half of the time. */
const blindAttempts = 3

/** Lets OpenSearch choose the copies that answer fastest. */
export const anyCopy = ''

/** Sends the read to copies of shards that `preference` selects. */
export type SendRead<T> = (preference: string, limits: CallLimits) => Promise<T>

export interface HedgedReads {
  /** Reads from the copies that `stable` selects. */
  read<T>(stable: string, limits: CallLimits, send: SendRead<T>): Promise<T>
  /** Makes a read for which OpenSearch chooses copies at random. */
  readBlindly<T>(limits: CallLimits, send: (limits: CallLimits) => Promise<T>): Promise<T>
}

export function createHedgedReads(nodes: NodeWatch): HedgedReads {
  /** `mayRepeat` tells whether another attempt may reach other nodes than the last one, though the same nodes hang. */
  const read = async <T>(
    limits: CallLimits,
    start: (limits: CallLimits) => Promise<T>,
    mayRepeat: () => boolean,
  ): Promise<T> => {
    const done = new AbortController()
    const signal = limits.signal ? AbortSignal.any([limits.signal, done.signal]) : done.signal
    const { msMax = Number.POSITIVE_INFINITY } = limits
    const endsAt = performance.now() + msMax
    const remaining = (): CallLimits => ({
      signal,
      ...(limits.msMax !== undefined && { msMax: endsAt - performance.now() }),
    })
    const revision = nodes.revision()
    const first = start(remaining())
    let second: Promise<T> | undefined
    const startSecond = async (): Promise<T> => {
      do {
        await wait(Math.min(slowMs, msMax * slowShare), undefined, { signal, ref: false })
        await nodes.check()
      } while (nodes.revision() === revision && !mayRepeat())
      signal.throwIfAborted()
      second = start(remaining())
      // The first one may still reply.
      return second.catch(() => first)
    }
    const secondWins = startSecond().catch(() => first)
    const firstWins = first.catch(error => second ?? Promise.reject(error))
    try {
      return await Promise.race([firstWins, secondWins])
    } finally {
      done.abort()
    }
  }
  return {
    read: (stable, limits, send) =>
      read(
        limits,
        attemptLimits => send(nodes.preference(stable), attemptLimits),
        () => false,
      ),
    readBlindly: (limits, send) =>
      read(
        limits,
        async attemptLimits => {
          if (!nodes.isDegraded()) return send(attemptLimits)
          const attempts = Array.from({ length: blindAttempts }, () => send(attemptLimits))
          return Promise.any(attempts).catch(error => Promise.reject(firstError(error)))
        },
        nodes.isDegraded,
      ),
  }
}

const firstError = (error: unknown): unknown => (error instanceof AggregateError ? error.errors[0] : error)
