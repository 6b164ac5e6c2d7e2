/** The last steps of a query: run each kind of request, and write its body. */

import type { ApiRequest, PathParameter, RequestType, StackedEndpoint } from '@querent/contract/paths'
import type { Format } from '@querent/contract/query-options'
import { findCollection } from '#collections/generation-spec'
import type { Plan, PlanNode, Reply } from '#engines/engine'
import { searchInSlices } from '#engines/page-slices'
import { Problem } from '#errors'
import { readCursor, writeCursor } from '#http/cursor'
import { entityTag, etagMatches } from '#http/entity-tag'
import { joinParts, type Text } from '#http/large-text'
import type { QueryReply } from '#http/raw-reply'
import { addVary } from '#http/vary'
import { endStep } from '#telemetry/request-attributes'
import { type ApiDocument, replyWithDocument } from './cache/api-documents.ts'
import {
  type CachedRequest,
  findReplyTag,
  makeReplyTag,
  type Planned,
  reuseOrPlan,
} from './cache/plan-cache.ts'
import { remainingMs } from './deadline.ts'
import { readStatus } from './describe-api.ts'
import { findMeantText } from './did-you-mean.ts'
import { type FormattedReply, writeFormattedReply } from './formatted-reply.ts'
import { pickNarrowing } from './options.ts'
import type { PlannedQuery } from './plan/compile.ts'
import { finishGroups, type SelectedGroup } from './plan/facet-groups.ts'
import { countFacets } from './plan/facet-list.ts'
import { withoutHiddenValues } from './plan/hidden-values.ts'
import { findPartRanks } from './plan/part-ranks.ts'
import { chooseFormat, requestTypeRows } from './plan/request-types.ts'
import { optionsParts, type PageOptions, type TextParts } from './plan/results.ts'
import { resolveTexts, textNodes } from './plan/text-vectors.ts'
import type { QueryContext, QueryService } from './query-context.ts'

/** JSON text, or another format with its headers. Undefined if the client has the reply already. */
export type ReplyBody = Text | FormattedReply | undefined

/** `seesAll`: the caller may see all configurations. */
export const describeApiReply = async (
  service: QueryService,
  { reply, caller, deadline }: QueryContext,
  kind: 'description' | 'openApi',
  seesAll: boolean,
): Promise<ReplyBody> => {
  const document: ApiDocument = service.documents[kind](caller.workspace, caller.api, seesAll)
  // Counts as a query of the account: it waits for earlier ones, but takes no slot of a search.
  const signal = service.disconnectSignal(reply.request.socket)
  return replyWithDocument(reply, document, write =>
    service.limits.withoutSearch(caller.account, signal, deadline, write, caller.limits),
  )
}

export const statusReply = async (service: QueryService, context: QueryContext): Promise<ReplyBody> => {
  const { reply, caller, options } = context
  const findOpenGeneration = async (collection: string) => {
    const generation = await findGeneration(service, context, collection)
    await waitUntilOpen(service, context, generation.id)
    return generation
  }
  const status = await readStatus(caller.api, options.config, findOpenGeneration, service.engine)
  const missing = await countMissingVectors(service, context, findOpenGeneration)
  if (missing) status.missingVectors = missing
  if (service.deps.isDiskFull?.()) status.disk = 'full'
  return tagText(reply, JSON.stringify(status))
}

/** Counts documents that wait for a vector, by collection. Hidden documents are never counted: a caller with a row filter gets no counts. */
const countMissingVectors = async (
  { deps, engine }: QueryService,
  { caller }: QueryContext,
  findOpenGeneration: (collection: string) => Promise<{ id: string }>,
): Promise<Record<string, number> | undefined> => {
  const { api, filters, workspace } = caller
  const { embedding } = deps
  if (!embedding || filters.length > 0 || api.hidden) return undefined
  const counts: [collection: string, missing: number][] = []
  for (const name of api.collections) {
    const { id } = await findOpenGeneration(name)
    const collection = findCollection(workspace.definition, name)
    const missing = await embedding.countMissing(collection, id, engine.info(id).documents)
    if (missing !== undefined) counts.push([name, missing])
  }
  return counts.length === 0 ? undefined : Object.fromEntries(counts)
}

