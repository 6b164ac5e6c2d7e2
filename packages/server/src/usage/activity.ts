/** When members were last active in a workspace: kept in bounded memory, and written together, off the path of requests. */

import type { Storage } from '#storage/db'
import { saveActivity } from '#storage/members'

export interface Activity {
  /** A member's request was let through: to the query service, the documents or the management API. No I/O. */
  record(workspaceId: string, subject: string): void
  /** Writes what is waiting; then what was noted before can be read. */
  flush(): Promise<void>
  close(): Promise<void>
}

const writeEveryMs = 60_000
/** Members whose activity may wait for a write; that of others waits for the next one. */
const membersMax = 100_000

export const openActivity = (storage: Storage): Activity => {
  /** By workspace and subject, the time of the last request. */
  let timesByWorkspace = new Map<string, Map<string, number>>()
  let count = 0

  const record = (workspaceId: string, subject: string, at: number) => {
    let times = timesByWorkspace.get(workspaceId)
    if (!times) {
      times = new Map()
      timesByWorkspace.set(workspaceId, times)
    }
    if (!times.has(subject)) {
      if (count >= membersMax) return
      count += 1
    }
    times.set(subject, at)
  }
  const write = async () => {
    const batch = timesByWorkspace
    timesByWorkspace = new Map()
    count = 0
    for (const [workspaceId, times] of batch)
      try {
        await saveActivity(storage.db, workspaceId, times)
      } catch {
        // Storage that is away gets it with the next write.
        for (const [subject, at] of times)
          if (!timesByWorkspace.get(workspaceId)?.has(subject)) record(workspaceId, subject, at)
      }
  }
  let writing: Promise<void> = Promise.resolve()
  const flush = () => {
    writing = writing.then(write)
    return writing
  }
  const writer = setInterval(() => count > 0 && void flush(), writeEveryMs).unref()
  return {
    record: (workspaceId, subject) => record(workspaceId, subject, Date.now()),
    flush,
    async close() {
      clearInterval(writer)
      await flush()
    },
  }
}
