/** Measures USearch, a library with a graph (HNSW) for nearest vectors, with bytes in place of floats. It filters nothing. */
import { stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { cachedFolder, run } from '#bench/peers/start'
import { dimensions } from './clusters.ts'

const version = '2.26.2'
const threads = 1

/** The part of the package that the bench uses (unum-cloud.github.io/USearch). */
interface Library {
  Index: new (config: {
    dimensions: number
    metric: string
    quantization: string
    connectivity: number
    expansion_add: number
    expansion_search: number
    multi: boolean
  }) => {
    add(keys: BigUint64Array, vectors: Float32Array, threads: number): void
    search(vector: Float32Array, count: number, threads: number): { keys: BigUint64Array }
    save(path: string): void
  }
}

export interface LibraryResult {
  vectors: number
  buildPerSecond: number
  bytesPerVector: number
  /** Milliseconds of each query. */
  queryMs: number[]
  /** The vectors that each query found, by number. */
  results: number[][]
}

/** Builds an index with the default settings of the library, and asks each query for the `count` nearest vectors. Installs it from npm. */
export const measureUsearch = async (
  vectors: Float32Array,
  queries: readonly Float32Array[],
  count: number,
  folder: string,
): Promise<LibraryResult> => {
  const installed = await cachedFolder(`usearch-${version}`, async target => {
    // Its install script would only look for a compiler: the package brings compiled files.
    await run('npm', ['install', '--prefix', target, '--ignore-scripts', `usearch@${version}`])
  })
  const library = createRequire(join(installed, 'node_modules', 'x'))('usearch') as Library
  const index = new library.Index({
    dimensions,
    metric: 'cos',
    quantization: 'i8',
    // 0: the default.
    connectivity: 0,
    expansion_add: 0,
    expansion_search: 0,
    multi: false,
  })
  const total = vectors.length / dimensions
  const startedMs = performance.now()
  index.add(
    BigUint64Array.from({ length: total }, (_, key) => BigInt(key)),
    vectors,
    threads,
  )
  const buildPerSecond = (1000 * total) / (performance.now() - startedMs)
  const path = join(folder, 'usearch')
  index.save(path)
  const queryMs: number[] = []
  const results = queries.map(query => {
    const queryStartedMs = performance.now()
    const { keys } = index.search(query, count, threads)
    queryMs.push(performance.now() - queryStartedMs)
    return Array.from(keys, Number)
  })
  return { vectors: total, buildPerSecond, bytesPerVector: (await stat(path)).size / total, queryMs, results }
}
