/** Steps of kind `sort`: by a field, or by the distance from a point of the request (query-service.md, sort). */
import type { Endpoint } from '@querent/contract/endpoints'
import { Problem } from '#errors'
import type { CollectionView } from './collection-view.ts'
import { possibleTypes } from './field-types.ts'
import { distanceKey } from './nodes.ts'
import type { StepParts } from './step.ts'

/** A sort by a geo field sorts by the distance from a point of the request. */
export const sortStep = (
  name: string,
  endpoint: Endpoint & { kind: 'sort' },
  collections: ReadonlyMap<string, CollectionView>,
): StepParts => {
  const { field, order = 'ascending' } = endpoint
  const types = possibleTypes(endpoint, collections)
  const point = { name: 'from', type: 'point', required: types.every(type => type === 'geo') }
  const subject = `the parameter "from" of "${name}"`
  return {
    parameters: types.includes('geo') ? [point] : [],
    node: () => undefined,
    sortKey: ([text], { name: collection, fields }) => {
      const type = fields.get(field)?.type
      if (type !== 'geo') return type && { by: 'field', field, order }
      if (text === undefined)
        throw new Problem(
          'bad-parameter',
          `${subject} is missing, and "${field}" of "${collection}" is sorted by distance: write /p/from/{lat,lon}`,
        )
      return distanceKey(field, order, text, subject)
    },
  }
}
