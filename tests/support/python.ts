/** Python with the packages of prepare-python.sh, to read our replies with independent libraries. It needs `venv`. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** Path of its interpreter. */
export const python = (): string =>
  execFileSync(join(import.meta.dirname, 'prepare-python.sh'), { encoding: 'utf8' }).trim()

/** Runs a script of this folder and returns its JSON output. Throws with its standard error if it fails. */
export const runPython = (script: string, args: readonly string[], input: string | Uint8Array): unknown => {
  const output = execFileSync(python(), [join(import.meta.dirname, script), ...args], {
    input,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, PYTHONWARNINGS: 'ignore' },
  })
  return JSON.parse(output)
}
