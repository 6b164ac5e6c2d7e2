/** Starts and controls the measured process. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { canPin, serverCore } from '#bench/http/pinned'
import type { Done, Task } from './measured-process.ts'

export interface Measured extends AsyncDisposable {
  /** Runs one task at a time. Fails if the process exits. */
  ask<Name extends Task['do']>(task: Extract<Task, { do: Name }>): Promise<Done[Name]>
}

/** Starts it on an engine folder, which it creates if it is missing. On one core, it searches the segments of a query one after another. */
export const startMeasured = async (folder: string, isOneCore = false): Promise<Measured> => {
  const program =
    isOneCore && canPin
      ? { execPath: 'taskset', execArgv: ['-c', String(serverCore), process.execPath] }
      : { execArgv: [] }
  const child = fork(join(import.meta.dirname, 'measured-process.ts'), [folder], program)
  const exitFailure = once(child, 'exit').then(([status]) =>
    Promise.reject(new Error(`it ended with ${status}`)),
  )
  exitFailure.catch(() => {})
  const next = async () => (await Promise.race([once(child, 'message'), exitFailure]))[0]
  await next()
  return {
    async ask(task) {
      const reply = next()
      child.send(task)
      return reply
    },
    async [Symbol.asyncDispose]() {
      child.disconnect()
      await exitFailure.catch(() => {})
    },
  }
}
