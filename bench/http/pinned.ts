/** Processes on one core each: servers on the first, the load on the second. */
import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { createInterface } from 'node:readline'

export const serverCore = 0
export const loadCore = 1

/** False where a process cannot be kept to one core; figures are then of a machine whose cores are shared. */
export const canPin: boolean =
  availableParallelism() > loadCore && spawnSync('taskset', ['-c', String(loadCore), 'true']).status === 0

/** Why figures are what they are, for those who read them; undefined where processes are pinned. */
export const pinningNote = canPin
  ? undefined
  : 'no taskset or a single core: processes are not pinned, so ratios say little'

export interface Pinned extends AsyncDisposable {
  pid: number
  child: ChildProcess
  /** The first line on standard output that this makes something of. Fails when the process ends before. */
  line<T>(read: (line: string) => T | undefined): Promise<T>
  /** The next message of a Node process that was started with an `ipc` channel. Fails when the process ends before. */
  message<T>(): Promise<T>
  /** Megabytes of anonymous memory: what the process holds that is no file. */
  anonymousMegabytes(): Promise<number>
  /** Asks it to end (SIGTERM), and waits until it has. */
  stop(): Promise<void>
}

/** Those that run now: they end with this process, however it ends short of SIGKILL. */
const running = new Set<ChildProcess>()

/** To all of a child's process group: a script may have started others. */
const signalGroup = ({ pid }: ChildProcess, signal: NodeJS.Signals): void => {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch (error) {
    // It has ended already.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

const endingSignals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const
/** What a shell adds to the number of the signal that ended a program. */
const signalStatus = 128
let isEndingWithUs = false

const endWithUs = (child: ChildProcess): void => {
  running.add(child)
  child.once('close', () => running.delete(child))
  if (isEndingWithUs) return
  isEndingWithUs = true
  process.once('exit', () => {
    for (const runningProcess of running) {
      signalGroup(runningProcess, 'SIGTERM')
      // One that was made to stand still hears of it now.
      signalGroup(runningProcess, 'SIGCONT')
    }
  })
  for (const [signal, number] of Object.entries(endingSignals))
    process.once(signal, () => process.exit(signalStatus + number))
}

const errorTextMax = 10_000
const stopMsMax = 20_000

/** Starts a program on a core; `stdio` of its options is ours. What it says on standard error is part of the error when it fails. */
export const startPinned = (
  core: number | readonly number[],
  command: string,
  args: readonly string[],
  options: Omit<SpawnOptions, 'stdio'> = {},
): Pinned => {
  const cores = typeof core === 'number' ? [core] : core
  const [program, ...rest] = canPin
    ? ['taskset', '-c', cores.join(','), command, ...args]
    : [command, ...args]
  const child = spawn(program ?? command, rest, {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // In a process group of its own.
    detached: true,
  })
  endWithUs(child)
  let output = ''
  child.stderr?.on('data', chunk => {
    output = `${output}${chunk}`.slice(-errorTextMax)
  })
  const exitFailure = new Promise<never>((_, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) =>
      reject(new Error(`${command} ${args.join(' ')} ended with ${code ?? signal}: ${output}`)),
    )
  })
  exitFailure.catch(() => {})
  /** Who no longer waits for a process that is stopped need not hear of it. */
  const untilEnded = <T>(found: Promise<T>): Promise<T> => {
    const first = Promise.race([exitFailure, found])
    first.catch(() => {})
    return first
  }
  const lines = child.stdout ? createInterface({ input: child.stdout }) : undefined
  const stop = async () => {
    child.kill('SIGTERM')
    const hard = setTimeout(() => signalGroup(child, 'SIGKILL'), stopMsMax)
    await exitFailure.catch(() => {})
    clearTimeout(hard)
  }
  return {
    pid: child.pid ?? Number.NaN,
    child,
    line: read =>
      untilEnded(
        new Promise<NonNullable<ReturnType<typeof read>>>(resolve =>
          lines?.on('line', line => {
            const message = read(line)
            if (message !== undefined && message !== null) resolve(message)
          }),
        ),
      ),
    message: <T>() =>
      untilEnded(new Promise<T>(resolve => child.once('message', value => resolve(value as T)))),
    async anonymousMegabytes() {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
      return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1]) / 1024
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
