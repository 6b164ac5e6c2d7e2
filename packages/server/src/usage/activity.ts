/** A write-behind buffer of when members were last active in a workspace. */

import { type BatchedWriter, openBatchedWriter } from '#memory/batched-writer'
import type { Storage } from '#storage/db'
import { saveActivity } from '#storage/members'

export interface Activity extends BatchedWriter {
  /** Records an authorized request of a member: a query, a document request or a management call. Does no I/O. */
  record(workspaceId: string, subject: string): void
}

const writeEveryMs = 60_000
/** Members in the buffer. Activity of more members is not recorded until the next write. */
const membersMax = 100_000

export const openActivity = (storage: Storage): Activity => {
  /** The time of the last request, by workspace and subject. */
  let timesByWorkspace = new Map<string, Map<string, number>>()
  let count = 0

  const record = (workspaceId: string, subject: string, time: number) => {
    let times = timesByWorkspace.get(workspaceId)
    if (!times) {
      times = new Map()
      timesByWorkspace.set(workspaceId, times)
    }
    if (!times.has(subject)) {
      if (count >= membersMax) return
      count += 1
    }
    times.set(subject, time)
  }
  const write = async () => {
    const batch = timesByWorkspace
    timesByWorkspace = new Map()
    count = 0
    for (const [workspaceId, times] of batch)
      try {
        await saveActivity(storage.db, workspaceId, times)
      } catch {
        // If the storage is away, try again with the next write.
        for (const [subject, time] of times)
          if (!timesByWorkspace.get(workspaceId)?.has(subject)) record(workspaceId, subject, time)
      }
  }
  return {
    record: (workspaceId, subject) => record(workspaceId, subject, Date.now()),
    ...openBatchedWriter({ everyMs: writeEveryMs, hasPending: () => count > 0, write }),
  }
}
