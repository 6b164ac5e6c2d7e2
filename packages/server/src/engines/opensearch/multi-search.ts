/** Asks an index: one search by itself, several together. */
import type { CallLimits, Cluster } from './cluster.ts'
import { failure } from './failure.ts'
import type { Ground, SearchReply } from './search-context.ts'

/** `_msearch` of this many at most. */
const asksMax = 500

interface Dependencies {
  cluster: Pick<Cluster, 'call'>
  alias: string
  /** Which copies of its shards are asked. */
  preference: string
  /** Of each call, asked before it. */
  limits: () => CallLimits
}

/** Replies stand in the order of the bodies; throws what the first says that failed. */
export const askerOf =
  ({ cluster, alias, preference, limits }: Dependencies): Ground['ask'] =>
  async bodies => {
    const [first, ...others] = bodies
    if (first !== undefined && others.length === 0) {
      const path = `/${alias}/_search?allow_partial_search_results=false&preference=${preference}`
      return [(await cluster.call('POST', path, first, limits())) as SearchReply]
    }
    const replies: SearchReply[] = []
    for (let at = 0; at < bodies.length; at += asksMax) {
      const header = JSON.stringify({ index: alias, preference, allow_partial_search_results: false })
      const lines = bodies.slice(at, at + asksMax).map(body => `${header}\n${JSON.stringify(body)}\n`)
      const { responses } = (await cluster.call('POST', '/_msearch', lines.join(''), limits())) as MultiReply
      for (const reply of responses) {
        if ('error' in reply) {
          const { type, reason } = reply.error.root_cause?.[0] ?? reply.error
          throw failure(reply.status, type, reason)
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
