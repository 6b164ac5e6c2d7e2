/**
 * Runs steps of a measurement in separate processes. Steps that fill run with the lowest priority. Steps that measure run under the command
 * in QUERENT_BENCH_PREFIX, for machines that others use (`chrt -r 20`).
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const filling = ['nice', '-n', '10']
const measuring = (process.env.QUERENT_BENCH_PREFIX ?? '').split(' ').filter(word => word !== '')

/**
 * Runs a script of this folder on a task, which it reads with {@link taskOfStep}. Returns the value that it passes to {@link finishStep}.
 */
export const runStep = async <Done>(
  mode: 'fill' | 'measure',
  script: string,
  task: object,
): Promise<Done> => {
  const [program = process.execPath, ...args] = [
    ...(mode === 'fill' ? filling : measuring),
    process.execPath,
    '--expose-gc',
    join(import.meta.dirname, script),
  ]
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', chunk => {
    text += chunk
  })
  child.stdin.end(JSON.stringify(task))
  const [code] = await once(child, 'close')
  const last = text.trimEnd().split('\n').at(-1)
  if (code !== 0 || last === undefined) throw new Error(`${script} ended with ${code}`)
  // `finishStep` of that script has written it.
  return JSON.parse(last) as Done
}

/** Reads the task, in the process of the step. */
export const taskOfStep = async <Task>(): Promise<Task> => {
  let text = ''
  for await (const chunk of process.stdin) text += chunk
  // `runStep` has written it.
  return JSON.parse(text) as Task
}

/** Returns the result, at the end of the process of the step. */
export const finishStep = (done: object): void => {
  process.stdout.write(`${JSON.stringify(done)}\n`, () => process.exit())
}
