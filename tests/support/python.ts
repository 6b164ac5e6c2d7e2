/** Python with the packages of prepare-python.sh, to read our replies with independent libraries. It needs `venv`. */
import { execFileSync, spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

/** Path of its interpreter. */
export const python = (): string =>
  execFileSync(join(import.meta.dirname, 'prepare-python.sh'), { encoding: 'utf8' }).trim()

/** Runs a script of this folder and returns its JSON output. Throws with its standard error if it fails. */
export const runPython = async (
  script: string,
  args: readonly string[],
  input: string | Uint8Array,
): Promise<unknown> => {
  const child = spawn(python(), [join(import.meta.dirname, script), ...args], {
    env: { ...process.env, PYTHONWARNINGS: 'ignore' },
  })
  // A script that fails may not read all of it.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [output, errors, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((resolve, reject) => child.once('error', reject).once('close', resolve)),
  ])
  if (code !== 0) throw new Error(`${script} ended with ${code}: ${errors}`)
  return JSON.parse(output)
}
