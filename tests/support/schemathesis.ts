/** Runs schemathesis (PyPI; prepare-python.sh), which tests a server against its OpenAPI document. */
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { python } from './python.ts'

/**
 * Returns the end of schemathesis's output, or an empty string if it finds nothing. It sends the examples and the boundary values of every
 * parameter, and four random requests for each operation.
 */
export const schemathesis = async (address: string, token: string, settings: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'querent-schemathesis-'))
  const config = join(folder, 'schemathesis.toml')
  await writeFile(config, settings)
  const child = spawn(
    join(dirname(python()), 'schemathesis'),
    [
      ...['--config-file', config, 'run', address],
      ...['--header', `Authorization: Bearer ${token}`],
      ...['--phases', 'examples,coverage,fuzzing'],
      ...['--max-examples', '4', '--seed', '1'],
      ...['--no-color', '--continue-on-failure', '--generation-database', 'none'],
    ],
    {
      // It stores examples in its working folder.
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, PYTHONPATH: import.meta.dirname, SCHEMATHESIS_HOOKS: 'schemathesis-hooks' },
    },
  )
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (printed += chunk))
  const code = await new Promise(resolve => child.once('close', resolve))
  await rm(folder, { recursive: true })
  return code === 0 ? '' : printed.slice(-20_000)
}
