/** Lets this node write into the storage what it finds out about itself, so that any authorization server can report all nodes. */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { HealthCheck, NodeHealth } from '@querent/contract/manage'
import type { Storage } from '#storage/db'
import { listNodes, type NodeRow, removeNode, type SeenNode, saveNode } from '#storage/nodes'

export interface NodeReport {
  /**
   * All nodes in the order in which they started, this one as it is now. If the storage does not answer, this one alone. A node that
   * has been silent for 2 minutes has one check, a warning.
   */
  list(): Promise<NodeHealth[]>
  /** Deletes the row of this node. */
  close(): Promise<void>
}

const writeEveryMs = 30_000
/** Four rows in a row did not come. */
const missingMs = 120_000

/** Writes at once and every 30 s, in the background. `readChecks` looks at this node. */
export const openNodeReport = (
  storage: Storage,
  about: Pick<NodeRow, 'services' | 'listening' | 'version'>,
  readChecks: () => Promise<HealthCheck[]>,
): NodeReport => {
  const startedAt = Date.now()
  const node = { id: randomUUID(), host: hostname(), ...about }
  /** Storage that is away gets it with the next write. */
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
    async list() {
      const now = Date.now()
      const checks = await readChecks()
      const stored = await listNodes(storage).catch(() => [])
      const own = { ...node, startedAt, ...stored.find(({ id }) => id === node.id), seenAt: now, checks }
      const others = stored.filter(({ id }) => id !== node.id)
      return [...others.map(withMissing), own]
        .toSorted((a, b) => a.startedAt - b.startedAt)
        .map(writeNodeHealth)
    },
    async close() {
      clearInterval(timer)
      await writing
      // A row that stays is reported as missing, and expires.
      if (!storage.isAway()) await removeNode(storage, node.id).catch(() => {})
    },
  }
}

/** What a silent node said last may no longer be so. */
const withMissing = (node: SeenNode): SeenNode =>
  node.silentMs < missingMs
    ? node
    : {
        ...node,
        checks: [
          {
            name: 'node',
            state: 'warn',
            message: `the node has been silent for ${Math.floor(node.silentMs / 60_000)} minutes and did not stop cleanly`,
            advice:
              'start it again, or check that it reaches the storage; it is no longer listed after an hour',
          },
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
