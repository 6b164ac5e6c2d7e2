/** The command line. Keep this file's imports few: `querent --help` starts with it. */
import { enableCompileCache } from 'node:module'

enableCompileCache()
const { run } = await import('./run.ts')
process.exitCode = await run(process.argv.slice(2))
