/** Fills a generation of the embedded engine, searches it, or measures its memory. */
import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import type { RowFilter } from '@querent/contract/manage'
import type { Definition } from '@querent/contract/workspace-file'
import { catalog } from '#bench/engine/corpus'
import { importDocuments } from '#bench/engine/import'
import { watchMemory } from '#bench/engine/memory'
import { facetFields, type Stack } from '#bench/engine/queries'
import { fixedFilter } from '#server/authz/effective-filter'
import { generationSpec } from '#server/collections/generation-spec'
import type { Plan } from '#server/engines/engine'
import { openEngine } from '#server/engines/open'
import { versionsInMemory } from '#server/engines/opensearch/versions'
import { compileApi } from '#server/query/plan/compile'
import { halfAndMost, median, processorUs, readMemory, readTotalProcessorUs } from './processor.ts'
import { finishStep, taskOfStep } from './step.ts'

export interface QueryShape {
  stack: Stack
  filter?: RowFilter
  /** With the total and three facets, as for a page that has them. */
  facets?: boolean
}

/** Address and process of a cluster of one node. */
export interface Cluster {
  url: string
  pid: number
}

/** With `cluster`, OpenSearch is used instead of the embedded engine. */
export type DocumentsTask = { folder: string; cluster?: Cluster } & (
  | { do: 'fill'; documents: number; file: string }
  | { do: 'ask'; sizes: number[]; asked: QueryShape[]; rounds: number; roundMs: number }
  | { do: 'remember'; documents: number; asked: QueryShape[] }
)

export interface Filled {
  documents: number
  /** Time until all documents are searchable. */
  seconds: number
  /** Time until the last merge. */
  processorUs: number
  /** For the cluster. */
  clusterUs: number
  megabytes: number
  documentsBytes: number
  indexBytes: number
  segments: number
  /** Distinct words of titles and texts, in lower case. */
  words: number
}
export interface SizeTiming {
  documents: number
  /** Values of each round. */
  p50: number[]
  p99: number[]
  processorUs: number[]
  clusterUs: number[]
}
export interface Remembered {
  openMs: number
  idle: number
  busy: number
  /** Megabytes of the index that are mapped and resident after the searches. */
  mapped: number
}

/** The bench's collection, and documents by their id. */
const definition: Definition = {
  ...catalog,
  apis: {
    shop: {
      endpoints: { ...catalog.apis?.shop?.endpoints, one: { kind: 'lookup', collection: 'products' } },
    },
  },
}
const api = compileApi(definition, 'shop')
const spec = generationSpec(definition, 'products')
const deadlineMs = 60_000

const generationName = (documents: number) => `products-${documents}`

const makePlans = ({ stack, filter, facets = false }: QueryShape): Plan[] => {
  const page = { stack, filters: filter ? [fixedFilter(filter)] : [], offset: 0, count: 10, cutoff: 0 }
  const { plan } = api.plan({ ...page, statistics: facets, total: facets })
  const options = (facet: string) => api.options({ ...page, facet, multiselect: false }).plan
  return facets ? [plan, ...facetFields['3 facets'].map(options)] : [plan]
}

const sumBytes = (paths: readonly string[]): number =>
  paths.reduce((bytes, path) => bytes + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0)

/** Folder of the embedded engine's generations. */
const engineFolder = (folder: string) => join(folder, 'engine')

const task = await taskOfStep<DocumentsTask>()
const { folder, cluster } = task
const openedMs = performance.now()
const engine = await openEngine(
  cluster
    ? {
        kind: 'opensearch',
        nodes: [cluster.url],
        username: undefined,
        password: undefined,
        caFile: undefined,
        prefix: 'growth-',
        shards: 1,
        replicas: 0,
        versions: versionsInMemory(),
      }
    : { kind: 'embedded', dataDir: engineFolder(folder) },
)
const clusterUs = () => (cluster ? readTotalProcessorUs(cluster.pid) : 0)

const fill = async (documents: number, file: string): Promise<Filled> => {
  const generation = generationName(documents)
  await engine.open(generation, spec)
  const stopWatchingMemory = watchMemory()
  const startMs = performance.now()
  const startUs = processorUs()
  const startClusterUs = clusterUs()
  const importResult = await importDocuments(engine, generation, file)
  await engine.refresh(generation)
  const seconds = (performance.now() - startMs) / 1000
  const generationFolder = join(engineFolder(folder), generation)
  const index = join(generationFolder, 'index')
  const segments = cluster ? Number.NaN : await settled(index)
  const importFigures = {
    documents: importResult,
    seconds,
    processorUs: processorUs() - startUs,
    clusterUs: clusterUs() - startClusterUs,
    megabytes: stopWatchingMemory(),
    segments,
    words: cluster ? Number.NaN : await countWords(file),
  }
  await engine.close()
  if (cluster) return { ...importFigures, documentsBytes: 0, indexBytes: 0 }
  return {
    ...importFigures,
    documentsBytes: sumBytes(['documents.db', 'documents.db-wal'].map(name => join(generationFolder, name))),
    indexBytes: sumBytes(readdirSync(index).map(name => join(index, name))),
  }
}

