/** One collection of the embedded engine with 10,000 to 10,000,000 documents: bytes, memory, and what queries of each kind cost. */
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BenchDocument, corpus, documentsFile } from '#bench/engine/corpus'
import { queriesOf, type Stack } from '#bench/engine/queries'
import { type Figure, figureOf } from '#bench/figure'
import { rounds, type Say } from '#bench/http/rounds'
import { below, pick, randomFrom } from '#bench/random'
import { copyIndex } from './copies.ts'
import type { Asked, DocumentsTask, Filled, Remembered, Took } from './documents-process.ts'
import { runStep } from './step.ts'

const script = 'documents-process.ts'
const sizesUsual = [10_000, 100_000, 1_000_000, 10_000_000]
const queriesARound = 200
const roundMs = 1_500
const seed = 11
/** Of the million documents that all queries are made of: the smallest collections have not all of them. */
const askedOf = 1_000_000
const bytesOfMegabyte = 1024 * 1024
/** Larger collections are made of copies of this one. */
const importedMost = 1_000_000

/** Issue 8: from 10,000 to 1,000,000 documents. */
const growthGoals: Record<string, number> = { 'two words': 4, 'two words, total and 3 facets': 10 }

type DocumentAt = (index: number) => BenchDocument

const one = (endpoint: string, name: string, value: string): Stack => [
  { endpoint, parameters: [{ name, value }] },
]

/** What is asked, by the name that it has in the table. */
export const askedKinds = (documentAt: DocumentAt): Record<string, Asked[]> => {
  const stacks = (kind: Parameters<typeof queriesOf>[0]) => queriesOf(kind, queriesARound, seed, documentAt)
  const documents = (() => {
    const random = randomFrom(seed)
    return Array.from({ length: queriesARound }, () => documentAt(below(random, askedOf)))
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

/** `sizes`: how many documents, smallest first; the files of `folder` are made once and kept. */
export const documentsGrowth = async ({
  folder,
  say,
  sizes = sizesUsual,
}: {
  folder: string
  say: Say
  sizes?: number[]
}): Promise<Figure[]> => {
  await mkdir(folder, { recursive: true })
  const figures: Figure[] = []
  const documentAt = await corpus()
  const engine = join(folder, 'engine')
  for (const documents of sizes.filter(size => size <= importedMost)) {
    const filled = await fill(folder, engine, documents, say)
    const add = addTo(figures, documents)
    add('import', 'documents/s', [filled.documents / filled.seconds], 'higher')
    add('processor of an import', 'µs a document', [filled.processorUs / filled.documents])
    add('memory while importing', 'MB', [filled.megabytes])
    add('documents on disk', 'bytes each', [filled.documentsBytes / filled.documents])
    add('index on disk', 'bytes each', [filled.indexBytes / filled.documents])
  }
  for (const documents of sizes.filter(size => size > importedMost)) {
    const to = join(engine, `products-${documents}`)
    if (existsSync(to)) continue
    say(`${documents.toLocaleString('en-US')} documents are put together`)
    await copyIndex(join(engine, `products-${importedMost}`), to, documents / importedMost)
    const task = { folder: engine, do: 'settle', documents } satisfies DocumentsTask
    const { segments } = await runStep<{ segments: number }>('fill', script, task)
    say(`in ${segments} segments`)
  }
  const kinds = askedKinds(documentAt)
  for (const [name, asked] of Object.entries(kinds)) {
    say(name)
    const task = { folder: engine, do: 'ask', sizes, asked, rounds, roundMs } satisfies DocumentsTask
    const took = await runStep<Took[]>('measure', script, task)
    for (const { documents, p50, p99, processorUs } of took) {
      const add = addTo(figures, documents)
      add(`${name} p50`, 'ms', p50)
      add(`${name} p99`, 'ms', p99)
      add(
        `${name} processor`,
        'ms',
        processorUs.map(us => us / 1000),
      )
    }
    const goal = growthGoals[name]
    const p50Of = (documents: number) => took.find(each => each.documents === documents)?.p50 ?? []
    const before = p50Of(10_000)
    if (goal !== undefined)
      figures.push(
        figureOf(
          p50Of(1_000_000).map((ms, round) => ms / (before[round] ?? Number.NaN)),
          { name: `growth of ${name} from 10,000 to 1,000,000, p50`, unit: 'times', better: 'lower', goal },
        ),
      )
  }
  const all = Object.values(kinds).flat()
  for (const documents of sizes) {
    const task = { folder: engine, do: 'remember', documents, asked: all } satisfies DocumentsTask
    const { openMs, idle, busy, mapped } = await runStep<Remembered>('measure', script, task)
    const add = addTo(figures, documents)
    add('time to open', 'ms', [openMs])
    add('memory, idle', 'MB', [idle])
    add('memory, 16 searches at once', 'MB', [busy])
    add('files in memory after 1,800 searches', 'MB', [mapped])
  }
  return figures
}

export const addTo =
  (figures: Figure[], at: number) =>
  (of: string, unit: string, values: readonly number[], better: Figure['better'] = 'lower') =>
    figures.push(
      figureOf(values, { name: `${of}, ${at.toLocaleString('en-US')}`, unit, better, point: { of, at } }),
    )

/** Once; what it took is kept beside it. */
const fill = async (folder: string, engine: string, documents: number, say: Say): Promise<Filled> => {
  const kept = join(folder, `filled-${documents}.json`)
  if (existsSync(kept)) return JSON.parse(await readFile(kept, 'utf8'))
  say(`${documents.toLocaleString('en-US')} documents are made`)
  const file = await documentsFile(folder, documents)
  await rm(join(engine, `products-${documents}`), { recursive: true, force: true })
  const task = { folder: engine, do: 'fill', documents, file } satisfies DocumentsTask
  const filled = await runStep<Filled>('fill', script, task)
  await rm(file)
  const { seconds, documentsBytes, indexBytes } = filled
  const megabytes = Math.round((documentsBytes + indexBytes) / bytesOfMegabyte)
  say(`imported in ${Math.round(seconds)} s, ${megabytes} MB`)
  await writeFile(kept, JSON.stringify(filled))
  return filled
}
