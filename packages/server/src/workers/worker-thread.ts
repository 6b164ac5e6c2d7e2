/** The thread of {@link openWorkerPool}: runs one task at a time. */
import { readlinkSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { setPriority } from 'node:os'
import { basename } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { Problem } from '#errors'
import type { ThreadSettings, WorkerReply, WorkerRequest } from './worker-pool.ts'

/** Beside busy threads of the usual priority, 0, it gets a quarter of a processor. */
const lowPriority = 5

/** On Linux a thread has an id and a priority of its own (setpriority(2)). Without its id, it keeps that of the process. */
const lowerPriority = (): void => {
  try {
    // It leads to <process>/task/<thread>.
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), lowPriority)
  } catch {}
}

// `openWorkerPool` has passed it.
const settings = workerData as ThreadSettings | null
if (settings?.hasLowPriority) lowerPriority()
if (settings?.compileCache !== undefined) enableCompileCache(settings.compileCache)

parentPort?.on('message', async (request: WorkerRequest) => {
  const reply = await runTask(request)
  parentPort?.postMessage(reply, 'value' in reply ? findTransferable(reply.value) : [])
})

const runTask = async ({ module, name, input }: WorkerRequest): Promise<WorkerReply> => {
  try {
    // The types of WorkerTask guarantee the function.
    const tasks = (await import(module)) as Record<string, (input: unknown) => unknown>
    return { value: await tasks[name]?.(input) }
  } catch (error) {
    if (error instanceof Problem) return { problem: { code: error.code, message: error.message } }
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

/** Bytes move without a copy if no other bytes share their memory. */
const findTransferable = (value: unknown): ArrayBuffer[] =>
  value instanceof Uint8Array &&
  value.buffer instanceof ArrayBuffer &&
  value.byteLength === value.buffer.byteLength
    ? [value.buffer]
    : []
