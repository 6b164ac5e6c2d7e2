/** The embedded engine with 10,000 and with 1,000,000 documents: speed of imports and searches, and memory. */
import { readdir, stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { type Figure, makeFigure } from '#bench/figure'
import { corpus, documentsFile } from './corpus.ts'
import { type Measured, startMeasured } from './measured.ts'
import { findPeerFigures } from './peers.ts'
import { type facetFields, makeQueries, type QueryKind, queryKinds } from './queries.ts'

const small = 10_000
const large = 1_000_000
const rounds = 5
const queriesARound = 400
const seed = 7
const rateSeconds = 5

export interface Scenario {
  /** Folder for documents and indexes. Existing ones are reused. */
  folder: string
  say: (text: string) => void
}

/** Issue 5 states these goals, and bench/notes/performance.md repeats them: import, three words, facets, and memory. */
const goals: Partial<Record<string, number>> = {
  'three words p99': 5,
  'two words, total and 3 facets p99': 10,
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: older than the limit
export const engineFigures = async ({ folder, say }: Scenario): Promise<Figure[]> => {
  const documentAt = await corpus()
  const makeStacks = (kind: QueryKind) => makeQueries(kind, queriesARound, seed, documentAt)
  const figures: Figure[] = []
  const add = (figure: Figure) => {
    figures.push(figure)
    say(`${figure.name}: ${figure.value.toPrecision(3)} ${figure.unit}`)
    return figure
  }

  const addLatencies = async (
    measured: Measured,
    name: string,
    kind: QueryKind,
    facets?: keyof typeof facetFields,
    isFiltered = false,
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
      return add(
        makeFigure(
          latencies.rounds.map(round => round[part]),
          { name: full, unit: 'ms', better: 'lower', ...(goal && { goal }), ...(peers && { peers }) },
        ),
      )
    }
    return { p50: summarize('p50').value, p99: summarize('p99').value, megabytes: latencies.megabytes }
  }

  const addRound = (name: string, unit: string, value: number, better: Figure['better'], goal?: number) => {
    const peers = findPeerFigures(name)
    return add(makeFigure([value], { name, unit, better, ...(goal && { goal }), ...(peers && { peers }) }))
  }

  const filled = async (count: number) => {
    const path = await documentsFile(folder, count)
    const data = join(folder, `engine-${count}`)
    const measured = await startMeasured(data)
    const { documents } = await measured.ask({ do: 'memory' })
    const imported = documents >= count ? undefined : await measured.ask({ do: 'import', path })
    if (imported) await measured.ask({ do: 'rest' })
    return { measured, path, data, imported }
  }

  const few = await filled(small)
  const fewWords = await addLatencies(few.measured, 'two words of 10,000', 'two words')
  const fewFacets = await addLatencies(
    few.measured,
    'two words, total and 3 facets of 10,000',
    'two words',
    '3 facets',
  )
  await few.measured[Symbol.asyncDispose]()

  const largeImport = await filled(large)
  let { measured } = largeImport
  let mostMegabytes = 0
  if (largeImport.imported) {
    const { documents, seconds, searchableSeconds, megabytes } = largeImport.imported
    addRound('import, durable', 'documents/s', documents / seconds, 'higher', 20_000)
    addRound('import, searchable', 'documents/s', documents / searchableSeconds, 'higher')
    addRound('memory while importing', 'MB', megabytes, 'lower', 600)
  }
  // Opened again, so that memory of the import does not count as memory of searches.
  await measured[Symbol.asyncDispose]()
  measured = await startMeasured(largeImport.data)
  const latencyByKind = new Map<string, { p50: number; p99: number }>()
  for (const { name, kind, facets, isFiltered } of searched()) {
    const latency = await addLatencies(measured, name, kind, facets, isFiltered)
    mostMegabytes = Math.max(mostMegabytes, latency.megabytes)
    latencyByKind.set(name, latency)
  }
  addRound('memory while searching', 'MB', mostMegabytes, 'lower', 600)
  addRound(
    'index on disk',
    'MB',
    await measureMegabytes(join(largeImport.data, 'products', 'index')),
    'lower',
  )
  addRound(
    'documents on disk',
    'MB',
    await measureMegabytes(join(largeImport.data, 'products'), false),
    'lower',
  )

  const growth = (name: string, before: number, goal: number) =>
    addRound(
      `growth of ${name} from 10,000 to 1,000,000`,
      'times',
      (latencyByKind.get(name)?.p50 ?? Number.NaN) / before,
      'lower',
      goal,
    )
  growth('two words', fewWords.p50, 4)
  growth('two words, total and 3 facets', fewFacets.p50, 10)

  const rates = { stacks: makeStacks('two words'), atOnce: availableParallelism(), seconds: rateSeconds }
  const alone: number[] = []
  const importing: number[] = []
  const documents: number[] = []
  for (let round = 0; round < rounds; round++) {
    alone.push((await measured.ask({ do: 'rate', ...rates })).searches)
    const concurrentRates = await measured.ask({ do: 'rate', ...rates, importing: largeImport.path })
    importing.push(concurrentRates.searches)
    documents.push(concurrentRates.documents)
  }
  add(makeFigure(alone, { name: 'searches of two words', unit: 'a second', better: 'higher' }))
  add(makeFigure(documents, { name: 'imported meanwhile', unit: 'documents/s', better: 'higher' }))
  const lossPercent = alone.map((rate, round) => 100 * (1 - (importing[round] ?? 0) / rate))
  add(
    makeFigure(lossPercent, { name: 'searches lost while importing', unit: '%', better: 'lower', goal: 30 }),
  )
  addRound('memory, idle again', 'MB', (await measured.ask({ do: 'memory' })).megabytes, 'lower', 600)
  await measured[Symbol.asyncDispose]()
  return figures
}

/** Searches in the large collection, by the names of the figures. */
const searched = function* (): Generator<{
  name: string
  kind: QueryKind
  facets?: keyof typeof facetFields
  isFiltered?: boolean
}> {
  for (const kind of Object.keys(queryKinds) as QueryKind[]) yield { name: kind, kind }
  for (const kind of ['two words', 'three words', 'everything'] as const)
    yield { name: `${kind}, total and 3 facets`, kind, facets: '3 facets' }
  yield { name: 'two words, total and 3 small facets', kind: 'two words', facets: '3 small facets' }
  for (const kind of Object.keys(queryKinds) as QueryKind[])
    yield { name: `${kind}, row filter of 20 %`, kind, isFiltered: true }
}

const measureMegabytes = async (folder: string, deep = true): Promise<number> => {
  let bytes = 0
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: deep }))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size
  return bytes / 1024 / 1024
}
