/**
 * The facets that tools count and filter by. A facet whose field the caller chooses is one for each field, with both names: `property:color`
 * (query-service.md, facet).
 */
import { isFilterable } from '@querent/contract/field-value'
import type { StackedEndpoint } from '@querent/contract/paths'
import { facetNames } from '#query/openapi/stacks'
import type { CompiledApi } from '#query/plan/compile'

export interface FacetChoice {
  /** As arguments name it. */
  name: string
  title: string
  /** Name of the endpoint. */
  facet: string
  /** The parameter that chooses the field. */
  field?: StackedEndpoint['parameters'][number]
}

/** Returns the facets that a stack over the collection may count. */
export const listFacetChoices = (api: CompiledApi, collection: string): FacetChoice[] => [
  ...facetNames(api, collection).map(facet => ({
    name: facet,
    title: api.steps.get(facet)?.title ?? facet,
    facet,
  })),
  ...listFieldChoices(api, collection),
]

const listFieldChoices = (api: CompiledApi, collection: string): FacetChoice[] => {
  const fields = api.views.get(collection)?.fields
  return [...api.steps.values()].flatMap(({ kind, name: facet, chooseField, parameters, ...step }) => {
    const [parameter] = parameters
    const isOther = step.collection !== undefined && step.collection !== collection
    if (kind !== 'facet' || !chooseField || !parameter || isOther) return []
    return (parameter.among ?? []).flatMap((value): FacetChoice[] => {
      const field = fields?.get(value)
      return field !== undefined && isFilterable(field.type)
        ? [
            {
              name: `${facet}:${value}`,
              title: field.title ?? value,
              facet,
              field: { name: parameter.name, value },
            },
          ]
        : []
    })
  })
}

/** Returns the filter of a facet with a value, as a stack writes it. */
export const filterByChoice = (
  api: CompiledApi,
  { facet, field }: FacetChoice,
  value: string,
): StackedEndpoint => {
  const endpoint = `${facet}:FILTER`
  const name = api.steps.get(endpoint)?.parameters.at(-1)?.name ?? 'value'
  return { endpoint, parameters: [...(field ? [field] : []), { name, value }] }
}
