/** Answers requests that the HTTP parser rejects, in the form of all other errors (query-service.md, Errors). */
import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { errorReply, Problem } from '#errors'
import { exposedHeaders } from './cors.ts'

/** URLs up to 16 KiB are served (query-service.md, Paths); all headers together up to 64 KiB. */
export const urlBytesMax = 16 * 1024
export const headerBytesMax = 64 * 1024

/** The parser reads more than we allow, so that we can distinguish a URL that is too long from headers that are. */
export const parsedBytesMax = 2 * headerBytesMax

/** How long a rejected client may go on sending. */
const lingerMs = 2000

export const urlTooLongProblem = (): Problem => new Problem('url-too-long', 'the URL is longer than 16 KiB')
const headersTooLargeProblem = (): Problem =>
  new Problem('headers-too-large', 'the headers are longer than 64 KiB')

/** Node's error for a request that it cannot parse. */
interface ParserError extends Error {
  code?: string
  /** The parser's own message. */
  reason?: string
  /** The last bytes that arrived. */
  rawPacket?: Buffer
}

const renderRefusal = (problem: Problem) => {
  const requestId = randomUUID()
  const body = JSON.stringify(errorReply(problem, requestId))
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    // The reply contains nothing private.
    'access-control-allow-origin': '*',
    'access-control-expose-headers': exposedHeaders,
    connection: 'close',
    ...problem.headers,
  }
  return { headers, body }
}

const writeRefusal = (socket: Duplex, problem: Problem): void => {
  const { headers, body } = renderRefusal(problem)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('')}\r\n${body}`)
}

/**
 * True if the parser stopped at 128 KiB inside the URL, and false if it stopped in the headers. The last packet is the start of a request or
 * a part of one. A URL ends on a line that ends with the HTTP version.
 */
const isStoppedInUrl = (packet: Buffer): boolean => {
  const end = packet.indexOf('\r\n')
  if (end < 0) return true
  const line = packet.toString('latin1', 0, end)
  if (!/ HTTP\/1\.[01]$/.test(line)) return false
  return !/^[A-Z]+ [/h*]/.test(line) || end > urlBytesMax
}

const toParserProblem = ({ code, reason, rawPacket }: ParserError): Problem => {
  if (code === 'HPE_HEADER_OVERFLOW')
    return rawPacket && isStoppedInUrl(rawPacket) ? urlTooLongProblem() : headersTooLargeProblem()
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Problem('request-timeout', 'the headers of the request did not arrive in time')
  return new Problem('bad-request', `this request is not valid HTTP${reason ? `: ${reason}` : ''}`)
}

/** Answers without Fastify, and ends the connection. */
export const refuseRequest = (response: ServerResponse, problem: Problem): void => {
  const { headers, body } = renderRefusal(problem)
  response.writeHead(problem.status, headers)
  response.end(body)
}

/** A name, an IPv4 address or an IP literal, each with or without a port; empty for a target without an authority (RFC 9110, section 7.2). */
const validHost =
  /^(?:(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*|\[(?:[\da-f:.]+|v[\da-f]+\.[\w.~!$&'()*+,;=:-]+)\])(?::\d*)?$/i

const hostProblem = (hosts: number, host: string | undefined, httpVersion: string): string | undefined => {
  if (hosts > 1) return 'the header Host came more than once; send it once'
  if (host !== undefined)
    return validHost.test(host) ? undefined : 'the header Host is not a host name or address'
  return httpVersion === '1.1' ? 'the header Host is missing' : undefined
}

/**
 * Answers a request whose head is not allowed: 414 or 431 if URL and headers together are longer than 64 KiB, 400 if the header Host is
 * missing, repeated or invalid (RFC 9112, section 3.2). Returns whether it answered.
 */
export const refuseBadHead = (
  { url = '/', rawHeaders, headers, httpVersion }: IncomingMessage,
  response: ServerResponse,
): boolean => {
  let bytes = url.length
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    bytes += name.length + (rawHeaders[index + 1]?.length ?? 0)
    if (name.length === 'host'.length && name.toLowerCase() === 'host') hosts += 1
  }
  if (bytes >= headerBytesMax) {
    refuseRequest(response, url.length > urlBytesMax ? urlTooLongProblem() : headersTooLargeProblem())
    return true
  }
  const problem = hostProblem(hosts, headers.host, httpVersion)
  if (problem === undefined) return false
  refuseRequest(response, new Problem('bad-request', `${problem} (RFC 9112, section 3.2)`))
  return true
}

/** Answers everything that never becomes a request: unreadable data, tunnels, and expectations other than `100-continue`. */
export const handleClientErrors = (server: Server): void => {
  const answeredSockets = new WeakSet<Duplex>()
  server.on('clientError', (error: ParserError, socket) => {
    // Read and drop further data for a while. If we closed at once, the client could not read the answer.
    if (answeredSockets.has(socket)) return
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    answeredSockets.add(socket)
    const timer = setTimeout(() => socket.destroy(), lingerMs).unref()
    socket.once('end', () => socket.destroy()).once('close', () => clearTimeout(timer))
    writeRefusal(socket, toParserProblem(error))
  })
  server.on('connect', (_request, socket) =>
    writeRefusal(
      socket,
      new Problem('method-not-allowed', 'CONNECT is not allowed here', { headers: { allow: 'GET' } }),
    ),
  )
  server.on('checkExpectation', ({ headers }, response: ServerResponse) => {
    const message = `the expectation "${headers.expect}" cannot be met; allowed is 100-continue`
    refuseRequest(response, new Problem('expectation-failed', message))
  })
}
