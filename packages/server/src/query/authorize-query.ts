/** The first steps of a query: find the API of its address, decide which pages may read the reply, and authorize the caller. */
import type { IncomingMessage } from 'node:http'
import { checkApi } from '#authz/access'
import { authorize, refuseAccess } from '#authz/authorize'
import { findStrangerHiddenFields, uniteHiddenFields } from '#authz/hidden-fields'
import { findPreviewedMember, readPreview, refusePreviewChanges } from '#authz/preview'
import { findStrangerReaders } from '#authz/readers'
import { refuseTokenInUrl } from '#authz/token-in-url'
import { Problem } from '#errors'
import { type CorsAccess, findCorsAccess, setCors } from '#http/cors'
import type { QueryReply } from '#http/raw-reply'
import { isUrlTooLong } from '#http/server'
import type { HeaderWriter } from '#http/vary'
import type { MaybePromise } from '#storage/directory'
import type { WorkspaceRow } from '#storage/workspaces'
import type { QueryAddress } from './address.ts'
import { noSuchApi } from './cache/compiled-apis.ts'
import type { Caller } from './cache/not-modified.ts'
import type { CompiledApi } from './plan/compile.ts'
import type { OpenCollections } from './plan/open-collections.ts'
import type { PendingQuery, QueryDependencies, QueryService, ResolvedApi } from './query-context.ts'

/** Sets CORS headers before anything can fail, so that pages can read errors too. */
export const prepareQuery = async (
  service: QueryService,
  request: IncomingMessage,
  reply: HeaderWriter,
  url: string,
): Promise<PendingQuery> => {
  const { deps, planCache, limits } = service
  const cached = planCache.getOrRead(url)
  const resolved = await resolveApi(service, cached.address)
  setCors(request, reply, await corsAccess(deps, request.headers.origin, resolved))
  if (isUrlTooLong(url)) limits.count(reply, addressKey(deps, request))
  return { cached, resolved, preview: readPreview(request.headers) }
}

/** The rate limit key of a request whose account is unknown. */
export const addressKey = (
  { clientAddress }: Pick<QueryDependencies, 'clientAddress'>,
  request: IncomingMessage,
): string => `at ${clientAddress(request)}`

