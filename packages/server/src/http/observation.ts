/**
 * What is known of a request while it is answered. When it has ended, its line in the log, the metrics and its trace are made of it; where
 * none of them is wanted, nothing is kept.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

export type Service = 'query' | 'authorization'

/** Where a request went. Nothing that a client may have made up. */
export interface Place {
  /** The pattern, not the path: `/oauth/token`, `/manage/v1/workspaces/:workspace`; `none` where nothing answers. */
  route?: string
  requestId?: string
  workspace?: string
  api?: string
  endpoint?: string
  /** Of the error that was answered. */
  code?: string
  traceId?: string
}

/** Steps of a query, in their order. */
export const steps = ['authorise', 'compile', 'engine', 'serialise'] as const
export type Step = (typeof steps)[number]

/** A request; times are those of `performance.now()`. */
export interface Observation {
  readonly service: Service
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly place: Place
  readonly startedMs: number
  /** When each step had ended; 0: it was not gone through. */
  readonly ended: Record<Step, number>
}

/** Told of every request: when it has been answered, or given up. */
export type Observer = (observation: Observation, endedMs: number) => void

/** On the reply itself: a WeakMap of what lives for a millisecond costs the garbage collector more than all the rest. */
const observed = Symbol('observation')
interface Observed extends ServerResponse {
  [observed]?: Observation
}

/** What is kept of the request that `response` answers; undefined: nothing is. */
export const observationOf = (response: Observed): Observation | undefined => response[observed]

/** Adds to what is known of where a request went. */
export const notePlace = (response: ServerResponse, place: Place): void => {
  const known = observationOf(response)
  if (known) Object.assign(known.place, place)
}

/** The same of an address of the authorization server, which may hold what opens something. */
export const noteAddress = (response: ServerResponse, path: string): void => {
  const known = observationOf(response)
  if (known) known.place.route = routeOf(path)
}

/** `/oauth/token`; of the others the first segment: what follows it may open something. */
const routeOf = (path: string): string => {
  const [, first = '', second] = path.split('/', 3)
  if (second === undefined) return `/${first}`
  return first === 'oauth' || first === '.well-known' ? `/${first}/${second}` : `/${first}/…`
}

/** A step of a query has ended; the next one begins. */
export const endStep = (observation: Observation | undefined, step: Step): void => {
  if (observation) observation.ended[step] = performance.now()
}

/** Tells of each step that a request went through when it began and ended. */
export const eachStep = (
  { startedMs, ended }: Observation,
  tell: (step: Step, fromMs: number, toMs: number) => void,
): void => {
  let from = startedMs
  for (const step of steps) {
    const to = ended[step]
    if (to === 0) continue
    tell(step, from, to)
    from = to
  }
}

/** Of the reply; 499, as proxies have it, where the request was given up before there was one. */
export const statusOf = ({ headersSent, statusCode }: ServerResponse): number =>
  headersSent ? statusCode : givenUp
const givenUp = 499

/** Lets `listener` answer, and tells each of `observers`. Without any, it is the listener itself. */
export const withObservers = (
  service: Service,
  observers: readonly Observer[],
  listener: RequestListener,
): RequestListener => {
  if (observers.length === 0) return listener
  return (request, response: Observed) => {
    const observation: Observation = {
      service,
      request,
      response,
      place: {},
      startedMs: performance.now(),
      ended: { authorise: 0, compile: 0, engine: 0, serialise: 0 },
    }
    response[observed] = observation
    response.once('close', () => {
      const endedMs = performance.now()
      for (const observer of observers) observer(observation, endedMs)
    })
    listener(request, response)
  }
}
