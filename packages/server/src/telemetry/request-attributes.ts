/**
 * What is known of a request while it is answered. When it has ended, its line in the log, the metrics and its trace are made of it; where
 * none of them is wanted, nothing is kept.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

export type Service = 'query' | 'authorization'

/** Where a request went. Nothing that a client may have made up. */
export interface RequestAttributes {
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

/** Steps of a query, in their order. Only a query that had to wait for its turn goes through `wait`. */
export const querySteps = ['authorise', 'compile', 'wait', 'engine', 'serialise'] as const
export type QueryStep = (typeof querySteps)[number]

/** A request; times are those of `performance.now()`. */
export interface Observation {
  readonly service: Service
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly attributes: RequestAttributes
  readonly startedMs: number
  /** When each step had ended; 0: it was not gone through. */
  readonly stepEndMs: Record<QueryStep, number>
}

/** Told of every request: when it has been answered, or given up. */
export type Observer = (observation: Observation, endedMs: number) => void

/** On the reply itself: a WeakMap of what lives for a millisecond costs the garbage collector more than all the rest. */
const observationKey = Symbol('observation')
interface ObservedResponse extends ServerResponse {
  [observationKey]?: Observation
}

/** What is kept of the request that `response` answers; undefined: nothing is. */
export const getObservation = (response: ObservedResponse): Observation | undefined =>
  response[observationKey]

/** Adds to what is known of where a request went. */
export const setAttributes = (response: ServerResponse, attributes: RequestAttributes): void => {
  const observation = getObservation(response)
  if (observation) Object.assign(observation.attributes, attributes)
}

/** The same of an address of the authorization server, which may hold what opens something. */
export const setRoute = (response: ServerResponse, path: string): void => {
  const observation = getObservation(response)
  if (observation) observation.attributes.route = toRoutePattern(path)
}

/** `/oauth/token`; of the others the first segment: what follows it may open something. */
const toRoutePattern = (path: string): string => {
  const [, first = '', second] = path.split('/', 3)
  if (second === undefined) return `/${first}`
  return first === 'oauth' || first === '.well-known' ? `/${first}/${second}` : `/${first}/…`
}

/** A step of a query has ended; the next one begins. */
export const endStep = (observation: Observation | undefined, step: QueryStep): void => {
  if (observation) observation.stepEndMs[step] = performance.now()
}

/** Tells of each step that a request went through when it began and ended. */
export const forEachStep = (
  { startedMs, stepEndMs: ended }: Observation,
  visit: (step: QueryStep, fromMs: number, toMs: number) => void,
): void => {
  let startMs = startedMs
  for (const step of querySteps) {
    const endMs = ended[step]
    if (endMs === 0) continue
    visit(step, startMs, endMs)
    startMs = endMs
  }
}

/** Of the reply; 499, as proxies have it, where the request was given up before there was one. */
export const readStatus = ({ headersSent, statusCode }: ServerResponse): number =>
  headersSent ? statusCode : clientClosedStatus
const clientClosedStatus = 499

/** Lets `listener` answer, and tells each of `observers`. Without any, it is the listener itself. */
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
      stepEndMs: { authorise: 0, compile: 0, wait: 0, engine: 0, serialise: 0 },
    }
    response[observationKey] = observation
    response.once('close', () => {
      const endedMs = performance.now()
      for (const observer of observers) observer(observation, endedMs)
    })
    listener(request, response)
  }
}
