/** Python with the packages of prepare-python.sh, for what other people's programs make of our replies. `venv` is needed. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** Path of its interpreter. */
export const python = (): string =>
  execFileSync(join(import.meta.dirname, 'prepare-python.sh'), { encoding: 'utf8' }).trim()

/** Runs a script of this folder; what it prints as JSON. Throws with its standard error where it fails. */
export const runPython = (script: string, args: readonly string[], input: string | Uint8Array): unknown => {
  const output = execFileSync(python(), [join(import.meta.dirname, script), ...args], {
    input,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, PYTHONWARNINGS: 'ignore' },
  })
  return JSON.parse(output)
}
