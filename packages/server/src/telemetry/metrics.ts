/**
 * Metrics for Prometheus. The server counts in plain numbers, which the library reads at each scrape. The library's own histograms cost a
 * query more than all of this (bench/notes/performance.md, "What is observed").
 */
import type { Metric, Registry } from 'prom-client'
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
import {
  addDuration,
  createDurations,
  type Durations,
  type Labels,
  type Lookups,
  type Sample,
  toHistogramSamples,
  toLookupSamples,
  toSample,
} from './samples.ts'

export interface MetricsSources {
  counts: Counters
  storage: Pick<Storage, 'silentMs' | 'connections' | 'disk'>
  engine: Pick<Engine, 'failures'>
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
  /** Returns all metrics in the text format, those of other threads included. */
  text(): Promise<string>
  /** Returns the metrics of this thread, for {@link Metrics.addThread} of another one. */
  read(): Promise<ThreadMetrics>
  /** Adds the metrics of another thread. */
  addThread(read: () => Promise<ThreadMetrics>): void
}

/** The metrics of one thread in the form of the library. */
export type ThreadMetrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** Requests of one service, method and route. */
interface RequestStats {
  labels: { service: Service; method: string; route: string }
  statuses: Map<number, number>
  durations: Durations
}

/** All other methods share one label value, because clients could invent any number of them. */
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** All counters of the metrics. */
interface MetricsState {
  queries: Record<QueryStep, Durations>
  requests: Record<Service, Map<string, Map<string, RequestStats>>>
  searches: { running: number; ended: Map<string, number> }
  sources: MetricsSources | undefined
}

/** Gauges of the library whose names end like those of counters. Each is the sum of one without `_total`, by type. */
const misnamedTotals = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]

/** Metrics of the process, such as its memory, are those of the main thread only. */
export const openMetrics = async (
  health: Pick<Health, 'failing'>,
  version: string,
  isMainThread = true,
): Promise<Metrics> => {
  const { AggregatorRegistry, collectDefaultMetrics, Registry } = await import('prom-client')
  const registry = new Registry()
  if (isMainThread) collectDefaultMetrics({ register: registry })
  for (const name of misnamedTotals) registry.removeSingleMetric(name)
  const threads: (() => Promise<ThreadMetrics>)[] = []
  const readAll = async (): Promise<ThreadMetrics[]> => {
    const settled = await Promise.allSettled(threads.map(read => read()))
    const threadMetrics = settled.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
    return [await registry.getMetricsAsJSON(), ...threadMetrics]
  }
  const state: MetricsState = {
    queries: {
      authorize: createDurations(),
      compile: createDurations(),
      wait: createDurations(),
      engine: createDurations(),
      serialize: createDurations(),
    },
    requests: { query: new Map(), authorization: new Map() },
    searches: { running: 0, ended: new Map() },
    sources: undefined,
  }
  const registrar = createRegistrar(registry, state)
  registerServerMetrics(registrar, state, health, version)
  registerAccessMetrics(registrar, state)
  registerWorkMetrics(registrar, state)
  registerStorageMetrics(registrar, state)
  return {
    observe(observation, endedMs) {
      const { service, request, response, attributes, startedMs } = observation
      const stats = getRequestStats(
        state.requests,
        service,
        attributes.route ?? 'none',
        request.method ?? 'GET',
      )
      const status = readStatus(response)
      stats.statuses.set(status, (stats.statuses.get(status) ?? 0) + 1)
      addDuration(stats.durations, endedMs - startedMs)
      forEachStep(observation, (step, startMs, endMs) => addDuration(state.queries[step], endMs - startMs))
    },
    instrument: engine => ({
      ...engine,
      search(...args) {
        state.searches.running += 1
        const results = engine.search(...args)
        results.then(
          () => endSearch('ok'),
          (error: unknown) => endSearch(error instanceof EngineError ? error.code : 'fault'),
        )
        return results
      },
    }),
    setSources(newSources) {
      state.sources = newSources
    },
    contentType: registry.contentType,
    text: async () =>
      threads.length === 0 ? registry.metrics() : AggregatorRegistry.aggregate(await readAll()).metrics(),
    read: () => registry.getMetricsAsJSON(),
    addThread: read => void threads.push(read),
  }

  function endSearch(outcome: string) {
    state.searches.running -= 1
    state.searches.ended.set(outcome, (state.searches.ended.get(outcome) ?? 0) + 1)
  }
}