export const resultsReply = async (
  service: QueryService,
  context: QueryContext,
  cached: CachedRequest,
  { type, stack }: Extract<ApiRequest, { kind: 'query' }>,
): Promise<ReplyBody> => {
  const { reply, caller, options } = context
  const { workspace, api, filters } = caller
  const row = requestTypeRows[type]
  if (row.formats && options.format === undefined) addVary(reply, 'Accept')
  const format = chooseFormat(row, options, reply.request.headers.accept)
  const results = row.makeRequest(options)
  const paging = row.hasCursor && startPaging(service, context, type, stack)
  const planned = reuseOrPlan(cached.queryPlan, caller, () =>
    api.plan({ stack, filters, ...pickNarrowing(options), ...results, ...paging?.start }),
  )
  // A cursor is used once.
  if (!cached.queryPlan && !paging?.isUsedOnce) service.planCache.set(reply.url, cached)
  cached.queryPlan = planned
  const engineReply = await search(service, context, planned, format)
  if (!engineReply) return undefined
  const { degraded } = context
  const ownPage: PageOptions = paging ? paging.finish(engineReply, planned.query.nowMs) : options
  const columns = planned.query.facet?.columns
  let page: PageOptions = {
    ...ownPage,
    ...(degraded && { degraded }),
    ...(columns && { columns }),
  }
  if (format === 'json') {
    if (options.parts) page = { ...page, ...(await rankParts(service, context, planned.query, engineReply)) }
    if (!planned.query.plan.suggest || engineReply.total > 0) return joinReply(row.reply(engineReply, page))
    const didYouMean = await suggestText(service, context, stack, engineReply)
    return joinReply(row.reply(engineReply, { ...page, didYouMean }))
  }
  const source = {
    workspace,
    api,
    planned: planned.query,
    baseUrl: service.deps.origin,
    makeSignal: () =>
      AbortSignal.any([
        service.disconnectSignal(reply.request.socket),
        AbortSignal.timeout(Math.ceil(remainingMs(context.deadline.endsAt))),
      ]),
  }
  return writeFormattedReply(format, engineReply, page, results.statistics, source)
}

const joinReply = (reply: string | TextParts): Text | Promise<Text> =>
  typeof reply === 'string' ? reply : joinParts(reply)

/** Finds the ranks of the hits in the parts of a mix, if the plan has one. */
const rankParts = async (
  service: QueryService,
  context: QueryContext,
  { collection, plan }: PlannedQuery,
  engineReply: Reply,
): Promise<Pick<PageOptions, 'partRanks'>> => {
  if (engineReply.hits.length === 0) return {}
  const { id } = await findGeneration(service, context, collection)
  const partRanks = await findPartRanks(plan, engineReply, context.degraded ?? [], partPlan =>
    runPlan(service, context, id, partPlan),
  )
  return partRanks ? { partRanks } : {}
}

