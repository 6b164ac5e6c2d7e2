/** Lists the stacks of an API that its OpenAPI document describes: each endpoint alone, and a search with filters and a sort. */

import { listKinds } from '@querent/contract/endpoint-traits'
import { isFilterable } from '@querent/contract/field-value'
import type { CompiledApi } from '#query/plan/compile'
import { listsOptions, type Parameter, type Step } from '#query/plan/step'

/** A parameter of an endpoint with the name of its variable in the path. */
export interface PathVariable extends Parameter {
  kind: Step['kind']
  variable: string
}

export interface StackDescription {
  steps: readonly Step[]
  /** From `/e/` on, with a variable for each value. */
  path: string
  variables: readonly PathVariable[]
  /** The names of its endpoints and their optional parameters, from left to right. */
  names: readonly string[]
  collection: string
}

/** An endpoint, with some of its parameters. */
interface Choice {
  step: Step
  parameters: readonly Parameter[]
}

type ApiSteps = Pick<CompiledApi, 'steps' | 'views' | 'collections'>

/** The collection that a stack searches if it starts with this step. Undefined if it cannot start one. */
export const startCollection = ({ collections }: ApiSteps, { collection }: Step): string | undefined =>
  collection ?? (collections.length === 1 ? collections[0] : undefined)

/** With more optional parameters, only none and all of them are described. */
const optionalEachMax = 4

/** OpenAPI has no optional path parameters, so we list choices: the required ones, with none, one or all of the optional ones. */
const choices = (step: Step): Choice[] => {
  const { parameters } = step
  const optional = parameters.filter(({ required }) => !required)
  if (step.needsOne) return parameters.map(parameter => ({ step, parameters: [parameter] }))
  const withOptional = (included: readonly Parameter[]) => ({
    step,
    parameters: parameters.filter(parameter => parameter.required || included.includes(parameter)),
  })
  return [
    withOptional([]),
    ...(optional.length > optionalEachMax ? [] : optional.map(one => withOptional([one]))),
    ...(optional.length > 1 ? [withOptional(optional)] : []),
  ]
}

/** The name of a variable in a stack. Several endpoints of a stack may call their parameter `value`. */
const variableName = ({ name, filteredFacet, parameters }: Step, parameter: Parameter): string =>
  parameters.length === 1 ? (filteredFacet ?? name) : `${filteredFacet ?? name}_${parameter.name}`

const describeStack = (
  collection: string,
  start: Choice,
  refinements: readonly Choice[],
): StackDescription => {
  const variableNames = new Set(start.parameters.map(({ name }) => name))
  const unique = (name: string): string => (variableNames.has(name) ? unique(`${name}_`) : name)
  const variables: PathVariable[] = []
  const names: string[] = []
  let path = ''
  for (const choice of [start, ...refinements]) {
    const { step, parameters } = choice
    path += `/e/${step.name}`
    names.push(step.name, ...parameters.filter(({ required }) => !required).map(({ name }) => name))
    for (const parameter of parameters) {
      const variable = choice === start ? parameter.name : unique(variableName(step, parameter))
      variableNames.add(variable)
      path += `/p/${parameter.name}/{${variable}}`
      variables.push({ ...parameter, kind: step.kind, variable })
    }
  }
  return { steps: [start, ...refinements].map(({ step }) => step), path, variables, names, collection }
}

/** Each endpoint that can start a stack, with each choice of its parameters. */
export function* listEndpoints(api: ApiSteps): Generator<StackDescription> {
  for (const step of api.steps.values()) {
    const collection = startCollection(api, step)
    if (collection === undefined) continue
    for (const start of choices(step)) yield describeStack(collection, start, [])
  }
}

/** Whether a step can follow others that search the collection. */
const refines = ({ views }: ApiSteps, collection: string, { field, ...step }: Step): boolean =>
  (step.collection === undefined || step.collection === collection) &&
  field !== undefined &&
  views.get(collection)?.fields.has(field) === true

/** The facets that a stack over the collection may count. */
export const facetNames = (api: ApiSteps, collection: string): string[] =>
  [...api.steps.values()]
    .filter(step => {
      if (step.kind !== 'facet' || !refines(api, collection, step)) return false
      const field = api.views.get(collection)?.fields.get(step.field ?? '')
      return field !== undefined && isFilterable(field.type)
    })
    .map(({ name }) => name)

const searchKinds = listKinds(({ purpose, takesIds }) => purpose === 'search' && takesIds === undefined)
const filterKinds = listKinds(({ purpose }) => purpose === 'filter')

/** No filter, each choice of one filter, and with `filtersMax` 2 each two filters, with all of their parameters. */
function* listFilters(filters: readonly Step[], filtersMax: 1 | 2): Generator<Choice[]> {
  const narrowing = filters.map(step => {
    const [withNone, ...others] = choices(step)
    // A range without ends finds everything.
    return step.kind === 'range' || withNone === undefined ? others : [withNone, ...others]
  })
  yield []
  for (const filterChoices of narrowing) for (const choice of filterChoices) yield [choice]
  if (filtersMax === 1) return
  for (const [index, firstChoices] of narrowing.entries())
    for (const secondChoices of narrowing.slice(index + 1)) {
      const pair = [firstChoices.at(-1), secondChoices.at(-1)].filter(choice => choice !== undefined)
      if (pair.length === 2) yield pair
    }
}

/** Sorts behind filters have the order of their definition, because the document has a greatest size. */
const keepsOrder = ({ parameters }: Choice): boolean => !parameters.some(({ name }) => name === 'order')

/** Each search (or browsing of all documents), refined by filters, by a sort, or by both. */
export function* listRefinedStacks(api: ApiSteps, filtersMax: 1 | 2): Generator<StackDescription> {
  for (const search of api.steps.values()) {
    const collection = startCollection(api, search)
    if (collection === undefined || !searchKinds.includes(search.kind)) continue
    const refinements = [...api.steps.values()].filter(step => refines(api, collection, step))
    const sorts = refinements.filter(({ kind }) => kind === 'sort').flatMap(choices)
    const filters = refinements.filter(({ kind }) => filterKinds.includes(kind))
    const [start] = choices(search)
    if (start === undefined) continue
    for (const filter of listFilters(filters, filtersMax)) {
      if (filter.length > 0) yield describeStack(collection, start, filter)
      for (const sort of filter.length > 0 ? sorts.filter(keepsOrder) : sorts)
        yield describeStack(collection, start, [...filter, sort])
    }
  }
}

export const endsInSort = ({ steps }: StackDescription): boolean => steps.at(-1)?.kind === 'sort'
export const endsInFacet = ({ steps }: StackDescription): boolean => {
  const last = steps.at(-1)
  return last !== undefined && listsOptions(last)
}
/** Whether its items have a second column, the count. */
export const hasCounts = ({ steps }: StackDescription): boolean =>
  steps.at(-1)?.columns?.includes('DOUBLE') === true
