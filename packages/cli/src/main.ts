/** The command line. Keep this file's imports few: `querent --help` starts with it. */
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

// In a folder of the user's own: what stands in one that others may write to (Node's default) would be run as it was found.
enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'querent', 'compiled'))
const { run } = await import('./run.ts')
process.exitCode = await run(process.argv.slice(2))
