/** The measured process of `npm run bench -- vectors`, on one core: imports, searches, and the exact search next to it. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { openEmbeddedEngine } from '#server/engines/embedded/embedded'
import type { Plan } from '#server/engines/engine'
import { createClusters, dimensions } from './clusters.ts'
import { catalog, createSpec, type DocumentKind, importAll, short, tags } from './imports.ts'
import { type LibraryResult, measureUsearch } from './usearch.ts'

export interface VectorsTask {
  folder: string
  vectors: number
  queries: number
}

export interface VectorsResult {
  importPerSecond: number
  importWithoutPerSecond: number
  /** The rate for documents with a paragraph and several fields. */
  catalogPerSecond: number
  catalogWithoutPerSecond: number
  indexBytesPerVector: number
  /** Milliseconds of each query. */
  all: number[]
  filtered: number[]
  exactMs: number
  /** Share of the 10 nearest documents that the search finds too. */
  recall: number
  filteredRecall: number
  /** A library with a graph and the engine, with the same vectors, of which there are fewer. */
  usearch: LibraryResult & { recall: number }
  beside: { queryMs: number[]; recall: number }
}

const generation = 'vectors'
/** Also the vectors of the library, which needs minutes for more. */
const catalogDocumentsMax = 100_000
const top = 10
const deadlineMs = 60_000
/** The exact search takes a second for a million vectors. */
const judgedQueries = 60

const makePlan = (vector: Float32Array, tag: string | undefined): Plan => ({
  nodes: [
    { kind: 'nearest', field: 'meaning', vector: [...vector], limit: 1000, minimum: 0 },
    ...(tag === undefined
      ? []
      : [{ kind: 'filter' as const, field: 'tag', alternatives: [{ score: 1, values: [tag] }] }]),
  ],
  restrictions: [],
  order: [{ by: 'score' }],
  cutoff: 0,
  offset: 0,
  count: top,
  statistics: false,
  total: false,
})

/** The indexes of the nearest vectors, by exact cosines. */
const findExact = (
  vectors: Float32Array,
  query: Float32Array,
  isAllowed: (index: number) => boolean,
): number[] => {
  const best: { index: number; score: number }[] = []
  const count = vectors.length / dimensions
  for (let index = 0; index < count; index++) {
    if (!isAllowed(index)) continue
    let score = 0
    const start = index * dimensions
    for (let dimension = 0; dimension < dimensions; dimension++)
      score += (vectors[start + dimension] ?? 0) * (query[dimension] ?? 0)
    if (best.length < top || score > (best.at(-1)?.score ?? -1)) {
      best.push({ index, score })
      best.sort((a, b) => b.score - a.score)
      best.length = Math.min(best.length, top)
    }
  }
  return best.map(({ index }) => index)
}

/** Share of `expected` that is in `found`. */
const findShare = (expected: readonly number[], found: readonly number[]): number =>
  expected.filter(vector => found.includes(vector)).length / expected.length

const folderBytes = async (folder: string): Promise<number> => {
  const names = await readdir(folder)
  const sizes = await Promise.all(names.map(async name => (await stat(join(folder, name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

const run = async ({ folder, vectors: count, queries }: VectorsTask): Promise<VectorsResult> => {
  const vectors = new Float32Array(count * dimensions)
  const stored = createClusters(1, 2)
  for (let index = 0; index < count; index++)
    stored.write(vectors.subarray(index * dimensions, (index + 1) * dimensions))
  const queryClusters = createClusters(1, 3)
  const queryVectors = Array.from({ length: queries }, () => {
    const vector = new Float32Array(dimensions)
    queryClusters.write(vector)
    return vector
  })
  const engine = await openEmbeddedEngine({ dataDir: folder })
  const open = async (name: string, kind: DocumentKind, documents: number, ownVectors?: Float32Array) => {
    await engine.open(name, createSpec(kind, ownVectors !== undefined))
    return await importAll(engine, name, kind, documents, ownVectors)
  }
  const importWithoutPerSecond = await open('plain', short, count)
  await engine.release('plain')
  const importPerSecond = await open(generation, short, count, vectors)
  await engine.release(generation)
  const catalogKind = await catalog()
  const catalogDocuments = Math.min(count, catalogDocumentsMax)
  const catalogWithoutPerSecond = await open('catalog-plain', catalogKind, catalogDocuments)
  await engine.release('catalog-plain')
  const catalogPerSecond = await open('catalog', catalogKind, catalogDocuments, vectors)
  // Closing waits for merges.
  await engine.close()
  const plainBytes = await folderBytes(join(folder, 'plain', 'index'))
  const indexBytes = await folderBytes(join(folder, generation, 'index'))
  const reopenedEngine = await openEmbeddedEngine({ dataDir: folder })
  await reopenedEngine.open(generation, createSpec(short, true))

  const search = async (vector: Float32Array, tag?: string, name = generation) => {
    const plan = makePlan(vector, tag)
    const startedMs = performance.now()
    const { hits } = await reopenedEngine.search(name, plan, deadlineMs)
    const ms = performance.now() - startedMs
    return { ms, results: hits.map(({ entity }) => Number(/example\/(\d+)/.exec(entity)?.[1])) }
  }
  // The first search reads the signs.
  for (const vector of queryVectors.slice(0, 20)) {
    await search(vector)
    await search(vector, 't0')
  }
  const result: Omit<VectorsResult, 'usearch' | 'beside'> = {
    importPerSecond,
    importWithoutPerSecond,
    catalogPerSecond,
    catalogWithoutPerSecond,
    indexBytesPerVector: (indexBytes - plainBytes) / count,
    all: [],
    filtered: [],
    exactMs: 0,
    recall: 0,
    filteredRecall: 0,
  }
  const judged = Math.min(judgedQueries, queries)
  for (const [index, vector] of queryVectors.entries()) {
    const tag = index % tags
    const { ms, results } = await search(vector)
    result.all.push(ms)
    const { ms: filteredMs, results: filteredFound } = await search(vector, `t${tag}`)
    result.filtered.push(filteredMs)
    if (index >= judged) continue
    const startedMs = performance.now()
    const exact = findExact(vectors, vector, () => true)
    result.exactMs += (performance.now() - startedMs) / judged
    result.recall += findShare(exact, results) / judged
    const exactFiltered = findExact(vectors, vector, document => document % tags === tag)
    result.filteredRecall += findShare(exactFiltered, filteredFound) / judged
  }
  const fewVectors = vectors.subarray(0, catalogDocuments * dimensions)
  const exact = queryVectors.slice(0, judged).map(vector => findExact(fewVectors, vector, () => true))
  const meanRecall = (found: readonly (readonly number[])[]) =>
    exact.reduce((sum, expected, index) => sum + findShare(expected, found[index] ?? []) / judged, 0)
  await reopenedEngine.open('catalog', createSpec(catalogKind, true))
  const smallSearches: { ms: number; results: number[] }[] = []
  for (const vector of queryVectors) smallSearches.push(await search(vector, undefined, 'catalog'))
  await reopenedEngine.close()
  const usearch = await measureUsearch(fewVectors, queryVectors, top, folder)
  return {
    ...result,
    usearch: { ...usearch, recall: meanRecall(usearch.results) },
    beside: {
      queryMs: smallSearches.map(({ ms }) => ms),
      recall: meanRecall(smallSearches.map(({ results }) => results)),
    },
  }
}

process.once('message', async (task: VectorsTask) => {
  process.send?.(await run(task))
  process.disconnect()
})
process.send?.({ ready: true })
