/** A collection of the embedded engine with 10,000 to 10,000,000 documents: bytes, memory, and costs of queries of each kind. */
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BenchDocument, corpus, documentsFile } from '#bench/engine/corpus'
import { makeQueries, type Stack } from '#bench/engine/queries'
import { type Figure, makeFigure } from '#bench/figure'
import { rounds, type Say } from '#bench/http/rounds'
import { below, pick, randomFrom } from '#bench/random'
import type { DocumentsTask, Filled, QueryShape, Remembered, SizeTiming } from './documents-process.ts'
import { addTo, type GrowingIn, inMs } from './points.ts'
import { runStep } from './step.ts'

const sizesUsual = [10_000, 100_000, 1_000_000, 10_000_000]
const queriesARound = 200
const roundMs = 1_500
const seed = 11
/** Queries come from the first million documents, so the smallest collections do not contain all of them. */
const queriedDocuments = 1_000_000

/** From issue 8. */
const growthFrom = 10_000
const growthTo = 1_000_000
const growthGoals: Record<string, number> = { 'two words': 4, 'two words, total and 3 facets': 10 }

type DocumentAt = (index: number) => BenchDocument

const one = (endpoint: string, name: string, value: string): Stack => [
  { endpoint, parameters: [{ name, value }] },
]

/** The queries by their name in the table. */
const askedKinds = (documentAt: DocumentAt): Record<string, QueryShape[]> => {
  const stacks = (kind: Parameters<typeof makeQueries>[0]) =>
    makeQueries(kind, queriesARound, seed, documentAt)
  const documents = (() => {
    const random = randomFrom(seed)
    return Array.from({ length: queriesARound }, () => documentAt(below(random, queriedDocuments)))
  })()
  const pairs = stacks('two words')
  const topics = [...new Set(documents.map(({ topic }) => topic))]
  const random = randomFrom(seed)
  return {
    'a document by its id': documents.map(({ id }) => ({ stack: one('one', 'id', id) })),
    'a rare word': documents.map(({ title }) => ({
      stack: one('search', 'query', title.slice(title.lastIndexOf(' ') + 1)),
    })),
    'two words': pairs.map(stack => ({ stack })),
    'three words': stacks('three words').map(stack => ({ stack })),
    'two words, total and 3 facets': pairs.map(stack => ({ stack, facets: true })),
    'two words, by date': pairs.map(stack => ({ stack: [...stack, { endpoint: 'newest', parameters: [] }] })),
    'two words, filtered': pairs.map((stack, index) => ({
      stack: [...stack, ...one('topic:FILTER', 'value', documents[index]?.topic ?? '')],
    })),
    'two words, row filter': pairs.map(stack => ({ stack, filter: { topic: [pick(random, topics)] } })),
    'three letters of a word': stacks('three letters of a word').map(stack => ({ stack })),
  }
}

const runDocumentsStep = <Done>(mode: 'fill' | 'measure', task: DocumentsTask): Promise<Done> =>
  runStep(mode, 'documents-process.ts', task)

/** Creates documents in the folder and imports them, into the cluster if there is one. */
export const fill = async (
  location: Pick<DocumentsTask, 'folder' | 'cluster'>,
  documents: number,
  say: Say,
): Promise<Filled> => {
  say(`${documents.toLocaleString('en-US')} documents are made`)
  const file = await documentsFile(location.folder, documents)
  say('and imported')
  const filled = await runDocumentsStep<Filled>('fill', { ...location, do: 'fill', documents, file })
  await rm(file)
  return filled
}

/** Runs all queries of one kind after another, on collections of all sizes in turn. */
export async function* askAll(
  location: Pick<DocumentsTask, 'folder' | 'cluster'>,
  sizes: number[],
  say: Say,
): AsyncGenerator<{ name: string; took: SizeTiming[] }> {
  for (const [name, asked] of Object.entries(askedKinds(await corpus()))) {
    say(name)
    const timings = await runDocumentsStep<SizeTiming[]>('measure', {
      ...location,
      do: 'ask',
      sizes,
      asked,
      rounds,
      roundMs,
    })
    yield { name, took: timings }
  }
}

/** The folder keeps imported documents. */
export const documentsGrowth = async ({ folder, say, sizes = sizesUsual }: GrowingIn): Promise<Figure[]> => {
  await mkdir(folder, { recursive: true })
  const figures: Figure[] = []
  for (const documents of sizes) {
    const filled = await fillOnce(folder, documents, say)
    const add = addTo(figures, documents)
    add('different words', '', [filled.words])
    add('import', 'documents/s', [filled.documents / filled.seconds], 'higher')
    add('processor of an import', 'µs a document', [filled.processorUs / filled.documents])
    add('memory while importing', 'MB', [filled.megabytes])
    add('documents on disk', 'bytes each', [filled.documentsBytes / filled.documents])
    add('index on disk', 'bytes each', [filled.indexBytes / filled.documents])
    add('segments', '', [filled.segments])
  }
  for await (const { name, took } of askAll({ folder }, sizes, say)) {
    for (const { documents, p50, p99, processorUs } of took) {
      const add = addTo(figures, documents)
      add(`${name} p50`, 'ms', p50)
      add(`${name} p99`, 'ms', p99)
      add(`${name} processor`, 'ms', inMs(processorUs))
    }
    figures.push(...makeGrowthFigures(name, took))
  }
  const queries = Object.values(askedKinds(await corpus())).flat()
  for (const documents of sizes) {
    say(`memory of ${documents.toLocaleString('en-US')}`)
    const memoryFigures = await runDocumentsStep<Remembered>('measure', {
      folder,
      do: 'remember',
      documents,
      asked: queries,
    })
    const add = addTo(figures, documents)
    add('time to open', 'ms', [memoryFigures.openMs])
    add('memory, idle', 'MB', [memoryFigures.idle])
    add('memory, 16 searches at once', 'MB', [memoryFigures.busy])
    add('files in memory after 1,800 searches', 'MB', [memoryFigures.mapped])
  }
  return figures
}

/** Returns figures if there is a goal and both sizes were measured. */
const makeGrowthFigures = (name: string, took: readonly SizeTiming[]): Figure[] => {
  const goal = growthGoals[name]
  const timingAt = (size: number) => took.find(({ documents }) => documents === size)
  const [few, many] = [timingAt(growthFrom), timingAt(growthTo)]
  if (goal === undefined || !few || !many) return []
  const ratio = (part: 'p50' | 'processorUs') =>
    many[part].map((value, round) => value / (few[part][round] ?? Number.NaN))
  const note = `growth of ${name} from ${growthFrom.toLocaleString('en-US')} to ${growthTo.toLocaleString('en-US')}`
  const lower = { unit: 'times', better: 'lower' } as const
  return [
    makeFigure(ratio('p50'), { name: `${note}, p50`, ...lower, goal }),
    makeFigure(ratio('processorUs'), { name: `${note}, processor`, ...lower }),
  ]
}

/** Stores the duration next to the imported documents. */
const fillOnce = async (folder: string, documents: number, say: Say): Promise<Filled> => {
  const savedFile = join(folder, `filled-${documents}.json`)
  if (existsSync(savedFile)) return JSON.parse(await readFile(savedFile, 'utf8'))
  // Left by an interrupted run.
  await rm(join(folder, 'engine', `products-${documents}`), { recursive: true, force: true })
  const filled = await fill({ folder }, documents, say)
  await writeFile(savedFile, JSON.stringify(filled))
  return filled
}
