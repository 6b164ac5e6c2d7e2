import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const compiler = fileURLToPath(import.meta.resolve('typescript/package.json')).replace(
  /package\.json$/,
  'bin/tsc',
)
const options =
  '--ignoreConfig --strict --noEmit --skipLibCheck --allowImportingTsExtensions --jsx react-jsx --target esnext --module esnext --moduleResolution bundler --lib esnext,dom,dom.iterable'

/** Checks the types of files as an application's build would. Returns the file of each error, and what the compiler printed. */
export const findCompilerErrors = async (
  folder: string,
  files: readonly string[],
  types = '',
): Promise<{ files: string[]; output: string }> => {
  const args = [compiler, ...options.split(' '), '--types', types, ...files]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  )
  return {
    files: [...stdout.matchAll(/^(\S+?)\(\d+,\d+\): error/gm)].map(([, file = '']) => file),
    output: stdout,
  }
}
