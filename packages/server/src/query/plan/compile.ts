/** Makes a plan from a definition and a request. It is the only place that makes plans, so that no request forgets the row filter. */

import type { EndpointKind } from '@querent/contract/endpoint-traits'
import { listNames, nearestNames } from '@querent/contract/nearest-names'
import type { PathParameter, StackedEndpoint } from '@querent/contract/paths'
import type { NarrowingOptions, QueryOptionValues } from '@querent/contract/query-options'
import type { Definition } from '@querent/contract/workspace-file'
import type { EffectiveFilter } from '#authz/effective-filter'
import type { HiddenFields } from '#authz/hidden-fields'
import { withoutHiddenFields } from '#authz/without-hidden-fields'
import type { HighlightRequest, Plan, PlanNode } from '#engines/engine'
import { Problem } from '#errors'
import { checkPageSize, readCollapse } from './collapse.ts'
import type { CollectionView } from './collection-view.ts'
import { type Curate, compileCuration } from './curation.ts'
import { addDefaultBoosts, type BoostsByName } from './default-boosts.ts'
import { planFacet } from './facet-plan.ts'
import { filters } from './facet-selection.ts'
import { keepOpenSteps, keepOpenViews, type OpenCollections } from './open-collections.ts'
import { decideOrder } from './order.ts'
import { readParameters } from './parameters.ts'
import { createPartCounter } from './plan-size.ts'
import type { PlannedFacet } from './planned-facet.ts'
import { withinRange } from './score-range.ts'
import { createStackResolver } from './stack-resolver.ts'
import { listsOptions, type Parameter, type Step } from './step.ts'
import { compileSteps } from './steps.ts'
import { wholeMinutes, wholeSeconds } from './whole-times.ts'

/** Snippets of a field, and characters of a snippet. */
const highlightSnippets = 3
const highlightChars = 160

const matchedFields = (node: PlanNode): string[] => {
  if (node.kind === 'match') return node.fields.map(({ name }) => name)
  return node.kind === 'mix' ? node.parts.flatMap(part => matchedFields(part.node)) : []
}

/** Requests snippets of every field that the stack's free text searches. */
const makeHighlightRequest = (nodes: readonly PlanNode[]): HighlightRequest => ({
  fields: [...new Set(nodes.flatMap(matchedFields))],
  snippets: highlightSnippets,
  chars: highlightChars,
})

/**
 * The common part of a query and a request for options. An option that is absent has its default. `cutoff` holds for documents, or for options if the stack ends in a facet. Requests
 * for options count only such documents.
 */
interface BaseQueryRequest extends Partial<NarrowingOptions> {
  stack: readonly StackedEndpoint[]
  /** The row filters of the member, and of the member whom they preview as. Without any, all documents are visible. */
  filters: readonly EffectiveFilter[]
  /** The page of documents, or of options if the stack ends in a facet. */
  offset: number
  count: number
  /** The time of the query in milliseconds since 1970, by default now. Boosts by age count whole minutes. */
  nowMs?: number
}

export interface QueryRequest extends BaseQueryRequest {
  statistics: boolean
  /** False if nobody reads the number of results, so that the engine need not count. */
  total?: boolean
  /** Adds snippets with the matches of the stack's free text. */
  highlight?: boolean
  /** Requests similar words if nothing is found. */
  suggest?: boolean
  /** Continues after this position of the engine ({@link Plan.after}), or after `offset` options of a facet. */
  after?: string | null
}

export interface OptionsRequest extends BaseQueryRequest, Pick<QueryOptionValues, 'multiselect'> {
  facet: string
  /** Parameters of the facet, unless the stack ends in it. */
  facetParameters?: PathParameter[]
  /** Only options with a word that starts with this text. */
  query?: string | undefined
}

export interface PlannedQuery {
  collection: string
  plan: Plan
  facet?: PlannedFacet
  /** Set if the plan depends on the time: the time that it was made for. It holds for a minute. */
  nowMs?: number
  /** Set if the row filter depends on the time: the second that the plan was made for. It holds for that second, and its reply has no tag. */
  filterSecond?: number
}

