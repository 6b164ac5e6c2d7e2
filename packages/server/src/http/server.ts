/** The HTTP server under each of the two services: limits, request ids, and errors that look like every other error. */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, isIP } from 'node:net'
import fastify, {
  type FastifyError,
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { answerProblem, errorReply, Problem, translateFrameworkError } from '#errors'
import type { Health } from '#telemetry/health'
import { type Service, setAttributes } from '#telemetry/request-attributes'
import { serializeError } from '#telemetry/request-log'
import { toEngineProblem } from './engine-problem.ts'
import {
  handleClientErrors,
  parsedBytesMax,
  refuseBadHead,
  urlBytesMax,
  urlTooLongProblem,
} from './parser-errors.ts'
import { createReadLimit, type ReadLimit } from './read-limit.ts'

const slashCode = '/'.charCodeAt(0)

export interface ListeningServer {
  server: Server
  /** The actual port. */
  port: number
  /** Sets the listener of requests. Before that, requests get 503. */
  setListener(listener: RequestListener): void
  readLimit: ReadLimit
  /** Called when the server stops, before it closes idle connections. Requests that arrive in this turn of the event loop are answered. */
  onClosing: () => void
  /** Called with the number of connections that were cut because their requests did not end in time. */
  onConnectionsCut: (connections: number) => void
  /** Accepts no new requests, and waits for running ones. Cuts the remaining connections after a while. */
  close(): Promise<void>
}

/** How long running requests may take when the server stops. */
const closeTimeoutMs = 10_000

/** The path and query of a request target: clients of a base address with a slash write `//4/…`, proxies whole addresses (RFC 9112, section 3.2.2). */
const toOriginForm = (target: string): string => {
  const path = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '')
  return path.startsWith('/') ? path.replace(/^\/+/, '/') : `/${path}`
}

/**
 * Listens at once, so that a port of 0 becomes known. Until {@link ListeningServer.setListener}, everything gets 503 except requests that
 * `health` answers. When the server is stopping, every connection ends with its next reply.
 */
export const listen = async (
  host: string,
  port: number,
  graceMs = closeTimeoutMs,
  health?: Pick<Health, 'answer' | 'isStopping'>,
  service?: Service,
  /** `first` and `further` threads listen on the same port. The system spreads connections over them. */
  sharing?: 'first' | 'further',
): Promise<ListeningServer> => {
  if (sharing === 'first' && port !== 0) await requireFreePort(host, port)
  let isClosing = false
  let listener: RequestListener = (_request, response) => {
    const problem = new Problem('unavailable', 'starting; try again shortly')
    response.writeHead(503, {
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      ...problem.headers,
    })
    response.end(JSON.stringify(errorReply(problem, randomUUID())))
  }
  const server = createServer(
    {
      maxHeaderSize: parsedBytesMax,
      // Imports have no time limit.
      requestTimeout: 0,
      headersTimeout: 60_000,
      keepAliveTimeout: 65_000,
      // refuseBadHead rejects these, in the form of the other errors.
      requireHostHeader: false,
    },
    (request, response) => {
      const target = request.url ?? '/'
      if (target.charCodeAt(0) !== slashCode || target.charCodeAt(1) === slashCode)
        request.url = toOriginForm(target)
      readLimit.countRequest()
      if (refuseBadHead(request, response)) return
      normalizeForwardedFor(request)
      if (isClosing || health?.isStopping()) response.shouldKeepAlive = false
      if (!health?.answer(request, response, service)) listener(request, response)
    },
  )
  const readLimit = createReadLimit(server)
  handleClientErrors(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, reusePort: sharing !== undefined }, () => {
      server.off('error', reject)
      resolve()
    })
  })
  // A listening TCP server has an AddressInfo.
  const address = server.address() as AddressInfo
  const listening: ListeningServer = {
    server,
    port: address.port,
    setListener: next => {
      listener = next
    },
    readLimit,
    onClosing: () => {},
    onConnectionsCut: () => {},
    async close() {
      isClosing = true
      listening.onClosing()
      readLimit.close()
      await turnOfEventLoop()
      await new Promise<void>(resolve => {
        // Connections of running requests end with their replies.
        server.keepAliveTimeout = 1
        const timer = setTimeout(() => {
          server.getConnections((_, connections) => {
            listening.onConnectionsCut(connections)
            server.closeAllConnections()
          })
        }, graceMs)
        server.close(() => {
          clearTimeout(timer)
          resolve()
        })
        server.closeIdleConnections()
      })
    },
  }
  return listening
}

/** Returns after the next poll for input, even if called between such a poll and the callbacks of `setImmediate`. */
const turnOfEventLoop = async (): Promise<void> => {
  for (let turn = 0; turn < 2; turn++) await new Promise(resolve => setImmediate(resolve))
}

