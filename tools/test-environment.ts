/** The parts that all test files of a run share. Each starts once, if a file uses it. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSharedOpenSearch } from '#bench/peers/opensearch'
import { globalSetup, globalTeardown } from '#server/storage/test-postgres'
import { shareProgram } from '#tests/support/bundled-program'
import { shareChromium } from '#tests/support/chromium'
import { shareTemplate } from '#tests/support/template-folder'
import { openBoundedCache } from './bounded-cache.ts'

/** A file system in memory, where nothing waits for a disk. */
const memory = '/dev/shm'
/** Files of a whole run need a third of it. */
const memoryBytesMin = 6 * 1024 ** 3

/** A run needs about 30 MiB of it. */
const compiledBytesMax = 256 * 1024 ** 2

const hasMemory = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize >= memoryBytesMin
  } catch {
    // Not Linux.
    return false
  }
}

type Stop = () => PromiseLike<void>

export interface Part {
  /** Matches the text of files that use it. */
  uses: RegExp
  /** Tells later processes where it is, by the environment. */
  start(): Promise<Stop>
}

const allParts: readonly Part[] = [
  {
    uses: /OpenSearch|startNodes/,
    start: async () => {
      const node = await startSharedOpenSearch()
      return () => node[Symbol.asyncDispose]()
    },
  },
  {
    uses: /postgres|startNodes/i,
    start: async () => {
      await globalSetup()
      return globalTeardown
    },
  },
  { uses: /Chromium|instantsearch-site|sign-in-site/, start: shareChromium },
  {
    uses: /#tests\/|#stand-in\/querent/,
    start: async () => {
      await Promise.all([shareTemplate(), shareProgram()])
      return async () => {}
    },
  },
]

export interface TestEnvironment {
  /** Resolves when everything that these files use has started, and rejects if it cannot. `files` are paths below the checkout. */
  prepare(files: readonly string[]): Promise<void>
  /** Stops everything, and deletes all temporary files. */
  close(): Promise<void>
}

export const openTestEnvironment = (root: string, parts: readonly Part[] = allParts): TestEnvironment => {
  const folder = mkdtempSync(join(hasMemory() ? memory : tmpdir(), 'querent-tests-'))
  // PostgreSQL runs as a user of its own.
  chmodSync(folder, 0o755)
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  process.env.QUERENT_TEST_DISK = tmpdir()
  process.env.TMPDIR = folder
  // Compiled sources, so that each process only reads them. Those of temporary folders are never read again.
  const compiled = join(root, 'node_modules', '.cache', 'compiled-tests')
  // Deleting old files takes long, and nothing needs it.
  void openBoundedCache(compiled, compiledBytesMax)
  process.env.NODE_COMPILE_CACHE ??= compiled
  const started = new Map<Part, Promise<Stop>>()
  return {
    async prepare(files) {
      const texts = files.map(file => readFileSync(join(root, file), 'utf8'))
      const usedParts = parts.filter(part => texts.some(text => part.uses.test(text)))
      for (const part of usedParts) if (!started.has(part)) started.set(part, part.start())
      await Promise.all(usedParts.map(part => started.get(part)))
    },
    async close() {
      // A part that did not start needs no stop, and its groups have failed.
      const starts = await Promise.allSettled(started.values())
      await Promise.all(starts.map(start => (start.status === 'fulfilled' ? start.value() : undefined)))
      remove()
    },
  }
}
