/** What the HTTP parser refuses before there is a request, answered like every other error (query-service.md, Errors). */
import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { errorReply, Problem } from '#errors'
import { exposed } from './cors.ts'

/** URLs up to 16 KiB are served (query-service.md, Paths); all headers together up to 64 KiB. */
export const urlBytesMax = 16 * 1024
export const headerBytesMax = 64 * 1024

/** So much is parsed: where it came whole, a URL that is too long is told from other headers that are. */
export const parsedBytesMax = 2 * headerBytesMax

/** For how long a client may go on sending after it was refused. */
const lingerMs = 2000

export const tooLongUrl = (): Problem => new Problem('url-too-long', 'the URL is longer than 16 KiB')
const tooLargeHeaders = (): Problem => new Problem('headers-too-large', 'the headers are longer than 64 KiB')

/** What Node says of a request that it could not parse. */
interface ParserError extends Error {
  code?: string
  /** In the parser's words. */
  reason?: string
  /** What came last. */
  rawPacket?: Buffer
}

const refusal = (problem: Problem) => {
  const requestId = randomUUID()
  const body = JSON.stringify(errorReply(problem, requestId))
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': requestId,
    // It tells nothing of anybody.
    'access-control-allow-origin': '*',
    'access-control-expose-headers': exposed,
    connection: 'close',
    ...problem.headers,
  }
  return { headers, body }
}

const write = (socket: Duplex, problem: Problem): void => {
  const { headers, body } = refusal(problem)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('')}\r\n${body}`)
}

/**
 * The parser stopped at 128 KiB: whether it was still in the URL, or in the headers behind it. What came last is the beginning of a
 * request, or goes on with one; a URL ends where a line ends with the version.
 */
const stoppedInUrl = (packet: Buffer): boolean => {
  const end = packet.indexOf('\r\n')
  if (end < 0) return true
  const line = packet.toString('latin1', 0, end)
  if (!/ HTTP\/1\.[01]$/.test(line)) return false
  return !/^[A-Z]+ [/h*]/.test(line) || end > urlBytesMax
}

const problemOf = ({ code, reason, rawPacket }: ParserError): Problem => {
  if (code === 'HPE_HEADER_OVERFLOW')
    return rawPacket && stoppedInUrl(rawPacket) ? tooLongUrl() : tooLargeHeaders()
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Problem('bad-request', 'the request did not arrive in time')
  return new Problem('bad-request', `this is no HTTP request that can be read${reason ? `: ${reason}` : ''}`)
}

const refuse = (response: ServerResponse, problem: Problem): void => {
  const { headers, body } = refusal(problem)
  response.writeHead(problem.status, headers)
  response.end(body)
}

/** Whether URL and headers together are longer than 64 KiB; then it is answered, by 414 where the URL is too long itself. */
export const refuseTooLarge = (
  { url = '/', rawHeaders }: IncomingMessage,
  response: ServerResponse,
): boolean => {
  let bytes = url.length
  for (const text of rawHeaders) bytes += text.length
  if (bytes < headerBytesMax) return false
  refuse(response, url.length > urlBytesMax ? tooLongUrl() : tooLargeHeaders())
  return true
}

/** Answers on `server` what never becomes a request: unreadable ones, tunnels, expectations other than `100-continue`. */
export const answerUnparsed = (server: Server): void => {
  const answered = new WeakSet<Duplex>()
  server.on('clientError', (error: ParserError, socket) => {
    // What the client goes on sending is read and dropped for a while: closing at once would take the answer from it.
    if (answered.has(socket)) return
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    answered.add(socket)
    const timer = setTimeout(() => socket.destroy(), lingerMs).unref()
    socket.once('end', () => socket.destroy()).once('close', () => clearTimeout(timer))
    write(socket, problemOf(error))
  })
  server.on('connect', (_request, socket) =>
    write(
      socket,
      new Problem('method-not-allowed', 'CONNECT is not allowed here', { headers: { allow: 'GET' } }),
    ),
  )
  server.on('checkExpectation', ({ headers }, response: ServerResponse) => {
    const message = `the expectation "${headers.expect}" cannot be met; allowed is 100-continue`
    refuse(response, new Problem('expectation-failed', message))
  })
}
