/**
 * Runs work in threads that would otherwise block all other requests: workspace files, proposals, new passwords and results as tables, XML or
 * RDF.
 */
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { type Transferable, Worker } from 'node:worker_threads'
import type { ErrorCode } from '@querent/contract/errors'
import { Problem } from '#errors'
import { createFairTurns } from './fair-turns.ts'

type Task = (input: never) => unknown

/** A function that threads can run: an export of a module, with cloneable input and output. */
export interface WorkerTask<Function extends Task> {
  /** URL of the module. */
  module: string
  name: string
  /** Exists for the types only. */
  run?: Function
}

/**
 * Names a function of a module, such as `#accounts/password-estimator`. Threads import the module, so that only they load what it needs:
 * `defineWorkerTask<typeof import('./a.ts'), 'b'>('#folder/a', 'b')`.
 */
export const defineWorkerTask = <Module extends Record<Name, Task>, Name extends string>(
  specifier: `#${string}`,
  name: Name,
): WorkerTask<Module[Name]> => ({
  // The imports of the package resolve to the built file in a built package.
  module: import.meta.resolve(specifier),
  name,
})

export interface WorkerPool {
  /**
   * Runs a task in a thread. `owner`: whose work it is, a workspace or an account; owners get turns, whatever the others send. Throws Problem
   * `too-many-requests` if too many tasks of the owner wait, and `overloaded` if too many wait in all. Throws `timeout` if the task exceeds
   * its time limit or the memory of its thread; then the thread ends, and the next task gets another. Throws the Problems of the task.
   * `transfer` moves buffers of the input to the thread. When `signal` is aborted, the task ends and its reason is thrown.
   */
  run<Function extends Task>(
    owner: string,
    task: WorkerTask<Function>,
    input: Parameters<Function>[0],
    options?: { transfer?: readonly ArrayBuffer[]; signal?: AbortSignal },
  ): Promise<Awaited<ReturnType<Function>>>
  /** Returns the current number of threads. */
  size(): number
}

export interface WorkerPoolSettings {
  threads: number
  /** Tasks of one owner that run at once. With fewer than `threads`, no owner can occupy all of them. */
  ownerRunningMax: number
  /** Tasks of one owner that wait for a thread. */
  ownerWaitingMax: number
  /** Tasks of all owners that wait for a thread. */
  waitingMax: number
  /** Time limit of a task, counted from its start. */
  timeLimitMs: number
  /** An idle thread ends after this time, which frees its memory. */
  idleMs: number
  /** On Linux, the threads leave the processors to others. */
  hasLowPriority?: boolean
}

/** Data that a thread receives at its start. */
export interface ThreadSettings {
  hasLowPriority: boolean
  /** Folder of the compiled sources of this process, with which a thread starts in half of the time. */
  compileCache: string | undefined
}

/** Message to a thread. */
export interface WorkerRequest {
  module: string
  name: string
  input: unknown
}

/** Reply of a thread, one for each request. */
export type WorkerReply =
  | { value: unknown }
  | { error: string }
  | { problem: { code: ErrorCode; message: string } }

interface Job extends WorkerRequest {
  owner: string
  transfer: readonly Transferable[]
  resolve(value: unknown): void
  reject(error: unknown): void
}

interface Thread {
  worker: Worker
  job: Job | undefined
  /** Ends the running job at its time limit, or the idle thread. */
  timer: NodeJS.Timeout | undefined
}

/** Reading the largest workspace file takes 150 MB, the words for passwords 70 MB. */
const heapMbMax = 512