const getRequestStats = (
  requests: MetricsState['requests'],
  service: Service,
  route: string,
  method: string,
): RequestStats => {
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
      durations: createDurations(),
    }
    statsByMethod.set(name, stats)
  }
  return stats
}

/** How the values of several threads become one; by default the sum. */
const aggregators: Readonly<Record<string, 'first' | 'min' | 'max'>> = {
  querent_build_info: 'first',
  querent_ready: 'min',
  querent_change_feed_age_seconds: 'max',
  querent_collections_down: 'max',
  querent_mails_waiting: 'max',
  querent_mail_oldest_seconds: 'max',
  querent_disk_full: 'max',
  querent_disk_reserve_bytes: 'first',
}

type Registrar = ReturnType<typeof createRegistrar>

const createRegistrar = (registry: Registry, state: MetricsState) => {
  const registerMetric = (
    type: 'counter' | 'gauge' | 'histogram',
    name: string,
    help: string,
    read: () => Sample[],
  ) => {
    const description = { name, help, type, aggregator: aggregators[name] ?? 'sum' }
    const promMetric = { ...description, get: async () => ({ ...description, values: read() }) }
    // The registry needs only these members, but its types accept only the classes of the library. Their `collect()` would set each value
    // again at each scrape, shows 0 for values that are not there yet, and cannot fill a histogram.
    registry.registerMetric(promMetric as unknown as Metric)
  }
  const registerCounter = (name: string, label: string, help: string, read: () => Counter | undefined) =>
    registerMetric('counter', name, help, () =>
      [...(read() ?? [])].map(([value, count]) => ({ labels: { [label]: value }, value: count })),
    )
  const registerGauge = (name: string, help: string, read: (source: MetricsSources) => number | undefined) =>
    registerMetric('gauge', name, help, () => toSample(state.sources && read(state.sources)))
  const registerLookups = (name: string, help: string, read: (source: MetricsSources) => Lookups[]) =>
    registerMetric('counter', name, help, () =>
      (state.sources ? read(state.sources) : []).flatMap(toLookupSamples),
    )
  const registerHistogram = (
    name: string,
    help: string,
    read: () => { labels: Labels; durations: Durations }[],
  ) =>
    registerMetric('histogram', name, help, () => read().flatMap(series => toHistogramSamples(name, series)))
  return { registerMetric, registerCounter, registerGauge, registerLookups, registerHistogram }
}

/** Registers the metrics of this server's own counters. */
const registerServerMetrics = (
  { registerMetric, registerCounter, registerHistogram }: Registrar,
  state: MetricsState,
  health: Pick<Health, 'failing'>,
  version: string,
): void => {
  const listRequests = () =>
    [...state.requests.query.values(), ...state.requests.authorization.values()].flatMap(statsByMethod => [
      ...statsByMethod.values(),
    ])
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
      listRequests().flatMap(({ labels, statuses }) =>
        [...statuses].map(([status, value]) => ({ labels: { ...labels, status: String(status) }, value })),
      ),
  )
  registerHistogram(
    'querent_http_request_duration_seconds',
    'Time from the head of a request to the end of its reply',
    listRequests,
  )
  registerHistogram('querent_query_step_duration_seconds', 'Time of each step of a query', () =>
    querySteps.map(step => ({ labels: { step }, durations: state.queries[step] })),
  )
  registerMetric('gauge', 'querent_searches_running', 'Searches that run or wait in the engine', () =>
    toSample(state.searches.running),
  )
  registerCounter(
    'querent_searches_total',
    'outcome',
    'Finished searches by outcome: ok or an error code',
    () => state.searches.ended,
  )
}

