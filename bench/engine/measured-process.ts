/** The measured process: the engine and as little else as possible. It runs one task at a time, as messages request. */
import { setTimeout } from 'node:timers/promises'
import { generationSpec } from '#server/collections/generation-spec'
import { openEmbeddedEngine } from '#server/engines/embedded/embedded'
import { catalog } from './corpus.ts'
import { importDocuments } from './import.ts'
import { type Latency, latencies, makeSearches, searchRate } from './latency.ts'
import { watchMemory } from './memory.ts'
import type { facetFields, Stack } from './queries.ts'

export type Task =
  | { do: 'import'; path: string }
  | {
      do: 'latencies'
      stacks: Stack[]
      rounds: number
      facets?: keyof typeof facetFields
      isFiltered?: boolean
    }
  /** With `importing`, it overwrites documents with those of that file meanwhile. */
  | { do: 'rate'; stacks: Stack[]; atOnce: number; seconds: number; importing?: string }
  | { do: 'memory' }
  /** Waits until the segments are merged, five seconds after the last write. */
  | { do: 'rest' }

export interface Done {
  import: { documents: number; seconds: number; searchableSeconds: number; megabytes: number }
  latencies: { rounds: Latency[]; megabytes: number }
  rate: { searches: number; documents: number; megabytes: number }
  memory: { megabytes: number; documents: number }
  rest: { megabytes: number }
}

const generation = 'products'
const [dataDir] = process.argv.slice(2)
if (dataDir === undefined) throw new Error('the folder of the engine is missing')

const engine = await openEmbeddedEngine({ dataDir })
await engine.open(generation, generationSpec(catalog, generation))
const searches = makeSearches(engine, generation)
/** Longer than a merge of all segments takes. */
const restSeconds = 45
const secondsSince = (start: number) => (performance.now() - start) / 1000

const tasks = {
  async import({ path }) {
    const start = performance.now()
    const documents = await importDocuments(engine, generation, path)
    const seconds = secondsSince(start)
    await engine.refresh(generation)
    return { documents, seconds, searchableSeconds: secondsSince(start) }
  },
  async latencies({ stacks, rounds, facets, isFiltered }) {
    const results = isFiltered ? searches.visibleResults : searches.results
    const withFacets = isFiltered ? searches.visibleWithFacets : searches.withFacets
    const search = facets ? (stack: Stack) => withFacets(stack, facets) : results
    return { rounds: await latencies(search, stacks, rounds) }
  },
  async rate({ stacks, atOnce, seconds, importing }) {
    let isOver = false
    const writing = importing === undefined ? 0 : importDocuments(engine, generation, importing, () => isOver)
    const perSecond = await searchRate(searches.results, stacks, atOnce, seconds)
    isOver = true
    return { searches: perSecond, documents: (await writing) / seconds }
  },
  async rest() {
    let version = engine.version(generation)
    for (let lastChange = performance.now(); secondsSince(lastChange) < restSeconds; ) {
      await setTimeout(500)
      const newVersion = engine.version(generation)
      if (newVersion !== version) lastChange = performance.now()
      version = newVersion
    }
    return {}
  },
  async memory() {
    // An idle generation is closed meanwhile.
    await engine.whenOpened?.(generation)
    return { documents: engine.info(generation).documents }
  },
} satisfies { [Name in Task['do']]: (task: Extract<Task, { do: Name }>) => Promise<object> }

process.on('message', async (task: Task) => {
  const stopWatchingMemory = watchMemory()
  // The type of each task is that of its row above, which TypeScript cannot infer through the index.
  const done = await (tasks[task.do] as (task: Task) => Promise<object>)(task)
  process.send?.({ ...done, megabytes: stopWatchingMemory() })
})
process.on('disconnect', () => void engine.close())
process.send?.({ ready: true })
