/**
 * Answers `/healthz` (the process lives) and `/readyz` (it can serve requests). Both answer from memory, so load balancers may poll them
 * at any rate.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Engine } from '#engines/engine'
import { errorReply, Problem } from '#errors'
import type { Keyring } from '#keys/keyring'
import type { Storage } from '#storage/db'
import type { Directory } from '#storage/directory'
import type { Service } from './request-attributes.ts'

/** `start` passes once the server has started; `stop` passes until its shutdown begins. */
const checkNames = ['start', 'storage', 'engine', 'keys', 'stop'] as const
export type CheckName = (typeof checkNames)[number]

const failureMessages: Record<CheckName, string> = {
  start: 'it is starting',
  storage: 'the storage cannot be reached',
  engine: 'the engine does not answer',
  keys: 'there is no key to sign with',
  stop: 'it is stopping',
}

export interface HealthSources {
  storage: Pick<Storage, 'isAway' | 'disk'>
  directory: Pick<Directory, 'isFresh'>
  engine: Pick<Engine, 'ping' | 'failures'>
  keyring: Pick<Keyring, 'publicJwks'>
}

export interface Health {
  /** Marks the start as complete. */
  begin(sources: HealthSources): void
  /** Marks the server as stopping; it is no longer ready. */
  stop(): void
  isStopping(): boolean
  /** Returns the failing checks of one service, or of all. */
  failing(service?: Service): CheckName[]
  /** Answers `/healthz` and `/readyz`. Returns false for any other request. */
  answer(request: IncomingMessage, response: ServerResponse, service?: Service): boolean
  close(): void
}

const pingEveryMs = 2000

/**
 * Readiness of a node without its storage. `step-aside`: not ready, so that other nodes get its requests. `serve`: ready for as long as it
 * may answer from cached memberships.
 */
export type CutOffPolicy = 'step-aside' | 'serve'

/** `onlyService` is set if the process runs a single service. */
export const openHealth = (onlyService?: Service, whenCutOff: CutOffPolicy = 'step-aside'): Health => {
  let sources: HealthSources | undefined
  let isStopping = false
  let engineAnswers = true
  let pinger: NodeJS.Timeout | undefined

  const passes: Record<CheckName, () => boolean> = {
    start: () => sources !== undefined,
    storage: () =>
      (sources?.directory.isFresh() ?? false) &&
      (whenCutOff === 'serve' || sources?.storage.isAway() === false),
    engine: () => sources !== undefined && engineAnswers,
    keys: () => sources !== undefined && sources.keyring.publicJwks().length > 0,
    stop: () => !isStopping,
  }
  // The authorization server works without the engine.
  const listChecks = (service = onlyService) =>
    checkNames.filter(name => name !== 'engine' || service !== 'authorization')
  const failing: Health['failing'] = service => listChecks(service).filter(name => !passes[name]())

  /**
   * Reports collections that are down. They do not make the node unready, because all others still answer. Their names are
   * not for strangers: the log and `querent doctor` have them.
   */
  const checkCollections = (): object => {
    const down = sources?.engine.failures?.().size ?? 0
    return { name: 'collections', ...(down === 0 ? { state: 'ok' } : { state: 'warn', down }) }
  }

  const readiness = (service: Service | undefined, requestId: string): { status: number; body: object } => {
    const failed = failing(service)
    const checks = listChecks(service).flatMap(name => {
      const check = { name, state: failed.includes(name) ? 'fail' : 'ok' }
      return name === 'engine' ? [check, checkCollections()] : [check]
    })
    const state = sources?.storage.disk?.()
    // A node with a full disk still answers queries.
    const disk = state?.isFull ? { disk: { state: 'full', reserveBytes: state.reserveBytes } } : {}
    if (failed.length === 0) return { status: 200, body: { ok: true, checks, ...disk } }
    const problem = new Problem(
      'unavailable',
      `not ready: ${failed.map(name => failureMessages[name]).join(', ')}`,
    )
    return { status: 503, body: { ok: false, ...errorReply(problem, requestId), checks, ...disk } }
  }

  /** Treats a check that throws as failed, because the error must not end the process. */
  const safeReadiness = (service: Service | undefined, requestId: string): ReturnType<typeof readiness> => {
    try {
      return readiness(service, requestId)
    } catch {
      const problem = new Problem('unavailable', 'not ready: a check threw an error')
      return { status: 503, body: { ok: false, ...errorReply(problem, requestId) } }
    }
  }

  return {
    begin(newSources) {
      sources = newSources
      const { engine } = newSources
      if (!engine.ping) return
      pinger = setInterval(async () => {
        engineAnswers = await (engine.ping?.(pingEveryMs) ?? Promise.resolve()).then(
          () => true,
          () => false,
        )
      }, pingEveryMs).unref()
    },
    stop() {
      isStopping = true
    },
    isStopping: () => isStopping,
    failing,
    answer(request, response, service) {
      const path = matchHealthPath(request.url)
      if (path === undefined) return false
      const requestId = randomUUID()
      const { status, body } = isGetOrHead(request)
        ? path === '/healthz'
          ? { status: 200, body: { ok: true } }
          : safeReadiness(service, requestId)
        : { status: 405, body: errorReply(methodNotAllowed(request), requestId) }
      sendHealth(request, response, { status, body, requestId })
      return true
    },
    close() {
      clearInterval(pinger)
    },
  }
}

const sendHealth = (
  request: IncomingMessage,
  response: ServerResponse,
  { status, body, requestId }: { status: number; body: object; requestId: string },
): void => {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    ...(status === 503 ? { 'retry-after': '1' } : {}),
    ...(status === 405 ? { allow: 'GET, HEAD' } : {}),
  })
  response.end(request.method === 'HEAD' ? undefined : text)
}

const isGetOrHead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD'

const methodNotAllowed = ({ method }: IncomingMessage): Problem =>
  new Problem('method-not-allowed', `${method} is not allowed here: allowed are GET, HEAD`)

const matchHealthPath = (url: string | undefined): '/healthz' | '/readyz' | undefined => {
  // Every request passes here, so most must return early.
  if (url === undefined || (!url.startsWith('/healthz') && !url.startsWith('/readyz'))) return undefined
  const [path] = url.split('?', 1)
  return path === '/healthz' || path === '/readyz' ? path : undefined
}
