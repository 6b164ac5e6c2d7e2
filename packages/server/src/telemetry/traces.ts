/**
 * Sends OpenTelemetry traces to a collector. Each request is a span with child spans for the steps of a query, calls of the engine and
 * statements of the storage. Spans never contain URLs, queries, addresses or tokens.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { RequestListener } from 'node:http'
import type { Attributes, Context, Span } from '@opentelemetry/api'
import type { Engine } from '#engines/engine'
import type { Statement } from '#storage/connection'
import {
  forEachStep,
  getObservation,
  type Observation,
  type Observer,
  readStatus,
} from './request-attributes.ts'

export interface Traces {
  /** Returns a listener that answers within a span of the request, which continues the trace of its `traceparent`. */
  traceRequests(listener: RequestListener): RequestListener
  observe: Observer
  /** Returns an engine that traces its calls. */
  instrument(engine: Engine): Engine
  traceStatement(statement: Statement): void
  /** Returns the trace id of the current request, for log lines. */
  ids(): { traceId?: string }
  /** Sends the remaining spans. */
  close(): Promise<void>
}

interface TraceSettings {
  /** Base address of a collector for OTLP over HTTP, without a trailing slash. */
  endpoint: string
  /** Share of requests to trace, 0 to 1, unless their `traceparent` decides. */
  ratio: number
  version: string
  /** Reports why spans could not be sent. */
  onTrouble: (message: string) => void
}

/** Time limit of an export, which may delay the end of the process. */
const exportTimeoutMs = 5_000

interface TracedRequest {
  span: Span
  /** Parent context of the spans inside the request. */
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
  const { defaultTextMapGetter, diag, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = api
  sendDiagnostics(api, onTrouble)
  const provider = createProvider({ endpoint, ratio, version }, sdk, resources, OTLPTraceExporter)
  const tracer = provider.getTracer('querent', version)
  const propagator = new W3CTraceContextPropagator()
  const currentRequest = new AsyncLocalStorage<TracedRequest>()
  const requests = new WeakMap<Observation, TracedRequest>()

  /** Adds a span for something that has ended. */
  const addSpan = (
    parent: TracedRequest,
    name: string,
    fromMs: number,
    toMs: number,
    attributes: Attributes = {},
  ) =>
    tracer
      .startSpan(name, { startTime: toEpochMs(fromMs), attributes, kind: SpanKind.INTERNAL }, parent.context)
      .end(toEpochMs(toMs))

  const traceCall =
    <Args extends unknown[], T>(name: string, call: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      const parent = currentRequest.getStore()
      if (!parent?.span.isRecording()) return call(...args)
      const fromMs = performance.now()
      const end = (attributes: Attributes) => addSpan(parent, name, fromMs, performance.now(), attributes)
      try {
        const result = await call(...args)
        end({})
        return result
      } catch (error) {
        end({ 'error.type': readErrorCode(error) })
        throw error
      }
    }

  return {
    traceRequests: listener => (request, response) => {
      const observation = getObservation(response)
      if (!observation) return listener(request, response)
      const parent = propagator.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter)
      const startTime = toEpochMs(observation.startedMs)
      const span = tracer.startSpan(request.method ?? 'GET', { kind: SpanKind.SERVER, startTime }, parent)
      observation.attributes.traceId = span.spanContext().traceId
      const tracedRequest = { span, context: trace.setSpan(parent, span) }
      requests.set(observation, tracedRequest)
      currentRequest.run(tracedRequest, () => listener(request, response))
    },
    observe(observation, endedMs) {
      const tracedRequest = requests.get(observation)
      if (!tracedRequest?.span.isRecording()) return
      const { span } = tracedRequest
      // The calls of the engine have their own spans.
      forEachStep(observation, (step, startMs, endMs) => {
        if (step !== 'engine') addSpan(tracedRequest, step, startMs, endMs)
      })
      const { name, status, attributes } = describeRequest(observation)
      span.updateName(name)
      for (const [key, value] of Object.entries(attributes))
        if (value !== undefined) span.setAttribute(key, value)
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end(toEpochMs(endedMs))
    },
    instrument: engine => traceEngine(engine, traceCall),
    traceStatement({ verb, kind, ms, failed }) {
      const parent = currentRequest.getStore()
      if (!parent?.span.isRecording()) return
      const now = performance.now()
      addSpan(parent, `storage ${verb}`, now - ms, now, {
        'db.system.name': kind === 'postgres' ? 'postgresql' : kind,
        'db.operation.name': verb,
        ...(failed ? { 'error.type': 'failed' } : {}),
      })
    },
    ids() {
      const tracedRequest = currentRequest.getStore()
      return tracedRequest ? { traceId: tracedRequest.span.spanContext().traceId } : {}
    },
    async close() {
      await provider.shutdown().catch((error: unknown) => onTrouble(String(error)))
      diag.disable()
    },
  }
}

/** Reports the warnings of the library. */
const sendDiagnostics = (
  { diag, DiagLogLevel }: typeof import('@opentelemetry/api'),
  onTrouble: TraceSettings['onTrouble'],
): void => {
  const ignore = () => {}
  diag.setLogger(
    { error: onTrouble, warn: onTrouble, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
}

/** Creates the provider of spans, which sends them in batches. */
const createProvider = (
  { endpoint, ratio, version }: Omit<TraceSettings, 'onTrouble'>,
  sdk: typeof import('@opentelemetry/sdk-trace'),
  resources: typeof import('@opentelemetry/resources'),
  Exporter: typeof import('@opentelemetry/exporter-trace-otlp-http').OTLPTraceExporter,
) => {
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = resources
  const exporter = new Exporter({ url: `${endpoint}/v1/traces`, timeoutMillis: exportTimeoutMs })
  return new sdk.TracerProvider({
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(ratio) }),
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'querent', 'service.version': version }))
      // The environment takes precedence: OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES.
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  })
}

/** Converts a time of `performance.now()` to milliseconds since 1970. */
const toEpochMs = (ms: number): number => performance.timeOrigin + ms

const readErrorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'fault'

/** Returns the name, status and attributes of the span of a request. */
const describeRequest = ({ service, request, response, attributes }: Observation) => {
  const { route = 'none', requestId, workspace, api, endpoint, code } = attributes
  const status = readStatus(response)
  return {
    name: `${request.method} ${route}`,
    status,
    attributes: {
      'http.request.method': request.method,
      'http.route': route,
      'http.response.status_code': status,
      'error.type': code ?? (status >= 500 ? String(status) : undefined),
      'querent.service': service,
      'querent.request_id': requestId ?? response.getHeader('x-request-id')?.toString(),
      'querent.workspace': workspace,
      'querent.api': api,
      'querent.endpoint': endpoint,
    },
  }
}

type TraceCall = <Args extends unknown[], T>(
  name: string,
  call: (...args: Args) => Promise<T>,
) => (...args: Args) => Promise<T>

const traceEngine = (engine: Engine, traceCall: TraceCall): Engine => {
  const { readLines } = engine
  return {
    ...engine,
    search: traceCall('engine search', engine.search),
    write: traceCall('engine write', engine.write),
    refresh: traceCall('engine refresh', engine.refresh),
    get: traceCall('engine get', engine.get),
    list: traceCall('engine list', engine.list),
    deleteMatching: traceCall('engine delete', engine.deleteMatching),
    copy: traceCall('engine copy', engine.copy),
    ...(readLines ? { readLines: traceCall('engine read', readLines) } : {}),
  }
}
