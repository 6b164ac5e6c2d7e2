/**
 * Test support: the process of `openCommandProcess`. It runs command lines one after another, so that the modules load once. An outcome is
 * sent when nothing of the command keeps the process alive any more, as a process of its own would end then.
 */
import { PassThrough, Writable } from 'node:stream'
import { setImmediate as nextTask } from 'node:timers/promises'
import { run } from '#run'

export interface CommandLine {
  args: string[]
  stdin: string
  env: Record<string, string>
}

export interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

class Output extends Writable {
  text = ''
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}

const replaceStreams = (streams: Partial<Record<'stdin' | 'stdout' | 'stderr', PassThrough | Output>>) => {
  for (const [name, value] of Object.entries(streams))
    Object.defineProperty(process, name, { value, configurable: true })
}
const replaceEnvironment = (env: Record<string, string>): void => {
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
}

/** The channel to the parent is there before. */
const isAlone = (): boolean =>
  process.getActiveResourcesInfo().every(name => name === 'PipeWrap' || name === 'Immediate')

const exit = process.exit.bind(process)

process.on('message', async ({ args, stdin, env }: CommandLine) => {
  const [input, stdout, stderr] = [new PassThrough(), new Output(), new Output()]
  input.end(stdin)
  replaceStreams({ stdin: input, stdout, stderr })
  replaceEnvironment(env)
  let isReported = false
  const report = (code: number, done = () => {}): void => {
    if (isReported) return
    isReported = true
    const outcome: Outcome = { code, stdout: stdout.text, stderr: stderr.text }
    process.send?.(outcome, done)
  }
  process.exit = code => {
    report(Number(code ?? 0), () => exit())
    // Nothing after it may run.
    throw new Error('process.exit')
  }
  const code = await run(args)
  while (!isAlone()) await nextTask()
  report(code)
})