/** Tokens and memberships. */
const registerAccessMetrics = (
  { registerCounter, registerLookups }: Registrar,
  state: MetricsState,
): void => {
  registerCounter(
    'querent_tokens_issued_total',
    'grant',
    'Issued access tokens by grant',
    () => state.sources?.counts.tokens,
  )
  registerCounter(
    'querent_token_refusals_total',
    'error',
    'Rejected token requests by error',
    () => state.sources?.counts.tokenRefusals,
  )
  registerCounter(
    'querent_provider_renewals_total',
    'outcome',
    "Refreshes for which a workspace's own OpenID provider was asked: renewed, refused or unavailable",
    () => state.sources?.counts.providerRenewals,
  )
  registerCounter(
    'querent_access_refusals_total',
    'check',
    'Rejected requests by failed check',
    () => state.sources?.counts.refusals,
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
}

/** Queries, mails, imports and background work. */
const registerWorkMetrics = (
  { registerMetric, registerCounter, registerGauge }: Registrar,
  state: MetricsState,
): void => {
  registerGauge('querent_queries_waiting', 'Queries that wait for their turn', source =>
    source.counts.waitingQueries(),
  )
  registerGauge('querent_plans_kept', 'Requests in memory with their plans', source =>
    source.counts.cachedPlans(),
  )
  registerGauge(
    'querent_collections_down',
    'Generations of collections that cannot be opened or rebuilt: their requests get 503',
    source => source.engine.failures?.().size ?? 0,
  )
  registerCounter(
    'querent_mails_total',
    'outcome',
    'Attempts to send a mail by outcome: accepted, delayed, rejected, unsupported, given-up, withdrawn or dropped',
    () => state.sources?.counts.mails,
  )
  registerGauge(
    'querent_mails_waiting',
    'Mails of all nodes that wait after a failed attempt',
    source => source.counts.mailBacklog().waiting,
  )
  registerGauge('querent_mail_oldest_seconds', 'Age of the oldest mail that waits', source => {
    const { oldestAt } = source.counts.mailBacklog()
    return oldestAt === undefined ? 0 : (Date.now() - oldestAt) / 1000
  })
  registerGauge(
    'querent_imports_running',
    'Imports that are running',
    source => source.counts.imports.running,
  )
  registerMetric('counter', 'querent_import_documents_total', 'Documents that imports wrote', () =>
    toSample(state.sources?.counts.imports.documents),
  )
  registerCounter(
    'querent_background_failures_total',
    'work',
    'Failed rounds of background work, by work; the next round tries again',
    () => state.sources?.counts.backgroundFailures,
  )
}

/** The storage and its disk. */
const registerStorageMetrics = ({ registerMetric, registerGauge }: Registrar, state: MetricsState): void => {
  registerMetric(
    'gauge',
    'querent_storage_connections',
    'Connections to PostgreSQL by state, and requests that wait for one',
    () =>
      Object.entries(state.sources?.storage.connections() ?? {}).map(([state, value]) => ({
        labels: { state },
        value,
      })),
  )
  registerGauge('querent_disk_full', '1 if the disk with the SQLite storage is full', ({ storage }) => {
    const disk = storage.disk?.()
    return disk && Number(disk.isFull)
  })
  registerGauge(
    'querent_disk_reserve_bytes',
    'Room that is kept for backups, removals, revocations and keys on a full disk',
    ({ storage }) => storage.disk?.().reserveBytes,
  )
  registerGauge(
    'querent_change_feed_age_seconds',
    'Time since the storage last responded',
    source => source.storage.silentMs() / 1000,
  )
}
