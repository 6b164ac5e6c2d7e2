/** The first steps of a query: find the API of its address, decide which pages may read the reply, and authorize the caller. */
import type { IncomingMessage } from 'node:http'
import { authorizeSteps } from '#authz/authorize'
import { findPreviewFilter, previewHeader } from '#authz/preview'
import { refuseTokenInUrl } from '#authz/token-in-url'
import { type CorsAccess, findCorsAccess, setCors } from '#http/cors'
import type { QueryReply } from '#http/raw-reply'
import { type Steps, waitFor } from '#http/recipe'
import { isUrlTooLong } from '#http/server'
import type { HeaderWriter } from '#http/vary'
import type { MaybePromise } from '#storage/directory'
import type { QueryAddress } from './address.ts'
import { noSuchApi } from './cache/compiled-apis.ts'
import type { Caller } from './cache/not-modified.ts'
import type { PendingQuery, QueryDependencies, QueryService, ResolvedApi } from './query-context.ts'

/** Sets CORS headers before anything can fail, so that pages can read errors too. */
export function* prepareQuery(
  service: QueryService,
  request: IncomingMessage,
  reply: HeaderWriter,
  url: string,
): Steps<PendingQuery> {
  const { deps, planCache, limits } = service
  const cached = planCache.getOrRead(url)
  const resolved = yield* resolveApi(service, cached.address)
  setCors(request, reply, yield* waitFor(corsAccess(deps, request.headers.origin, resolved)))
  if (isUrlTooLong(url)) limits.count(reply, addressKey(deps, request))
  return { cached, resolved }
}

/** Authorizes the caller. A rejected request counts by IP address, so that rejections have `RateLimit-*` headers too. */
export function* authorizeCounted(
  service: QueryService,
  reply: QueryReply,
  pending: PendingQuery,
): Steps<Caller> {
  try {
    return yield* authorizeCaller(service, reply, pending)
  } catch (error) {
    service.limits.count(reply, addressKey(service.deps, reply.request))
    throw error
  }
}

/** The rate limit key of a request whose account is unknown. */
export const addressKey = (
  { clientAddress }: Pick<QueryDependencies, 'clientAddress'>,
  request: IncomingMessage,
): string => `at ${clientAddress(request)}`

/** Anyone may query a public API, and members any other. An API that doesn't exist gives the same answer as one without access. */
function* authorizeCaller(
  service: QueryService,
  { request, requestId }: QueryReply,
  { cached: { address }, resolved }: PendingQuery,
): Steps<Caller> {
  const { deps, findApi, notModified } = service
  refuseTokenInUrl(address.search)
  const preview = request.headers[previewHeader]?.toString()
  if (resolved.workspace && resolved.api?.access === 'public' && preview === undefined)
    return {
      workspace: resolved.workspace,
      api: resolved.api,
      filters: [],
      memberFilters: undefined,
      subject: '',
      account: addressKey(deps, request),
    }
  const authorization = {
    request,
    path: address.path,
    resourcePath: address.resourcePath,
    requestId,
    clientAddress: () => deps.clientAddress(request),
    connection: request.socket,
  }
  const version = deps.directory.version()
  const authorized = yield* authorizeSteps(deps, authorization, address.workspace ?? '', 'query')
  const { principal, workspace, filter } = authorized
  const previewFilter =
    preview === undefined
      ? undefined
      : yield* waitFor(findPreviewFilter(deps, authorization, authorized, preview))
  // Look the API up again, so that it has the same version of the definition as the workspace.
  const api = findApi(workspace, address.api)
  if (!api) throw noSuchApi(workspace, address.api)
  const memberFilters = [filter, previewFilter].filter(rowFilter => rowFilter !== undefined)
  // Row filters don't apply to public APIs.
  const filters = api.access === 'public' ? [] : memberFilters
  const { subject } = principal
  const caller = { workspace, api, filters, memberFilters, subject, account: subject }
  if (preview === undefined) notModified.remember(principal.token, address.resourcePath, version, caller)
  return caller
}

function* resolveApi(
  { deps, findApi }: QueryService,
  { workspace: slug, api: name }: QueryAddress,
): Steps<ResolvedApi> {
  const workspace = slug === undefined ? undefined : yield* waitFor(deps.directory.workspace(slug))
  return { workspace, api: findApi(workspace, name) }
}

/** The pages that may read the reply. An API that doesn't exist gets the same headers as a private one. */
const corsAccess = (
  deps: QueryDependencies,
  origin: string | undefined,
  { workspace, api }: ResolvedApi,
): MaybePromise<CorsAccess> => (api?.access === 'public' ? 'any' : findCorsAccess(origin, workspace, deps))
