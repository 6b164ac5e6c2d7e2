/** Reads and edits the filters of a query: selected options of facets, and steps of kind filter or range. */
import type { StackedEndpoint } from '@querent/contract/paths'
import type { ApiDescription } from '@querent/contract/query'
import { readShownValues, type Tuple, writeFilterValue, writeTupleList } from '@querent/contract/tuple-list'
import { describeParameters } from './describe-parameters.ts'
import { labelOption } from './option-label.ts'
import { optionKinds, type TryItDescription } from './search-draft.ts'

export interface Filter {
  /** `Genre: drama` */
  label: string
  /** The query without this filter. */
  remaining: StackedEndpoint[]
}

const facetSuffix = ':FILTER'
const isFacetOption = ({ endpoint }: StackedEndpoint): boolean => endpoint.endsWith(facetSuffix)

/** Removes the options of facets, which people select next to the results, not in the form. */
export const withoutFacetOptions = (stack: readonly StackedEndpoint[]): StackedEndpoint[] =>
  stack.filter(step => !isFacetOption(step))

/** Adds the selected facet options of `stack` to another query. A facet at its end stays there (query-service.md, What endpoints are). */
export const keepFacetOptions = (
  query: readonly StackedEndpoint[],
  stack: readonly StackedEndpoint[],
  description: ApiDescription,
): StackedEndpoint[] => {
  const last = query.at(-1)
  const lastKind = last && findEndpoint(description, last)?.kind
  const end = lastKind && optionKinds.includes(lastKind) ? query.length - 1 : query.length
  return [...query.slice(0, end), ...stack.filter(isFacetOption), ...query.slice(end)]
}

/** Lists each filter: an option of a facet, or a step of kind filter or range. */
export const listFilters = (stack: readonly StackedEndpoint[], description: TryItDescription): Filter[] =>
  stack.flatMap((step, index) => {
    const endpoint = findEndpoint(description, step)
    if (!endpoint || !isFilter(step, description)) return []
    const form = description.valueForms?.[endpoint.name.replace(facetSuffix, '')] ?? {}
    if (isFacetOption(step))
      return listOptions(step).map(value => ({
        label: `${endpoint.title}: ${labelOption(value, value, form)}`,
        remaining: replaceStep(stack, index, withoutOption(step, value)),
      }))
    return [
      {
        label: [endpoint.title, describeParameters(step, endpoint.kind, form)].filter(Boolean).join(': '),
        remaining: replaceStep(stack, index, undefined),
      },
    ]
  })

export const withoutFilters = (
  stack: readonly StackedEndpoint[],
  description: ApiDescription,
): StackedEndpoint[] => stack.filter(step => !isFilter(step, description))

/** Selects or unselects an option of a facet. Options of one facet are alternatives. The scores of others stay the same. */
export const toggleOption = (
  stack: readonly StackedEndpoint[],
  facet: string,
  value: string,
): StackedEndpoint[] => {
  const endpoint = facet + facetSuffix
  const facetSteps = stack.filter(step => step.endpoint === endpoint)
  if (facetSteps.some(step => listOptions(step).includes(value)))
    return stack.flatMap(step => (facetSteps.includes(step) ? (withoutOption(step, value) ?? []) : step))
  const [first] = facetSteps
  const [valueParameter] = first?.parameters ?? []
  const tuples = valueParameter ? readShownValues(valueParameter.value) : []
  const step = filterBy(endpoint, [...tuples, { score: 1, values: [value] }])
  return first ? stack.map(it => (it === first ? step : it)) : [...stack, step]
}

/**
 * Returns the selected option whose children the other options are, as in a hierarchy: `Books` above `Books > Fiction`. A child replaces it,
 * because an alternative to it would narrow nothing.
 */
export const findParentOption = (
  selected: readonly string[],
  unselected: readonly string[],
): string | undefined =>
  unselected.length === 0
    ? undefined
    : selected.find(value => unselected.every(option => option.startsWith(value)))

/** Replaces the text of the step that searches for one. Returns undefined if there are several or none. */
export const replaceText = (
  stack: readonly StackedEndpoint[],
  description: ApiDescription,
  text: string,
): StackedEndpoint[] | undefined => {
  const matching = stack.filter(step => findEndpoint(description, step)?.kind === 'match')
  const [step] = matching
  const [parameter] = step?.parameters ?? []
  if (!step || !parameter || matching.length > 1) return undefined
  const replacement = { ...step, parameters: [{ ...parameter, value: text }] }
  return replaceStep(stack, stack.indexOf(step), replacement)
}

/** Unselects all options of a facet. */
export const withoutFacet = (stack: readonly StackedEndpoint[], facet: string): StackedEndpoint[] =>
  stack.filter(({ endpoint }) => endpoint !== facet + facetSuffix)

/** Returns the selected options of a facet. */
export const selectedOptions = (stack: readonly StackedEndpoint[], facet: string): string[] =>
  stack.filter(({ endpoint }) => endpoint === facet + facetSuffix).flatMap(listOptions)

const findEndpoint = (description: ApiDescription, { endpoint }: StackedEndpoint) =>
  description.endpoints.find(({ name }) => name === endpoint)

const isFilter = (step: StackedEndpoint, description: ApiDescription): boolean =>
  ['filter', 'range', 'area'].includes(findEndpoint(description, step)?.kind ?? '')

const listOptions = ({ parameters }: StackedEndpoint): string[] =>
  parameters.flatMap(({ value }) => readShownValues(value)).flatMap(({ values }) => values)

const withoutOption = (step: StackedEndpoint, value: string): StackedEndpoint | undefined => {
  const tuples = step.parameters
    .flatMap(valueParameter => readShownValues(valueParameter.value))
    .map(({ score, values }) => ({ score, values: values.filter(it => it !== value) }))
    .filter(({ values }) => values.length > 0)
  return tuples.length === 0 ? undefined : filterBy(step.endpoint, tuples)
}

const filterBy = (endpoint: string, tuples: Tuple[]): StackedEndpoint => ({
  endpoint,
  parameters: [{ name: 'value', value: writeValues(tuples) }],
})

/** Writes one value as it is: `drama`, not `1(drama)`. */
const writeValues = (tuples: Tuple[]): string => {
  const [
    {
      score,
      values: [value, ...otherValues],
    } = { score: 0, values: [] },
    ...otherTuples
  ] = tuples
  return value !== undefined && score === 1 && otherValues.length + otherTuples.length === 0
    ? writeFilterValue(value)
    : writeTupleList(tuples)
}

const replaceStep = (
  stack: readonly StackedEndpoint[],
  position: number,
  replacement: StackedEndpoint | undefined,
): StackedEndpoint[] => stack.flatMap((step, index) => (index === position ? (replacement ?? []) : step))