/** Reads the cursor of a request, if it has one. Throws Problem `bad-option` for a cursor of another query. */
const startPaging = (
  { deps }: QueryService,
  { reply, caller, config, options }: QueryContext,
  type: RequestType,
  stack: readonly StackedEndpoint[],
) => {
  if (options.cursor === undefined) return undefined
  const { workspace, api, filters } = caller
  const writtenFilters = filters.map(({ alternatives, readers = null }) => [alternatives, readers])
  const scope = JSON.stringify([
    workspace.id,
    api.name,
    config,
    type,
    stack,
    ...Object.values(pickNarrowing(options)),
    writtenFilters,
    api.hidden?.key,
  ])
  const { items, after, nowMs } = readCursor(deps.cursorKey, scope, options.cursor)
  return {
    // All pages count the age of documents from the same time.
    start: { offset: items, after, ...(nowMs !== undefined && { nowMs }) },
    isUsedOnce: items > 0,
    /** Returns the options of the page, and names the next page in the header `Link` (RFC 8288), which all formats have. */
    finish(engineReply: Reply, pagingMs: number | undefined): PageOptions {
      const { hits, facet } = engineReply
      const end = items + (facet ? facet.options.length : hits.length)
      const hasMore = facet ? end < facet.distinct : engineReply.next !== undefined
      if (!hasMore) return { ...options, offset: items, next: null }
      const afterHit = facet ? null : (engineReply.next ?? null)
      const position = { items: end, after: afterHit, ...(pagingMs !== undefined && { nowMs: pagingMs }) }
      const next = writeCursor(deps.cursorKey, scope, position)
      const url = reply.url.replace(/([?&])cursor=[^&]*/, `$1cursor=${next}`)
      reply.header('link', `<${deps.origin}${url}>; rel="next"`)
      return { ...options, offset: items, next }
    },
  }
}

export const facetOptionsReply = async (
  service: QueryService,
  context: QueryContext,
  cached: CachedRequest,
  request: Extract<ApiRequest, { kind: 'options' }> & { facetParameters?: PathParameter[] },
): Promise<ReplyBody> => {
  const { reply, caller, options } = context
  const planned = reuseOrPlan(cached.optionsPlan, caller, () =>
    caller.api.options({ ...options, ...request, filters: caller.filters }),
  )
  if (!cached.optionsPlan) service.planCache.set(reply.url, cached)
  cached.optionsPlan = planned
  const engineReply = await search(service, context, planned)
  return engineReply && joinReply(optionsParts(engineReply, planned.query.facet, context.degraded))
}

/** Runs a plan on the generation that answers. Returns undefined if the client has the reply already. */
const search = async (
  service: QueryService,
  context: QueryContext,
  planned: Planned<PlannedQuery>,
  format: Format = 'json',
): Promise<Reply | undefined> => {
  const { engine } = service
  const { reply, caller, usage } = context
  const { collection, plan } = planned.query
  const { id } = await findGeneration(service, context, collection)
  await waitUntilOpen(service, context, id)
  const vary = String(reply.getHeader('vary'))
  const texts = textNodes(plan)
  const models = texts.map(({ text }) => service.deps.vectors?.model(text.embedder)).join()
  const { url } = reply
  const { workspace } = caller
  const version = engine.version(id)
  const tag =
    findReplyTag(planned, id, version, format) ??
    makeReplyTag(planned, { url, workspace, generation: id, version, format, vary, models })
  endStep(reply.observation, 'compile')
  if (tag !== undefined && etagMatches(reply.request.headers['if-none-match'], tag)) {
    reply.header('etag', tag)
    return undefined
  }
  const run = (part: Plan) => runPlan(service, context, id, part)
  const sliced = await searchInSlices({ engine, generation: id, plan, run, size: context.size })
  const engineReply = withoutHiddenValues(
    await finishFacet(planned.query, sliced, run),
    caller.api,
    collection,
  )
  endStep(reply.observation, 'engine')
  // A degraded reply has no tag: it is outdated as soon as the embedder works again.
  if (tag !== undefined && !context.degraded) reply.header('etag', tag)
  usage.total = engineReply.total
  // Without a count, the engine ends when it has the page.
  usage.hasMoreThanTotal = plan.total === false && engineReply.hits.length >= plan.count
  return engineReply
}

