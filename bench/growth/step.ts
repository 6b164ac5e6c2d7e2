/**
 * Steps of a measurement in processes of their own: what fills runs nicer than everything else, what measures runs under the command of
 * QUERENT_BENCH_PREFIX, where a machine that others use needs one (`chrt -r 20`).
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const filling = ['nice', '-n', '10']
const measuring = (process.env.QUERENT_BENCH_PREFIX ?? '').split(' ').filter(word => word !== '')

/** Runs a script of this folder on a task, which it reads with {@link taskOfStep}. What it hands to {@link finishStep}. */
export const runStep = async <Done>(how: 'fill' | 'measure', script: string, task: object): Promise<Done> => {
  const [program = process.execPath, ...args] = [
    ...(how === 'fill' ? filling : measuring),
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
  // Written by `finishStep` of that script.
  return JSON.parse(last) as Done
}

/** In a step's process: what it is to do. */
export const taskOfStep = async <Task>(): Promise<Task> => {
  let text = ''
  for await (const chunk of process.stdin) text += chunk
  // Written by `runStep`.
  return JSON.parse(text) as Task
}

/** In a step's process, at its end. */
export const finishStep = (done: object): void => {
  process.stdout.write(`${JSON.stringify(done)}\n`, () => process.exit())
}
