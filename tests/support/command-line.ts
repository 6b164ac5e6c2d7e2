/** Runs `querent` as a user does. */
import { spawn } from 'node:child_process'
import { commandMsMax, withPatience } from '#server/test-wait'
import { launcher } from './bundled-program.ts'

export { launcher }

export interface CommandResult {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs a command to its end, with `input` on its standard input. `folder`: its working folder, if not that of the test. */
export const runQuerent = async (
  args: readonly string[],
  {
    input = '',
    env = {},
    folder,
  }: { input?: string | Uint8Array; env?: Record<string, string>; folder?: string } = {},
): Promise<CommandResult> => {
  const child = spawn(launcher, args, { cwd: folder, env: { ...process.env, ...env } })
  const stdoutChunks: Buffer[] = []
  const stderrChunks: Buffer[] = []
  child.stdout.on('data', chunk => stdoutChunks.push(chunk))
  child.stderr.on('data', chunk => stderrChunks.push(chunk))
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const readOutput = () => ({
    stdout: Buffer.concat(stdoutChunks).toString(),
    stderr: Buffer.concat(stderrChunks).toString(),
  })
  const exitCode = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const describe = () => {
    child.kill('SIGKILL')
    const { stdout, stderr } = readOutput()
    return `querent ${args.join(' ')} ends; it wrote: ${stdout}${stderr}`
  }
  const code = await withPatience(exitCode, describe, commandMsMax)
  return { code, ...readOutput() }
}