/** Makes options of the groups of a facet. Other replies stay the same. `run` runs a plan that counts. */
const finishFacet = async (
  { facet, plan }: PlannedQuery,
  reply: Reply,
  run: (plan: Plan) => Promise<Reply>,
): Promise<Reply> => {
  if (facet?.listed) {
    const page = { ...facet.listed.page, statistics: plan.statistics }
    return { ...reply, facet: await countFacets({ ...facet.listed, page }, plan, run) }
  }
  if (!facet?.groups || !reply.facet) return reply
  const { grouping, selected, page } = facet.groups
  const countDocuments = async ({ parts }: SelectedGroup) => {
    const { facet: _, ...rest } = plan
    const nodes: PlanNode[] = [...plan.nodes, { kind: 'any', parts, not: false }]
    return (await run({ ...rest, nodes, statistics: false, total: true })).total
  }
  const groupPage = { ...page, statistics: plan.statistics }
  return {
    ...reply,
    facet: await finishGroups(reply.facet, grouping, selected, groupPage, countDocuments),
  }
}

/** Returns the closest text that finds something, or null. */
const suggestText = async (
  service: QueryService,
  context: QueryContext,
  stack: readonly StackedEndpoint[],
  { corrections = [] }: Reply,
): Promise<string | null> => {
  const { api, filters } = context.caller
  const isText = (endpoint: string) => ['match', 'mix'].includes(api.steps.get(endpoint)?.kind ?? '')
  return findMeantText(stack, isText, corrections, async corrected => {
    const request = { stack: corrected, filters, ...pickNarrowing(context.options), offset: 0, count: 1 }
    const { collection, plan } = api.plan({ ...request, statistics: false, total: false })
    const { id } = await findGeneration(service, context, collection)
    return (await runPlan(service, context, id, plan)).total > 0
  })
}

/** Searches as soon as the limits of the account allow it. */
const runPlan = async (
  service: QueryService,
  context: QueryContext,
  id: string,
  plan: Plan,
): Promise<Reply> => {
  const { engine, limits } = service
  const { reply, caller, deadline } = context
  const signal = service.disconnectSignal(reply.request.socket)
  const complete = textNodes(plan).length === 0 ? plan : await findVectors(service, context, plan)
  const runSearch = (hasWaited: boolean) => {
    if (hasWaited) endStep(reply.observation, 'wait')
    return engine.search(id, complete, remainingMs(deadline.endsAt), signal, caller.workspace.id)
  }
  return limits.search(caller.account, signal, deadline, runSearch, caller.limits)
}

/** Makes the vectors of the texts of a plan, and remembers the parts that it answers without. */
const findVectors = async ({ deps }: QueryService, context: QueryContext, plan: Plan): Promise<Plan> => {
  const resolved = await resolveTexts(plan, deps.vectors, remainingMs(context.deadline.endsAt))
  if (resolved.degraded.length > 0) context.degraded = resolved.degraded
  return resolved.plan
}

/** Throws 503 if the collection has no generation yet. */
const findGeneration = async (
  { deps }: QueryService,
  { caller, config }: QueryContext,
  collection: string,
) => {
  const generation = await deps.generation(caller.workspace, collection, config)
  if (generation) return generation
  throw new Problem('unavailable', `the collection "${collection}" is not ready yet; try again shortly`)
}

/**
 * Waits until the engine has opened the generation `id`, which takes a while after a start. The wait counts as a running query of the
 * account. It ends at the deadline, or when the client disconnects. Throws 429 and the engine's errors.
 */
const waitUntilOpen = async (
  { engine, limits, disconnectSignal }: QueryService,
  { reply, caller, deadline }: QueryContext,
  id: string,
): Promise<void> => {
  if (engine.isOpened?.(id) ?? true) return
  const signal = disconnectSignal(reply.request.socket)
  const wait = async () => engine.whenOpened?.(id, remainingMs(deadline.endsAt), signal)
  await limits.withoutSearch(caller.account, signal, deadline, wait, caller.limits)
}

/** Sets an entity tag that is made from the text itself. Returns undefined if the client has the text already. */
const tagText = (reply: QueryReply, text: string): string | undefined => {
  const tag = entityTag([text])
  reply.header('etag', tag)
  return etagMatches(reply.request.headers['if-none-match'], tag) ? undefined : text
}
