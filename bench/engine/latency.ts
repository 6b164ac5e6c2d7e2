/** Latency of a search for its caller: one search after another, on an otherwise idle engine. */
import type { Engine, Plan, PlanNode } from '#server/engines/engine'
import { type CompiledApi, compileApi } from '#server/query/plan/compile'
import { catalog } from './corpus.ts'
import { facetFields, type Stack } from './queries.ts'

/** Milliseconds of one round. */
export interface Latency {
  p50: number
  p99: number
}

export type Search = (stack: Stack) => Promise<unknown>

const deadlineMs = 60_000
/** A round of slow searches has fewer of them. */
const roundMsMax = 3_000
const page = { filters: [], offset: 0, count: 10, cutoff: 0 }

const soldOnly: PlanNode = { kind: 'filter', field: 'sold', alternatives: [{ score: 1, values: [true] }] }

const api: CompiledApi = compileApi(catalog, 'shop')

/** The engine searches that the query service makes for its request types. */
export const makeSearches = (engine: Engine, generation: string) => {
  const search = (plan: Plan) => engine.search(generation, plan, deadlineMs)
  const resultsPlan = (stack: Stack) => api.plan({ ...page, stack, statistics: false, total: false }).plan
  const optionsPlan = (stack: Stack, facet: string) =>
    api.options({ ...page, stack, facet, multiselect: false }).plan
  /** `results,count` and `options` of three facets in parallel, as for a page with facets. */
  const withFacets = (stack: Stack, facets: keyof typeof facetFields, restrictions: PlanNode[] = []) =>
    Promise.all(
      [
        api.plan({ ...page, stack, statistics: true }).plan,
        ...facetFields[facets].map(facet => optionsPlan(stack, facet)),
      ].map(plan => search(restrictions.length > 0 ? { ...plan, restrictions } : plan)),
    )
  return {
    /** `results`: the first ten, with their documents. */
    results: (stack: Stack) => search(resultsPlan(stack)),
    /** `results` for a member whose row filter shows 20 % of the documents. */
    visibleResults: (stack: Stack) => search({ ...resultsPlan(stack), restrictions: [soldOnly] }),
    withFacets,
    /** `withFacets` for a member whose row filter shows 20 % of the documents. */
    visibleWithFacets: (stack: Stack, facets: keyof typeof facetFields) =>
      withFacets(stack, facets, [soldOnly]),
  }
}

/** Median and 99th percentile of each round. The first round is a warm-up and does not count. */
export const latencies = async (
  search: Search,
  stacks: readonly Stack[],
  rounds: number,
): Promise<Latency[]> => {
  const latencies: Latency[] = []
  for (let round = 0; round <= rounds; round++) {
    const times: number[] = []
    const end = performance.now() + roundMsMax
    for (const stack of stacks) {
      if (performance.now() > end) break
      const start = performance.now()
      await search(stack)
      times.push(performance.now() - start)
    }
    times.sort((left, right) => left - right)
    const quantile = (share: number) =>
      times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? Number.NaN
    if (round > 0) latencies.push({ p50: quantile(0.5), p99: quantile(0.99) })
  }
  return latencies
}

/** Searches per second, at this concurrency and for this duration. */
export const searchRate = async (
  search: Search,
  stacks: readonly Stack[],
  atOnce: number,
  seconds: number,
): Promise<number> => {
  const end = performance.now() + 1000 * seconds
  let done = 0
  const searchOn = async () => {
    while (performance.now() < end) {
      const stack = stacks[done++ % stacks.length]
      if (stack) await search(stack)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, searchOn))
  return done / seconds
}
