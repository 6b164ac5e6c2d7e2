/** The thread of {@link openWorkerPool}: runs one task at a time. */
import { parentPort } from 'node:worker_threads'
import { type WorkerReply, type WorkerRequest, workerTasks } from './worker-tasks.ts'

parentPort?.on('message', async ({ name, input }: WorkerRequest) => {
  parentPort?.postMessage(await runTask(name, input))
})

const runTask = async (name: WorkerRequest['name'], input: unknown): Promise<WorkerReply> => {
  try {
    // The pool sends the input of the task that it names.
    const task = workerTasks[name] as (input: unknown) => Promise<unknown>
    return { value: await task(input) }
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
