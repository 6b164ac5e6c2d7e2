/**
 * Observations of a request while it is answered. At its end they become its log line, metrics and trace. If none of these is on, the
 * server does not observe requests.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

export type Service = 'query' | 'authorization'

/** Attributes of a request. They never contain text that a client could invent. */
export interface RequestAttributes {
  /** The pattern instead of the path: `/oauth/token`, `/manage/v1/workspaces/:workspace`; `none` if no route matches. */
  route?: string
  requestId?: string
  workspace?: string
  api?: string
  endpoint?: string
  /** Code of an error reply. */
  code?: string
  traceId?: string
}

/** Steps of a query in order. `wait` occurs only if a query had to wait for its turn. */
export const querySteps = ['authorize', 'compile', 'wait', 'engine', 'serialize'] as const
export type QueryStep = (typeof querySteps)[number]

/** A request; times are from `performance.now()`. */
export interface Observation {
  readonly service: Service
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly attributes: RequestAttributes
  readonly startedMs: number
  /** End of each step; 0 if it did not occur. */
  readonly stepEndMs: Record<QueryStep, number>
}

/** Called at the end of every request, answered or aborted. */
export type Observer = (observation: Observation, endedMs: number) => void

/** Key on the response itself: a WeakMap of short-lived objects costs the garbage collector more than everything else here. */
const observationKey = Symbol('observation')
interface ObservedResponse extends ServerResponse {
  [observationKey]?: Observation
}

/** Returns the observation of the request that `response` answers; undefined if it is not observed. */
export const getObservation = (response: ObservedResponse): Observation | undefined =>
  response[observationKey]

/** Makes attributes of another response those of this request. */
export const shareObservation = (from: ObservedResponse, to: ObservedResponse): void => {
  const observation = getObservation(from)
  if (observation) to[observationKey] = observation
}

/** Adds attributes to the observation of the request. */
export const setAttributes = (response: ServerResponse, attributes: RequestAttributes): void => {
  const observation = getObservation(response)
  if (observation) Object.assign(observation.attributes, attributes)
}

/** Sets the route of a request to the authorization server, without parts of the path that may be secret. */
export const setRoute = (response: ServerResponse, path: string): void => {
  const observation = getObservation(response)
  if (observation) observation.attributes.route = toRoutePattern(path)
}

/** Returns paths such as `/oauth/token` whole, and only the first segment of others, because the rest may be a secret. */
const toRoutePattern = (path: string): string => {
  const [, first = '', second] = path.split('/', 3)
  if (second === undefined) return `/${first}`
  return first === 'oauth' || first === '.well-known' ? `/${first}/${second}` : `/${first}/…`
}

/** Ends a step of a query; the next one starts. */
export const endStep = (observation: Observation | undefined, step: QueryStep): void => {
  if (observation) observation.stepEndMs[step] = performance.now()
}

/** Visits each step that occurred, with its start and end. */
export const forEachStep = (
  { startedMs, stepEndMs }: Observation,
  visit: (step: QueryStep, fromMs: number, toMs: number) => void,
): void => {
  let startMs = startedMs
  for (const step of querySteps) {
    const endMs = stepEndMs[step]
    if (endMs === 0) continue
    visit(step, startMs, endMs)
    startMs = endMs
  }
}

/** Returns the status of the reply; 499, as in nginx, if the client aborted the request before. */
export const readStatus = ({ headersSent, statusCode }: ServerResponse): number =>
  headersSent ? statusCode : clientClosedStatus
const clientClosedStatus = 499

/** Returns a listener that also calls the observers. Returns `listener` itself if there are none. */
export const withObservers = (
  service: Service,
  observers: readonly Observer[],
  listener: RequestListener,
): RequestListener => {
  if (observers.length === 0) return listener
  return (request, response: ObservedResponse) => {
    const observation: Observation = {
      service,
      request,
      response,
      attributes: {},
      startedMs: performance.now(),
      stepEndMs: { authorize: 0, compile: 0, wait: 0, engine: 0, serialize: 0 },
    }
    response[observationKey] = observation
    response.once('close', () => {
      const endedMs = performance.now()
      for (const observer of observers) observer(observation, endedMs)
    })
    listener(request, response)
  }
}
