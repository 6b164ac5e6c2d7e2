/** The command line. Keep this file's imports few: `querent --help` starts with it. */
import { statSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

/** Of the folder, or of the nearest above it that there is; undefined where it cannot be looked at. */
const ownerOf = (folder: string): number | undefined => {
  try {
    return statSync(folder, { throwIfNoEntry: false })?.uid ?? ownerOf(dirname(folder))
  } catch {
    return undefined
  }
}

// In a folder of the user's own: what stands in one that others may write to (Node's default) would be run as it was found. With sudo
// the home may be another's.
const compiled = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'querent', 'compiled')
const owner = ownerOf(compiled)
if (process.env.NODE_COMPILE_CACHE || (owner !== undefined && owner === process.geteuid?.()))
  enableCompileCache(compiled)
// Of this process only, not of those that it starts.
delete process.env.NODE_COMPILE_CACHE
const { run } = await import('./run.ts')
process.exitCode = await run(process.argv.slice(2))
