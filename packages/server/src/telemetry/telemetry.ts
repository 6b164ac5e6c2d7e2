/** Metrics and traces. Loads only the libraries of those that are on. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import type { Engine } from '#engines/engine'
import { errorReply, Problem } from '#errors'
import type { Statement } from '#storage/connection'
import type { Health } from './health.ts'
import type { Metrics, MetricsSources, ThreadMetrics } from './metrics.ts'
import { type Observer, type Service, withObservers } from './request-attributes.ts'
import { openRequestLog } from './request-log.ts'
import type { Traces } from './traces.ts'

export interface TelemetrySettings {
  /** 0 means any free port. */
  metricsPort: number | 'off'
  metricsHost: string
  /** Base address of an OTLP collector; undefined disables traces. */
  otlpEndpoint: string | undefined
  /** Share of requests to trace, 0 to 1, unless their `traceparent` decides. */
  traceRatio: number
  version: string
  /** Whether this is the thread that serves the metrics; default: true. */
  isMainThread?: boolean
}

export interface Telemetry {
  /** Address of the metrics; undefined if they are off. */
  metricsUrl: string | undefined
  /** Returns an engine with metrics and traces. */
  instrument(engine: Engine): Engine
  /** Called with every statement of the storage; undefined if traces are off. */
  traceStatement: ((statement: Statement) => void) | undefined
  /** Returns the fields to add to every log line. */
  mixin: (() => object) | undefined
  /** Returns a listener that also logs, measures and traces each request. */
  observeRequests(
    service: Service,
    log: FastifyBaseLogger,
    logLevel: string,
    listener: RequestListener,
  ): RequestListener
  setSources(sources: MetricsSources): void
  /** The metrics of this thread; undefined if they are off. */
  readMetrics(): Promise<ThreadMetrics | undefined>
  /** Adds the metrics of another thread. */
  addThread(read: () => Promise<ThreadMetrics>): void
  close(): Promise<void>
}

/** Starts metrics and traces as set. Throws the errors of `listen`. */
export const startTelemetry = async (
  { metricsPort, metricsHost, otlpEndpoint, traceRatio, version, isMainThread = true }: TelemetrySettings,
  health: Health,
): Promise<Telemetry> => {
  let reportTrouble = (_message: string): void => {}
  const traces: Traces | undefined =
    otlpEndpoint === undefined
      ? undefined
      : await import('./traces.ts').then(({ openTraces }) =>
          openTraces({
            endpoint: otlpEndpoint,
            ratio: traceRatio,
            version,
            onTrouble: message => reportTrouble(message),
          }),
        )
  const metrics: Metrics | undefined =
    metricsPort === 'off'
      ? undefined
      : await import('./metrics.ts').then(({ openMetrics }) => openMetrics(health, version, isMainThread))
  const metricsServer =
    metrics && isMainThread && metricsPort !== 'off'
      ? await serveMetrics(metrics, health, metricsHost, metricsPort)
      : undefined
  return {
    metricsUrl: metricsServer?.url,
    instrument(engine) {
      const measuredEngine = metrics?.instrument(engine) ?? engine
      return traces?.instrument(measuredEngine) ?? measuredEngine
    },
    traceStatement: traces && (statement => traces.traceStatement(statement)),
    mixin: traces && (() => traces.ids()),
    observeRequests(service, log, logLevel, listener) {
      reportTrouble = message =>
        log.warn({ detail: message.slice(0, troubleCharsMax) }, 'traces could not be sent')
      const observers: (Observer | undefined)[] = [
        openRequestLog(log, logLevel),
        metrics?.observe,
        traces?.observe,
      ]
      return withObservers(
        service,
        observers.filter(observer => observer !== undefined),
        traces?.traceRequests(listener) ?? listener,
      )
    },
    setSources: sources => metrics?.setSources(sources),
    readMetrics: async () => metrics?.read(),
    addThread: read => metrics?.addThread(read),
    async close() {
      await metricsServer?.close()
      await traces?.close()
    },
  }
}

const troubleCharsMax = 500

const metricsPath = '/metrics'

const serveMetrics = async (metrics: Metrics, health: Health, host: string, port: number) => {
  const server = createServer((request, response) => {
    if (health.answer(request, response)) return
    const [path] = (request.url ?? '/').split('?', 1)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (path !== metricsPath || !isRead) {
      const problem = new Problem('no-such-path', `there are GET ${metricsPath}, /healthz and /readyz`)
      response.writeHead(problem.status, { 'content-type': 'application/json; charset=utf-8' })
      response.end(JSON.stringify(errorReply(problem, '')))
      return
    }
    metrics.text().then(
      text => {
        response.writeHead(200, { 'content-type': metrics.contentType, 'cache-control': 'no-store' })
        response.end(request.method === 'HEAD' ? undefined : text)
      },
      () => response.writeHead(500).end(),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  // The metrics server must not keep the process alive.
  server.unref()
  // A listening TCP server has an AddressInfo.
  const { port: actualPort } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${actualPort}${metricsPath}`,
    close: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
