/** Anonymous memory of this process: what is not a file that the system could read again (proc(5), RssAnon). */
import { readFileSync } from 'node:fs'

/** Megabytes; NaN where the system does not say. */
const anonymousMegabytes = (): number => {
  try {
    const kilobytes = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
    return Number(kilobytes ?? Number.NaN) / 1024
  } catch {
    return Number.NaN
  }
}

/** The most that it was between the call and the call of what it returns. */
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
