/** Definition and request → plan: pure, and the only place that makes plans, so that no request can forget the row filter. */
import { isFilterable } from '@querent/contract/field-value'
import type { RowFilter } from '@querent/contract/manage'
import { listNames, nearestNames } from '@querent/contract/nearest-names'
import type { StackedEndpoint } from '@querent/contract/paths'
import { readUnquotedTuples, type UnquotedTuple } from '@querent/contract/tuple-list'
import type { Definition, EndpointKind } from '@querent/contract/workspace-file'
import type { Plan, PlanNode } from '#engines/engine'
import { Problem } from '#errors'
import type { CollectionView } from './collection-view.ts'
import { compileCuration } from './curation.ts'
import { highlightOf } from './highlighting.ts'
import { orderOf } from './order.ts'
import { readParameters } from './parameters.ts'
import { withinRange } from './score-range.ts'
import { compileSteps, type Parameter, type Step } from './steps.ts'

/** What a query and a request for options have both. */
interface Asked {
  stack: readonly StackedEndpoint[]
  /** The row filter of the member who asks, and of the one they preview as; none: sees everything. */
  filters: readonly RowFilter[]
  /** The page wanted, of documents, or of options where the stack ends in a facet. */
  offset: number
  count: number
  /** Least probability of a result: of a document, or of an option where the stack ends in a facet. Options asked for count documents that have it. */
  cutoff: number
}

export interface QueryRequest extends Asked {
  statistics: boolean
  /** Whether the number of results is wanted; else it need not be found out. */
  total?: boolean
  /** Snippets of what the stack's free text found. */
  highlight?: boolean
}

export interface OptionsRequest extends Asked {
  facet: string
  /** The facet's own filter does not narrow its counts. */
  multiselect: boolean
}

/** The facet whose options are asked for. */
export interface PlannedFacet {
  name: string
  title: string
  field: string
  /** Values in the stack's filters of that facet, in their order. */
  selectedValues: string[]
  /** Unquoted tuples in those filters: which of their readings are selected depends on the documents. */
  unquotedTuples: UnquotedTuple[]
  /** Of the selected values those that stand outside of unquoted tuples. */
  certainValues: string[]
}

export interface PlannedQuery {
  collection: string
  plan: Plan
  facet?: PlannedFacet
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
  /** Names of the collections that its endpoints may work on. */
  collections: string[]
  /** Plans a query; `facet` is there when the stack ends in one. Throws Problem: `unknown-endpoint`, `bad-parameter` or `bad-path`. */
  plan: (request: QueryRequest) => PlannedQuery
  /** Plans a request for options. Throws the same; an unknown facet is an unknown endpoint. */
  options: (request: OptionsRequest) => PlannedQuery & { facet: PlannedFacet }
}

/** Of an API with more endpoints, an error names the nearest ones. */
const endpointsListedMax = 200

