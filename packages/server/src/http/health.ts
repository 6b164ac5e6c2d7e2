/**
 * Whether this process lives (`/healthz`), and whether it can do its work (`/readyz`), for whoever sends it requests. From memory: it may
 * be asked as often as one likes.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Engine } from '#engines/engine'
import { errorReply, Problem } from '#errors'
import type { Directory } from '#storage/directory'
import type { Keyring } from './keyring.ts'
import type { Service } from './observation.ts'

/** `start`: everything is there to answer; `stop`: nobody has told the server to stop. */
const names = ['start', 'storage', 'engine', 'keys', 'stop'] as const
export type CheckName = (typeof names)[number]

const words: Record<CheckName, string> = {
  start: 'it is starting',
  storage: 'the storage cannot be reached',
  engine: 'the engine does not answer',
  keys: 'there is no key to sign with',
  stop: 'it is stopping',
}

export interface Parts {
  directory: Pick<Directory, 'isHeard'>
  engine: Pick<Engine, 'ping'>
  keyring: Pick<Keyring, 'publicJwks'>
}

export interface Health {
  /** From now on it can be ready. */
  begin(parts: Parts): void
  /** From now on it is not: the server is about to stop. */
  stop(): void
  isStopping(): boolean
  /** Which checks fail; those of one service, or of all. */
  failing(service?: Service): CheckName[]
  /** Answers `/healthz` and `/readyz`; false: the request is for something else. */
  answer(request: IncomingMessage, response: ServerResponse, service?: Service): boolean
  close(): void
}

const pingEveryMs = 2000

/** `only`: of a process that has this service alone. */
export const openHealth = (only?: Service): Health => {
  let parts: Parts | undefined
  let isStopping = false
  let engineAnswers = true
  let pinger: NodeJS.Timeout | undefined

  const passes: Record<CheckName, () => boolean> = {
    start: () => parts !== undefined,
    storage: () => parts?.directory.isHeard() ?? false,
    engine: () => parts !== undefined && engineAnswers,
    keys: () => parts !== undefined && parts.keyring.publicJwks().length > 0,
    stop: () => !isStopping,
  }
  // Tokens are given without the engine.
  const checksOf = (service = only) => names.filter(name => name !== 'engine' || service !== 'authorization')
  const failing: Health['failing'] = service => checksOf(service).filter(name => !passes[name]())

  const ready = (service: Service | undefined, requestId: string): { status: number; body: object } => {
    const failed = failing(service)
    const checks = checksOf(service).map(name => ({ name, state: failed.includes(name) ? 'fail' : 'ok' }))
    if (failed.length === 0) return { status: 200, body: { ok: true, checks } }
    const problem = new Problem('unavailable', `not ready: ${failed.map(name => words[name]).join(', ')}`)
    return { status: 503, body: { ok: false, ...errorReply(problem, requestId), checks } }
  }

  /** A check that throws is one that fails: it must not end the process. */
  const readyOrNot = (service: Service | undefined, requestId: string): ReturnType<typeof ready> => {
    try {
      return ready(service, requestId)
    } catch {
      const problem = new Problem('unavailable', 'not ready: a check could not be made')
      return { status: 503, body: { ok: false, ...errorReply(problem, requestId) } }
    }
  }

  return {
    begin(given) {
      parts = given
      const { engine } = given
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
      const path = pathOf(request.url)
      if (path === undefined) return false
      const requestId = randomUUID()
      const { status, body } = isRead(request)
        ? path === '/healthz'
          ? { status: 200, body: { ok: true } }
          : readyOrNot(service, requestId)
        : { status: 405, body: errorReply(notAllowed(request), requestId) }
      const text = JSON.stringify(body)
      response.writeHead(status, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(text),
        'cache-control': 'no-store',
        'x-request-id': requestId,
        ...(status === 503 ? { 'retry-after': '1' } : {}),
        ...(status === 405 ? { allow: 'GET, HEAD' } : {}),
      })
      response.end(request.method === 'HEAD' ? undefined : text)
      return true
    },
    close() {
      clearInterval(pinger)
    },
  }
}

const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD'

const notAllowed = ({ method }: IncomingMessage): Problem =>
  new Problem('method-not-allowed', `${method} is not allowed here: allowed are GET, HEAD`)

const pathOf = (url: string | undefined): '/healthz' | '/readyz' | undefined => {
  // Every request passes here.
  if (url === undefined || (!url.startsWith('/healthz') && !url.startsWith('/readyz'))) return undefined
  const [path] = url.split('?', 1)
  return path === '/healthz' || path === '/readyz' ? path : undefined
}
