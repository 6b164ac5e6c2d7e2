/** Makes the summary of a workspace's usage from its stored counts. Pure. */
import type { UsageSummary } from '@querent/contract/manage'
import { type CountAtTime, type CountByName, type UsagePeriod, unitMs } from '#storage/usage-counts'
import { estimatePercentile } from '#usage/durations'
import type { UsageSight } from './usage-sight.ts'

type Count = Pick<CountAtTime, 'kind' | 'detail' | 'count'>

/** Endpoints in a summary. */
const endpointsMax = 1000

const seesAll = { seesEndpoint: () => true, seesCollection: () => true }

/** `overTime` is filtered already; `byName` is not. */
export const summarizeCounts = (
  { unit, from, to }: UsagePeriod,
  overTime: readonly CountAtTime[],
  byName: readonly CountByName[],
  { seesEndpoint, seesCollection }: Pick<UsageSight, 'seesEndpoint' | 'seesCollection'> = seesAll,
): Omit<UsageSummary, 'previous' | 'queryLog' | 'topSearches' | 'topEmptySearches'> => {
  const byStart = Map.groupBy(overTime, ({ start }) => start)
  const starts = Array.from(
    { length: (to - from) / unitMs[unit] + 1 },
    (_, index) => from + index * unitMs[unit],
  )
  const sumReasons = (kind: Count['kind'], readReason = (detail: string): string | undefined => detail) =>
    listReasons(
      overTime.filter(count => count.kind === kind),
      readReason,
    )
  return {
    step: unit,
    points: starts.map(start => ({
      start: new Date(start).toISOString(),
      ...summarizeFigures(byStart.get(start) ?? []),
    })),
    total: summarizeFigures(overTime),
    endpoints: listEndpoints(byName).filter(({ api, endpoint }) => seesEndpoint(api, endpoint)),
    refusals: sumReasons('refusal'),
    failures: sumReasons('query', readFailure),
    tokens: sumReasons('token'),
    tokenErrors: sumReasons('token-error'),
    imports: listImports(byName).filter(({ collection }) => seesCollection(collection)),
  }
}

const failurePrefix = 'failed:'
const readFailure = (detail: string): string | undefined =>
  detail.startsWith(failurePrefix) ? detail.slice(failurePrefix.length) : undefined

export const summarizeFigures = (counts: readonly Count[]) => ({
  ...summarizeQueries(counts),
  refusals: sum(counts, ({ kind }) => kind === 'refusal'),
  tokens: sum(counts, ({ kind }) => kind === 'token'),
  tokenErrors: sum(counts, ({ kind }) => kind === 'token-error'),
  accepted: sum(counts, ({ kind, detail }) => kind === 'import' && detail === 'accepted'),
  rejected: sum(counts, ({ kind, detail }) => kind === 'import' && detail === 'rejected'),
})

const summarizeQueries = (counts: readonly Count[]) => {
  const queries = counts.filter(({ kind }) => kind === 'query')
  const empty = sum(queries, ({ detail }) => detail === 'empty')
  const histogram = new Map<number, number>()
  for (const { kind, detail, count } of counts)
    if (kind === 'duration') histogram.set(Number(detail), (histogram.get(Number(detail)) ?? 0) + count)
  const searches = counts.filter(({ kind }) => kind === 'search')
  return {
    searches: sum(searches, () => true),
    emptySearches: sum(searches, ({ detail }) => detail === 'empty'),
    queries: sum(queries, () => true),
    failed: sum(queries, ({ detail }) => readFailure(detail) !== undefined),
    counted: empty + sum(queries, ({ detail }) => detail === 'found'),
    empty,
    p50Ms: estimatePercentile(histogram, 0.5),
    p99Ms: estimatePercentile(histogram, 0.99),
  }
}

const sum = (counts: readonly Count[], isIncluded: (count: Count) => boolean): number =>
  counts.reduce((total, count) => (isIncluded(count) ? total + count.count : total), 0)

const listReasons = (
  counts: readonly Count[],
  readReason: (detail: string) => string | undefined,
): UsageSummary['refusals'] => {
  const sums = new Map<string, number>()
  for (const { detail, count } of counts) {
    const reason = readReason(detail)
    if (reason !== undefined) sums.set(reason, (sums.get(reason) ?? 0) + count)
  }
  return [...sums].map(([reason, count]) => ({ reason, count })).toSorted((a, b) => b.count - a.count)
}

const listEndpoints = (counts: readonly CountByName[]): UsageSummary['endpoints'] => {
  const ofQueries = counts.filter(({ kind }) => ['query', 'search', 'duration'].includes(kind))
  return [...Map.groupBy(ofQueries, ({ api, name }) => `${api} ${name}`).values()]
    .map(ofEndpoint => {
      const [{ api, name } = { api: '', name: '' }] = ofEndpoint
      return { api, endpoint: name, ...summarizeQueries(ofEndpoint) }
    })
    .toSorted((a, b) => b.queries - a.queries)
    .slice(0, endpointsMax)
}

const listImports = (counts: readonly CountByName[]): UsageSummary['imports'] => {
  const ofImports = counts.filter(({ kind }) => kind === 'import')
  return [...Map.groupBy(ofImports, ({ name }) => name)]
    .map(([collection, ofCollection]) => ({
      collection,
      accepted: sum(ofCollection, ({ detail }) => detail === 'accepted'),
      rejected: sum(ofCollection, ({ detail }) => detail === 'rejected'),
    }))
    .toSorted((a, b) => b.accepted + b.rejected - a.accepted - a.rejected)
}
