/** The HTTP server under each of the two services: limits, request ids, and errors that look like every other error. */
import { randomUUID } from 'node:crypto'
import { createServer, type RequestListener, type Server, STATUS_CODES } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import fastify, {
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { answerError, errorReply, Problem } from '#errors'

/** URLs up to 16 KiB are served (query-service.md, Paths); all headers together up to 64 KiB. */
export const urlBytesMax = 16 * 1024
const headerBytesMax = 64 * 1024

export interface Listening {
  server: Server
  /** The port it got. */
  port: number
  /** Who answers requests from now on; before, they get 503. */
  answerWith(listener: RequestListener): void
  close(): Promise<void>
}

const writeProblem = (problem: Problem, requestId: string): string => {
  const body = JSON.stringify(errorReply(problem, requestId))
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': requestId,
    connection: 'close',
    ...problem.headers,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('')}\r\n${body}`
}

/** The parser stopped at 64 KiB: whether it was still in the URL, or in the headers behind it. */
const isUrlTooLong = (packet: Buffer | undefined): boolean => {
  const lineEnd = packet?.indexOf('\r\n') ?? -1
  return lineEnd < 0 || lineEnd > urlBytesMax
}

/** What the HTTP parser itself refuses, before there is a request. */
const answerClientError = (error: Error & { code?: string; rawPacket?: Buffer }, socket: Socket): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const problem =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? isUrlTooLong(error.rawPacket)
        ? tooLongUrl()
        : new Problem('headers-too-large', 'the headers are longer than 64 KiB')
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? new Problem('bad-request', 'the request did not arrive in time')
        : new Problem('bad-request', 'this is no HTTP request')
  socket.end(writeProblem(problem, randomUUID()))
}

export const tooLongUrl = (): Problem => new Problem('url-too-long', 'the URL is longer than 16 KiB')

/** Listens at once, so that a port of 0 becomes known; until {@link Listening.answerWith} everything gets 503. */
export const listen = async (host: string, port: number): Promise<Listening> => {
  let listener: RequestListener = (_request, response) => {
    const problem = new Problem('unavailable', 'starting; try again shortly')
    response.writeHead(503, { 'content-type': 'application/json; charset=utf-8', ...problem.headers })
    response.end(JSON.stringify(errorReply(problem, randomUUID())))
  }
  const server = createServer(
    { maxHeaderSize: headerBytesMax, requestTimeout: 0, headersTimeout: 60_000, keepAliveTimeout: 65_000 },
    (request, response) => listener(request, response),
  )
  server.on('clientError', answerClientError)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  // A listening TCP server has an AddressInfo.
  const address = server.address() as AddressInfo
  return {
    server,
    port: address.port,
    answerWith: next => {
      listener = next
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeIdleConnections()
      }),
  }
}

/** A Fastify instance that answers on `listening`; `rewriteUrl` sees raw URLs before the router. */
export const openApp = (
  listening: Listening,
  settings: { logLevel: string; trustedProxy: string[]; rewriteUrl?: (url: string) => string },
): { app: FastifyInstance; listener: () => RequestListener } => {
  const { rewriteUrl } = settings
  let listener: RequestListener | undefined
  const options: FastifyHttpOptions<Server> = {
    serverFactory: handler => {
      listener = handler
      return listening.server
    },
    // Not on stdout, which belongs to the command that runs the server.
    logger: { level: settings.logLevel, stream: process.stderr },
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    trustProxy: settings.trustedProxy.length > 0 ? settings.trustedProxy : false,
    bodyLimit: 1024 * 1024,
    routerOptions: { maxParamLength: urlBytesMax },
    ...(rewriteUrl ? { rewriteUrl: request => rewriteUrl(request.url ?? '/') } : {}),
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id)
      answerError(error, request, reply)
    },
  }
  const app = fastify(options)
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    if ((request.originalUrl ?? '').length > urlBytesMax) throw tooLongUrl()
  })
  app.setErrorHandler(answerError)
  return {
    app,
    listener: () => {
      if (!listener) throw new Error('the app is not ready')
      return listener
    },
  }
}

/** Answer for paths that nothing serves; `problem` says it in the words of the service. */
export const answerNotFound =
  (problem: (url: string) => Problem = () => new Problem('no-such-path', 'no such path')) =>
  async (request: FastifyRequest, _reply: FastifyReply): Promise<never> => {
    throw problem(request.originalUrl)
  }
