/** The filters of a query, apart from what is asked: options of facets, and steps that filter by themselves. */
import type { StackedEndpoint } from '@querent/contract/paths'
import type { ApiDescription } from '@querent/contract/query'
import { readFilterValue, writeTupleList } from '@querent/contract/tuple-list'

export interface Filter {
  /** `Genre: drama` */
  label: string
  /** The query without it. */
  without: StackedEndpoint[]
}

const ofFacets = ':FILTER'
const isOfFacet = ({ endpoint }: StackedEndpoint): boolean => endpoint.endsWith(ofFacets)

/** What the form shows: options of facets are chosen beside the results. */
export const askedOf = (stack: readonly StackedEndpoint[]): StackedEndpoint[] =>
  stack.filter(step => !isOfFacet(step))

/** Another question under the same options of facets. A facet at its end stays there (query-service.md, What endpoints are). */
export const askedAnew = (
  asked: readonly StackedEndpoint[],
  stack: readonly StackedEndpoint[],
  about: ApiDescription,
): StackedEndpoint[] => {
  const last = asked.at(-1)
  const end = last && endpointOf(about, last)?.kind === 'facet' ? asked.length - 1 : asked.length
  return [...asked.slice(0, end), ...stack.filter(isOfFacet), ...asked.slice(end)]
}

/** Each filter by itself: an option of a facet, or a step of kind filter or range. */
export const filtersOf = (stack: readonly StackedEndpoint[], about: ApiDescription): Filter[] =>
  stack.flatMap((step, index) => {
    const endpoint = endpointOf(about, step)
    if (!endpoint || !isFilter(step, about)) return []
    if (isOfFacet(step))
      return optionsIn(step).map(value => ({
        label: `${endpoint.title}: ${value}`,
        without: replaced(stack, index, withoutOption(step, value)),
      }))
    const values = step.parameters
      .filter(({ value }) => value !== '')
      .map(({ name, value }) => (step.parameters.length === 1 ? value : `${name} ${value}`))
    return [
      {
        label: [endpoint.title, values.join(' ')].filter(Boolean).join(': '),
        without: replaced(stack, index, undefined),
      },
    ]
  })

export const withoutFilters = (stack: readonly StackedEndpoint[], about: ApiDescription): StackedEndpoint[] =>
  stack.filter(step => !isFilter(step, about))

/** Chooses an option of a facet, or no longer: options of one facet are alternatives. The scores of others stay as they are. */
export const toggled = (
  stack: readonly StackedEndpoint[],
  facet: string,
  value: string,
): StackedEndpoint[] => {
  const endpoint = facet + ofFacets
  const own = stack.filter(step => step.endpoint === endpoint)
  if (own.some(step => optionsIn(step).includes(value)))
    return stack.flatMap(step => (own.includes(step) ? (withoutOption(step, value) ?? []) : step))
  const [first] = own
  const [given] = first?.parameters ?? []
  const tuples = given ? readFilterValue(given.value) : []
  const step = filterBy(endpoint, [...tuples, { score: 1, values: [value] }])
  return first ? stack.map(it => (it === first ? step : it)) : [...stack, step]
}

/** The chosen options of a facet. */
export const selectedOptions = (stack: readonly StackedEndpoint[], facet: string): string[] =>
  stack.filter(({ endpoint }) => endpoint === facet + ofFacets).flatMap(optionsIn)

const endpointOf = (about: ApiDescription, { endpoint }: StackedEndpoint) =>
  about.endpoints.find(({ name }) => name === endpoint)

const isFilter = (step: StackedEndpoint, about: ApiDescription): boolean =>
  ['filter', 'range'].includes(endpointOf(about, step)?.kind ?? '')

const optionsIn = ({ parameters }: StackedEndpoint): string[] =>
  parameters.flatMap(({ value }) => readFilterValue(value)).flatMap(({ values }) => values)

const withoutOption = (step: StackedEndpoint, value: string): StackedEndpoint | undefined => {
  const tuples = step.parameters
    .flatMap(given => readFilterValue(given.value))
    .map(({ score, values }) => ({ score, values: values.filter(it => it !== value) }))
    .filter(({ values }) => values.length > 0)
  return tuples.length === 0 ? undefined : filterBy(step.endpoint, tuples)
}

const filterBy = (endpoint: string, tuples: Parameters<typeof writeTupleList>[0]): StackedEndpoint => ({
  endpoint,
  parameters: [{ name: 'value', value: writeTupleList(tuples) }],
})

const replaced = (
  stack: readonly StackedEndpoint[],
  at: number,
  by: StackedEndpoint | undefined,
): StackedEndpoint[] => stack.flatMap((step, index) => (index === at ? (by ?? []) : step))
