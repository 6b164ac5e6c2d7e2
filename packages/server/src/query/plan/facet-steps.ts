/** Steps of facets and of their filters. The caller may choose the field by a parameter (query-service.md, facet). */
import type { Endpoint, FieldFacet } from '@querent/contract/endpoints'
import { listNames } from '@querent/contract/nearest-names'
import type { CollectionView } from './collection-view.ts'
import { createGrouping, groupFilterNode, isGrouped } from './facet-groups.ts'
import { valueType } from './field-types.ts'
import { badValue, filterNode } from './nodes.ts'
import type { ChosenField, GroupReader, Parameter, StepParts } from './step.ts'

type FacetEndpoint = Extract<Endpoint, { kind: 'facet' }>

export const facetStep = (name: string, endpoint: FacetEndpoint): StepParts => {
  const { field } = endpoint
  const fieldStep = (field: string): StepParts => {
    const facet: FieldFacet = { ...endpoint, field }
    return {
      parameters: [],
      node: () => undefined,
      ...(isGrouped(facet) && { grouping: collection => createGrouping(facet, collection) }),
      facetCounts: {
        ...(endpoint.missing && { missing: true }),
        ...(endpoint.statistics && { summary: true }),
        ...(endpoint.counts === 'collapsed' && { collapsed: true }),
      },
      ...(endpoint.columns && { columns: endpoint.columns }),
    }
  }
  return typeof field === 'string' ? fieldStep(field) : chooseField(name, field, fieldStep)
}

/** The filter of a facet, `genre:FILTER`. */
export const facetFilterStep = (
  name: string,
  endpoint: FacetEndpoint,
  collections: ReadonlyMap<string, CollectionView>,
): StepParts => {
  const { field } = endpoint
  const fieldStep = (field: string): StepParts => {
    const facet: FieldFacet = { ...endpoint, field }
    return isGrouped(facet) ? groupFilterStep(name, facet) : valueFilterStep(name, facet, collections)
  }
  return typeof field === 'string' ? fieldStep(field) : chooseField(name, field, fieldStep)
}

/** The filter of a facet without groups. */
const valueFilterStep = (
  name: string,
  endpoint: FieldFacet,
  collections: ReadonlyMap<string, CollectionView>,
): StepParts => {
  const { field, parameter = 'value', missing = false } = endpoint
  const subject = `the parameter "${parameter}" of "${name}"`
  return {
    parameters: [{ name: parameter, type: valueType(endpoint, collections), required: true }],
    node: ([text = ''], collection) => filterNode(field, text, collection, subject, missing),
  }
}

/** The filter of a facet with groups: its values are groups. */
const groupFilterStep = (name: string, endpoint: FieldFacet): StepParts => {
  const { parameter = 'value' } = endpoint
  const subject = `the parameter "${parameter}" of "${name}"`
  const selectGroups: GroupReader = ([text = ''], collection) =>
    createGrouping(endpoint, collection)?.select(text, subject) ?? []
  return {
    parameters: [{ name: parameter, type: 'string', required: true }],
    node: (values, collection) => groupFilterNode(selectGroups(values, collection)),
    selectGroups,
  }
}

/** A step whose first parameter is the field. `fieldStep` makes the step of one field. */
const chooseField = (
  name: string,
  { parameter, among }: Exclude<FacetEndpoint['field'], string>,
  fieldStep: (field: string) => StepParts,
): StepParts => {
  const byField = new Map(among.map(field => [field, fieldStep(field)]))
  const subject = `the parameter "${parameter}" of "${name}"`
  const choose = (field: string): ChosenField => {
    const parts = byField.get(field)
    if (parts === undefined) throw badValue(subject, field, listNames(among))
    return { field, ...parts }
  }
  return {
    parameters: [
      { name: parameter, type: 'string', required: true, among: [...among] },
      ...mergeTypes([...byField.values()]),
    ],
    // A part of an `any` is not resolved before.
    node: ([field = '', ...values], ...context) => choose(field).node(values, ...context),
    chooseField: choose,
  }
}

/** The parameters of the steps, which differ in their types only. */
const mergeTypes = (steps: readonly StepParts[]): Parameter[] =>
  (steps[0]?.parameters ?? []).map((parameter, index) => ({
    ...parameter,
    type: steps.every(({ parameters }) => parameters[index]?.type === parameter.type)
      ? parameter.type
      : 'string',
  }))
