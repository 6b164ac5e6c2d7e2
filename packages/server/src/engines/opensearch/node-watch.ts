/**
 * Finds nodes of the cluster that hang: they keep their connections open and answer nothing, as during a long garbage collection or on a
 * dead disk. OpenSearch itself takes about 30 s to give up such a node, and sends it searches until then.
 */
import type { Cluster } from './cluster.ts'

export interface NodeWatch {
  /**
   * Returns `stable`, which selects the same copies of shards each time. While a node hangs, it returns a preference for copies on the other
   * nodes: https://docs.opensearch.org/latest/api-reference/search-apis/search/#the-preference-query-parameter
   */
  preference(stable: string): string
  /** Raised each time that other nodes answer than before. */
  revision(): number
  /** Asks all nodes for a sign of life, at most once a second. Callers share it. It never throws. */
  check(): Promise<void>
  close(): void
}

const pingMsMax = 250
/** Limit of each node for its reply to the node that asks. */
const nodeMsMax = 300
const callMsMax = 1_000
const checkEveryMs = 1_000

interface NodesReply {
  _nodes: { failed: number }
  nodes?: Record<string, { roles?: string[] }>
}

export function createNodeWatch(cluster: Pick<Cluster, 'call' | 'pingAddresses'>): NodeWatch {
  /** Ids of the data nodes that answer, while another node hangs. */
  let responsive: string | undefined
  /** Addresses that hang. */
  let unresponsive = ''
  let revision = 0
  let running: Promise<void> | undefined
  let checkedAt = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const findResponsive = async (): Promise<string | undefined> => {
    const path = `/_nodes/http?timeout=${nodeMsMax}ms&filter_path=_nodes.failed,nodes.*.roles`
    const { _nodes, nodes = {} } = (await cluster.call('GET', path, undefined, {
      msMax: callMsMax,
    })) as NodesReply
    if (_nodes.failed === 0) return undefined
    return Object.entries(nodes)
      .filter(([, { roles = ['data'] }]) => roles.includes('data'))
      .map(([id]) => id)
      .sort()
      .join(',')
  }
  const check = async (): Promise<void> => {
    // First, so that the next call does not go to an address that hangs.
    const hanging = (await cluster.pingAddresses(pingMsMax)).join(' ')
    const responsiveIds = await findResponsive().catch(() => responsive)
    if (hanging !== unresponsive || responsiveIds !== responsive) revision++
    unresponsive = hanging
    responsive = responsiveIds
    checkedAt = performance.now()
    clearTimeout(timer)
    if ((responsive !== undefined || hanging !== '') && !isClosed)
      timer = setTimeout(checkShared, checkEveryMs).unref()
  }
  const checkShared = (): Promise<void> => {
    running ??= check().finally(() => {
      running = undefined
    })
    return running
  }
  return {
    preference: stable => (responsive ? `_prefer_nodes:${responsive}` : stable),
    revision: () => revision,
    check: async () => {
      if (running || performance.now() - checkedAt > checkEveryMs) await checkShared()
    },
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
