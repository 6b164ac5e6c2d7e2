/** One step of the growth of documents: fills a generation of the embedded engine, asks it, or looks at its memory. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { RowFilter } from '@querent/contract/manage'
import type { Definition } from '@querent/contract/workspace-file'
import { catalogue } from '#bench/engine/corpus'
import { importDocuments } from '#bench/engine/import'
import { watchMemory } from '#bench/engine/memory'
import { facetsOf, type Stack } from '#bench/engine/queries'
import { generationSpec } from '#server/documents/entity'
import { openEmbeddedEngine } from '#server/engines/embedded'
import type { Plan } from '#server/engines/engine'
import { compileApi } from '#server/query/compile'
import { halfAndMost, median, memoryOf, processorUs } from './processor.ts'
import { finishStep, taskOfStep } from './step.ts'

export interface Asked {
  stack: Stack
  filter?: RowFilter
  /** With the total and three facets, as a page that has them asks. */
  facets?: boolean
}

export type DocumentsTask = { folder: string } & (
  | { do: 'fill'; documents: number; file: string }
  | { do: 'ask'; sizes: number[]; asked: Asked[]; rounds: number; roundMs: number }
  | { do: 'remember'; documents: number; asked: Asked[] }
)

export interface Filled {
  documents: number
  seconds: number
  processorUs: number
  megabytes: number
  documentsBytes: number
  indexBytes: number
}
export interface Took {
  documents: number
  /** Of each round. */
  p50: number[]
  p99: number[]
  processorUs: number[]
}
export interface Remembered {
  openMs: number
  idle: number
  busy: number
  /** Megabytes of the index that are mapped and in memory after the searches. */
  mapped: number
}

/** The bench's collection, and documents by their id. */
const definition: Definition = {
  ...catalogue,
  apis: {
    shop: {
      endpoints: { ...catalogue.apis?.shop?.endpoints, one: { kind: 'lookup', collection: 'products' } },
    },
  },
}
const api = compileApi(definition, 'shop')
const spec = generationSpec(definition, 'products')
const deadlineMs = 60_000

const generationOf = (documents: number) => `products-${documents}`

const plansOf = ({ stack, filter, facets = false }: Asked): Plan[] => {
  const page = { stack, filters: filter ? [filter] : [], offset: 0, count: 10, cutoff: 0 }
  const { plan } = api.plan({ ...page, statistics: facets, total: facets })
  const options = (facet: string) => api.options({ ...page, facet, multiselect: false }).plan
  return facets ? [plan, ...facetsOf['3 facets'].map(options)] : [plan]
}

const bytesOf = (paths: readonly string[]): number =>
  paths.reduce((bytes, path) => bytes + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0)

const task = await taskOfStep<DocumentsTask>()
const { folder } = task
const openedMs = performance.now()
const engine = await openEmbeddedEngine({ dataDir: folder })

const fill = async (documents: number, file: string): Promise<Filled> => {
  const generation = generationOf(documents)
  await engine.open(generation, spec)
  const most = watchMemory()
  const startMs = performance.now()
  const startUs = processorUs()
  const written = await importDocuments(engine, generation, file)
  await engine.refresh(generation)
  const found = {
    documents: written,
    seconds: (performance.now() - startMs) / 1000,
    processorUs: processorUs() - startUs,
    megabytes: most(),
  }
  await engine.close()
  const at = join(folder, generation)
  const index = join(at, 'index')
  return {
    ...found,
    documentsBytes: bytesOf(['documents.db', 'documents.db-wal'].map(name => join(at, name))),
    indexBytes: bytesOf(readdirSync(index).map(name => join(index, name))),
  }
}

/** One after another, as whoever waits for them sees it; sizes by turns, so that what the machine does meanwhile meets all. */
const ask = async (sizes: number[], asked: Asked[], rounds: number, roundMs: number): Promise<Took[]> => {
  for (const size of sizes) await engine.open(generationOf(size), spec)
  const took = sizes.map((documents): Took => ({ documents, p50: [], p99: [], processorUs: [] }))
  const plans = asked.map(plansOf)
  for (let round = 0; round <= rounds; round++)
    for (const each of took) {
      const generation = generationOf(each.documents)
      const times: number[] = []
      const startUs = processorUs()
      const endMs = performance.now() + roundMs
      for (const some of plans) {
        const startMs = performance.now()
        if (startMs > endMs) break
        await Promise.all(some.map(plan => engine.search(generation, plan, deadlineMs)))
        times.push(performance.now() - startMs)
      }
      const spentUs = processorUs() - startUs
      // The first round warms up and does not count.
      if (round === 0) continue
      const { p50, p99 } = halfAndMost(times)
      each.p50.push(p50)
      each.p99.push(p99)
      each.processorUs.push(spentUs / times.length)
    }
  await engine.close()
  return took
}

const remember = async (documents: number, asked: Asked[]): Promise<Remembered> => {
  const generation = generationOf(documents)
  const before = memoryOf(process.pid).files
  await engine.open(generation, spec)
  const openMs = performance.now() - openedMs
  const plans = asked.flatMap(plansOf)
  globalThis.gc?.()
  const idle: number[] = []
  for (let look = 0; look < 5; look++) {
    await new Promise(resolve => setTimeout(resolve, 200))
    idle.push(memoryOf(process.pid).anonymous)
  }
  const most = watchMemory()
  let next = 0
  const searchOn = async () => {
    for (let plan = plans[next++]; plan; plan = plans[next++])
      await engine.search(generation, plan, deadlineMs)
  }
  await Promise.all(Array.from({ length: 16 }, searchOn))
  const found = { openMs, idle: median(idle), busy: most(), mapped: memoryOf(process.pid).files - before }
  await engine.close()
  return found
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
