/** The query in the form of "Try it": the search that it starts with, and the filters, sorts and boosts after it. */
import { type EndpointKind, listKinds, rankingKinds } from '@querent/contract/endpoint-traits'
import type { StackedEndpoint } from '@querent/contract/paths'
import type { ApiDescription } from '@querent/contract/query'
import type { ValueForm } from '@querent/contract/value-form'

export interface DraftStep {
  /** React key: two steps may be equal. */
  key: number
  endpoint: string
  /** By name of parameter. */
  values: Record<string, string>
}

export interface Draft {
  /** Undefined: all documents of the API's only collection. */
  start: DraftStep | undefined
  refinements: DraftStep[]
  /** Undefined: `default`. */
  config: string | undefined
}

/** The description of an API, and how documents write the values of its fields. */
export interface TryItDescription extends ApiDescription {
  /** By endpoint; absent for those without a field, or with values in the usual form. */
  valueForms?: Readonly<Record<string, ValueForm>>
}

type DescribedEndpoint = ApiDescription['endpoints'][number]

/** The row of the API's description says `kind` in words, so that a newer server may have more kinds. */
const searchKinds: readonly string[] = listKinds(({ purpose }) => purpose === 'search')
const filterKinds: readonly string[] = listKinds(({ purpose }) => purpose === 'filter')
/** Their text may be blank, and is searched while a person types. */
const textKinds: readonly string[] = ['match', 'mix'] satisfies EndpointKind[]

/** Their results are options. */
export const optionKinds: readonly string[] = listKinds(({ purpose }) => purpose === 'facet')

let keys = 0
export const createStep = (endpoint: string, values: Record<string, string> = {}): DraftStep => ({
  key: keys++,
  endpoint,
  values,
})

export const describeEndpoint = (
  { endpoints }: ApiDescription,
  name: string,
): DescribedEndpoint | undefined => endpoints.find(endpoint => endpoint.name === name)

/** The endpoints that a form offers, by what people do with them. Filters of facets are selected next to the results. */
export const groupEndpoints = ({ endpoints }: ApiDescription) => {
  const list = (kinds: readonly string[]) => endpoints.filter(({ kind }) => kinds.includes(kind))
  return {
    searches: list(searchKinds),
    facets: list(optionKinds),
    filters: list(filterKinds).filter(({ name }) => !name.includes(':')),
    sorts: list(['sort']),
    boosts: list(['boost']),
  }
}

/** Returns whether a value is searched while a person types it. Others count when they are complete. */
export const isLiveText = ({ kind }: DescribedEndpoint, type: string): boolean =>
  type === 'string' && textKinds.includes(kind)

/** Reads a query into a draft. An empty one starts with a text search, if there is one. */
export const readDraft = (
  stack: readonly StackedEndpoint[],
  config: string | undefined,
  description: ApiDescription,
): Draft => {
  const { searches, facets } = groupEndpoints(description)
  const starts = [...searches, ...facets]
  if (stack.length === 0) {
    const first = starts.find(({ kind }) => kind === 'match') ?? starts[0]
    return { start: first && createStep(first.name), refinements: [], config }
  }
  const steps = stack.map(({ endpoint, parameters }) =>
    createStep(endpoint, Object.fromEntries(parameters.map(({ name, value }) => [name, value]))),
  )
  const isStarted = starts.some(({ name }) => name === steps[0]?.endpoint)
  return {
    start: isStarted ? steps[0] : undefined,
    refinements: isStarted ? steps.slice(1) : steps,
    config,
  }
}

/** Writes the steps that are complete. Without a complete start there is no query. */
export const writeDraft = ({ start, refinements }: Draft, description: ApiDescription): StackedEndpoint[] => {
  const first = start && writeStep(start, description)
  if (start && !first) return []
  return [first, ...refinements.map(step => writeStep(step, description))].filter(step => step !== undefined)
}

const writeStep = (
  { endpoint, values }: DraftStep,
  description: ApiDescription,
): StackedEndpoint | undefined => {
  const described = describeEndpoint(description, endpoint)
  const parameters = described?.parameters ?? []
  const isBlank = (name: string) => (values[name] ?? '') === ''
  const isMissing = parameters.some(
    ({ name, type, required }) => required && isBlank(name) && !(described && isLiveText(described, type)),
  )
  const isEmptyRange =
    (described?.kind === 'range' || (described?.kind === 'area' && parameters.length > 0)) &&
    parameters.every(({ name }) => isBlank(name))
  if (isMissing || isEmptyRange) return undefined
  return {
    endpoint,
    parameters: parameters
      .filter(({ name, required }) => required || !isBlank(name))
      .map(({ name }) => ({ name, value: values[name] ?? '' })),
  }
}

const decidingKinds: readonly string[] = [...rankingKinds, 'sort']

/** Returns whether scores rank the results: the last endpoint that ranks or sorts is no sort (query-service.md, Stacking). */
export const isRanked = (stack: readonly StackedEndpoint[], description: ApiDescription): boolean => {
  const ranking = listRanking(stack, description)
  return ranking.length > 0 && ranking.at(-1) !== 'sort'
}

/** Returns whether a sort takes the place of the scores: without it they would rank the results. */
export const isSortedOver = (stack: readonly StackedEndpoint[], description: ApiDescription): boolean => {
  const ranking = listRanking(stack, description)
  return ranking.at(-1) === 'sort' && ranking.some(kind => kind !== 'sort')
}

/** The kinds of the endpoints that rank or sort; none for a query that lists values. */
const listRanking = (stack: readonly StackedEndpoint[], description: ApiDescription): string[] => {
  const kinds = stack.map(({ endpoint }) => describeEndpoint(description, endpoint)?.kind ?? '')
  return optionKinds.includes(kinds.at(-1) ?? '') ? [] : kinds.filter(kind => decidingKinds.includes(kind))
}
