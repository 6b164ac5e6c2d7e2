/**
 * Metrics for Prometheus. The server counts in plain numbers, which the library reads at each scrape. The library's own histograms cost a
 * query more than all of this (bench/notes/performance.md, "What is observed").
 */
import type { Metric } from 'prom-client'
import { type Engine, EngineError } from '#engines/engine'
import type { Storage } from '#storage/db'
import type { Directory } from '#storage/directory'
import type { Counter, Counters } from './counters.ts'
import type { Health } from './health.ts'
import {
  forEachStep,
  type Observer,
  type QueryStep,
  querySteps,
  readStatus,
  type Service,
} from './request-attributes.ts'

export interface MetricsSources {
  counts: Counters
  storage: Pick<Storage, 'silentMs' | 'connections'>
  directory: Pick<Directory, 'lookups'>
  /** Lookups of the token cache. */
  bearer: { readonly lookups: { hits: number; misses: number } }
}

export interface Metrics {
  observe: Observer
  /** Returns an engine that also counts its searches. */
  instrument(engine: Engine): Engine
  /** Adds metrics from these parts. */
  setSources(sources: MetricsSources): void
  contentType: string
  /** Returns all metrics in the text format. */
  text(): Promise<string>
}

/** Upper bounds in seconds: most queries take less than a millisecond, none more than its deadline. */
const bucketBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Data of a histogram. */
interface Durations {
  /** Counts by upper bound; the last one is for durations beyond all bounds. */
  buckets: number[]
  seconds: number
}
const emptyDurations = (): Durations => ({
  buckets: Array<number>(bucketBounds.length + 1).fill(0),
  seconds: 0,
})

const addDuration = (durations: Durations, ms: number): void => {
  const seconds = ms / 1000
  let bucket = 0
  while (bucket < bucketBounds.length && seconds > (bucketBounds[bucket] ?? 0)) bucket += 1
  durations.buckets[bucket] = (durations.buckets[bucket] ?? 0) + 1
  durations.seconds += seconds
}

/** Requests of one service, method and route. */
interface RequestStats {
  labels: { service: Service; method: string; route: string }
  statuses: Map<number, number>
  durations: Durations
}

/** All other methods share one label value, because clients could invent any number of them. */
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

type Labels = Record<string, string>
interface Sample {
  labels: Labels
  value: number
  /** Set if it differs from the name of the metric. */
  metricName?: string
}

