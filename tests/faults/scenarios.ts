/** The faults that a service has to survive under load, one after another. */
import { writeFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { OpenSearchCluster } from '#bench/peers/opensearch'
import type { Cluster } from '#server/storage/test-postgres'
import type { Node, Nodes } from '#tests/support/nodes'
import type { TcpProxy } from '#tests/support/tcp-proxy'

/** Everything that a scenario can break. */
export interface FaultTargets {
  nodes: Nodes
  query: readonly [Node, Node]
  authorization: readonly [Node, Node]
  postgres: Cluster
  /** Proxy between all nodes and PostgreSQL. */
  storageProxy: TcpProxy
  /** Proxies between all nodes and each node of OpenSearch. */
  engineProxies: readonly TcpProxy[]
  /** Undefined if a single search node is only reachable through its proxy. */
  search: OpenSearchCluster | undefined
  /** Clocks of the nodes that have an adjustable clock. */
  clockFile: string
}

export interface Scenario {
  name: string
  /** Breaks something, waits, and repairs it. */
  run(targets: FaultTargets): Promise<void>
}

const brokenMs = 3_000
const slowMs = 5_000
/** OpenSearch gives up a node that hangs after about 30 s, and a balancer of the tests after 10 s. */
const frozenMs = 20_000
const postgresFrozenMs = 12_000
const roundTripMs = 200

const setClock =
  (minutes: number) =>
  async ({ query: [node], clockFile }: FaultTargets) => {
    const setOffset = async (ms: number) => {
      await writeFile(clockFile, String(ms))
      node.signal('SIGUSR2')
    }
    await setOffset(minutes * 60_000)
    await wait(slowMs)
    await setOffset(0)
  }

export const queryNodeKilled: Scenario = {
  name: 'a query node is killed (`kill -9`) and started again',
  async run({ query: [node] }) {
    await node.kill()
    await wait(brokenMs)
    await node.start()
  },
}
export const postgresRestarted: Scenario = {
  name: 'PostgreSQL is restarted',
  async run({ postgres }) {
    await postgres.end('SIGINT')
    await wait(brokenMs)
    await postgres.restart()
  },
}
export const searchCut: Scenario = {
  name: 'connections to OpenSearch are cut, and refused for 3 s',
  async run({ engineProxies }) {
    for (const proxy of engineProxies) proxy.refuse()
    await wait(brokenMs)
    for (const proxy of engineProxies) proxy.pass()
  },
}

const nodeFrozen = (kind: 'query' | 'authorization'): Scenario => ({
  name: `${kind === 'query' ? 'a query' : 'an authorization'} node is frozen (SIGSTOP) for 20 s`,
  async run({ [kind]: [, node] }) {
    node.signal('SIGSTOP')
    await wait(frozenMs)
    node.signal('SIGCONT')
  },
})
const searchFrozen = (kind: 'manager' | 'other'): Scenario => ({
  name: `${kind === 'manager' ? 'the cluster manager' : 'another node'} of OpenSearch is frozen (SIGSTOP) for 20 s`,
  async run({ search }) {
    if (!search) return
    const managerIndex = await search.managerIndex()
    const nodeIndex = kind === 'manager' ? managerIndex : (managerIndex + 1) % search.urls.length
    search.freeze(nodeIndex)
    await wait(frozenMs)
    search.thaw(nodeIndex)
    await search.call('GET', `/_cluster/health?wait_for_nodes=${search.urls.length}&timeout=60s`)
  },
})
/** A part that hangs: it keeps its connections, and answers nothing. */
const frozenScenarios: readonly Scenario[] = [
  nodeFrozen('query'),
  nodeFrozen('authorization'),
  searchFrozen('other'),
  searchFrozen('manager'),
  {
    name: 'PostgreSQL is frozen (SIGSTOP) for 12 s',
    async run({ postgres }) {
      postgres.freeze()
      await wait(postgresFrozenMs)
      postgres.thaw()
    },
  },
  {
    name: 'all open connections to PostgreSQL hang for 15 s, and new ones work',
    async run({ storageProxy }) {
      storageProxy.hangOpen()
      await wait(3 * slowMs)
      storageProxy.pass()
    },
  },
]

export const scenarios: readonly Scenario[] = [
  queryNodeKilled,
  {
    name: 'an authorization node is killed (`kill -9`) and started again',
    async run({ authorization: [, node] }) {
      await node.kill()
      await wait(brokenMs)
      await node.start()
    },
  },
  postgresRestarted,
  {
    name: 'PostgreSQL crashes, and is started again',
    async run({ postgres }) {
      await postgres.end('SIGQUIT')
      await wait(brokenMs)
      await postgres.restart()
    },
  },
  {
    name: 'one of three nodes of OpenSearch is killed (`kill -9`) and started again',
    async run({ search }) {
      await search?.kill(1)
      await wait(slowMs)
      await search?.restart(1)
      await search?.call('GET', '/_cluster/health?wait_for_status=green&timeout=60s')
    },
  },
  {
    name: 'connections to PostgreSQL are 200 ms slower for 5 s',
    async run({ storageProxy }) {
      storageProxy.delay(roundTripMs)
      await wait(slowMs)
      storageProxy.delay(0)
    },
  },
  {
    name: 'connections to PostgreSQL are cut, and refused for 3 s',
    async run({ storageProxy }) {
      storageProxy.refuse()
      await wait(brokenMs)
      storageProxy.pass()
    },
  },
  {
    name: 'connections to PostgreSQL hang for 15 s, then are reset',
    async run({ storageProxy }) {
      storageProxy.hang()
      await wait(3 * slowMs)
      storageProxy.cut()
      storageProxy.pass()
    },
  },
  {
    name: 'connections to OpenSearch are 200 ms slower for 5 s',
    async run({ engineProxies }) {
      for (const proxy of engineProxies) proxy.delay(roundTripMs)
      await wait(slowMs)
      for (const proxy of engineProxies) proxy.delay(0)
    },
  },
  searchCut,
  {
    name: 'connections to OpenSearch hang for 5 s, then are reset',
    async run({ engineProxies }) {
      for (const proxy of engineProxies) proxy.hang()
      await wait(slowMs)
      for (const proxy of engineProxies) {
        proxy.cut()
        proxy.pass()
      }
    },
  },
  ...frozenScenarios,
  { name: 'the clock of a query node is set 1 minute ahead for 5 s', run: setClock(1) },
  { name: 'the clock of a query node is set 1 minute back for 5 s', run: setClock(-1) },
]
/**
 * Sets the clock of a node further off than the minute that tokens tolerate. Until the clock is right, the node replies with 401 because it
 * takes valid tokens for expired or future ones. It never accepts a token that it should reject.
 */
export const farClocks: readonly Scenario[] = [
  { name: 'the clock of a query node is set 2 minutes ahead for 5 s', run: setClock(2) },
  { name: 'the clock of a query node is set 2 minutes back for 5 s', run: setClock(-2) },
  { name: 'the clock of a query node is set 1 hour ahead for 5 s', run: setClock(60) },
  { name: 'the clock of a query node is set 1 hour back for 5 s', run: setClock(-60) },
]
