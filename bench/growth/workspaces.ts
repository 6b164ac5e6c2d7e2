/** Ten to ten thousand workspaces on one server, and as many collections: duration of a start, and memory of open collections. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Figure } from '#bench/figure'
import { makeDataFolder } from '#bench/http/querent'
import type { Say } from '#bench/http/rounds'
import type { CollectionsTask, OpenTimes } from './collections-process.ts'
import { addTo, type Growing } from './points.ts'
import type { ServedFound, ServedTask } from './served-process.ts'
import { runStep } from './step.ts'
import type { WorkspacesTask } from './workspaces-process.ts'

const sizesUsual = [10, 100, 1_000, 10_000]
/** Their first start creates their collections, about a thousand per minute. */
const withCollectionsMost = 1_000
const starts = 3
/** Most of the last size are closed. */
const askedSizes = [10, 100, 1_000, 3_000, 10_000]

export const workspacesGrowth = async ({ say, sizes = sizesUsual }: Growing): Promise<Figure[]> => [
  ...(await servers(false, sizes, say)),
  ...(await servers(
    true,
    sizes.filter(size => size <= withCollectionsMost),
    say,
  )),
  ...(await engines(sizes === sizesUsual ? askedSizes : sizes, say)),
]

/** Starts both servers on a data folder with this number of workspaces. */
const servers = async (collections: boolean, sizes: readonly number[], say: Say): Promise<Figure[]> => {
  const figures: Figure[] = []
  const { data, remove } = await makeDataFolder()
  const kind = collections ? 'a collection each' : 'no collections'
  const start = (mode: 'fill' | 'measure', rounds: number) => {
    const task: ServedTask = { data, workspace: 'bench-0', rounds, ask: false }
    return runStep<ServedFound>(mode, 'served-process.ts', task)
  }
  try {
    let first = 0
    for (const end of sizes) {
      say(`${end.toLocaleString('en-US')} workspaces, ${kind}`)
      const task: WorkspacesTask = { data, from: first, to: end, collections }
      await runStep('fill', 'workspaces-process.ts', task)
      if (collections) await start('fill', 1)
      const { readyMs, startProcessorMs, megabytes, memory } = await start('measure', starts)
      const add = addTo(figures, end, ` (${kind})`)
      add('start', 'ms', readyMs)
      add('start, processor', 'ms', startProcessorMs)
      add('memory after it', 'MB', megabytes)
      add('threads', '', [memory.threads])
      add('open files', '', [memory.descriptors])
      first = end
    }
  } finally {
    await remove()
  }
  return figures
}

/** Measures the engine alone, with collections of a hundred documents. */
const engines = async (sizes: readonly number[], say: Say): Promise<Figure[]> => {
  const figures: Figure[] = []
  const folder = await mkdtemp(join(tmpdir(), 'querent-growth-'))
  try {
    const engine = join(folder, 'engine')
    const maxSize = Math.max(...sizes)
    say(`${maxSize.toLocaleString('en-US')} collections are made`)
    const fill: CollectionsTask = { folder: engine, do: 'fill', collections: maxSize }
    await runStep('fill', 'collections-process.ts', fill)
    for (const collections of sizes) {
      say(`${collections.toLocaleString('en-US')} collections are asked`)
      const ask: CollectionsTask = { folder: engine, do: 'ask', collections }
      const measured = await runStep<OpenTimes>('measure', 'collections-process.ts', ask)
      const { startMs, first, again, open, before, after } = measured
      const add = addTo(figures, collections, ' (engine, 100 documents each)')
      add('start', 'ms', [startMs])
      add('first search of each, p50', 'ms', [first.p50])
      add('first search of each, p99', 'ms', [first.p99])
      add('first search of each, processor', 'ms', [first.processorMs])
      add('another search of each, p50', 'ms', [again.p50])
      add('another search of each, p99', 'ms', [again.p99])
      add('another search of each, processor', 'ms', [again.processorMs])
      add('open collections', '', [open])
      add('memory', 'MB', [after.anonymous])
      add('threads', '', [after.threads])
      add('open files', '', [after.descriptors])
      add('mapped regions', '', [after.maps])
      add('memory of an open one', 'kB', [(1024 * (after.anonymous - before.anonymous)) / open])
      add('mapped regions of an open one', '', [(after.maps - before.maps) / open])
    }
  } finally {
    await rm(folder, { recursive: true })
  }
  return figures
}