const settleMs = 30_000
const idleUsOfSecond = 20_000

/** Waits until an index has nothing left to merge, its usual state. Returns the number of its segments. */
const settled = async (index: string): Promise<number> => {
  const look = () => readFileSync(join(index, 'meta.json'), 'utf8').split('"segment_id"').length - 1
  let since = performance.now()
  let segments = look()
  let busyUs = processorUs()
  // No event signals it. During a merge of millions, only the processor time shows activity.
  while (performance.now() - since < settleMs) {
    await wait(1000)
    const nowUs = processorUs()
    if (look() !== segments || nowUs - busyUs > idleUsOfSecond) since = performance.now()
    segments = look()
    busyUs = nowUs
  }
  return segments
}

const countWords = async (file: string): Promise<number> => {
  const words = new Set<string>()
  for await (const line of createInterface({ input: createReadStream(file) })) {
    // `documentsFile` has written it.
    const { attributes } = JSON.parse(line.slice(line.indexOf('\t') + 1)) as {
      attributes: { title: string; text: string }
    }
    for (const word of `${attributes.title} ${attributes.text}`.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
      words.add(word)
  }
  return words.size
}

/**
 * Runs searches one after another, as a caller experiences them. Sizes take turns, so that disturbances of the machine affect all of them.
 */
const ask = async (
  sizes: number[],
  asked: QueryShape[],
  rounds: number,
  roundMs: number,
): Promise<SizeTiming[]> => {
  for (const size of sizes) await engine.open(generationName(size), spec)
  const timings = sizes.map(
    (documents): SizeTiming => ({ documents, p50: [], p99: [], processorUs: [], clusterUs: [] }),
  )
  const plans = asked.map(makePlans)
  for (let round = 0; round <= rounds; round++)
    for (const timing of timings) {
      const generation = generationName(timing.documents)
      const times: number[] = []
      const startUs = processorUs()
      const startClusterUs = clusterUs()
      const endMs = performance.now() + roundMs
      for (const planGroup of plans) {
        const startMs = performance.now()
        if (startMs > endMs) break
        await Promise.all(planGroup.map(plan => engine.search(generation, plan, deadlineMs)))
        times.push(performance.now() - startMs)
      }
      const spentUs = processorUs() - startUs
      const spentThereUs = clusterUs() - startClusterUs
      // The first round is a warm-up and does not count.
      if (round === 0) continue
      const { p50, p99 } = halfAndMost(times)
      timing.p50.push(p50)
      timing.p99.push(p99)
      timing.processorUs.push(spentUs / times.length)
      timing.clusterUs.push(spentThereUs / times.length)
    }
  await engine.close()
  return timings
}

const remember = async (documents: number, asked: QueryShape[]): Promise<Remembered> => {
  const generation = generationName(documents)
  const mappedBefore = readMemory(process.pid).files
  await engine.open(generation, spec)
  const openMs = performance.now() - openedMs
  const plans = asked.flatMap(makePlans)
  globalThis.gc?.()
  const idle: number[] = []
  for (let look = 0; look < 5; look++) {
    await wait(200)
    idle.push(readMemory(process.pid).anonymous)
  }
  const stopWatchingMemory = watchMemory()
  let next = 0
  const searchOn = async () => {
    for (let plan = plans[next++]; plan; plan = plans[next++])
      await engine.search(generation, plan, deadlineMs)
  }
  await Promise.all(Array.from({ length: 16 }, searchOn))
  const memoryFigures = {
    openMs,
    idle: median(idle),
    busy: stopWatchingMemory(),
    mapped: readMemory(process.pid).files - mappedBefore,
  }
  await engine.close()
  return memoryFigures
}

switch (task.do) {
  case 'fill':
    finishStep(await fill(task.documents, task.file))
    break
  case 'ask':
    finishStep(await ask(task.sizes, task.asked, task.rounds, task.roundMs))
    break
  case 'remember':
    finishStep(await remember(task.documents, task.asked))
}