export interface AboutEndpoint {
  name: string
  kind: EndpointKind
  title: string
  parameters: Parameter[]
}

export interface CompiledApi {
  name: string
  title: string
  access: 'members' | 'public'
  endpoints: AboutEndpoint[]
  endpointNames: ReadonlySet<string>
  /** Names of the collections that its endpoints may search. */
  collections: string[]
  /** The open collections, if the API is limited to some. Lists name nothing of the others, and plans refuse them. */
  open: OpenCollections
  /** The fields that do not exist for the caller. Replies leave their values out. */
  hidden: HiddenFields | undefined
  /** All endpoints by name, with the filters of facets. */
  steps: ReadonlyMap<string, Step>
  /** The collections of the workspace by name. */
  views: ReadonlyMap<string, CollectionView>
  /** Plans a query. `facet` is set if the stack ends in one. Throws Problem `unknown-endpoint`, `bad-parameter`, `bad-path` or `collection-not-allowed`. */
  plan: (request: QueryRequest) => PlannedQuery
  /** Plans a request for options. Throws the same errors; an unknown facet is an unknown endpoint. */
  options: (request: OptionsRequest) => PlannedQuery & { facet: PlannedFacet }
}

/** Plans the documents of a collection that the filters let through, in order of id. */
export const planVisible = (
  { name, restrictions }: CollectionView,
  rowFilters: readonly EffectiveFilter[],
  count: number,
): PlannedQuery => ({
  collection: name,
  plan: {
    nodes: [{ kind: 'all' }],
    restrictions: restrictions(rowFilters, wholeSeconds(Date.now())),
    order: [],
    cutoff: 0,
    offset: 0,
    count,
    statistics: false,
  },
})

/** The second of a plan whose row filter depends on it. */
const findFilterSecond = ({ filters }: BaseQueryRequest): Pick<PlannedQuery, 'filterSecond'> =>
  filters.some(({ dependsOnTime }) => dependsOnTime) ? { filterSecond: wholeSeconds(Date.now()) } : {}

const isTimed = (stacked: readonly Step[]): boolean => stacked.some(step => step.dependsOnTime)

/** Adds what a request asks for a page of documents. */
const requestDocuments = (plan: Plan, request: QueryRequest, collapse: Plan['collapse']): void => {
  if (request.total === false) plan.total = false
  if (request.after !== undefined) {
    plan.after = request.after ?? ''
    if (plan.after !== '') plan.offset = 0
  }
  if (collapse) {
    checkPageSize(collapse, request.count)
    plan.collapse = collapse
  }
  if (request.highlight) plan.highlight = makeHighlightRequest(plan.nodes)
  if (request.suggest && plan.nodes.some(node => matchedFields(node).length > 0)) plan.suggest = true
}

/** The parts of an API that plans need. */
interface CompiledParts {
  /** All endpoints, also those that are not open. */
  allSteps: ReadonlyMap<string, Step>
  curate: Curate
}

/** A stack whose collection is known, and the times that its plan holds for. */
interface ResolvedQuery {
  stacked: readonly Step[]
  collection: CollectionView
  nowMs: number
  filterSecond?: number
}

