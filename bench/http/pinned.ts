/** Processes pinned to one core each: servers to the first, the load to the second. */
import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { createInterface } from 'node:readline'

export const serverCore = 0
export const loadCore = 1

/** False if processes cannot be pinned. Then figures are of a machine with shared cores. */
export const canPin: boolean =
  availableParallelism() > loadCore && spawnSync('taskset', ['-c', String(loadCore), 'true']).status === 0

/** Explains figures without pinning to readers; undefined if processes are pinned. */
export const pinningNote = canPin
  ? undefined
  : 'no taskset or a single core: processes are not pinned, so ratios say little'

export interface Pinned extends AsyncDisposable {
  pid: number
  child: ChildProcess
  /** Returns the first line on standard output that this function accepts. Fails if the process exits before. */
  line<T>(read: (line: string) => T | undefined): Promise<T>
  /** Returns the next message of a Node process with an `ipc` channel. Fails if the process exits before. */
  message<T>(): Promise<T>
  /** Megabytes of anonymous memory. */
  anonymousMegabytes(): Promise<number>
  /** Sends SIGTERM, and waits until it has exited. */
  stop(): Promise<void>
}

/** Running processes. They end with this process, unless it gets SIGKILL. */
const running = new Set<ChildProcess>()

/** Signals the whole process group of a child, because a script may have started other processes. */
const signalGroup = ({ pid }: ChildProcess, signal: NodeJS.Signals): void => {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch (error) {
    // It has exited already.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

const endingSignals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const
/** Shells add this to the number of the signal that ended a program. */
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
      // A stopped process (SIGSTOP) can only end after it continues.
      signalGroup(runningProcess, 'SIGCONT')
    }
  })
  for (const [signal, number] of Object.entries(endingSignals))
    process.once(signal, () => process.exit(signalStatus + number))
}

const errorTextMax = 10_000
const stopMsMax = 20_000

/** Starts a program on a core. Sets `stdio` itself. If it fails, the error contains its standard error. */
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
    // In its own process group.
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
  /** A caller that no longer waits for a stopped process need not handle its failure. */
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
