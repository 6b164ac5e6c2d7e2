/**
 * Traces by OpenTelemetry, sent to a collector: a span for each request, and below it for the steps of a query, calls of the engine and
 * statements of the storage. Spans name what was done, never with what: no URL, query, address or token.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { RequestListener } from 'node:http'
import type { Attributes, Context, Span } from '@opentelemetry/api'
import type { Engine } from '#engines/engine'
import type { Statement } from '#storage/statement'
import { eachStep, type Observation, type Observer, observationOf, statusOf } from './observation.ts'

export interface Traces {
  /** Lets `listener` answer within a span of the request, which goes on with the trace of its `traceparent`. */
  within(listener: RequestListener): RequestListener
  observe: Observer
  /** The same engine, its calls traced. */
  watch(engine: Engine): Engine
  statement(statement: Statement): void
  /** Of the request that is being answered, for lines of the log. */
  ids(): { traceId?: string }
  /** Sends what waits. */
  close(): Promise<void>
}

interface TraceSettings {
  /** Base address of a collector that takes OTLP over HTTP, without a slash at the end. */
  endpoint: string
  /** Share of the requests that nobody decided about yet, 0 to 1. */
  ratio: number
  version: string
  /** Told what keeps spans from being sent. */
  onTrouble: (message: string) => void
}

/** What an exporter may take at the end of the process. */
const exportMs = 5_000

interface Traced {
  span: Span
  /** Of what happens within. */
  context: Context
}

export const openTraces = async ({ endpoint, ratio, version, onTrouble }: TraceSettings): Promise<Traces> => {
  const [api, { W3CTraceContextPropagator }, sdk, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/core'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  const { defaultTextMapGetter, DiagLogLevel, diag, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = api
  const quiet = () => {}
  diag.setLogger(
    { error: onTrouble, warn: onTrouble, info: quiet, debug: quiet, verbose: quiet },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = resources
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: exportMs })
  const provider = new sdk.TracerProvider({
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(ratio) }),
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'querent', 'service.version': version }))
      // The environment has the last word: OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES.
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  })
  const tracer = provider.getTracer('querent', version)
  const propagator = new W3CTraceContextPropagator()
  const current = new AsyncLocalStorage<Traced>()
  const requests = new WeakMap<Observation, Traced>()

  /** A span of something that is over. */
  const tell = (within: Traced, name: string, fromMs: number, toMs: number, attributes: Attributes = {}) =>
    tracer
      .startSpan(name, { startTime: timeOf(fromMs), attributes, kind: SpanKind.INTERNAL }, within.context)
      .end(timeOf(toMs))

  const traced =
    <Asked extends unknown[], T>(name: string, call: (...asked: Asked) => Promise<T>) =>
    async (...asked: Asked): Promise<T> => {
      const within = current.getStore()
      if (!within?.span.isRecording()) return call(...asked)
      const fromMs = performance.now()
      const end = (attributes: Attributes) => tell(within, name, fromMs, performance.now(), attributes)
      try {
        const found = await call(...asked)
        end({})
        return found
      } catch (error) {
        end({ 'error.type': codeOf(error) })
        throw error
      }
    }

  return {
    within: listener => (request, response) => {
      const observation = observationOf(response)
      if (!observation) return listener(request, response)
      const parent = propagator.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter)
      const startTime = timeOf(observation.startedMs)
      const span = tracer.startSpan(request.method ?? 'GET', { kind: SpanKind.SERVER, startTime }, parent)
      observation.place.traceId = span.spanContext().traceId
      const found = { span, context: trace.setSpan(parent, span) }
      requests.set(observation, found)
      current.run(found, () => listener(request, response))
    },
    observe(observation, endedMs) {
      const found = requests.get(observation)
      if (!found?.span.isRecording()) return
      const { service, request, response, place } = observation
      const { route = 'none', requestId, workspace, api: queried, endpoint: asked, code } = place
      const { span } = found
      // The engine's own calls have theirs.
      eachStep(observation, (step, from, to) => {
        if (step !== 'engine') tell(found, step, from, to)
      })
      span.updateName(`${request.method} ${route}`)
      const status = statusOf(response)
      const attributes = {
        'http.request.method': request.method,
        'http.route': route,
        'http.response.status_code': status,
        'error.type': code ?? (status >= 500 ? String(status) : undefined),
        'querent.service': service,
        'querent.request_id': requestId ?? response.getHeader('x-request-id')?.toString(),
        'querent.workspace': workspace,
        'querent.api': queried,
        'querent.endpoint': asked,
      }
      for (const [name, value] of Object.entries(attributes))
        if (value !== undefined) span.setAttribute(name, value)
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end(timeOf(endedMs))
    },
    watch(engine) {
      const { readLines } = engine
      return {
        ...engine,
        search: traced('engine search', engine.search),
        write: traced('engine write', engine.write),
        refresh: traced('engine refresh', engine.refresh),
        get: traced('engine get', engine.get),
        list: traced('engine list', engine.list),
        deleteMatching: traced('engine delete', engine.deleteMatching),
        copy: traced('engine copy', engine.copy),
        ...(readLines ? { readLines: traced('engine read', readLines) } : {}),
      }
    },
    statement({ verb, kind, ms, failed }) {
      const within = current.getStore()
      if (!within?.span.isRecording()) return
      const now = performance.now()
      tell(within, `storage ${verb}`, now - ms, now, {
        'db.system.name': kind === 'postgres' ? 'postgresql' : kind,
        'db.operation.name': verb,
        ...(failed ? { 'error.type': 'failed' } : {}),
      })
    },
    ids() {
      const found = current.getStore()
      return found ? { traceId: found.span.spanContext().traceId } : {}
    },
    async close() {
      await provider.shutdown().catch((error: unknown) => onTrouble(String(error)))
      diag.disable()
    },
  }
}

/** Milliseconds since 1970. */
const timeOf = (ms: number): number => performance.timeOrigin + ms

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'fault'
