/** Steps of kind `filter`: a value of the request or of the definition, or the presence of values (query-service.md, filter). */
import type { Endpoint } from '@querent/contract/endpoints'
import type { PlanNode } from '#engines/engine'
import type { CollectionView } from './collection-view.ts'
import { valueType } from './field-types.ts'
import { filterNode, fixedFilterNode, presenceNode } from './nodes.ts'
import type { NodeBuilder, StepParts } from './step.ts'

export const filterStep = (
  name: string,
  endpoint: Endpoint & { kind: 'filter' },
  collections: ReadonlyMap<string, CollectionView>,
): StepParts => {
  const { field, value, present, parameter = 'value' } = endpoint
  if (present !== undefined)
    return { parameters: [], node: (_, collection) => presenceNode(field, present, collection) }
  if (value !== undefined) return { parameters: [], node: fixedFilter(field, String(value)) }
  const type = valueType(endpoint, collections)
  const subject = `the parameter "${parameter}" of "${name}"`
  return {
    parameters: [{ name: parameter, type, required: true }],
    node: ([text = ''], collection) => filterNode(field, text, collection, subject),
  }
}

/** The filter by a value of the workspace file. A long tuple list is read once for each collection. */
const fixedFilter = (field: string, text: string): NodeBuilder => {
  const nodes = new WeakMap<CollectionView, PlanNode>()
  return (_, collection) => {
    const node = nodes.get(collection) ?? fixedFilterNode(field, text, collection)
    nodes.set(collection, node)
    return node
  }
}
