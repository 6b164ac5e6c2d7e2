/** The measured process, from outside. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Done, Task } from './measured-process.ts'

export interface Measured extends AsyncDisposable {
  /** Does one task at a time. Fails when the process ends. */
  ask<Name extends Task['do']>(task: Extract<Task, { do: Name }>): Promise<Done[Name]>
}

/** Starts it over a folder of the engine's, which is made when it is not there. */
export const startMeasured = async (folder: string): Promise<Measured> => {
  const child = fork(join(import.meta.dirname, 'measured-process.ts'), [folder], { execArgv: [] })
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
