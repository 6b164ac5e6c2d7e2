/** Steps of kind `sort`: by a field, or by the distance from a point of the request. The request may choose the order. */
import type { Endpoint } from '@querent/contract/endpoints'
import { listNames } from '@querent/contract/nearest-names'
import { Problem } from '#errors'
import type { CollectionView } from './collection-view.ts'
import { possibleTypes } from './field-types.ts'
import { badValue, distanceKey } from './nodes.ts'
import type { StepParts } from './step.ts'

/** A sort by a geo field sorts by the distance from a point of the request. */
export const sortStep = (
  name: string,
  endpoint: Endpoint & { kind: 'sort' },
  collections: ReadonlyMap<string, CollectionView>,
): StepParts => {
  const { field } = endpoint
  const types = possibleTypes(endpoint, collections)
  const point = { name: 'from', type: 'point', required: types.every(type => type === 'geo') }
  const points = types.includes('geo') ? [point] : []
  const subject = `the parameter "from" of "${name}"`
  return {
    parameters: [...points, { name: 'order', type: 'string', required: false, among: [...orders] }],
    node: () => undefined,
    sortKey: (values, { name: collection, fields }) => {
      const text = points.length > 0 ? values[0] : undefined
      const order = readOrder(name, values[points.length]) ?? endpoint.order ?? 'ascending'
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

const orders = ['ascending', 'descending'] as const

/** Throws Problem `bad-parameter` for another order. */
function readOrder(name: string, text: string | undefined): (typeof orders)[number] | undefined {
  const order = orders.find(other => other === text)
  if (text !== undefined && order === undefined)
    throw badValue(`the parameter "order" of "${name}"`, text, listNames(orders))
  return order
}