export const openMetrics = async (health: Pick<Health, 'failing'>, version: string): Promise<Metrics> => {
  const { collectDefaultMetrics, Registry } = await import('prom-client')
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })

  const queries: Record<QueryStep, Durations> = {
    authorise: emptyDurations(),
    compile: emptyDurations(),
    wait: emptyDurations(),
    engine: emptyDurations(),
    serialise: emptyDurations(),
  }
  const requests: Record<Service, Map<string, Map<string, RequestStats>>> = {
    query: new Map(),
    authorization: new Map(),
  }
  const getRequestStats = (service: Service, route: string, method: string): RequestStats => {
    let statsByMethod = requests[service].get(route)
    if (!statsByMethod) {
      statsByMethod = new Map()
      requests[service].set(route, statsByMethod)
    }
    let stats = statsByMethod.get(method)
    if (!stats) {
      const name = knownMethods.has(method) ? method : 'other'
      stats = statsByMethod.get(name) ?? {
        labels: { service, method: name, route },
        statuses: new Map(),
        durations: emptyDurations(),
      }
      statsByMethod.set(name, stats)
    }
    return stats
  }
  const searches = { running: 0, ended: new Map<string, number>() }
  let sources: MetricsSources | undefined

  const registerMetric = (
    type: 'counter' | 'gauge' | 'histogram',
    name: string,
    help: string,
    read: () => Sample[],
  ) => {
    const promMetric = {
      name,
      help,
      type,
      aggregator: 'sum',
      get: async () => ({ name, help, type, values: read() }),
    }
    // The registry needs only these members, but its types accept only the classes of the library.
    registry.registerMetric(promMetric as unknown as Metric)
  }
  const registerCounter = (name: string, label: string, help: string, read: () => Counter | undefined) =>
    registerMetric('counter', name, help, () =>
      [...(read() ?? [])].map(([value, count]) => ({ labels: { [label]: value }, value: count })),
    )
  const registerGauge = (name: string, help: string, read: (source: MetricsSources) => number | undefined) =>
    registerMetric('gauge', name, help, () => toSample(sources && read(sources)))
  const registerLookups = (name: string, help: string, read: (source: MetricsSources) => Lookups[]) =>
    registerMetric('counter', name, help, () => (sources ? read(sources) : []).flatMap(toSamples))
  const registerHistogram = (
    name: string,
    help: string,
    read: () => { labels: Labels; durations: Durations }[],
  ) =>
    registerMetric('histogram', name, help, () => read().flatMap(series => toHistogramSamples(name, series)))
  const allRequests = () =>
    [...requests.query.values(), ...requests.authorization.values()].flatMap(ofRoute => [...ofRoute.values()])

  registerMetric('gauge', 'querent_build_info', 'Versions of this server and of Node.js; always 1', () => [
    { labels: { version, node: process.version }, value: 1 },
  ])
  registerMetric('gauge', 'querent_ready', 'Whether /readyz says 200', () =>
    toSample(health.failing().length === 0 ? 1 : 0),
  )
  registerMetric(
    'counter',
    'querent_http_requests_total',
    'Requests that were answered or aborted by the client',
    () =>
      allRequests().flatMap(({ labels, statuses }) =>
        [...statuses].map(([status, value]) => ({ labels: { ...labels, status: String(status) }, value })),
      ),
  )
  registerHistogram(
    'querent_http_request_duration_seconds',
    'Time from the head of a request to the end of its reply',
    allRequests,
  )
  registerHistogram('querent_query_step_duration_seconds', 'Time of each step of a query', () =>
    querySteps.map(step => ({ labels: { step }, durations: queries[step] })),
  )
  registerMetric('gauge', 'querent_searches_running', 'Searches that run or wait in the engine', () =>
    toSample(searches.running),
  )
  registerGauge('querent_queries_waiting', 'Queries that wait for their turn', source =>
    source.counts.waitingQueries(),
  )
  registerCounter(
    'querent_searches_total',
    'outcome',
    'Finished searches by outcome: ok or an error code',
    () => searches.ended,
  )
  registerCounter(
    'querent_tokens_issued_total',
    'grant',
    'Issued access tokens by grant',
    () => sources?.counts.tokens,
  )
  registerCounter(
    'querent_token_refusals_total',
    'error',
    'Rejected token requests by error',
    () => sources?.counts.tokenRefusals,
  )
  registerCounter(
    'querent_access_refusals_total',
    'check',
    'Rejected requests by failed check',
    () => sources?.counts.refusals,
  )
  registerLookups(
    'querent_token_cache_lookups_total',
    'Lookups of verified access tokens in memory',
    source => [{ labels: {}, ...source.bearer.lookups }],
  )
  registerLookups(
    'querent_directory_lookups_total',
    'Lookups in the directory, answered from memory or not',
    source =>
      Object.entries(source.directory.lookups()).map(([kind, lookups]) => ({ labels: { kind }, ...lookups })),
  )
  registerGauge('querent_plans_kept', 'Requests in memory with their plans', source =>
    source.counts.cachedPlans(),
  )
  registerGauge(
    'querent_imports_running',
    'Imports that are running',
    source => source.counts.imports.running,
  )
  registerMetric('counter', 'querent_import_documents_total', 'Documents that imports wrote', () =>
    toSample(sources?.counts.imports.documents),
  )
  registerMetric(
    'gauge',
    'querent_storage_connections',
    'Connections to PostgreSQL by state, and requests that wait for one',
    () =>
      Object.entries(sources?.storage.connections() ?? {}).map(([state, value]) => ({
        labels: { state },
        value,
      })),
  )
  registerGauge(
    'querent_change_feed_age_seconds',
    'Time since the storage last responded',
    source => source.storage.silentMs() / 1000,
  )

  return {
    observe(observation, endedMs) {
      const { service, request, response, attributes, startedMs } = observation
      const stats = getRequestStats(service, attributes.route ?? 'none', request.method ?? 'GET')
      const status = readStatus(response)
      stats.statuses.set(status, (stats.statuses.get(status) ?? 0) + 1)
      addDuration(stats.durations, endedMs - startedMs)
      forEachStep(observation, (step, startMs, endMs) => addDuration(queries[step], endMs - startMs))
    },
    instrument: engine => ({
      ...engine,
      search(...args) {
        searches.running += 1
        const results = engine.search(...args)
        results.then(
          () => endSearch('ok'),
          (error: unknown) => endSearch(error instanceof EngineError ? error.code : 'fault'),
        )
        return results
      },
    }),
    setSources(newSources) {
      sources = newSources
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
  }

  function endSearch(outcome: string) {
    searches.running -= 1
    searches.ended.set(outcome, (searches.ended.get(outcome) ?? 0) + 1)
  }
}

const toSample = (value: number | undefined): Sample[] => (value === undefined ? [] : [{ labels: {}, value }])

interface Lookups {
  labels: Labels
  hits: number
  misses: number
}
const toSamples = ({ labels, hits, misses }: Lookups): Sample[] => [
  { labels: { ...labels, result: 'hit' }, value: hits },
  { labels: { ...labels, result: 'miss' }, value: misses },
]

const toHistogramSamples = (
  name: string,
  { labels, durations: { buckets, seconds } }: { labels: Labels; durations: Durations },
): Sample[] => {
  let count = 0
  const cumulative = buckets.map((inBucket, index) => {
    count += inBucket
    return {
      metricName: `${name}_bucket`,
      labels: { ...labels, le: String(bucketBounds[index] ?? '+Inf') },
      value: count,
    }
  })
  return [
    ...cumulative,
    { metricName: `${name}_sum`, labels, value: seconds },
    { metricName: `${name}_count`, labels, value: count },
  ]
}
