/**
 * Metrics for Prometheus. What happens is counted in plain numbers, here and where it happens; the library reads them when they are asked
 * for. Its own histograms cost a query more than the whole of this (docs/performance.md, "What is observed").
 */
import type { Metric } from 'prom-client'
import { type Engine, EngineError } from '#engines/engine'
import type { Storage } from '#storage/db'
import type { Directory } from '#storage/directory'
import type { Bearer } from './bearer.ts'
import type { Counts, Tally } from './counts.ts'
import type { Health } from './health.ts'
import { eachStep, type Observer, type Service, type Step, statusOf, steps } from './observation.ts'

export interface MetricsSources {
  counts: Counts
  storage: Pick<Storage, 'silentMs' | 'connections'>
  directory: Pick<Directory, 'lookups'>
  bearer: Pick<Bearer, 'lookups'>
}

export interface Metrics {
  observe: Observer
  /** The same engine, its searches counted. */
  watch(engine: Engine): Engine
  /** From now on these are told of too. */
  read(sources: MetricsSources): void
  contentType: string
  /** All of them as text. */
  text(): Promise<string>
}

/** Upper bounds in seconds: most queries take less than a millisecond, none more than its deadline. */
const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Durations by bucket: what a histogram is made of. */
interface Durations {
  /** How many fell into the bucket that ends at each bound, and beyond the last. */
  buckets: number[]
  seconds: number
}
const noDurations = (): Durations => ({ buckets: Array<number>(bounds.length + 1).fill(0), seconds: 0 })

const add = (durations: Durations, ms: number): void => {
  const seconds = ms / 1000
  let at = 0
  while (at < bounds.length && seconds > (bounds[at] ?? 0)) at += 1
  durations.buckets[at] = (durations.buckets[at] ?? 0) + 1
  durations.seconds += seconds
}

/** Requests of one service, method and route. */
interface Requests {
  labels: { service: Service; method: string; route: string }
  statuses: Map<number, number>
  durations: Durations
}

/** Others are somebody's mistake. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

type Labels = Record<string, string>
interface Sample {
  labels: Labels
  value: number
  /** Where it is not that of the metric. */
  metricName?: string
}

