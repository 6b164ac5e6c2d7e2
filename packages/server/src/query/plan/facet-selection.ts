/** Reads the selected values of the facet whose options a request asks for, from the filters of the stack. */

import { isFilterable } from '@querent/contract/field-value'
import type { StackedEndpoint } from '@querent/contract/paths'
import { type AmbiguousTuple, readAmbiguousTuples } from '@querent/contract/tuple-list'
import type { PlanNode } from '#engines/engine'
import { Problem } from '#errors'
import type { CollectionView } from './collection-view.ts'
import type { SelectedGroup } from './facet-groups.ts'
import { readParameters } from './parameters.ts'
import type { PlannedFacet } from './planned-facet.ts'
import type { Step } from './step.ts'

/** Whether the step is the filter of the facet. If the caller chooses the field of a facet, both must have the same. */
export const filters = ({ filteredFacet, field }: Step, facet: Step): boolean =>
  filteredFacet === facet.name && field === facet.field

/** Reads the values in the stack's filters of the facet, each once. Making the plan has already checked them. */
export const readSelection = (
  facet: Step,
  stacked: readonly Step[],
  stack: readonly StackedEndpoint[],
  collection: CollectionView,
): Pick<PlannedFacet, 'selectedValues' | 'ambiguousTuples' | 'certainValues'> => {
  const selected = new Set<string>()
  const ambiguousTuples: AmbiguousTuple[] = []
  const certainValues: string[] = []
  for (const [index, step] of stacked.entries()) {
    if (!filters(step, facet)) continue
    const parameters = stack[index]?.parameters ?? []
    const node = step.node(readParameters(step, parameters), collection, 0)
    for (const value of listFilterValues(node)) selected.add(value)
    for (const { value } of parameters) {
      const { ambiguous, certain } = readAmbiguousTuples(value)
      ambiguousTuples.push(...ambiguous.filter(({ wholeText }) => selected.has(wholeText)))
      certainValues.push(...certain)
    }
  }
  return { selectedValues: [...selected], ambiguousTuples, certainValues }
}

/** The values that a filter keeps; empty for documents without one. */
const listFilterValues = (node: PlanNode | undefined): string[] => {
  if (node?.kind === 'any') return node.parts.flatMap(listFilterValues)
  if (node?.kind === 'present') return ['']
  return node?.kind === 'filter' ? node.alternatives.flatMap(({ values }) => values.map(String)) : []
}

/** Reads the groups in the stack's filters of the facet. */
export const readSelectedGroups = (
  facet: Step,
  stacked: readonly Step[],
  stack: readonly StackedEndpoint[],
  collection: CollectionView,
): SelectedGroup[] => {
  const groups = stacked.flatMap((step, index) =>
    filters(step, facet)
      ? (step.selectGroups?.(readParameters(step, stack[index]?.parameters ?? []), collection) ?? [])
      : [],
  )
  return [...new Map(groups.map(group => [group.label, group])).values()]
}

export const groupedFacet = (name: string, title: string, field: string): PlannedFacet => ({
  name,
  title,
  field,
  selectedValues: [],
  ambiguousTuples: [],
  certainValues: [],
})

export const facetField = (facet: Step, collection: CollectionView): string => {
  const type = facet.field === undefined ? undefined : collection.fields.get(facet.field)?.type
  if (facet.field === undefined || type === undefined || !isFilterable(type))
    throw new Problem(
      'bad-path',
      `the facet "${facet.name}" uses the field "${facet.field}", which the collection "${collection.name}" does not have`,
    )
  return facet.field
}
