/** Anonymous memory of this process: memory that is not backed by a file (proc(5), RssAnon). */
import { readFileSync } from 'node:fs'

/** Returns MiB; NaN if the system does not report it. */
export const anonymousMegabytes = (): number => {
  try {
    const kilobytes = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
    return Number(kilobytes ?? Number.NaN) / 1024
  } catch {
    return Number.NaN
  }
}

/** Starts to watch the memory, and returns a function that returns the maximum since then. */
export const watchMemory = (): (() => number) => {
  let maxMegabytes = anonymousMegabytes()
  const look = () => {
    maxMegabytes = Math.max(maxMegabytes, anonymousMegabytes())
  }
  const timer = setInterval(look, 100)
  return () => {
    clearInterval(timer)
    look()
    return maxMegabytes
  }
}
