/** The thread of {@link openWorkerPool}: runs one task at a time. */
import { parentPort } from 'node:worker_threads'
import type { WorkerReply, WorkerRequest } from './worker-pool.ts'

parentPort?.on('message', async (request: WorkerRequest) => {
  parentPort?.postMessage(await runTask(request))
})

const runTask = async ({ module, name, input }: WorkerRequest): Promise<WorkerReply> => {
  try {
    // The types of WorkerTask guarantee the function.
    const tasks = (await import(module)) as Record<string, (input: unknown) => unknown>
    return { value: await tasks[name]?.(input) }
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
