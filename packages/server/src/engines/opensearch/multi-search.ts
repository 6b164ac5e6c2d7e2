/** Sends a single search to `_search`, and several to `_msearch`. */
import type { CallLimits, Cluster } from './cluster.ts'
import { failureReply } from './failure.ts'
import type { HedgedReads } from './hedged-read.ts'
import type { SearchContext, SearchReply } from './search-context.ts'

/** Maximum number of searches in one `_msearch`. */
const batchSize = 500

interface Dependencies {
  cluster: Pick<Cluster, 'call'>
  reads: HedgedReads
  alias: string
  /** Selects the copies of the shards. */
  preference: string
  /** Returns the limits of the next call. */
  limits: () => CallLimits
}

/** Returns a function that returns replies in the order of the bodies, and throws the error of the first failed search. */
export const createMultiSearch =
  ({ cluster, reads, alias, preference: stable, limits }: Dependencies): SearchContext['search'] =>
  async bodies => {
    const [first, ...moreBodies] = bodies
    if (first !== undefined && moreBodies.length === 0) {
      const reply = await reads.read(stable, limits(), (preference, attemptLimits) => {
        const path = `/${alias}/_search?allow_partial_search_results=false&preference=${preference}`
        return cluster.call('POST', path, first, attemptLimits)
      })
      return [reply as SearchReply]
    }
    const replies: SearchReply[] = []
    for (let start = 0; start < bodies.length; start += batchSize) {
      const batch = bodies.slice(start, start + batchSize).map(body => JSON.stringify(body))
      const reply = await reads.read(stable, limits(), (preference, attemptLimits) => {
        const header = JSON.stringify({ index: alias, preference, allow_partial_search_results: false })
        const lines = batch.map(body => `${header}\n${body}\n`)
        return cluster.call('POST', '/_msearch', lines.join(''), attemptLimits)
      })
      const { responses } = reply as MultiReply
      for (const reply of responses) {
        if ('error' in reply) {
          const { type, reason } = reply.error.root_cause?.[0] ?? reply.error
          throw failureReply(reply.status, type, reason)
        }
        replies.push(reply)
      }
    }
    return replies
  }

interface MultiReply {
  responses: (SearchReply | { status: number; error: Reason & { root_cause?: Reason[] } })[]
}

interface Reason {
  type: string
  reason: string
}
