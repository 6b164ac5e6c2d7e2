/** Processor time and memory as the system counts them (proc(5)). Other processes on the machine hardly affect them. */
import { readdirSync, readFileSync } from 'node:fs'

/** Microseconds of this process, all its threads. */
export const processorUs = (): number => {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** Microseconds of another process, all its live threads. */
export const readProcessorUs = (pid: number): number => {
  const folder = `/proc/${pid}/task`
  let nanoseconds = 0
  for (const thread of readdirSync(folder))
    try {
      nanoseconds += Number(readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ')[0])
    } catch {
      // It has exited since.
    }
  return nanoseconds / 1000
}

/** Microseconds of the first thread of another process; in Node that is the JavaScript thread. */
export const readThreadUs = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1000

const ticksASecond = 100

/** Microseconds of another process, including exited threads, with a resolution of 10 ms. */
export const readTotalProcessorUs = (pid: number): number => {
  // utime and stime are fields 14 and 15 of proc_pid_stat(5). The split text starts at field 3, after the name in parentheses.
  const numbers = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return ((Number(numbers[11]) + Number(numbers[12])) / ticksASecond) * 1_000_000
}

export interface Memory {
  /** Megabytes of anonymous memory. */
  anonymous: number
  /** Megabytes of mapped files in memory. */
  files: number
  threads: number
  /** Open files. */
  descriptors: number
  /** Mapped regions; Linux allows 65,530 (vm.max_map_count). */
  maps: number
}

export const readMemory = (pid: number): Memory => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const number = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1])
  return {
    anonymous: number('RssAnon') / 1024,
    files: number('RssFile') / 1024,
    threads: number('Threads'),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    maps: readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n').length - 1,
  }
}

/** The 50th and 99th percentile. */
export const halfAndMost = (times: readonly number[]): { p50: number; p99: number } => {
  const sorted = Float64Array.from(times).sort()
  const quantile = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
  return { p50: quantile(0.5), p99: quantile(0.99) }
}

/** The median. */
export const median = (values: readonly number[]): number => halfAndMost(values).p50
