/** The embedded engine with 10,000 and with 1,000,000 documents, or other numbers: speed of imports and searches, and memory. */
import { readdir, stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { type Figure, makeFigure } from '#bench/figure'
import { corpus, documentsFile } from './corpus.ts'
import { type Measured, startMeasured } from './measured.ts'
import { findPeerFigures } from './peers.ts'
import { type facetFields, makeQueries, type QueryKind, queryKinds } from './queries.ts'

const smallCount = 10_000
const largeCounts = [1_000_000]
const rounds = 5
const queriesARound = 400
const seed = 7
const rateSeconds = 5

export interface Scenario {
  /** Folder for documents and indexes. Existing ones are reused. */
  folder: string
  say: (text: string) => void
  /** Numbers of documents beside the 10,000 that all are compared with. */
  sizes?: number[] | undefined
}

/** Issue 5 states these goals, and bench/notes/performance.md repeats them: import, three words, facets, and memory. */
const goals: Partial<Record<string, number>> = {
  'three words p99': 5,
  'two words, total and 3 facets p99': 10,
}

export const engineFigures = async ({ folder, say, sizes = largeCounts }: Scenario): Promise<Figure[]> => {
  const documentAt = await corpus()
  const makeStacks = (kind: QueryKind) => makeQueries(kind, queriesARound, seed, documentAt)
  const figures: Figure[] = []
  const small = await measureSmall(folder, createReport(figures, say), makeStacks)
  for (const count of sizes) {
    const isUsual = largeCounts.includes(count)
    const report = createReport(figures, say, isUsual ? undefined : count.toLocaleString('en-US'))
    await measureLarge({ folder, count, makeStacks, small }, report)
  }
  return figures
}

interface Large {
  folder: string
  count: number
  makeStacks: MakeStacks
  small: Awaited<ReturnType<typeof measureSmall>>
}

const measureLarge = async ({ folder, count, makeStacks, small }: Large, report: Report): Promise<void> => {
  const { path, data } = await measureImport(folder, count, report)
  // Opened again, so that memory of the import does not count as memory of searches.
  const openedMs = performance.now()
  const measured = await startMeasured(data)
  report.addRound('process start to open', 'ms', performance.now() - openedMs, 'lower')
  const latencies = await measureSearches(measured, report, makeStacks)
  await measureDisk(join(data, 'products'), report)
  for (const [name, before, goal] of [
    ['two words', small.words.p50, 4],
    ['two words, total and 3 facets', small.facets.p50, 10],
  ] as const) {
    const growth = (latencies.get(name)?.p50 ?? Number.NaN) / before
    report.addRound(
      `growth of ${name} from 10,000 to ${count.toLocaleString('en-US')}`,
      'times',
      growth,
      'lower',
      goal,
    )
  }
  await measureRates(measured, report, { stacks: makeStacks('two words'), path })
  report.addRound('memory, idle again', 'MB', (await measured.ask({ do: 'memory' })).megabytes, 'lower', 600)
  await measured[Symbol.asyncDispose]()
  await measureOneCore(data, report, makeStacks)
}

type Report = ReturnType<typeof createReport>
type MakeStacks = (kind: QueryKind) => ReturnType<typeof makeQueries>

/** The names of all figures say the number of documents, if it is given. */
const createReport = (figures: Figure[], say: Scenario['say'], documents?: string) => {
  const add = (unnamed: Figure) => {
    const { name } = unnamed
    const isNamed = documents === undefined || name.includes(documents)
    const figure = { ...unnamed, name: isNamed ? name : `${name}, ${documents} documents` }
    figures.push(figure)
    say(`${figure.name}: ${figure.value.toPrecision(3)} ${figure.unit}`)
    return figure
  }
  return {
    add,
    /** Adds a figure that was measured once. */
    addRound(name: string, unit: string, value: number, better: Figure['better'], goal?: number) {
      const peers = findPeerFigures(name)
      return add(makeFigure([value], { name, unit, better, ...(goal && { goal }), ...(peers && { peers }) }))
    },
  }
}

interface Searches {
  name: string
  kind: QueryKind
  facets?: keyof typeof facetFields
  isFiltered?: boolean
}

/** Adds the latencies of searches. */
const measureLatencies = async (
  measured: Measured,
  report: Report,
  makeStacks: MakeStacks,
  { name, kind, facets, isFiltered = false }: Searches,
) => {
  const latencies = await measured.ask({
    do: 'latencies',
    stacks: makeStacks(kind),
    rounds,
    ...(facets && { facets }),
    isFiltered,
  })
  const summarize = (part: 'p50' | 'p99') => {
    const full = `${name} ${part}`
    const goal = goals[full]
    const peers = findPeerFigures(full)
    return report.add(
      makeFigure(
        latencies.rounds.map(round => round[part]),
        { name: full, unit: 'ms', better: 'lower', ...(goal && { goal }), ...(peers && { peers }) },
      ),
    )
  }
  return { p50: summarize('p50').value, p99: summarize('p99').value, megabytes: latencies.megabytes }
}

/** Starts an engine with `count` documents. Imports them if the folder does not have them. */
const startFilled = async (folder: string, count: number) => {
  const path = await documentsFile(folder, count)
  const data = join(folder, `engine-${count}`)
  const measured = await startMeasured(data)
  const { documents } = await measured.ask({ do: 'memory' })
  const imported = documents >= count ? undefined : await measured.ask({ do: 'import', path })
  if (imported) await measured.ask({ do: 'rest' })
  return { measured, path, data, imported }
}

/** Searches in 10,000 documents, to compare with. */
const measureSmall = async (folder: string, report: Report, makeStacks: MakeStacks) => {
  const { measured } = await startFilled(folder, smallCount)
  const words = await measureLatencies(measured, report, makeStacks, {
    name: 'two words of 10,000',
    kind: 'two words',
  })
  const facets = await measureLatencies(measured, report, makeStacks, {
    name: 'two words, total and 3 facets of 10,000',
    kind: 'two words',
    facets: '3 facets',
  })
  await measured[Symbol.asyncDispose]()
  return { words, facets }
}

/** Imports the documents. Returns where they are. */
const measureImport = async (folder: string, count: number, report: Report) => {
  const { measured, imported, path, data } = await startFilled(folder, count)
  if (imported) {
    const { documents, seconds, searchableSeconds, megabytes } = imported
    report.addRound('import, durable', 'documents/s', documents / seconds, 'higher', 20_000)
    report.addRound('import, searchable', 'documents/s', documents / searchableSeconds, 'higher')
    report.addRound('memory while importing', 'MB', megabytes, 'lower', 600)
  }
  await measured[Symbol.asyncDispose]()
  return { path, data }
}

const measureSearches = async (measured: Measured, report: Report, makeStacks: MakeStacks) => {
  let mostMegabytes = 0
  const latencies = new Map<string, { p50: number; p99: number }>()
  for (const searches of listSearches()) {
    const latency = await measureLatencies(measured, report, makeStacks, searches)
    mostMegabytes = Math.max(mostMegabytes, latency.megabytes)
    latencies.set(searches.name, latency)
  }
  report.addRound('memory while searching', 'MB', mostMegabytes, 'lower', 600)
  return latencies
}

/** Heavy queries without a further core, to compare with. */
const measureOneCore = async (data: string, report: Report, makeStacks: MakeStacks): Promise<void> => {
  await using measured = await startMeasured(data, true)
  for (const kind of ['three very common words', 'two words, the last one half typed'] as const)
    await measureLatencies(measured, report, makeStacks, {
      name: `${kind}, row filter of 20 %, one core`,
      kind,
      isFiltered: true,
    })
}

const measureDisk = async (products: string, report: Report): Promise<void> => {
  const index = await measureMegabytes(join(products, 'index'))
  report.addRound('index on disk', 'MB', index, 'lower')
  report.addRound('documents on disk', 'MB', await measureMegabytes(products, false), 'lower')
}

/** Searches a second, alone and while documents are imported. */
const measureRates = async (
  measured: Measured,
  report: Report,
  { stacks, path }: { stacks: ReturnType<typeof makeQueries>; path: string },
): Promise<void> => {
  const rates = { stacks, atOnce: availableParallelism(), seconds: rateSeconds }
  const alone: number[] = []
  const importing: number[] = []
  const documents: number[] = []
  for (let round = 0; round < rounds; round++) {
    alone.push((await measured.ask({ do: 'rate', ...rates })).searches)
    const concurrentRates = await measured.ask({ do: 'rate', ...rates, importing: path })
    importing.push(concurrentRates.searches)
    documents.push(concurrentRates.documents)
  }
  report.add(makeFigure(alone, { name: 'searches of two words', unit: 'a second', better: 'higher' }))
  report.add(makeFigure(documents, { name: 'imported meanwhile', unit: 'documents/s', better: 'higher' }))
  const lossPercent = alone.map((rate, round) => 100 * (1 - (importing[round] ?? 0) / rate))
  report.add(
    makeFigure(lossPercent, { name: 'searches lost while importing', unit: '%', better: 'lower', goal: 30 }),
  )
}

/** Searches in the large collection, by the names of the figures. */
const listSearches = function* (): Generator<Searches> {
  for (const kind of Object.keys(queryKinds) as QueryKind[]) yield { name: kind, kind }
  for (const kind of ['two words', 'three words', 'everything'] as const)
    yield { name: `${kind}, total and 3 facets`, kind, facets: '3 facets' }
  yield { name: 'two words, total and 3 small facets', kind: 'two words', facets: '3 small facets' }
  for (const kind of ['two words', 'everything'] as const)
    yield {
      name: `${kind}, total and 3 facets, row filter of 20 %`,
      kind,
      facets: '3 facets',
      isFiltered: true,
    }
  for (const kind of Object.keys(queryKinds) as QueryKind[])
    yield { name: `${kind}, row filter of 20 %`, kind, isFiltered: true }
}

const measureMegabytes = async (folder: string, deep = true): Promise<number> => {
  let bytes = 0
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: deep }))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size
  return bytes / 1024 / 1024
}
