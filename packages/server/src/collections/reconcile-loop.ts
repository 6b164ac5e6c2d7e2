/** What a node looks after now and then, because whoever was to do it may have died. */
import type { Storage } from '#storage/db'
import { workspaceVersions } from '#storage/workspaces'

interface RoundsDependencies {
  storage: Storage
  everyMs: number
  /** Reads what could not be read when it was heard of; does not throw. */
  readAgain: () => Promise<void>
  sweep: () => Promise<void>
  /**
   * Called for each version of a workspace's definition, from a round after it was seen first until it returns true: nobody else is at
   * it. Undefined: no node but this could die.
   */
  reconcile: ((workspaceId: string) => Promise<boolean>) | undefined
}

/** A shorter wait than this would be no wait. */
const everyMsLeast = 50

export const openRounds = ({ storage, everyMs, readAgain, sweep, reconcile }: RoundsDependencies) => {
  const versionsNow = async () =>
    new Map(reconcile ? (await workspaceVersions(storage.db)).map(({ id, version }) => [id, version]) : [])
  let done: ReadonlyMap<string, number> = new Map()
  let seen = done
  const round = async () => {
    await readAgain()
    await sweep()
    if (!reconcile) return
    const now = await versionsNow()
    const changed = [...now].filter(([id, version]) => done.get(id) !== version && seen.get(id) === version)
    seen = now
    const next = new Map(done)
    for (const [id, version] of changed) {
      if (await reconcile(id).catch(() => false)) next.set(id, version)
    }
    for (const id of next.keys()) if (!now.has(id)) next.delete(id)
    done = next
  }
  let timer: NodeJS.Timeout
  let closed = false
  const schedule = () => {
    timer = setTimeout(
      () => {
        // Storage or engine that is away: the next round tries again.
        round()
          .catch(() => {})
          .finally(() => {
            if (!closed) schedule()
          })
      },
      Math.max(everyMs, everyMsLeast),
    ).unref()
  }
  schedule()
  return {
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}
