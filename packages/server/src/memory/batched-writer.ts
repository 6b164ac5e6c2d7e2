/** The schedule of a write-behind buffer. The caller collects records in memory, and this writes them in batches. */

export interface BatchedWriter {
  /** Writes pending records, so that they can be read. Never rejects. */
  flush(): Promise<void>
  /** Stops the schedule and writes what is pending. */
  close(): Promise<void>
}

interface BatchSettings {
  everyMs: number
  /** Whether a scheduled write has anything to do. */
  hasPending(): boolean
  /** Takes the pending records and writes them. Never runs twice at once. */
  write(): Promise<void>
  /** Called if `write` rejects. By default nothing happens: requests must not fail because a record is lost. */
  onFailure?: (error: unknown) => void
}

export const openBatchedWriter = ({
  everyMs,
  hasPending,
  write,
  onFailure = () => {},
}: BatchSettings): BatchedWriter => {
  let lastWrite: Promise<void> = Promise.resolve()
  const flush = () => {
    lastWrite = lastWrite.then(write).catch(onFailure)
    return lastWrite
  }
  const timer = setInterval(() => hasPending() && void flush(), everyMs).unref()
  return {
    flush,
    async close() {
      clearInterval(timer)
      await flush()
    },
  }
}
