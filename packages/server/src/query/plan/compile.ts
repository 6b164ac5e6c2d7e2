/** Makes a plan from a definition and a request. It is the only place that makes plans, so that no request forgets the row filter. */

import type { EndpointKind } from '@querent/contract/endpoints'
import { isFilterable } from '@querent/contract/field-value'
import type { RowFilter } from '@querent/contract/manage'
import { listNames, nearestNames } from '@querent/contract/nearest-names'
import type { StackedEndpoint } from '@querent/contract/paths'
import { type AmbiguousTuple, readAmbiguousTuples } from '@querent/contract/tuple-list'
import type { Definition } from '@querent/contract/workspace-file'
import type { HighlightRequest, Plan, PlanNode } from '#engines/engine'
import { Problem } from '#errors'
import type { CollectionView } from './collection-view.ts'
import { compileCuration } from './curation.ts'
import { addDefaultBoosts, type BoostsByName } from './default-boosts.ts'
import type { FacetGrouping, GroupPage, SelectedGroup } from './facet-groups.ts'
import { decideOrder } from './order.ts'
import { readParameters } from './parameters.ts'
import { createPartCounter } from './plan-size.ts'
import { withinRange } from './score-range.ts'
import type { Parameter, Step } from './step.ts'
import { compileSteps } from './steps.ts'

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

