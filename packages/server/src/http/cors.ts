/** Cross-origin replies of the query service (query-service.md, In between). */
import type { IncomingHttpHeaders } from 'node:http'
import type { MaybePromise } from '#storage/directory'
import type { WorkspaceRow } from '#storage/workspaces'
import type { Origins } from './origins.ts'
import { addVary, type HeaderWriter } from './vary.ts'

/** Headers of replies that pages of other origins may read. */
export const exposedHeaders =
  'WWW-Authenticate, ETag, X-Request-Id, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Content-Disposition, Querent-Ignored-Parameters'
/** How long a browser may remember the answer to a preflight; Chromium's own bound is 2 hours. */
const preflightSeconds = 7200

interface CorsRequest {
  headers: IncomingHttpHeaders
}

/** `any`: pages of every origin may read the reply; `listed`: of this request's origin; `none`: of no other origin. */
export type CorsAccess = 'any' | 'listed' | 'none'

/** Pages that may read what is private in a workspace: those of its applications, those that it lists, and the console. */
export const findCorsAccess = (
  origin: string | undefined,
  workspace: WorkspaceRow | undefined,
  { origins, authUrl }: { origins: Origins; authUrl: string },
): MaybePromise<CorsAccess> => {
  if (origin === undefined || !workspace) return 'none'
  if (origin === authUrl || workspace.definition.settings?.origins?.includes(origin)) return 'listed'
  return origins.isRegisteredIn(workspace.id, origin).then(isRegistered => (isRegistered ? 'listed' : 'none'))
}

/** Sets the headers before anything can fail, so that errors have them too. */
export const setCors = (request: CorsRequest, reply: HeaderWriter, access: CorsAccess): void => {
  const { origin } = request.headers
  if (access !== 'any') addVary(reply, 'Origin')
  if (origin === undefined || access === 'none') return
  reply.header('access-control-allow-origin', access === 'any' ? '*' : origin)
  reply.header('access-control-expose-headers', exposedHeaders)
}

/** Headers of the answer to a preflight: the headers asked for are allowed, SDKs send some of their own. */
export const setPreflight = (request: CorsRequest, reply: HeaderWriter, methods: string): void => {
  if (reply.getHeader('access-control-allow-origin') === undefined) return
  const headers = request.headers['access-control-request-headers']
  if (headers !== undefined) reply.header('access-control-allow-headers', headers)
  reply.header('access-control-allow-methods', methods)
  reply.header('access-control-max-age', preflightSeconds)
}
