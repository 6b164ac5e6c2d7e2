/** Requests whose body was read before the handler that expects to read it. */
import { IncomingMessage } from 'node:http'

const hasLength = ({ headers }: IncomingMessage): boolean => headers['content-length'] !== undefined

const originals = new WeakMap<IncomingMessage, IncomingMessage>()

/** Returns a request with the same head, whose body can be read once more. */
export const withBody = (request: IncomingMessage, body: Buffer): IncomingMessage => {
  const copy = new IncomingMessage(request.socket)
  const headers = hasLength(request)
    ? { ...request.headers, 'content-length': String(body.length) }
    : request.headers
  const { method, url, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor } = request
  Object.assign(copy, {
    method,
    url,
    headers,
    rawHeaders,
    httpVersion,
    httpVersionMajor,
    httpVersionMinor,
    complete: true,
  })
  copy.push(body)
  copy.push(null)
  originals.set(copy, originalRequest(request))
  return copy
}

const originalRequest = (request: IncomingMessage): IncomingMessage => originals.get(request) ?? request

/** Remembers each request's address, which Node forgets when the client hangs up. */
export const rememberAddresses = (
  read: (request: IncomingMessage) => string,
): ((request: IncomingMessage) => string) => {
  const addresses = new WeakMap<IncomingMessage, string>()
  return request => {
    const original = originalRequest(request)
    const address = addresses.get(original) ?? read(original)
    addresses.set(original, address)
    return address
  }
}
