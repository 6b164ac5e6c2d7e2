/**
 * The context of a search: the documents that satisfy the restrictions of its plan. Scores use only the statistics of these documents,
 * otherwise they would reveal hidden ones. Statistics are cached while the version of the generation stays the same.
 */
import { LRUCache } from 'lru-cache'
import type { Schema } from './schema.ts'
import type { Clause } from './values.ts'

/** Body of a `_search` request. */
export interface SearchBody extends Record<string, unknown> {
  query?: Clause | undefined
}

export interface SearchReply {
  hits: {
    total?: { value: number }
    max_score: number | null
    hits: {
      _id: string
      _score: number | null
      _source?: { entity: string }
      fields?: { id?: string[] }
      sort?: unknown[]
    }[]
  }
  aggregations?: Record<string, unknown>
}

/** Runs several searches on the index. */
export type MultiSearch = (bodies: readonly SearchBody[]) => Promise<SearchReply[]>

/** Cached statistics of the visible documents. */
export type StatisticsCache = LRUCache<string, number>

export interface SearchContext {
  schema: Schema
  search: MultiSearch
  /** Filters that every search applies; empty if no document is hidden. */
  visible: readonly Clause[]
  statistics: StatisticsCache
}

const cachesMax = 64
const cacheEntriesMax = 8_192

/** Returns a function that returns the cache for the given restrictions. It keeps the caches of one version of a generation. */
export const createStatisticsCaches = () => {
  let version = -1
  const caches = new LRUCache<string, StatisticsCache>({ max: cachesMax })
  return (newVersion: number, visible: readonly Clause[]): StatisticsCache => {
    if (newVersion !== version) caches.clear()
    version = newVersion
    const key = JSON.stringify(visible)
    const statistics = caches.get(key) ?? new LRUCache<string, number>({ max: cacheEntriesMax })
    caches.set(key, statistics)
    return statistics
  }
}

/** Counts the visible documents that match each clause, with one request for all counts that are not cached. */
export async function countMatches(context: SearchContext, clauses: readonly Clause[]): Promise<number[]> {
  return readStatistics(
    context,
    clauses.map(clause => ({
      key: `count ${JSON.stringify(clause)}`,
      body: { size: 0, track_total_hits: true, query: withVisible(context, [clause]) },
    })),
    reply => reply.hits.total?.value ?? 0,
  )
}

/** Returns the number of words of the visible documents, from a column that stores the number per document. */
export async function sumLengths(context: SearchContext, lengths: string): Promise<number> {
  const [length = 0] = await readStatistics(
    context,
    [
      {
        key: `length ${lengths}`,
        body: {
          size: 0,
          track_total_hits: false,
          query: withVisible(context, []),
          aggs: { length: { sum: { field: lengths } } },
        },
      },
    ],
    // The request above names this aggregation `length`.
    reply => (reply.aggregations as { length: { value: number } }).length.value,
  )
  return length
}

const withVisible = ({ visible }: SearchContext, clauses: readonly Clause[]): Clause => ({
  bool: { filter: [...clauses, ...visible] },
})

async function readStatistics(
  { search, statistics }: SearchContext,
  requests: readonly { key: string; body: SearchBody }[],
  read: (reply: SearchReply) => number,
): Promise<number[]> {
  const values = new Map(requests.map(({ key }) => [key, statistics.get(key)]))
  const missing = [...new Map(requests.map(one => [one.key, one])).values()].filter(
    ({ key }) => values.get(key) === undefined,
  )
  if (missing.length > 0) {
    const replies = await search(missing.map(({ body }) => body))
    for (const [index, { key }] of missing.entries()) {
      const reply = replies[index]
      const number = reply ? read(reply) : 0
      values.set(key, number)
      statistics.set(key, number)
    }
  }
  return requests.map(({ key }) => values.get(key) ?? 0)
}
