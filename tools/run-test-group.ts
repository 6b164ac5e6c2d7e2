/** Runs the test files named as arguments in this process, and sends the counts to the parent. run-tests.ts starts it. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import type { GroupSummary } from './run-tests.ts'

const ticksPerSecond = 100
/** Returns the processor time of the processes that this one started and waited for. 0 where there is no /proc. */
const readChildrenSeconds = (): number => {
  try {
    // The name of the program, in brackets, may contain spaces. `cutime` and `cstime` are fields 16 and 17 (proc_pid_stat(5)).
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond
  } catch {
    return 0
  }
}
const readProcessorSeconds = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6 + readChildrenSeconds()
}

const results = run({ files: process.argv.slice(2).map(file => resolve(file)), isolation: 'none' })
results.on('test:summary', ({ file, counts }) => {
  if (file !== undefined) return
  const { tests, passed, skipped, todo } = counts
  const failed = tests - passed - skipped - todo
  const summary: GroupSummary = {
    counts: { tests, passed, skipped, todo, failed },
    processorSeconds: readProcessorSeconds(),
  }
  process.send?.(summary)
  if (failed > 0) process.exitCode = 1
})
await pipeline(results, spec(), process.stdout, { end: false })
process.disconnect?.()