/** Compiles an API once for each definition. Throws Problem `no-such-api`, whose message starts `No such api`. */
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
  const stepNamed = (name: string): Step => {
    const step = steps.get(name)
    if (step === undefined)
      throw new Problem(
        'unknown-endpoint',
        `no endpoint "${name.slice(0, 100)}"; there are: ${listNames(nearestNames(name, steps.keys()), endpointsListedMax)}`,
      )
    return step
  }
  const facetNamed = (name: string): Step => {
    const step = steps.get(name)
    if (step?.kind === 'facet') return step
    const facets = [...steps.values()].filter(({ kind }) => kind === 'facet').map(other => other.name)
    throw new Problem(
      'unknown-endpoint',
      `no endpoint "${name.slice(0, 100)}" that is a facet; there are: ${listNames(nearestNames(name, facets), endpointsListedMax)}`,
    )
  }
  const named = new Set([...steps.values()].flatMap(({ collection }) => collection ?? []))
  const possible = named.size > 0 ? [...named] : [...collections.keys()]
  const only = possible.length === 1 ? possible[0] : undefined

  /** The collection that a stack works on: the first step names it or there is only one, and no other step names another. */
  const collectionOf = (stacked: readonly Step[]): CollectionView => {
    const [first] = stacked
    const name = first?.collection ?? only
    if (first === undefined || name === undefined)
      throw new Problem(
        'bad-path',
        `"${first?.name ?? ''}" has no collection of its own and this API works on several (${listNames(possible)}): put an endpoint that has one before it`,
      )
    for (const step of stacked)
      if (step.collection !== undefined && step.collection !== name)
        throw new Problem(
          'bad-path',
          `"${step.name}" works on the collection "${step.collection}", what stands before it on "${name}": all endpoints of one stack work on one collection`,
        )
    const collection = collections.get(name)
    if (collection === undefined) throw new Error(`the definition has no collection "${name}"`)
    return collection
  }

  const stepsOf = (stack: readonly StackedEndpoint[], facet: Step | undefined): Step[] => {
    const stacked = stack.map(({ endpoint }) => stepNamed(endpoint))
    for (const [index, step] of stacked.entries())
      if (step.kind === 'facet' && (index < stacked.length - 1 || (facet !== undefined && step !== facet)))
        throw new Problem(
          'bad-path',
          `the facet "${step.name}" must stand last: to narrow by it, use "${step.name}:FILTER"`,
        )
    return stacked
  }

  const narrowed = (
    asked: Asked,
    stacked: readonly Step[],
    collection: CollectionView,
    skipped?: string,
  ): Plan => {
    const given = stacked.map((step, index) => readParameters(step, asked.stack[index]?.parameters ?? []))
    const nodes: PlanNode[] = []
    for (const [index, step] of stacked.entries()) {
      const values = given[index] ?? []
      const node = step.node(values, collection)
      if (node !== undefined && (skipped === undefined || step.filterOf !== skipped))
        nodes.push(curate(step, values, collection, node))
    }
    if (nodes.length === 0) nodes.push({ kind: 'all' })
    const restrictions = collection.restrictions(asked.filters)
    const { offset, count, cutoff } = asked
    return {
      nodes: withinRange(nodes),
      restrictions,
      order: orderOf(stacked, given, collection),
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
    asked: Asked,
    collection: CollectionView,
    cutoff: number,
  ) => {
    const field = facetField(facet, collection)
    const selection = readSelection(facet, stacked, asked.stack, collection)
    const request = {
      field,
      offset: plan.offset,
      count: plan.count,
      selected: selection.selectedValues,
      cutoff,
    }
    const title = api.endpoints?.[facet.name]?.title ?? collection.fields.get(field)?.title ?? facet.name
    return {
      collection: collection.name,
      plan: { ...plan, offset: 0, count: 0, facet: request },
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
    collections: possible,
    plan: request => {
      const stacked = stepsOf(request.stack, undefined)
      const collection = collectionOf(stacked)
      const last = stacked.at(-1)
      const facet = last?.kind === 'facet' ? last : undefined
      // The results of a facet are its options: they are cut, not the documents that they count.
      const plan = narrowed(facet ? { ...request, cutoff: 0 } : request, stacked, collection)
      plan.statistics = request.statistics
      if (request.total === false && !facet) plan.total = false
      if (request.highlight && !facet) plan.highlight = highlightOf(plan.nodes)
      return facet
        ? withFacet(plan, facet, stacked, request, collection, request.cutoff)
        : { collection: collection.name, plan }
    },
    options: request => {
      const facet = facetNamed(request.facet)
      const stacked = stepsOf(request.stack, facet)
      const collection = collectionOf([...stacked, facet])
      const plan = narrowed(request, stacked, collection, request.multiselect ? facet.name : undefined)
      return withFacet(plan, facet, stacked, request, collection, 0)
    },
  }
}

/** Values in the stack's filters of the facet, each once. The plan was made before, so they are known to be good. */
const readSelection = (
  facet: Step,
  stacked: readonly Step[],
  stack: readonly StackedEndpoint[],
  collection: CollectionView,
): Pick<PlannedFacet, 'selectedValues' | 'unquotedTuples' | 'certainValues'> => {
  const selected = new Set<string>()
  const unquotedTuples: UnquotedTuple[] = []
  const certainValues: string[] = []
  for (const [index, step] of stacked.entries()) {
    if (step.filterOf !== facet.name) continue
    const parameters = stack[index]?.parameters ?? []
    const node = step.node(readParameters(step, parameters), collection)
    if (node?.kind !== 'filter') continue
    for (const { values } of node.alternatives) for (const value of values) selected.add(String(value))
    for (const { value } of parameters) {
      const { unquoted, certain } = readUnquotedTuples(value)
      unquotedTuples.push(...unquoted.filter(({ joined }) => selected.has(joined)))
      certainValues.push(...certain)
    }
  }
  return { selectedValues: [...selected], unquotedTuples, certainValues }
}

const facetField = (facet: Step, collection: CollectionView): string => {
  const type = facet.field === undefined ? undefined : collection.fields.get(facet.field)?.type
  if (facet.field === undefined || type === undefined || !isFilterable(type))
    throw new Problem(
      'bad-path',
      `the facet "${facet.name}" is about the field "${facet.field}", which the collection "${collection.name}" does not have`,
    )
  return facet.field
}
