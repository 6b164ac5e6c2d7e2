/** Runs the test files named as arguments in this process, and sends the counts to the parent. run-tests.ts starts it. */
import { createHook } from 'node:async_hooks'
import { readFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { relative, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import type { GroupSummary } from './run-tests.ts'
import type { FileTime } from './test-times.ts'

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

/**
 * `node:test` follows every promise, to tell which test an unexpected error is of. It needs a third of the processor time of tests that run
 * a server in their process. Without it, such an error still fails the group, and still has its test unless only promises lead to it.
 */
const leavePromisesAlone = (): void => {
  const hook = createHook({ trackPromises: false })
  const [option] = Object.getOwnPropertySymbols(hook).filter(symbol => Reflect.get(hook, symbol) === true)
  const prototype = Object.getPrototypeOf(hook)
  const { enable } = prototype
  // A version of Node.js without the option goes on as before.
  if (option === undefined) return
  prototype.enable = function () {
    Reflect.set(this, option, true)
    return enable.call(this)
  }
}
leavePromisesAlone()

const results = run({ files: process.argv.slice(2).map(file => resolve(file)), isolation: 'none' })

/** Tests under way, with their places, outermost first. */
const running = new Set<string>()
const describeTest = ({ file = '', line, name }: { file?: string; line?: number; name: string }) =>
  `${name} (${relative(process.cwd(), file)}:${line})`
results.on('test:dequeue', event => running.add(describeTest(event)))
results.on('test:complete', event => running.delete(describeTest(event)))

/** The times of the files: from the end of a test at the top of a file to the next. The first starts after the hooks of all files. */
const fileTimes = new Map<string, FileTime>()
const readTimes = () => ({ wallSeconds: performance.now() / 1000, processorSeconds: readProcessorSeconds() })
let lastTimes: ReturnType<typeof readTimes> | undefined
const addTimes = (path: string): void => {
  const times = readTimes()
  const file = relative(process.cwd(), path)
  const time = fileTimes.get(file) ?? { file, wallSeconds: 0, processorSeconds: 0 }
  for (const name of ['wallSeconds', 'processorSeconds'] as const)
    time[name] += times[name] - (lastTimes ?? times)[name]
  fileTimes.set(file, time)
  lastTimes = times
}
results.on('test:start', ({ nesting }) => {
  if (nesting === 0) lastTimes ??= readTimes()
})
results.on('test:complete', ({ nesting, file }) => {
  if (nesting === 0 && file !== undefined) addTimes(file)
})

const reportFault = (fault: string): void => {
  console.log(`\n✖ ${fault}\nthe process is kept alive by: ${process.getActiveResourcesInfo().join(', ')}`)
  process.exitCode = 1
}

/** A failed test may leave a server or a timer behind, and the runner ends only when the process has nothing left to do. */
const idleMsMax = Number(process.env.QUERENT_TEST_IDLE_MS ?? 30_000)
let idleTimer: NodeJS.Timeout | undefined
const endIfIdle = (): void => {
  reportFault('all tests have ended, but their process does not end')
  // Makes the runner report.
  process.emit('beforeExit', 1)
}
for (const name of ['test:dequeue', 'test:complete'] as const)
  results.on(name, () => {
    clearTimeout(idleTimer)
    if (running.size === 0) idleTimer = setTimeout(endIfIdle, idleMsMax).unref()
  })

/** Later than the waits of a test (test-wait.ts), and before run-tests.ts kills the process. */
const marginMs = 20_000
const giveUpAt = Number(process.env.QUERENT_TEST_GIVE_UP_AT ?? Number.NaN)
const endInVain = (): never => {
  reportFault(`the time of the group is over during: ${[...running].join(' > ')}`)
  process.exit()
}
if (!Number.isNaN(giveUpAt)) setTimeout(endInVain, giveUpAt + marginMs - Date.now()).unref()

let summarySent: Promise<void> | undefined
results.on('test:summary', ({ file, counts }) => {
  if (file !== undefined) return
  clearTimeout(idleTimer)
  const { tests, passed, skipped, todo } = counts
  const failed = tests - passed - skipped - todo
  const summary: GroupSummary = {
    counts: { tests, passed, skipped, todo, failed },
    processorSeconds: readProcessorSeconds(),
    files: [...fileTimes.values()],
  }
  summarySent = new Promise(resolve => {
    if (process.send) process.send(summary, undefined, undefined, () => resolve())
    else resolve()
  })
  if (failed > 0) process.exitCode = 1
})
await pipeline(results, spec(), process.stdout, { end: false })
await summarySent
flushCompileCache()
// Nothing is left to do. Without it, Node.js may wait for its own handles for good (`Environment::CleanupHandles`), at full load.
process.exit()
