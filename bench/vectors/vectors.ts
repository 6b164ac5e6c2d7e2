/** Nearest vectors in the embedded engine: recall against exact search, latency, disk, and the rate of imports, on one core. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Figure, makeFigure } from '#bench/figure'
import { measureLatency } from '#bench/http/load'
import { serverCore, startPinned } from '#bench/http/pinned'
import { dimensions } from './clusters.ts'
import type { VectorsResult, VectorsTask } from './vectors-process.ts'

const vectorsDefault = 1_000_000
const queries = 400
/** Memory of a vector that every search reads: a bit of each dimension. */
const hotBytes = dimensions / 8

/** `sizes`: other numbers of vectors. */
export const vectorsFigures = async (
  say: (text: string) => void,
  sizes?: readonly number[],
): Promise<Figure[]> => {
  const figures: Figure[] = []
  for (const vectors of sizes ?? [vectorsDefault]) {
    const folder = await mkdtemp(join(tmpdir(), 'querent-vectors-'))
    try {
      say(`${vectors} vectors of ${dimensions} dimensions`)
      figures.push(...describe(vectors, await measure({ folder, vectors, queries })))
    } finally {
      await rm(folder, { recursive: true })
    }
  }
  return figures
}

const measure = async (task: VectorsTask): Promise<VectorsResult> => {
  await using pinned = startPinned(serverCore, process.execPath, [
    '--max-old-space-size=8192',
    join(import.meta.dirname, 'vectors-process.ts'),
  ])
  await pinned.message()
  const reply = pinned.message<VectorsResult>()
  pinned.child.send(task)
  return await reply
}

const describe = (vectors: number, result: VectorsResult): Figure[] => {
  const name = (text: string) => `${text}, ${vectors.toLocaleString('en')} vectors`
  const figure = (text: string, unit: string, value: number, better: Figure['better'], goal?: number) =>
    makeFigure([value], { name: name(text), unit, better, ...(goal !== undefined && { goal }) })
  const unfiltered = measureLatency(result.all)
  const filtered = measureLatency(result.filtered)
  const { usearch } = result
  const few = `${usearch.vectors.toLocaleString('en')} vectors`
  const usearchLatency = measureLatency(usearch.queryMs)
  const besideLatency = measureLatency(result.beside.queryMs)
  return [
    figure('recall@10 against exact search', '', result.recall, 'higher', 0.95),
    figure('recall@10 with a filter that keeps 1 %', '', result.filteredRecall, 'higher', 0.95),
    figure('nearest p50', 'ms', unfiltered.p50, 'lower'),
    figure('nearest p99', 'ms', unfiltered.p99, 'lower', 8),
    figure('nearest with a filter that keeps 1 % p50', 'ms', filtered.p50, 'lower'),
    figure('nearest with a filter that keeps 1 % p99', 'ms', filtered.p99, 'lower', 5),
    figure('exact search in floats (JavaScript)', 'ms', result.exactMs, 'lower'),
    figure('memory that every search reads, a vector', 'bytes', hotBytes, 'lower', 64),
    figure('index on disk, a vector', 'bytes', result.indexBytesPerVector, 'lower', 450),
    figure('import with vectors', 'documents/s', result.importPerSecond, 'higher'),
    figure('import without vectors', 'documents/s', result.importWithoutPerSecond, 'higher'),
    figure(
      'import with vectors relative to without',
      '%',
      (100 * result.importPerSecond) / result.importWithoutPerSecond,
      'higher',
      70,
    ),
    figure('import of catalog documents without', 'documents/s', result.catalogWithoutPerSecond, 'higher'),
    figure(
      'import of catalog documents with vectors relative to without',
      '%',
      (100 * result.catalogPerSecond) / result.catalogWithoutPerSecond,
      'higher',
      70,
    ),
    makeFigure([result.beside.recall], {
      name: `recall@10, ${few}`,
      unit: '',
      better: 'higher',
      peers: `USearch (HNSW, bytes) ${usearch.recall.toFixed(3)}`,
    }),
    makeFigure([besideLatency.p50], {
      name: `nearest p50 with the document, ${few}`,
      unit: 'ms',
      better: 'lower',
      peers: `USearch ${usearchLatency.p50.toFixed(2)} without documents or filters, p99 ${usearchLatency.p99.toFixed(2)}`,
    }),
    makeFigure([result.catalogPerSecond], {
      name: `durable import with texts, ${few}`,
      unit: 'documents/s',
      better: 'higher',
      peers: `USearch ${Math.round(usearch.buildPerSecond).toLocaleString('en')} vectors/s in memory, ${Math.round(usearch.bytesPerVector)} bytes of memory a vector`,
    }),
  ]
}
