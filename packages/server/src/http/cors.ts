/** Cross-origin replies of the query service (query-service.md, In between). */
import type { IncomingHttpHeaders } from 'node:http'
import type { Known } from '#storage/directory'
import type { WorkspaceRow } from '#storage/workspaces'
import type { Origins } from './origins.ts'
import { addVary, type Headed } from './vary.ts'

/** Headers of replies that pages of other origins may read. */
export const exposed =
  'WWW-Authenticate, ETag, X-Request-Id, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Content-Disposition'
/** How long a browser may remember the answer to a preflight; Chromium's own bound is 2 hours. */
const preflightSeconds = 7200

interface Asking {
  headers: IncomingHttpHeaders
}

/** `any`: pages of every origin may read the reply; `listed`: of this request's origin; `none`: of no other origin. */
export type Readable = 'any' | 'listed' | 'none'

/** Pages that may read what is private in a workspace: those of its applications, those that it lists, and the console. */
export const readableBy = (
  origin: string | undefined,
  workspace: WorkspaceRow | undefined,
  { origins, authUrl }: { origins: Origins; authUrl: string },
): Known<Readable> => {
  if (origin === undefined || !workspace) return 'none'
  if (origin === authUrl || workspace.definition.settings?.origins?.includes(origin)) return 'listed'
  return origins.registeredIn(workspace.id, origin).then(isRegistered => (isRegistered ? 'listed' : 'none'))
}

/** Sets the headers before anything can fail, so that errors have them too. */
export const setCors = (request: Asking, reply: Headed, readable: Readable): void => {
  const { origin } = request.headers
  if (readable !== 'any') addVary(reply, 'Origin')
  if (origin === undefined || readable === 'none') return
  reply.header('access-control-allow-origin', readable === 'any' ? '*' : origin)
  reply.header('access-control-expose-headers', exposed)
}

/** Headers of the answer to a preflight: the headers asked for are allowed, SDKs send some of their own. */
export const setPreflight = (request: Asking, reply: Headed, methods: string): void => {
  if (reply.getHeader('access-control-allow-origin') === undefined) return
  const headers = request.headers['access-control-request-headers']
  if (headers !== undefined) reply.header('access-control-allow-headers', headers)
  reply.header('access-control-allow-methods', methods)
  reply.header('access-control-max-age', preflightSeconds)
}
