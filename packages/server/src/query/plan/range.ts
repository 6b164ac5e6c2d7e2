/** Steps of kind `range`: values between two bounds of the request (query-service.md, range). */
import type { Endpoint } from '@querent/contract/endpoints'
import type { CollectionView } from './collection-view.ts'
import { valueType } from './field-types.ts'
import { rangeNode } from './nodes.ts'
import type { StepParts } from './step.ts'

export const rangeStep = (
  name: string,
  endpoint: Endpoint & { kind: 'range' },
  collections: ReadonlyMap<string, CollectionView>,
): StepParts => {
  const { field, from: lowerName = 'from', to: upperName = 'to' } = endpoint
  const type = valueType(endpoint, collections)
  const lowerSubject = `the parameter "${lowerName}" of "${name}"`
  const upperSubject = `the parameter "${upperName}" of "${name}"`
  return {
    parameters: [lowerName, upperName].map(parameter => ({ name: parameter, type, required: false })),
    node: ([low, high], collection) =>
      rangeNode(
        field,
        { text: low, subject: lowerSubject },
        { text: high, subject: upperSubject },
        collection,
      ),
  }
}