/** Throws the error of `listen`. A shared port could otherwise be taken from a running server of the same user without notice. */
const requireFreePort = async (host: string, port: number): Promise<void> => {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  await new Promise(resolve => server.close(resolve))
}

/** True if the URL is longer than we accept. */
export const isUrlTooLong = (url: string): boolean => url.length > urlBytesMax

/** Receives the lines of the log. */
export interface LogStream {
  write(line: string): void
}

/** A Fastify instance that answers on `listening`; `rewriteUrl` sees raw URLs before the router. */
export const openApp = (
  listening: ListeningServer,
  settings: {
    logLevel: string
    trustedProxy: string[]
    logStream: LogStream
    /** Properties of every line of the log. */
    mixin?: (() => object) | undefined
    rewriteUrl?: (url: string) => string
  },
): { app: FastifyInstance; listener: () => RequestListener } => {
  const { rewriteUrl, mixin } = settings
  let listener: RequestListener | undefined
  const options: FastifyHttpOptions<Server> = {
    serverFactory: handler => {
      listener = handler
      return listening.server
    },
    logger: {
      level: settings.logLevel,
      stream: settings.logStream,
      serializers: { err: serializeError },
      ...(mixin ? { mixin } : {}),
    },
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    // parser-errors.ts answers these. Otherwise Fastify would answer and close first.
    clientErrorHandler: () => {},
    genReqId: () => randomUUID(),
    trustProxy: settings.trustedProxy.length > 0 ? settings.trustedProxy : false,
    bodyLimit: 1024 * 1024,
    // Longer URLs reach their route too, which rejects them.
    routerOptions: { maxParamLength: parsedBytesMax },
    ...(rewriteUrl ? { rewriteUrl: request => rewriteUrl(request.url ?? '/') } : {}),
    // Otherwise Fastify would load its own compilers for every app, 100 files.
    schemaController: {
      compilersFactory: { buildValidator: refuseToCompile, buildSerializer: refuseToCompile },
    },
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff')
      answerError(error, request, reply)
    },
  }
  const app = fastify(options)
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff')
    setAttributes(reply.raw, { requestId: request.id, route: request.routeOptions.url ?? 'none' })
  })
  // Runs after the hooks of routes, which set CORS headers, so that pages can read the answer.
  app.addHook('preParsing', async request => {
    if (isUrlTooLong(request.originalUrl)) throw urlTooLongProblem()
  })
  app.setErrorHandler<FastifyError | Problem>(answerError)
  listening.onConnectionsCut = connections =>
    app.log.warn({ connections }, 'stopped before the last requests ended: their connections were cut')
  return {
    app,
    listener: () => {
      if (!listener) throw new Error('the app is not ready')
      return listener
    },
  }
}

const refuseToCompile = () => () => {
  throw new Error('a route with a schema needs compilers in its scope')
}

/** Answers unknown paths. `problem` makes the error of the service. */
export const answerNotFound =
  (problem: (url: string) => Problem = () => new Problem('no-such-path', 'no such path')) =>
  async (request: FastifyRequest, _reply: FastifyReply): Promise<never> => {
    throw problem(request.originalUrl)
  }

/** Sets the error code before the answer, because the request is logged when the answer ends. */
const answerError = (error: FastifyError | Problem, request: FastifyRequest, reply: FastifyReply): void => {
  // Engine errors are Errors like Fastify's, and problemOf accepts both.
  const problem = translateFrameworkError(toEngineProblem(error) as FastifyError | Problem)
  setAttributes(reply.raw, { code: problem.code })
  answerProblem(problem, request, reply)
}

/** Reads the last addresses only, the nearest last. Earlier ones cannot be trusted. */
const hopsMax = 100
const addressWithPort = /^(?:\[([^[\]]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/

/**
 * Reduces the header to addresses. Removes ports, which some balancers append (`203.0.113.9:1234`, `[2001:db8::1]:1234`). Removes everything
 * before an entry that is no address, because nobody knows who wrote it.
 */
const normalizeForwardedFor = ({ headers }: IncomingMessage): void => {
  const forwardedFor = headers['x-forwarded-for']
  if (forwardedFor === undefined) return
  const hops: string[] = []
  for (const hop of String(forwardedFor).split(',').slice(-hopsMax).toReversed()) {
    const address = parseAddress(hop.trim())
    if (address === undefined) break
    hops.unshift(address)
  }
  if (hops.length > 0) headers['x-forwarded-for'] = hops.join(', ')
  else delete headers['x-forwarded-for']
}

const parseAddress = (hop: string): string | undefined => {
  const [, ipv6, ipv4] = addressWithPort.exec(hop) ?? []
  return [hop, ipv6, ipv4].find(text => text !== undefined && isIP(text) > 0)
}
