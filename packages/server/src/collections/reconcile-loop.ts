/** The reconcile loop: work that a node repeats regularly, because the node that was responsible may have died. */
import type { WorkReports } from '#memory/work-reports'
import type { Storage } from '#storage/db'
import { workspaceVersions } from '#storage/workspaces'

interface LoopDependencies {
  storage: Storage
  reports: WorkReports
  intervalMs: number
  /** Repeats failed reads of generations; doesn't throw. */
  retryStale: () => Promise<void>
  collectGarbage: () => Promise<void>
  /**
   * Called for each version of a workspace's definition, from the round after the version was first seen, until it returns true. The
   * delay of one round leaves the work to the node that made the change. Undefined if there is no other node that could die.
   */
  reconcile: ((workspaceId: string) => Promise<boolean>) | undefined
}

/** Keeps a grace period of 0 from making a busy loop. */
const intervalMsMin = 50

export const openReconcileLoop = ({
  storage,
  reports,
  intervalMs,
  retryStale,
  collectGarbage,
  reconcile,
}: LoopDependencies) => {
  const readVersions = async () =>
    new Map((await workspaceVersions(storage.db)).map(({ id, version }) => [id, version]))
  let reconciledVersions: ReadonlyMap<string, number> = new Map()
  let lastVersions = reconciledVersions
  const runRound = async () => {
    await retryStale()
    await collectGarbage()
    if (!reconcile) return
    const versions = await readVersions()
    const pending = [...versions].filter(
      ([id, version]) => reconciledVersions.get(id) !== version && lastVersions.get(id) === version,
    )
    lastVersions = versions
    const next = new Map(reconciledVersions)
    const failures: unknown[] = []
    for (const [id, version] of pending) {
      const isDone = await reconcile(id).catch((error: unknown) => void failures.push(error))
      if (isDone) next.set(id, version)
    }
    for (const id of next.keys()) if (!versions.has(id)) next.delete(id)
    reconciledVersions = next
    if (failures.length > 0) throw failures[0]
  }
  let timer: NodeJS.Timeout
  let isClosed = false
  const schedule = () => {
    timer = setTimeout(
      () => {
        void reports.run('reconciliation', runRound).finally(() => {
          if (!isClosed) schedule()
        })
      },
      Math.max(intervalMs, intervalMsMin),
    ).unref()
  }
  schedule()
  return {
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