export const openMetrics = async (health: Pick<Health, 'failing'>, version: string): Promise<Metrics> => {
  const { collectDefaultMetrics, Registry } = await import('prom-client')
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })

  const queries: Record<Step, Durations> = {
    authorise: noDurations(),
    compile: noDurations(),
    engine: noDurations(),
    serialise: noDurations(),
  }
  const requests: Record<Service, Map<string, Map<string, Requests>>> = {
    query: new Map(),
    authorization: new Map(),
  }
  const requestsOf = (service: Service, route: string, method: string): Requests => {
    let ofRoute = requests[service].get(route)
    if (!ofRoute) {
      ofRoute = new Map()
      requests[service].set(route, ofRoute)
    }
    let found = ofRoute.get(method)
    if (!found) {
      const name = methods.has(method) ? method : 'other'
      found = ofRoute.get(name) ?? {
        labels: { service, method: name, route },
        statuses: new Map(),
        durations: noDurations(),
      }
      ofRoute.set(name, found)
    }
    return found
  }
  const searches = { running: 0, ended: new Map<string, number>() }
  let sources: MetricsSources | undefined

  const metric = (
    type: 'counter' | 'gauge' | 'histogram',
    name: string,
    help: string,
    read: () => Sample[],
  ) => {
    const found = {
      name,
      help,
      type,
      aggregator: 'sum',
      get: async () => ({ name, help, type, values: read() }),
    }
    // What the registry asks of a metric; the types name the library's own classes only.
    registry.registerMetric(found as unknown as Metric)
  }
  const tallied = (name: string, label: string, help: string, read: () => Tally | undefined) =>
    metric('counter', name, help, () =>
      [...(read() ?? [])].map(([value, count]) => ({ labels: { [label]: value }, value: count })),
    )
  const gauge = (name: string, help: string, read: (from: MetricsSources) => number | undefined) =>
    metric('gauge', name, help, () => single(sources && read(sources)))
  const lookups = (name: string, help: string, read: (from: MetricsSources) => Lookups[]) =>
    metric('counter', name, help, () => (sources ? read(sources) : []).flatMap(samplesOf))
  const histogram = (name: string, help: string, read: () => { labels: Labels; durations: Durations }[]) =>
    metric('histogram', name, help, () => read().flatMap(each => histogramOf(name, each)))
  const allRequests = () =>
    [...requests.query.values(), ...requests.authorization.values()].flatMap(ofRoute => [...ofRoute.values()])

  metric('gauge', 'querent_build_info', 'Versions of this server and of Node.js; always 1', () => [
    { labels: { version, node: process.version }, value: 1 },
  ])
  metric('gauge', 'querent_ready', 'Whether /readyz says 200', () =>
    single(health.failing().length === 0 ? 1 : 0),
  )
  metric('counter', 'querent_http_requests_total', 'Requests that were answered, or given up', () =>
    allRequests().flatMap(({ labels, statuses }) =>
      [...statuses].map(([status, value]) => ({ labels: { ...labels, status: String(status) }, value })),
    ),
  )
  histogram(
    'querent_http_request_duration_seconds',
    'From the head of a request to the end of its reply',
    allRequests,
  )
  histogram('querent_query_step_duration_seconds', 'Steps of queries, one after another', () =>
    steps.map(step => ({ labels: { step }, durations: queries[step] })),
  )
  metric('gauge', 'querent_searches_running', 'Searches that the engine works on, or that wait for it', () =>
    single(searches.running),
  )
  tallied('querent_searches_total', 'outcome', 'Searches that ended: ok, or why not', () => searches.ended)
  tallied('querent_tokens_issued_total', 'grant', 'Access tokens by grant', () => sources?.counts.tokens)
  tallied(
    'querent_token_refusals_total',
    'error',
    'Requests for a token that were refused',
    () => sources?.counts.tokenRefusals,
  )
  tallied(
    'querent_access_refusals_total',
    'check',
    'Requests that were refused, by the check that failed',
    () => sources?.counts.refusals,
  )
  lookups('querent_token_cache_lookups_total', 'Access tokens that were verified before, or not', from => [
    { labels: {}, ...from.bearer.lookups },
  ])
  lookups('querent_directory_lookups_total', 'What was asked of the directory, in memory or not', from =>
    Object.entries(from.directory.lookups()).map(([kind, counted]) => ({ labels: { kind }, ...counted })),
  )
  gauge('querent_plans_kept', 'Questions in memory with their plans', from => from.counts.plansKept())
  gauge('querent_imports_running', 'Imports under way', from => from.counts.imports.running)
  metric('counter', 'querent_import_documents_total', 'Documents that imports wrote', () =>
    single(sources?.counts.imports.documents),
  )
  metric('gauge', 'querent_storage_connections', 'Connections to PostgreSQL, and who waits for one', () =>
    Object.entries(sources?.storage.connections() ?? {}).map(([state, value]) => ({
      labels: { state },
      value,
    })),
  )
  gauge(
    'querent_change_feed_age_seconds',
    'Since storage last answered',
    from => from.storage.silentMs() / 1000,
  )

  return {
    observe(observation, endedMs) {
      const { service, request, response, place, startedMs } = observation
      const found = requestsOf(service, place.route ?? 'none', request.method ?? 'GET')
      const status = statusOf(response)
      found.statuses.set(status, (found.statuses.get(status) ?? 0) + 1)
      add(found.durations, endedMs - startedMs)
      eachStep(observation, (step, from, to) => add(queries[step], to - from))
    },
    watch: engine => ({
      ...engine,
      search(...asked) {
        searches.running += 1
        const found = engine.search(...asked)
        found.then(
          () => endSearch('ok'),
          (error: unknown) => endSearch(error instanceof EngineError ? error.code : 'fault'),
        )
        return found
      },
    }),
    read(given) {
      sources = given
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
  }

  function endSearch(outcome: string) {
    searches.running -= 1
    searches.ended.set(outcome, (searches.ended.get(outcome) ?? 0) + 1)
  }
}

const single = (value: number | undefined): Sample[] => (value === undefined ? [] : [{ labels: {}, value }])

interface Lookups {
  labels: Labels
  hits: number
  misses: number
}
const samplesOf = ({ labels, hits, misses }: Lookups): Sample[] => [
  { labels: { ...labels, result: 'hit' }, value: hits },
  { labels: { ...labels, result: 'miss' }, value: misses },
]

const histogramOf = (
  name: string,
  { labels, durations: { buckets, seconds } }: { labels: Labels; durations: Durations },
): Sample[] => {
  let count = 0
  const cumulated = buckets.map((inBucket, at) => {
    count += inBucket
    return {
      metricName: `${name}_bucket`,
      labels: { ...labels, le: String(bounds[at] ?? '+Inf') },
      value: count,
    }
  })
  return [
    ...cumulated,
    { metricName: `${name}_sum`, labels, value: seconds },
    { metricName: `${name}_count`, labels, value: count },
  ]
}
