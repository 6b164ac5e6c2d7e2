/** Reports the health of this node to the storage, so that any authorization server can list all nodes. */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { healthPart } from '@querent/contract/health-texts'
import type { HealthCheck, NodeHealth } from '@querent/contract/manage'
import type { ListeningServer } from '#http/server'
import type { Storage } from '#storage/db'
import { listNodes, type NodeRow, removeNode, type SeenNode, saveNode } from '#storage/nodes'
import { makeHealthCheck } from './health-check.ts'

export interface NodeReport {
  /** Version of this node. */
  version: string
  /**
   * Lists all nodes by start time, with the current state of this one. If the storage does not answer, lists
   * this one only. A node silent for 2 minutes has a single warning.
   */
  list(): Promise<NodeHealth[]>
  /** Deletes the row of this node. */
  close(): Promise<void>
}

/** For a thread whose node another thread reports. */
export const noNodeReport: NodeReport = { version: '', list: async () => [], close: async () => {} }

const writeEveryMs = 30_000
/** Four missed reports. */
const missingMs = 120_000

/** Reports at once and then every 30 s. `readChecks` checks this node. */
export const openNodeReport = (
  storage: Storage,
  description: Pick<NodeRow, 'services' | 'listening' | 'version'>,
  readChecks: () => Promise<HealthCheck[]>,
): NodeReport => {
  const startedAt = Date.now()
  const node = { id: randomUUID(), host: hostname(), ...description }
  /** If the storage is unreachable, the next report follows. */
  const write = async () => saveNode(storage, { ...node, checks: await readChecks() }).catch(() => {})
  let writing: Promise<void> | undefined
  const writeOnce = () => {
    writing ??= write().finally(() => {
      writing = undefined
    })
  }
  writeOnce()
  const timer = setInterval(writeOnce, writeEveryMs).unref()
  return {
    version: node.version,
    async list() {
      const now = Date.now()
      const checks = await readChecks()
      const stored = await listNodes(storage).catch(() => [])
      const ownNode = { ...node, startedAt, ...stored.find(({ id }) => id === node.id), seenAt: now, checks }
      const otherNodes = stored.filter(({ id }) => id !== node.id)
      return [...otherNodes.map(withMissing), ownNode]
        .toSorted((a, b) => a.startedAt - b.startedAt)
        .map(writeNodeHealth)
    },
    async close() {
      clearInterval(timer)
      await writing
      // A remaining row is reported as missing and expires.
      if (!storage.isAway()) await removeNode(storage, node.id).catch(() => {})
    },
  }
}

/** Replaces the outdated checks of a silent node. */
const withMissing = (node: SeenNode): SeenNode =>
  node.silentMs < missingMs
    ? node
    : {
        ...node,
        checks: [
          makeHealthCheck(
            { name: 'node', state: 'warn' },
            [healthPart('node-silent', { minutes: Math.floor(node.silentMs / 60_000) })],
            healthPart('node-silent-advice'),
          ),
        ],
      }

const writeNodeHealth = ({
  id,
  services,
  host,
  listening,
  version,
  startedAt,
  seenAt,
  checks,
}: Omit<SeenNode, 'silentMs'>): NodeHealth => ({
  id,
  services,
  host,
  listening,
  version,
  startedAt: new Date(startedAt).toISOString(),
  seenAt: new Date(seenAt).toISOString(),
  checks,
})

/** Describes what this node serves, and where. */
export const describeListening = (
  {
    query,
    authorization,
  }: { query: ListeningServer | undefined; authorization: ListeningServer | undefined },
  boundOrigin: (port: number) => string,
): Pick<NodeRow, 'services' | 'listening'> => {
  const services: NodeRow['services'] = [
    ...(query ? (['query'] as const) : []),
    ...(authorization ? (['authorization'] as const) : []),
  ]
  return {
    services,
    listening: [query, authorization].flatMap(server => (server ? [boundOrigin(server.port)] : [])),
  }
}
