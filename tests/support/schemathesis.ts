/** schemathesis (PyPI; prepare-python.sh): tries out what an OpenAPI document says. */
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { python } from './python.ts'

/** The end of what schemathesis prints; empty where it finds nothing. */
export const schemathesis = async (address: string, token: string, settings: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'querent-schemathesis-'))
  const config = join(folder, 'schemathesis.toml')
  await writeFile(config, settings)
  const child = spawn(
    join(dirname(python()), 'schemathesis'),
    [
      ...['--config-file', config, 'run', address],
      ...['--header', `Authorization: Bearer ${token}`],
      ...['--phases', 'examples,coverage,fuzzing', '--max-examples', '4', '--seed', '1'],
      ...['--no-color', '--continue-on-failure', '--generation-database', 'none'],
    ],
    // Its examples are kept in the folder it runs in.
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (printed += chunk))
  const code = await new Promise(resolve => child.once('close', resolve))
  await rm(folder, { recursive: true })
  return code === 0 ? '' : printed.slice(-20_000)
}
