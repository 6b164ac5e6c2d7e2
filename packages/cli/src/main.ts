/** Entry point of the command line. Keep its imports few, because `querent --help` loads them. */
import { statSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

/** Returns the owner of the folder, or of its nearest existing parent. Undefined if it cannot be read. */
const findOwner = (folder: string): number | undefined => {
  try {
    return statSync(folder, { throwIfNoEntry: false })?.uid ?? findOwner(dirname(folder))
  } catch {
    return undefined
  }
}

// Node's default cache is writable by others, who could then run code as this user. With sudo, the home folder may belong to somebody
// else, so check the owner.
const compiled = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'querent', 'compiled')
const owner = findOwner(compiled)
if (process.env.NODE_COMPILE_CACHE || (owner !== undefined && owner === process.geteuid?.()))
  enableCompileCache(compiled)
// Child processes should not inherit it.
delete process.env.NODE_COMPILE_CACHE
const { run } = await import('./run.ts')
process.exitCode = await run(process.argv.slice(2))
