/** Runs jobs, more at once while the processors have time left. */
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'

/** Returns the clocks of all processors together, as of proc_stat(5). Elsewhere than on Linux, waits for a disk count as no time at all. */
const readClocks = (): { idle: number; all: number } => {
  try {
    const [first = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
    const [user = 0, nice = 0, system = 0, idle = 0, diskWait = 0, ...others] = first
      .split(/ +/)
      .slice(1, 9)
      .map(Number)
    // Time that other machines took of this one (the last) is not left to use.
    return {
      idle: idle + diskWait,
      all: [user, nice, system, idle, diskWait, ...others].reduce((total, clock) => total + clock, 0),
    }
  } catch {
    const clocks = cpus().map(({ times }) => ({
      idle: times.idle,
      all: times.user + times.sys + times.nice + times.idle + times.irq,
    }))
    const sum = (name: 'idle' | 'all') => clocks.reduce((total, clock) => total + clock[name], 0)
    return { idle: sum('idle'), all: sum('all') }
  }
}

/** Returns a function that tells which share of the machine's processor time was unused since its last call. */
export const openIdleMeter = (): (() => number) => {
  let last = readClocks()
  return () => {
    const now = readClocks()
    const share = (now.idle - last.idle) / Math.max(now.all - last.all, 1)
    last = now
    return share
  }
}

interface Pace {
  /** How many jobs run at once however busy the machine is. */
  least: number
  most: number
  readIdleShare(): number
  /** How often another job may start because the processors have time left. */
  everyMs: number
}

/** Less is what the groups of tests leave unused when they all compute. */
const idleShareMin = 0.05

/** Starts the jobs in order, and resolves with their results when all have ended. No job may reject. */
export const runPaced = async <Job, Result>(
  jobs: readonly Job[],
  run: (job: Job) => Promise<Result>,
  { least, most, readIdleShare, everyMs }: Pace,
): Promise<Result[]> => {
  const queue = [...jobs]
  const results: Result[] = []
  let running = 0
  const runNext = async (): Promise<void> => {
    const job = queue.shift()
    if (job === undefined) return
    running++
    results.push(await run(job))
    running--
  }
  const worker = async (): Promise<void> => {
    while (queue.length > 0) await runNext()
  }
  const additional: Promise<void>[] = []
  const timer = setInterval(() => {
    if (readIdleShare() > idleShareMin && running < most) additional.push(runNext())
  }, everyMs)
  await Promise.all(Array.from({ length: least }, worker))
  clearInterval(timer)
  await Promise.all(additional)
  return results
}
