/** Starts what the test files of a run share, each part only if a file uses it, and stops it at the end. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSharedOpenSearch } from '#bench/peers/opensearch'
import { globalSetup, globalTeardown } from '#server/storage/test-postgres'
import { shareChromium } from '#tests/support/chromium'
import { shareTemplate } from '#tests/support/template-folder'

/** A file system in memory, where nothing waits for a disk. */
const memory = '/dev/shm'
/** Files of a whole run need a third of it. */
const memoryBytesMin = 6 * 1024 ** 3

const hasMemory = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize >= memoryBytesMin
  } catch {
    // Not Linux.
    return false
  }
}

/** `files` are paths below `root`. Returns a function that stops everything and deletes all temporary files. */
export const openTestEnvironment = async (
  root: string,
  files: readonly string[],
): Promise<() => Promise<void>> => {
  const folder = mkdtempSync(join(hasMemory() ? memory : tmpdir(), 'querent-tests-'))
  // PostgreSQL runs as a user of its own.
  chmodSync(folder, 0o755)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  process.env.QUERENT_TEST_DISK = tmpdir()
  process.env.TMPDIR = folder
  // Compiled sources, so that each process only reads them.
  const compiled = join(root, 'node_modules', '.cache', 'compiled-tests')
  mkdirSync(compiled, { recursive: true })
  process.env.NODE_COMPILE_CACHE ??= compiled
  const texts = files.map(file => readFileSync(join(root, file), 'utf8'))
  const isUsed = (part: RegExp) => texts.some(text => part.test(text))
  const none = async () => {}
  const closers = await Promise.all([
    isUsed(/OpenSearch|startNodes/)
      ? startSharedOpenSearch().then(node => () => node[Symbol.asyncDispose]())
      : none,
    isUsed(/postgres|startNodes/i) ? globalSetup().then(() => globalTeardown) : none,
    isUsed(/Chromium|instantsearch-site|sign-in-site/) ? shareChromium() : none,
    isUsed(/#tests\//) ? shareTemplate().then(() => none) : none,
  ])
  return async () => {
    await Promise.all(closers.map(close => close()))
    rmSync(folder, { recursive: true, force: true })
  }
}
