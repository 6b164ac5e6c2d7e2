/**
 * Limits that the operating system sets for this process, and how many collections of the embedded engine fit in them. Linux only: other
 * systems don't say.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface ProcessLimits {
  /** Open files (RLIMIT_NOFILE). Node raises its soft limit to the hard one at the start. */
  files: number
  /** Mapped regions of memory (vm.max_map_count). */
  maps: number
  /** Threads and processes of the container or unit (the lowest pids.max of the control group and those above it). */
  tasks: number
}

/** An open collection takes 6 files and 15 regions (docs/scale.md); a merge or a rebuild opens some more for a while. */
const collectionNeeds = { files: 8, maps: 15 }
/** For connections, the storage, listeners and libraries. */
const serverShare = { files: 0.5, maps: 0.2 }
/** Threads of Node, of the engine and of the allocator. */
const serverTasks = 64

/** Returns an empty text on another system, or in a container that hides the file. */
const readText = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const readNumber = (path: string, pattern: RegExp): number => {
  const text = pattern.exec(readText(path))?.[1] ?? ''
  return /^\d+$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY
}

/** Returns the folders of this process's control group and those above it, for cgroup v2 and v1 (`man 7 cgroups`). */
const listControlGroups = (root: string): string[] => {
  const text = readText(join(root, 'proc/self/cgroup'))
  return [
    { mount: 'sys/fs/cgroup', path: /^0::(.*)$/m.exec(text)?.[1] },
    { mount: 'sys/fs/cgroup/pids', path: /^\d+:(?:[^:]*,)?pids(?:,[^:]*)?:(.*)$/m.exec(text)?.[1] },
  ].flatMap(({ mount, path = '' }) => {
    const names = path.split('/').filter(name => name !== '')
    return Array.from({ length: names.length + 1 }, (_, depth) => join(root, mount, ...names.slice(0, depth)))
  })
}

/** Returns Infinity for a limit that is unknown or not set. `root` is the folder with `proc` and `sys`. */
export const readProcessLimits = (root = '/'): ProcessLimits => ({
  files: readNumber(join(root, 'proc/self/limits'), /^Max open files\s+(\S+)/m),
  maps: readNumber(join(root, 'proc/sys/vm/max_map_count'), /^(\d+)/),
  tasks: Math.min(...listControlGroups(root).map(folder => readNumber(join(folder, 'pids.max'), /^(\S+)/))),
})

export interface FittedCollections {
  /** Number of collections that may be open at once, at least 1. */
  openMax: number
  /** One sentence for each limit that is too low for the settings, with what to raise. */
  warnings: string[]
}

/** Lowers `--open-collections` to what fits in the limits. */
export const fitOpenCollections = (openCollections: number, limits: ProcessLimits): FittedCollections => {
  const fitting = (kind: 'files' | 'maps') =>
    Math.max(1, Math.floor((limits[kind] * (1 - serverShare[kind])) / collectionNeeds[kind]))
  const openMax = Math.min(openCollections, fitting('files'), fitting('maps'))
  const tooFew = (kind: 'files' | 'maps', what: string, remedy: string) =>
    fitting(kind) < openCollections
      ? [
          `this process may have ${limits[kind]} ${what}, enough for ${fitting(kind)} open collections; --open-collections is ${openCollections}, and ${openMax} are used: ${remedy}`,
        ]
      : []
  return {
    openMax,
    warnings: [
      ...tooFew('files', 'open files', 'raise the limit (ulimit -n, or LimitNOFILE of systemd)'),
      ...tooFew('maps', 'mapped regions', 'raise it (sysctl vm.max_map_count)'),
      ...(limits.tasks < serverTasks
        ? [
            `this process may have ${limits.tasks} threads, and needs up to ${serverTasks}: raise the limit (pids limit of the container, or TasksMax of systemd)`,
          ]
        : []),
    ],
  }
}
