/** Runs work in threads that would otherwise block all other requests: workspace files and new passwords. */
import { Worker } from 'node:worker_threads'
import { Problem } from '#errors'
import type {
  WorkerReply,
  WorkerRequest,
  WorkerTaskInput,
  WorkerTaskName,
  WorkerTaskOutput,
} from './worker-tasks.ts'

export interface WorkerPool {
  /**
   * Runs a task in a thread. Throws Problem `overloaded` if too many tasks wait. Throws `timeout` if the task exceeds its time limit or
   * the memory of its thread; then the thread ends, and the next task gets another.
   */
  run<Name extends WorkerTaskName>(name: Name, input: WorkerTaskInput<Name>): Promise<WorkerTaskOutput<Name>>
  /** Returns the current number of threads. */
  size(): number
}

export interface WorkerPoolSettings {
  threads: number
  /** Maximum number of tasks that wait for a thread. */
  waitingMax: number
  /** Time limit of a task, counted from its start. */
  timeLimitMs: number
  /** An idle thread ends after this time, which frees its memory. */
  idleMs: number
}

interface Task extends WorkerRequest {
  resolve(value: unknown): void
  reject(error: unknown): void
}

interface Thread {
  worker: Worker
  task: Task | undefined
  /** Ends the running task at its time limit, or the idle thread. */
  timer: NodeJS.Timeout | undefined
}

/** Reading the largest workspace file takes 150 MB, the words for passwords 70 MB. */
const heapMbMax = 512

/** Creates a pool that starts threads on demand. Idle threads do not keep the process alive. */
export const openWorkerPool = (settings: WorkerPoolSettings): WorkerPool => {
  const { threads: threadsMax, waitingMax, timeLimitMs, idleMs } = settings
  const threads = new Set<Thread>()
  const waiting: Task[] = []

  const terminate = (thread: Thread): void => {
    clearTimeout(thread.timer)
    threads.delete(thread)
    void thread.worker.terminate()
  }

  const startThread = (): Thread => {
    // The imports of the package resolve to the built file in a built package.
    const worker = new Worker(new URL(import.meta.resolve('#workers/worker-thread')), {
      resourceLimits: { maxOldGenerationSizeMb: heapMbMax },
    })
    const thread: Thread = { worker, task: undefined, timer: undefined }
    worker.on('message', (reply: WorkerReply) => {
      // `node --watch` also sends messages through this channel.
      if (!('value' in reply) && !('error' in reply)) return
      const { task } = thread
      // The thread was just terminated.
      if (!threads.has(thread)) return
      release(thread)
      if ('error' in reply) task?.reject(new Error(`a worker task failed: ${reply.error}`))
      else task?.resolve(reply.value)
    })
    worker.on('error', error => failThread(thread, error))
    worker.unref()
    threads.add(thread)
    return thread
  }

  const failThread = (thread: Thread, cause: Error): void => {
    const { task } = thread
    terminate(thread)
    task?.reject('code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooExpensive() : cause)
    startNextTask()
  }

  const assign = (thread: Thread, task: Task): void => {
    clearTimeout(thread.timer)
    thread.task = task
    thread.worker.ref()
    thread.timer = setTimeout(() => {
      terminate(thread)
      task.reject(tooExpensive())
      startNextTask()
    }, timeLimitMs)
    thread.worker.postMessage({ name: task.name, input: task.input } satisfies WorkerRequest)
  }

  const release = (thread: Thread): void => {
    clearTimeout(thread.timer)
    thread.task = undefined
    const task = waiting.shift()
    if (task) assign(thread, task)
    else {
      thread.worker.unref()
      thread.timer = setTimeout(() => terminate(thread), idleMs).unref()
    }
  }

  /** Starts a thread for the longest waiting task, unless there are too many. */
  const startNextTask = (): void => {
    const task = threads.size < threadsMax ? waiting.shift() : undefined
    if (task) assign(startThread(), task)
  }

  return {
    run: (name, input) =>
      new Promise((resolve, reject) => {
        const idle = [...threads].find(thread => thread.task === undefined)
        // A thread replies with the result of the task in its request.
        const task: Task = { name, input, resolve: value => resolve(value as never), reject }
        if (idle) assign(idle, task)
        else if (threads.size < threadsMax) assign(startThread(), task)
        else if (waiting.length < waitingMax) waiting.push(task)
        else reject(overloaded())
      }),
    size: () => threads.size,
  }
}

const tooExpensive = (): Problem =>
  new Problem('timeout', 'reading the input takes too long or too much memory: send something smaller', {
    headers: { 'retry-after': '5' },
  })

const overloaded = (): Problem =>
  new Problem('overloaded', 'too many requests of this kind are waiting: try again shortly', {
    headers: { 'retry-after': '5' },
  })

/** The pool of this process. It has two threads, so that one slow task does not delay others. */
export const workerPool = openWorkerPool({
  threads: 2,
  waitingMax: 64,
  timeLimitMs: 30_000,
  idleMs: 60_000,
})
