/**
 * What a search stands on: the documents that the restrictions of its plan let through, and nothing else. Scores are made of their
 * statistics alone: else they would tell what is hidden. What was asked about them is kept as long as the version of the generation
 * stays, within bounds.
 */
import { LRUCache } from 'lru-cache'
import type { Analyser } from './analysis.ts'
import type { Schema } from './schema.ts'
import type { Clause } from './values.ts'

/** What is sent to `_search`; `_msearch` takes several. */
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

/** Asks the index; several at once. */
export type Ask = (bodies: readonly SearchBody[]) => Promise<SearchReply[]>

/** Numbers that were asked for about visible documents. */
export type Numbers = LRUCache<string, number>

export interface Ground {
  schema: Schema
  analyser: Analyser
  ask: Ask
  /** What every clause is narrowed by; empty where nothing is hidden. */
  visible: readonly Clause[]
  numbers: Numbers
}

const groundsMax = 64
const numbersMax = 8_192

/** Those of one version of a generation, by the restrictions they belong to. */
export const openNumbers = () => {
  let version = -1
  const kept = new LRUCache<string, Numbers>({ max: groundsMax })
  return (at: number, visible: readonly Clause[]): Numbers => {
    if (at !== version) kept.clear()
    version = at
    const key = JSON.stringify(visible)
    const numbers = kept.get(key) ?? new LRUCache<string, number>({ max: numbersMax })
    kept.set(key, numbers)
    return numbers
  }
}

/** Numbers of visible documents that satisfy each clause, in one request for those that are not known. */
export async function countsOf(ground: Ground, clauses: readonly Clause[]): Promise<number[]> {
  return known(
    ground,
    clauses.map(clause => ({
      key: `count ${JSON.stringify(clause)}`,
      body: { size: 0, track_total_hits: true, query: narrowed(ground, [clause]) },
    })),
    reply => reply.hits.total?.value ?? 0,
  )
}

/** The least score that each clause gives to a visible document; NaN where none has it. */
export async function leastScoresOf(ground: Ground, clauses: readonly Clause[]): Promise<number[]> {
  return known(
    ground,
    clauses.map(clause => ({
      key: `least ${JSON.stringify(clause)}`,
      body: {
        size: 1,
        _source: false,
        track_total_hits: false,
        sort: [{ _score: 'asc' }],
        query: { bool: { must: [clause], filter: ground.visible } },
      },
    })),
    reply => Number(reply.hits.hits[0]?.sort?.[0] ?? Number.NaN),
  )
}

/** Words of the visible documents in a column that holds their number. */
export async function lengthOf(ground: Ground, lengths: string): Promise<number> {
  const [length = 0] = await known(
    ground,
    [
      {
        key: `length ${lengths}`,
        body: {
          size: 0,
          track_total_hits: false,
          query: narrowed(ground, []),
          aggs: { length: { sum: { field: lengths } } },
        },
      },
    ],
    // Asked for just above.
    reply => (reply.aggregations as { length: { value: number } }).length.value,
  )
  return length
}

const narrowed = ({ visible }: Ground, clauses: readonly Clause[]): Clause => ({
  bool: { filter: [...clauses, ...visible] },
})

async function known(
  { ask, numbers }: Ground,
  wanted: readonly { key: string; body: SearchBody }[],
  read: (reply: SearchReply) => number,
): Promise<number[]> {
  const found = new Map(wanted.map(({ key }) => [key, numbers.get(key)]))
  const missing = [...new Map(wanted.map(one => [one.key, one])).values()].filter(
    ({ key }) => found.get(key) === undefined,
  )
  if (missing.length > 0) {
    const replies = await ask(missing.map(({ body }) => body))
    for (const [at, { key }] of missing.entries()) {
      const reply = replies[at]
      const number = reply ? read(reply) : 0
      found.set(key, number)
      numbers.set(key, number)
    }
  }
  return wanted.map(({ key }) => found.get(key) ?? 0)
}