/** The common part of a query and a request for options. */
interface BaseQueryRequest {
  stack: readonly StackedEndpoint[]
  /** The row filters of the member, and of the member whom they preview as. Without any, all documents are visible. */
  filters: readonly RowFilter[]
  /** The page of documents, or of options if the stack ends in a facet. */
  offset: number
  count: number
  /** The time of the query in milliseconds since 1970, by default now. Boosts by age count whole minutes. */
  nowMs?: number
  /** Minimum probability of a document, or of an option if the stack ends in a facet. Requests for options count only such documents. */
  cutoff: number
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

export interface OptionsRequest extends BaseQueryRequest {
  facet: string
  /** The facet's own filter does not narrow its counts. */
  multiselect: boolean
  /** Only options with a word that starts with this text. */
  query?: string | undefined
}

/** The facet whose options the plan requests. */
export interface PlannedFacet {
  name: string
  title: string
  field: string
  /** Values in the stack's filters of the facet, in their order. */
  selectedValues: string[]
  /** Tuples in those filters that can be read in two ways. The documents decide which readings are selected. */
  ambiguousTuples: AmbiguousTuple[]
  /** The selected values of the other tuples. */
  certainValues: string[]
  /** Set if the facet groups its values. */
  groups?: { grouping: FacetGrouping; selected: SelectedGroup[]; page: GroupPage }
}

export interface PlannedQuery {
  collection: string
  plan: Plan
  facet?: PlannedFacet
  /** Set if the plan depends on the time: the time that it was made for. It holds for a minute. */
  nowMs?: number
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
  /** All endpoints by name, with the filters of facets. */
  steps: ReadonlyMap<string, Step>
  /** All collections of the workspace by name. */
  views: ReadonlyMap<string, CollectionView>
  /** Plans a query. `facet` is set if the stack ends in one. Throws Problem `unknown-endpoint`, `bad-parameter` or `bad-path`. */
  plan: (request: QueryRequest) => PlannedQuery
  /** Plans a request for options. Throws the same errors; an unknown facet is an unknown endpoint. */
  options: (request: OptionsRequest) => PlannedQuery & { facet: PlannedFacet }
}

const minuteMs = 60_000

/** The start of the minute. */
export const wholeMinutes = (ms: number): number => Math.floor(ms / minuteMs) * minuteMs

const isTimed = (stacked: readonly Step[]): boolean => stacked.some(step => step.dependsOnTime)

/** If an API has more endpoints, errors name those with the most similar names. */
const endpointsListedMax = 200

/** Compiles an API. Throws Problem `no-such-api`, with a message that starts with `No such api`. */
export const compileApi = (definition: Definition, apiName: string): CompiledApi => {
  const apis = new Map(Object.entries(definition.apis ?? {}))
  const api = apis.get(apiName)
  if (api === undefined)
    throw new Problem(
      'no-such-api',
      `No such api "${apiName.slice(0, 100)}"; there are: ${listNames(nearestNames(apiName, apis.keys()))}`,
    )
  const { steps, collections } = compileSteps(definition, api.endpoints ?? {})
  const curate = compileCuration(api)
  const requireStep = (name: string): Step => {
    const step = steps.get(name)
    if (step === undefined)
      throw new Problem(
        'unknown-endpoint',
        `no endpoint "${name.slice(0, 100)}"; there are: ${listNames(nearestNames(name, steps.keys()), endpointsListedMax)}`,
      )
    return step
  }
  const requireFacet = (name: string): Step => {
    const step = steps.get(name)
    if (step?.kind === 'facet') return step
    const facets = [...steps.values()].filter(({ kind }) => kind === 'facet').map(facet => facet.name)
    throw new Problem(
      'unknown-endpoint',
      `no endpoint "${name.slice(0, 100)}" that is a facet; there are: ${listNames(nearestNames(name, facets), endpointsListedMax)}`,
    )
  }
  const namedCollections = new Set([...steps.values()].flatMap(({ collection }) => collection ?? []))
  const possibleCollections = namedCollections.size > 0 ? [...namedCollections] : [...collections.keys()]
  const onlyCollection = possibleCollections.length === 1 ? possibleCollections[0] : undefined

  /** Returns the collection of a stack: the one that the first step names, or the only one. No other step may name another. */
  const resolveCollection = (stacked: readonly Step[]): CollectionView => {
    const [first] = stacked
    const name = first?.collection ?? onlyCollection
    if (first === undefined || name === undefined)
      throw new Problem(
        'bad-path',
        `"${first?.name ?? ''}" has no collection of its own, and this API has several (${listNames(possibleCollections)}): put an endpoint that has one before it`,
      )
    for (const step of stacked)
      if (step.collection !== undefined && step.collection !== name)
        throw new Problem(
          'bad-path',
          `"${step.name}" searches the collection "${step.collection}", but the endpoints before it search "${name}": all endpoints of a stack must search the same collection`,
        )
    const collection = collections.get(name)
    if (collection === undefined) throw new Error(`the definition has no collection "${name}"`)
    return collection
  }

  const resolveSteps = (stack: readonly StackedEndpoint[], facet: Step | undefined): Step[] => {
    const stacked = stack.map(({ endpoint }) => requireStep(endpoint))
    for (const [index, step] of stacked.entries())
      if (step.kind === 'facet' && (index < stacked.length - 1 || (facet !== undefined && step !== facet)))
        throw new Problem(
          'bad-path',
          `the facet "${step.name}" must be last: to filter by it, use "${step.name}:FILTER"`,
        )
    return stacked
  }

  const makePlan = (
    request: BaseQueryRequest,
    stacked: readonly Step[],
    collection: CollectionView,
    nowMs: number,
    skipped?: string,
  ): Plan => {
    const valuesByStep = stacked.map((step, index) =>
      readParameters(step, request.stack[index]?.parameters ?? []),
    )
    const nodes: PlanNode[] = []
    const countParts = createPartCounter()
    const boosts: BoostsByName = new Map()
    const boostContext = { steps, collection, nowMs, stacked: new Set(stacked.map(({ name }) => name)) }
    for (const [index, step] of stacked.entries()) {
      const values = valuesByStep[index] ?? []
      const node = step.node(values, collection, nowMs)
      if (node === undefined || (skipped !== undefined && step.filteredFacet === skipped)) continue
      const boosted = addDefaultBoosts(boostContext, step, curate(step, values, collection, node), boosts)
      countParts(boosted)
      nodes.push(boosted)
    }
    for (const boost of boosts.values()) {
      countParts(boost)
      nodes.push(boost)
    }
    if (nodes.length === 0) nodes.push({ kind: 'all' })
    const restrictions = collection.restrictions(request.filters)
    const { offset, count, cutoff } = request
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

  /** Turns the page of documents into a page of the facet's options. */
  const withFacet = (
    plan: Plan,
    facet: Step,
    stacked: readonly Step[],
    request: BaseQueryRequest,
    collection: CollectionView,
    cutoff: number,
    query?: string,
  ) => {
    const field = facetField(facet, collection)
    const selection = readSelection(facet, stacked, request.stack, collection)
    const title = api.endpoints?.[facet.name]?.title ?? collection.fields.get(field)?.title ?? facet.name
    const grouping = facet.grouping?.(collection)
    if (grouping) {
      const selected = readSelectedGroups(facet, stacked, request.stack, collection)
      const groups = grouping.groups(selected)
      const page = { offset: plan.offset, count: plan.count, cutoff, query, statistics: false }
      return {
        collection: collection.name,
        plan: {
          ...plan,
          offset: 0,
          count: 0,
          facet: { field, offset: 0, count: 0, selected: [], groups, ...facet.facetCounts },
        },
        facet: { ...groupedFacet(facet.name, title, field), groups: { grouping, selected, page } },
      }
    }
    const facetRequest = {
      field,
      offset: plan.offset,
      count: plan.count,
      selected: selection.selectedValues,
      cutoff,
      ...(query !== undefined && { query }),
      ...facet.facetCounts,
    }
    return {
      collection: collection.name,
      plan: { ...plan, offset: 0, count: 0, facet: facetRequest },
      facet: { name: facet.name, title, field, ...selection },
    }
  }

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
    steps,
    views: collections,
    plan: request => {
      const stacked = resolveSteps(request.stack, undefined)
      const collection = resolveCollection(stacked)
      const last = stacked.at(-1)
      const facet = last?.kind === 'facet' ? last : undefined
      // The results of a facet are its options, so the cutoff applies to them and not to the documents that they count.
      const nowMs = wholeMinutes(request.nowMs ?? Date.now())
      const plan = makePlan(facet ? { ...request, cutoff: 0 } : request, stacked, collection, nowMs)
      plan.statistics = request.statistics
      if (request.total === false && !facet) plan.total = false
      if (request.after !== undefined && !facet) {
        plan.after = request.after ?? ''
        if (plan.after !== '') plan.offset = 0
      }
      if (request.highlight && !facet) plan.highlight = makeHighlightRequest(plan.nodes)
      if (request.suggest && !facet && plan.nodes.some(node => matchedFields(node).length > 0))
        plan.suggest = true
      return facet
        ? {
            ...withFacet(plan, facet, stacked, request, collection, request.cutoff),
            ...(isTimed(stacked) && { nowMs }),
          }
        : { collection: collection.name, plan, ...(isTimed(stacked) && { nowMs }) }
    },
    options: request => {
      const facet = requireFacet(request.facet)
      const stacked = resolveSteps(request.stack, facet)
      const collection = resolveCollection([...stacked, facet])
      const nowMs = wholeMinutes(request.nowMs ?? Date.now())
      const skipped = request.multiselect ? facet.name : undefined
      const plan = makePlan(request, stacked, collection, nowMs, skipped)
      const query = withFacet(plan, facet, stacked, request, collection, 0, request.query)
      return isTimed(stacked) ? { ...query, nowMs } : query
    },
  }
}

/** Reads the values in the stack's filters of the facet, each once. Making the plan has already checked them. */
const readSelection = (
  facet: Step,
  stacked: readonly Step[],
  stack: readonly StackedEndpoint[],
  collection: CollectionView,
): Pick<PlannedFacet, 'selectedValues' | 'ambiguousTuples' | 'certainValues'> => {
  const selected = new Set<string>()
  const ambiguousTuples: AmbiguousTuple[] = []
  const certainValues: string[] = []
  for (const [index, step] of stacked.entries()) {
    if (step.filteredFacet !== facet.name) continue
    const parameters = stack[index]?.parameters ?? []
    const node = step.node(readParameters(step, parameters), collection, 0)
    for (const part of node?.kind === 'any' ? node.parts : [node])
      if (part?.kind === 'present') selected.add('')
      else if (part?.kind === 'filter')
        for (const { values } of part.alternatives) for (const value of values) selected.add(String(value))
    for (const { value } of parameters) {
      const { ambiguous, certain } = readAmbiguousTuples(value)
      ambiguousTuples.push(...ambiguous.filter(({ wholeText }) => selected.has(wholeText)))
      certainValues.push(...certain)
    }
  }
  return { selectedValues: [...selected], ambiguousTuples, certainValues }
}

/** Reads the groups in the stack's filters of the facet. */
const readSelectedGroups = (
  facet: Step,
  stacked: readonly Step[],
  stack: readonly StackedEndpoint[],
  collection: CollectionView,
): SelectedGroup[] => {
  const groups = stacked.flatMap((step, index) =>
    step.filteredFacet === facet.name
      ? (step.selectGroups?.(readParameters(step, stack[index]?.parameters ?? []), collection) ?? [])
      : [],
  )
  return [...new Map(groups.map(group => [group.label, group])).values()]
}

const groupedFacet = (name: string, title: string, field: string): PlannedFacet => ({
  name,
  title,
  field,
  selectedValues: [],
  ambiguousTuples: [],
  certainValues: [],
})

const facetField = (facet: Step, collection: CollectionView): string => {
  const type = facet.field === undefined ? undefined : collection.fields.get(facet.field)?.type
  if (facet.field === undefined || type === undefined || !isFilterable(type))
    throw new Problem(
      'bad-path',
      `the facet "${facet.name}" uses the field "${facet.field}", which the collection "${collection.name}" does not have`,
    )
  return facet.field
}
