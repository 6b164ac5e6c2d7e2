/** An LRU cache of parsed URLs and their plans. Clients send the same requests again to learn whether anything has changed. */
import { type ApiRequest, PathError, readApiRequest } from '@querent/contract/paths'
import type { Format } from '@querent/contract/query-options'
import { LRUCache } from 'lru-cache'
import type { EffectiveFilter } from '#authz/effective-filter'
import { Problem } from '#errors'
import { entityTag } from '#http/entity-tag'
import { type QueryAddress, readAddress } from '#query/address'
import type { QueryOptions } from '#query/options'
import type { CompiledApi, PlannedQuery } from '#query/plan/compile'
import { wholeMinutes, wholeSeconds } from '#query/plan/whole-times'
import type { WorkspaceRow } from '#storage/workspaces'

/** A parsed URL; each part is read on first use. Only the plans depend on the caller, and each says for which scope it is. */
export interface CachedRequest {
  readonly address: QueryAddress
  request?: ApiRequest
  options?: QueryOptions
  queryPlan?: Planned<PlannedQuery>
  optionsPlan?: Planned<ReturnType<CompiledApi['options']>>
}

/** A plan, with everything it was made from except the URL. */
export interface Planned<Query extends PlannedQuery> {
  /** Belongs to one version of the workspace's definition. */
  readonly api: CompiledApi
  readonly filters: readonly EffectiveFilter[]
  readonly query: Query
  /** The entity tag of the last reply, with everything it was made from except the plan. */
  tag?: { generation: string; version: number; format: Format; vary: string; text: string }
}

export interface PlanCache {
  /** Returns the cached request, or a new one that is not cached yet. `isQueryUrl` must accept the URL. */
  getOrRead(url: string): CachedRequest
  get(url: string): CachedRequest | undefined
  /** Call it after the request was planned, so that unauthorized callers cannot fill the cache. */
  set(url: string, request: CachedRequest): void
  /** Number of cached requests. */
  size(): number
}

/** 2,000 take about 10 MB. */
const cachedRequestsMax = 2_000
const urlCharsMax = 1_000

export const createPlanCache = (): PlanCache => {
  const requests = new LRUCache<string, CachedRequest>({ max: cachedRequestsMax })
  return {
    getOrRead: url => requests.get(url) ?? { address: readAddress(url) },
    get: url => requests.get(url),
    set(url, request) {
      if (url.length <= urlCharsMax) requests.set(url, request)
    },
    size: () => requests.size,
  }
}

/** Returns the previous plan if the definition and the row filters are the same, and a new one otherwise. */
export const reuseOrPlan = <Query extends PlannedQuery>(
  previous: Planned<Query> | undefined,
  scope: PlanScope,
  make: () => Query,
): Planned<Query> => {
  if (previous && isPlannedFor(previous, scope) && isCurrent(previous.query)) return previous
  const { api, filters } = scope
  return { api, filters, query: make() }
}

interface PlanScope {
  api: CompiledApi
  filters: readonly EffectiveFilter[]
}

/** False if the plan was made for an earlier minute, or its row filter for an earlier second, and depends on the time. */
export const isCurrent = ({ nowMs, filterSecond }: PlannedQuery): boolean =>
  (nowMs === undefined || nowMs === wholeMinutes(Date.now())) &&
  (filterSecond === undefined || filterSecond === wholeSeconds(Date.now()))

/** True if a new plan for this scope would be the same, apart from the time. */
export const isPlannedFor = (planned: PlanScope, { api, filters }: PlanScope): boolean =>
  planned.api === api &&
  planned.filters.length === filters.length &&
  // Compares by identity, because a changed member is a new object.
  planned.filters.every((filter, index) => filter === filters[index])

/** Throws Problem `bad-path`. */
export const readRequest = ({ segments }: QueryAddress): ApiRequest => {
  try {
    return readApiRequest(segments)
  } catch (error) {
    if (error instanceof PathError) throw new Problem('bad-path', error.message)
    throw error
  }
}

/** The parts of a reply, besides its plan, that its tag depends on. */
interface TaggedReply {
  url: string
  workspace: WorkspaceRow
  generation: string
  /** Version of the generation's index. */
  version: number
  format: Format
  /** Header of the reply. */
  vary: string
  /** The models that make the vectors of the query. */
  models: string
}

/** Returns the entity tag that the last reply by this plan had, if it is that of the next one. */
export const findReplyTag = (
  { tag }: Planned<PlannedQuery>,
  generation: string,
  version: number,
  format: Format,
): string | undefined =>
  tag && tag.generation === generation && tag.version === version && tag.format === format
    ? tag.text
    : undefined

/** Makes the entity tag of a reply, which {@link findReplyTag} finds then. Undefined if its row filter depends on the time. */
export const makeReplyTag = (planned: Planned<PlannedQuery>, reply: TaggedReply): string | undefined => {
  const { filters, query } = planned
  const { url, workspace, generation, version, format, vary, models } = reply
  if (query.filterSecond !== undefined) return undefined
  const restricted = filters.length === 0 ? '' : JSON.stringify(filters)
  const text = entityTag([
    workspace.id,
    workspace.version,
    generation,
    version,
    restricted,
    planned.api.hidden?.key ?? '',
    format,
    url,
    query.nowMs ?? '',
    models,
  ])
  planned.tag = { generation, version, format, vary, text }
  return text
}
