/**
 * One line of the log for each request, at level debug: which route, not which URL, because paths and queries hold what people search
 * for, one-time links and codes.
 */
import type { RequestListener, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

interface Place {
  route?: string
  requestId?: string
  workspace?: string
  api?: string
  endpoint?: string
}

const places = new WeakMap<ServerResponse, Place>()

/** Adds to what is known of where a request went. Nothing that a client may have made up. */
export const notePlace = (response: ServerResponse, place: Place): void => {
  const known = places.get(response)
  if (known) Object.assign(known, place)
}

/** The same of an address of the authorization server, which may hold what opens something. */
export const noteAddress = (response: ServerResponse, path: string): void => {
  const known = places.get(response)
  if (known) known.route = routeOf(path)
}

/** `/oauth/token`; of the others the first segment: what follows it may open something. */
const routeOf = (path: string): string => {
  const [, first = '', second] = path.split('/', 3)
  if (second === undefined) return `/${first}`
  return first === 'oauth' || first === '.well-known' ? `/${first}/${second}` : `/${first}/…`
}

/** Lets `listener` answer, and logs that it did where `logLevel` asks for it. */
export const withRequestLog = (
  app: FastifyInstance,
  logLevel: string,
  listener: RequestListener,
): RequestListener => {
  if (logLevel !== 'debug' && logLevel !== 'trace') return listener
  return (request, response) => {
    const started = performance.now()
    const place: Place = {}
    places.set(response, place)
    response.once('close', () => {
      const { requestId = response.getHeader('x-request-id'), ...where } = place
      const { method } = request
      const ms = Math.round((performance.now() - started) * 10) / 10
      const isWhole = response.writableFinished
      app.log.debug({ requestId, method, ...where, status: response.statusCode, ms, isWhole }, 'request')
    })
    listener(request, response)
  }
}
