/** Cross-origin replies of the query service (query-service.md, In between). */
import type { IncomingHttpHeaders } from 'node:http'
import type { MaybePromise } from '#storage/directory'
import type { WorkspaceRow } from '#storage/workspaces'
import type { Origins } from './origins.ts'
import { addVary, type HeaderWriter } from './vary.ts'

/** Reply headers that pages of other origins may read. */
export const exposedHeaders =
  'WWW-Authenticate, ETag, X-Request-Id, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Content-Disposition, Link, Server-Timing, Querent-Ignored-Parameters'
/** How long a browser may cache the answer to a preflight. Chromium's own maximum is 2 hours. */
const preflightSeconds = 7200

interface CorsRequest {
  headers: IncomingHttpHeaders
}

/** Pages that may read the reply: `any` origin, the `listed` origin of this request, or `none`. */
export type CorsAccess = 'any' | 'listed' | 'none'

/** Pages that may read private replies of a workspace: those of its applications, those that it lists, and the console. */
export const findCorsAccess = (
  origin: string | undefined,
  workspace: WorkspaceRow | undefined,
  { origins, authUrl }: { origins: Origins; authUrl: string },
): MaybePromise<CorsAccess> => {
  // The console may read every reply, so that its origin does not reveal which workspaces exist.
  if (origin === authUrl) return 'listed'
  if (origin === undefined || !workspace) return 'none'
  if (workspace.definition.settings?.origins?.includes(origin)) return 'listed'
  return origins.isRegisteredIn(workspace.id, origin).then(isRegistered => (isRegistered ? 'listed' : 'none'))
}

/** Call it before anything can fail, so that errors have the headers too. */
export const setCors = (request: CorsRequest, reply: HeaderWriter, access: CorsAccess): void => {
  const { origin } = request.headers
  if (access !== 'any') addVary(reply, 'Origin')
  if (origin === undefined || access === 'none') return
  reply.header('access-control-allow-origin', access === 'any' ? '*' : origin)
  reply.header('access-control-expose-headers', exposedHeaders)
}

/** Sets headers of the answer to a preflight. Allows all requested headers, because SDKs send their own ones. */
export const setPreflight = (request: CorsRequest, reply: HeaderWriter, methods: string): void => {
  if (reply.getHeader('access-control-allow-origin') === undefined) return
  const headers = request.headers['access-control-request-headers']
  if (headers !== undefined) reply.header('access-control-allow-headers', headers)
  reply.header('access-control-allow-methods', methods)
  reply.header('access-control-max-age', preflightSeconds)
}
