/** Threads for work that would stop all other requests while it runs: workspace files and new passwords. */
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
   * Runs a task in a thread. Throws Problem `overloaded` when too many tasks wait, and `timeout` when the task takes longer than its time
   * limit or more memory than its thread may use: the thread ends, and the next task gets another.
   */
  run<Name extends WorkerTaskName>(name: Name, input: WorkerTaskInput<Name>): Promise<WorkerTaskOutput<Name>>
  /** Threads that exist now. */
  size(): number
}

export interface WorkerPoolSettings {
  threads: number
  /** Tasks that wait for a thread. */
  waitingMax: number
  /** For one task, from when it starts. */
  timeLimitMs: number
  /** A thread that has nothing to do ends after this long, with all the memory it took. */
  idleMs: number
}

interface Task extends WorkerRequest {
  resolve(value: unknown): void
  reject(error: unknown): void
}

interface Thread {
  worker: Worker
  task: Task | undefined
  /** Of the running task, or of being idle. */
  timer: NodeJS.Timeout | undefined
}

/** The largest workspace file takes 150 MB while it is read, the words for passwords 70 MB. */
const heapMbMax = 512

/** Threads are started when they are first needed, and don't keep the process alive. */
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
    // Through the package's own imports, which name the built file where the package is built.
    const worker = new Worker(new URL(import.meta.resolve('#workers/worker-thread')), {
      resourceLimits: { maxOldGenerationSizeMb: heapMbMax },
    })
    const thread: Thread = { worker, task: undefined, timer: undefined }
    worker.on('message', (reply: WorkerReply) => {
      // `node --watch` sends messages of its own through this channel.
      if (!('value' in reply) && !('error' in reply)) return
      const { task } = thread
      // One that was just given up.
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

  /** Gives the longest waiting task a thread, where one may be started. */
  const startNextTask = (): void => {
    const task = threads.size < threadsMax ? waiting.shift() : undefined
    if (task) assign(startThread(), task)
  }

  return {
    run: (name, input) =>
      new Promise((resolve, reject) => {
        const idle = [...threads].find(thread => thread.task === undefined)
        // The reply to a request is of the task that it named.
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
  new Problem('timeout', 'what was sent takes too long to read, or too much memory: send something smaller', {
    headers: { 'retry-after': '5' },
  })

const overloaded = (): Problem =>
  new Problem('overloaded', 'too many requests of this kind are waiting: try again shortly', {
    headers: { 'retry-after': '5' },
  })

/** The process's own: two threads, so that one slow task delays no other. */
export const workerPool = openWorkerPool({
  threads: 2,
  waitingMax: 64,
  timeLimitMs: 30_000,
  idleMs: 60_000,
})