/** Anyone may query a public API, and members any other. An API that doesn't exist gives the same answer as one without access. */
export const authorizeCaller = async (
  service: QueryService,
  { request, requestId }: QueryReply,
  { cached: { address }, resolved, preview }: PendingQuery,
): Promise<Caller> => {
  const { deps, findApi, notModified } = service
  refuseTokenInUrl(address.search)
  if (resolved.workspace && resolved.api?.access === 'public' && !preview)
    return {
      workspace: resolved.workspace,
      ...strangerParts(service, resolved.workspace, resolved.api),
      memberFilters: undefined,
      memberApi: undefined,
      principal: undefined,
      limits: undefined,
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
  const authorized = await authorize(deps, authorization, address.workspace ?? '', 'query')
  const { principal, workspace, filter, readers, rights } = authorized
  if (preview?.changes !== undefined) await refusePreviewChanges(deps, authorization, authorized)
  const previewed =
    preview?.member === undefined
      ? undefined
      : await findPreviewedMember(deps, authorization, authorized, preview.member)
  // Before the API is looked up: one that doesn't exist gives the same answer as one that is closed.
  for (const { apis } of [rights, ...(previewed ? [previewed.rights] : [])]) {
    const check = checkApi({ apis }, address.api ?? '')
    if (!check.passed) throw refuseAccess(deps, authorization, workspace.slug, principal, [check])
  }
  // Look the API up again, so that it has the same version of the definition as the workspace.
  const open = intersect(rights.collections, previewed?.rights.collections)
  const hidden = uniteHiddenFields(workspace.definition, rights.hidden, previewed?.rights.hidden)
  const memberApi = findApi(workspace, address.api, open, hidden)
  if (!memberApi) {
    const problem = noSuchApi(workspace, address.api)
    if (!preview) recordUnknownApi(deps, requestId, workspace, principal.subject, address.api ?? '', problem)
    throw problem
  }
  const memberFilters = [filter, readers, previewed?.rights.filter, previewed?.readers].filter(
    rowFilter => rowFilter !== undefined,
  )
  // A public API treats every caller as a stranger. But unsaved changes may search what the API does not publish.
  const isPublic = memberApi.access === 'public' && preview?.changes === undefined
  const { api, filters } = isPublic
    ? strangerParts(service, workspace, memberApi)
    : { api: memberApi, filters: memberFilters }
  const { subject } = principal
  const { limits } = rights
  const member = { memberFilters, memberApi }
  const caller = { workspace, api, filters, ...member, principal, limits, subject, account: subject }
  if (!preview) notModified.remember(principal.token, address.resourcePath, version, caller, rights.changesAt)
  return caller
}

/** Lists a request for an API that does not exist, so that its developer finds it. */
const recordUnknownApi = (
  { usageLog }: Pick<QueryDependencies, 'usageLog'>,
  requestId: string,
  workspace: WorkspaceRow,
  account: string,
  api: string,
  { code, message }: Problem,
): void =>
  usageLog.record({
    ...{ workspace, api, account, requestId },
    endpoint: '',
    address: '',
    stack: [],
    total: undefined,
    failure: code,
    failureMessage: message,
    ms: 0,
    isApiUnknown: true,
  })

/** Returns the parts of a public API that a stranger may use. */
const strangerParts = (
  { findApi }: QueryService,
  workspace: WorkspaceRow,
  api: CompiledApi,
): Pick<Caller, 'api' | 'filters'> => {
  const { definition } = workspace
  const hidden = findStrangerHiddenFields(definition)
  const readers = findStrangerReaders(definition)
  return {
    api: hidden ? (findApi(workspace, api.name, api.open, hidden) ?? api) : api,
    filters: readers ? [readers] : [],
  }
}

const intersect = (open: OpenCollections, other: OpenCollections): OpenCollections =>
  open && other ? new Set([...open].filter(name => other.has(name))) : (open ?? other)

/** Records the refusal of a closed collection, and makes it ready to send. Returns any other error as it is. */
export const recordClosedCollection = (
  { deps }: QueryService,
  { request, requestId }: Pick<QueryReply, 'request' | 'requestId'>,
  { principal, workspace, api }: Caller,
  { path, resourcePath }: QueryAddress,
  error: unknown,
): unknown => {
  if (!(error instanceof Problem) || error.code !== 'collection-not-allowed' || !principal) return error
  const clientAddress = () => deps.clientAddress(request)
  const check = {
    name: 'collection',
    passed: false,
    message: error.message,
    expected: [...(api.open ?? [])].join(', ') || 'none',
  } as const
  const refusedRequest = { request, path, resourcePath, requestId, clientAddress }
  return refuseAccess(deps, refusedRequest, workspace.slug, principal, [check])
}

/** Authorizes a request that holds several queries. If it is rejected, it counts by IP address, so that its reply has `RateLimit-*` headers too. */
export const authorizeCounted = async (
  service: QueryService,
  reply: QueryReply,
  pending: PendingQuery,
): Promise<Caller> => {
  try {
    const caller = await authorizeCaller(service, reply, pending)
    if (pending.preview?.changes !== undefined)
      throw new Problem('bad-parameter', 'only single queries can preview changes: send them one by one')
    return caller
  } catch (error) {
    service.limits.count(reply, addressKey(service.deps, reply.request))
    throw error
  }
}

const resolveApi = async (
  { deps, findApi }: QueryService,
  { workspace: slug, api: name }: QueryAddress,
): Promise<ResolvedApi> => {
  const workspace = slug === undefined ? undefined : await deps.directory.workspace(slug)
  return { workspace, api: findApi(workspace, name) }
}

/** The pages that may read the reply. An API that doesn't exist gets the same headers as a private one. */
export const corsAccess = (
  deps: QueryDependencies,
  origin: string | undefined,
  { workspace, api }: ResolvedApi,
): MaybePromise<CorsAccess> => (api?.access === 'public' ? 'any' : findCorsAccess(origin, workspace, deps))
