/** Starts and controls the process that generates load. */
import { join } from 'node:path'
import { loadCore, startPinned } from './pinned.ts'

export interface LoadRequest {
  /** Default: GET. */
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string
}

export interface LoadTask {
  /** Origin of the server: `http://127.0.0.1:4000`. */
  url: string
  /** Sent in rotation. */
  requests: readonly LoadRequest[]
  /** Number of connections. Each has at most one request at a time. */
  atOnce: number
  seconds: number
  /** Requests start at this rate. Without it, each starts when the previous one on its connection is answered. */
  perSecond?: number
  /** Another status ends the run with an error. Default: 200. */
  status?: number
}

export interface LoadResult {
  requests: number
  perSecond: number
  /** Milliseconds. At a fixed rate, they count from when a request was due, so they include waiting for a connection. */
  p50: number
  p99: number
  /** Share of the time (0 to 1) in which the load was ready but its core ran something else; NaN if the system does not report it. */
  starved: number
}

export interface Load extends AsyncDisposable {
  pid: number
  /** One run at a time. */
  run(task: LoadTask): Promise<LoadResult>
}

export const startLoad = (): Load => {
  const pinned = startPinned(loadCore, process.execPath, [join(import.meta.dirname, 'load-process.ts')])
  return {
    pid: pinned.pid,
    async run(task) {
      const reply = pinned.message<LoadResult | { error: string }>()
      pinned.child.send(task)
      const result = await reply
      if ('error' in result) throw new Error(result.error)
      return result
    },
    [Symbol.asyncDispose]: pinned.stop,
  }
}

export const measureLatency = (ms: readonly number[]): { p50: number; p99: number } => {
  const sorted = Float64Array.from(ms).sort()
  const quantile = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
  return { p50: quantile(0.5), p99: quantile(0.99) }
}
