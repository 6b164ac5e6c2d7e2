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

/** Lets OpenSearch choose the copies that answer fastest. */
export const anyCopy = ''

/** Sends the read to copies of shards that `preference` selects. */
export type SendRead<T> = (preference: string, limits: CallLimits) => Promise<T>

export interface HedgedReads {
  /** Reads from the copies that `stable` selects. */
  read<T>(stable: string, limits: CallLimits, send: SendRead<T>): Promise<T>
}

export const createHedgedReads = (nodes: NodeWatch): HedgedReads => ({
  async read(stable, limits, send) {
    const done = new AbortController()
    const signal = limits.signal ? AbortSignal.any([limits.signal, done.signal]) : done.signal
    const { msMax = Number.POSITIVE_INFINITY } = limits
    const endsAt = performance.now() + msMax
    const start = () =>
      send(nodes.preference(stable), {
        signal,
        ...(limits.msMax !== undefined && { msMax: endsAt - performance.now() }),
      })
    const revision = nodes.revision()
    const first = start()
    let second: ReturnType<typeof start> | undefined
    const startSecond = async () => {
      do {
        await wait(Math.min(slowMs, msMax * slowShare), undefined, { signal, ref: false })
        await nodes.check()
      } while (nodes.revision() === revision)
      signal.throwIfAborted()
      second = start()
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
  },
})