/** Creates a pool that starts threads on demand. Idle threads do not keep the process alive. */
export const openWorkerPool = (settings: WorkerPoolSettings): WorkerPool => {
  const { threads: threadsMax, ownerRunningMax, ownerWaitingMax, waitingMax, timeLimitMs, idleMs } = settings
  const threads = new Set<Thread>()
  const turns = createFairTurns<Job>(ownerRunningMax)

  const terminate = (thread: Thread): void => {
    clearTimeout(thread.timer)
    threads.delete(thread)
    if (thread.job) turns.end(thread.job.owner)
    void thread.worker.terminate()
  }

  const startThread = (): Thread => {
    const worker = createWorker(settings)
    const thread: Thread = { worker, job: undefined, timer: undefined }
    worker.on('message', (reply: WorkerReply) => {
      const { job } = thread
      // The thread may just have been terminated.
      if (!isReply(reply) || !threads.has(thread)) return
      release(thread)
      if (job) settle(job, reply)
    })
    worker.on('error', error => failThread(thread, error))
    worker.unref()
    threads.add(thread)
    return thread
  }

  const failThread = (thread: Thread, cause: Error): void => {
    const { job } = thread
    terminate(thread)
    job?.reject('code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooExpensive() : cause)
    startJobs()
  }

  const assign = (thread: Thread, job: Job): void => {
    clearTimeout(thread.timer)
    thread.job = job
    thread.worker.ref()
    thread.timer = setTimeout(() => {
      terminate(thread)
      job.reject(tooExpensive())
      startJobs()
    }, timeLimitMs)
    const { module, name, input, transfer } = job
    thread.worker.postMessage({ module, name, input } satisfies WorkerRequest, transfer)
  }

  const release = (thread: Thread): void => {
    clearTimeout(thread.timer)
    if (thread.job) turns.end(thread.job.owner)
    thread.job = undefined
    startJobs()
    if (thread.job) return
    thread.worker.unref()
    thread.timer = setTimeout(() => terminate(thread), idleMs).unref()
  }

  const abort = (job: Job, reason: unknown): void => {
    const running = [...threads].find(thread => thread.job === job)
    if (running) terminate(running)
    else turns.remove(job)
    job.reject(reason)
    startJobs()
  }

  /** Gives waiting jobs to idle threads, and to new ones if there are too few. */
  const startJobs = (): void => {
    for (;;) {
      const idle = [...threads].find(thread => thread.job === undefined)
      if (!idle && threads.size >= threadsMax) return
      const job = turns.start()
      if (!job) return
      assign(idle ?? startThread(), job)
    }
  }

  return {
    run: (owner, { module, name }, input, { transfer = [], signal } = {}) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        if (turns.waiting(owner) >= ownerWaitingMax) return reject(tooManyOfOwner())
        if (turns.waiting() >= waitingMax) return reject(overloaded())
        // A thread replies with the result of the task in its request.
        const cast = (value: unknown) => resolve(value as never)
        const job: Job = { module, name, input, owner, transfer, resolve: cast, reject }
        turns.add(job)
        if (signal) whenAborted(job, signal, () => abort(job, signal.reason))
        startJobs()
      }),
    size: () => threads.size,
  }
}

const createWorker = ({ hasLowPriority = false }: WorkerPoolSettings): Worker => {
  const compiled = getCompileCacheDir()
  // Node.js makes a folder for each of its versions below the one that was named.
  const compileCache = compiled === undefined ? undefined : dirname(compiled)
  return new Worker(new URL(import.meta.resolve('#workers/worker-thread')), {
    resourceLimits: { maxOldGenerationSizeMb: heapMbMax },
    workerData: { hasLowPriority, compileCache } satisfies ThreadSettings,
  })
}

/** `node --watch` also sends messages through this channel. */
const isReply = (message: WorkerReply): boolean =>
  'value' in message || 'error' in message || 'problem' in message

const settle = (job: Job, reply: WorkerReply): void => {
  if ('problem' in reply) job.reject(new Problem(reply.problem.code, reply.problem.message))
  else if ('error' in reply) job.reject(new Error(`a worker task failed: ${reply.error}`))
  else job.resolve(reply.value)
}

/** Calls `abort` when the signal is aborted, unless the job has ended by then. */
const whenAborted = (job: Job, signal: AbortSignal, abort: () => void): void => {
  signal.addEventListener('abort', abort, { once: true })
  const end =
    <Value>(settleJob: (value: Value) => void) =>
    (value: Value) => {
      signal.removeEventListener('abort', abort)
      settleJob(value)
    }
  job.resolve = end(job.resolve)
  job.reject = end(job.reject)
}

const retryHeaders = { headers: { 'retry-after': '5' } }

const tooExpensive = (): Problem =>
  new Problem('timeout', 'this takes too long or too much memory: send or request less at once', retryHeaders)

const tooManyOfOwner = (): Problem =>
  new Problem(
    'too-many-requests',
    'too many of your requests of this kind are waiting: wait for their replies',
    retryHeaders,
  )

const overloaded = (): Problem =>
  new Problem('overloaded', 'too many requests of this kind are waiting: try again shortly', retryHeaders)

/** Settings of all pools. */
export const poolSettings = {
  ownerRunningMax: 1,
  ownerWaitingMax: 8,
  waitingMax: 64,
  timeLimitMs: 30_000,
  idleMs: 60_000,
}

/** The pool of this process for workspace files and proposals. One workspace uses one of its threads at a time. */
export const workerPool = openWorkerPool({ ...poolSettings, threads: 2 })

/** The pool for new passwords, so that they never wait for files. Estimates take milliseconds. */
export const passwordPool = openWorkerPool({ ...poolSettings, threads: 1 })

/** Results wait as long as a query may take, and their size is bounded. */
export const formatPoolSettings = {
  ...poolSettings,
  threads: 2,
  ownerWaitingMax: 64,
  waitingMax: 256,
  timeLimitMs: 10_000,
}

/** The pool for results in other formats than JSON. */
export const formatPool = openWorkerPool(formatPoolSettings)