/** `skipped`: a facet whose own filter does not narrow. */
const makePlan = (
  { allSteps, curate }: CompiledParts,
  request: BaseQueryRequest,
  { stacked, collection, nowMs, filterSecond }: ResolvedQuery,
  skipped?: Step,
): Plan => {
  const valuesByStep = stacked.map((step, index) =>
    readParameters(step, request.stack[index]?.parameters ?? []),
  )
  const nodes: PlanNode[] = []
  const countParts = createPartCounter()
  const boosts: BoostsByName = new Map()
  const boostContext = {
    steps: allSteps,
    collection,
    nowMs,
    stacked: new Set(stacked.map(({ name }) => name)),
  }
  for (const [index, step] of stacked.entries()) {
    const values = valuesByStep[index] ?? []
    const node = step.node(values, collection, nowMs)
    if (node === undefined || (skipped !== undefined && filters(step, skipped))) continue
    const boosted = addDefaultBoosts(boostContext, step, curate(step, values, collection, node), boosts)
    countParts(boosted)
    nodes.push(boosted)
  }
  for (const boost of boosts.values()) {
    countParts(boost)
    nodes.push(boost)
  }
  if (nodes.length === 0) nodes.push({ kind: 'all' })
  const restrictions = collection.restrictions(request.filters, filterSecond ?? 0)
  const { offset, count, cutoff = 0 } = request
  return {
    nodes: withinRange(nodes),
    restrictions,
    order: decideOrder(stacked, valuesByStep, collection),
    cutoff,
    offset,
    count,
    statistics: false,
  }
}

/** Compiles an API, or what is open of it. Throws Problem `no-such-api`, with a message that starts with `No such api`. */
export const compileApi = (
  whole: Definition,
  apiName: string,
  open?: OpenCollections,
  hidden?: HiddenFields,
): CompiledApi => {
  const definition = hidden ? withoutHiddenFields(whole, apiName, hidden) : whole
  const apis = new Map(Object.entries(definition.apis ?? {}))
  const api = apis.get(apiName)
  if (api === undefined)
    throw new Problem(
      'no-such-api',
      `No such api "${apiName.slice(0, 100)}"; there are: ${listNames(nearestNames(apiName, apis.keys()))}`,
    )
  const { steps: allSteps, collections } = compileSteps(definition, api.endpoints ?? {}, whole)
  const steps = keepOpenSteps(allSteps, collections, open)
  const parts = { allSteps, curate: compileCuration(api) }
  const { possibleCollections, resolveFacet, resolveStack, resolveCollection } = createStackResolver(
    steps,
    collections,
    allSteps,
    open,
  )

  return {
    name: apiName,
    title: api.title ?? apiName,
    access: api.access ?? 'members',
    endpoints: [...steps.values()].map(({ name, kind, title, parameters }) => ({
      name,
      kind,
      title,
      parameters,
    })),
    endpointNames: new Set(steps.keys()),
    collections: possibleCollections,
    open,
    hidden,
    steps,
    views: keepOpenViews(collections, open),
    plan: given => {
      const { stacked, stack } = resolveStack(given.stack, undefined)
      const request = { ...given, stack }
      const collection = resolveCollection(stacked)
      const last = stacked.at(-1)
      const facet = last && listsOptions(last) ? last : undefined
      // The results of a facet are its options, so the cutoff applies to them and not to the documents that they count.
      const nowMs = wholeMinutes(request.nowMs ?? Date.now())
      const second = findFilterSecond(request)
      const resolved = { stacked, collection, nowMs, ...second }
      const plan = makePlan(parts, facet ? { ...request, cutoff: 0 } : request, resolved)
      plan.statistics = request.statistics
      if (!facet) requestDocuments(plan, request, readCollapse(stacked, collection))
      const { cutoff = 0 } = request
      return {
        ...(facet
          ? planFacet(plan, api, steps, { facet, stacked, stack, collection, cutoff })
          : { collection: collection.name, plan }),
        ...(isTimed(stacked) && { nowMs }),
        ...second,
      }
    },
    options: given => {
      const facet = resolveFacet(given.facet, given.stack, given.facetParameters)
      const { stacked, stack } = resolveStack(given.stack, facet)
      const request = { ...given, stack }
      const collection = resolveCollection([...stacked, facet])
      const nowMs = wholeMinutes(request.nowMs ?? Date.now())
      const skipped = request.multiselect ? facet : undefined
      const second = findFilterSecond(request)
      const plan = makePlan(parts, request, { stacked, collection, nowMs, ...second }, skipped)
      const { query } = request
      return {
        ...planFacet(plan, api, steps, { facet, stacked, stack, collection, cutoff: 0, query }),
        ...(isTimed(stacked) && { nowMs }),
        ...second,
      }
    },
  }
}
