/** Steps of kind `boost`: they multiply scores (query-service.md, boost). */
import { readDuration } from '@querent/contract/duration'
import type { Endpoint } from '@querent/contract/endpoints'
import { readFieldValue, valueForms } from '@querent/contract/field-value'
import { type Point, readDistance, readPoint } from '@querent/contract/geo-value'
import type { BoostRule, PlanNode } from '#engines/engine'
import { Problem } from '#errors'
import type { CollectionView } from './collection-view.ts'
import { fixedFilterNode } from './nodes.ts'
import type { Parameter, StepParts, Values } from './step.ts'

type BoostEndpoint = Endpoint & { kind: 'boost' }

/** A step that changes no score where the collection has no such field, or one of another type. */
export const boostStep = (name: string, endpoint: BoostEndpoint): StepParts => {
  const { field, by, value, halfLife, halfDistance, from } = endpoint
  const whereType = (
    type: string,
    collection: CollectionView,
    rule: () => BoostRule,
  ): PlanNode | undefined =>
    collection.fields.get(field)?.type === type ? { kind: 'boost', field, rule: rule() } : undefined
  if (halfLife !== undefined) {
    const halfLifeMs = (readDuration(halfLife) ?? 0) * 1000
    return {
      parameters: [],
      dependsOnTime: true,
      node: (_, collection, nowMs) => whereType('date', collection, () => ({ by: 'age', nowMs, halfLifeMs })),
    }
  }
  if (halfDistance !== undefined) {
    const halfMeters = readDistance(halfDistance) ?? 0
    return {
      parameters: pointParameters(from),
      node: (values, collection) =>
        whereType('geo', collection, () => ({
          by: 'distance',
          ...readPlace(name, values, from),
          halfMeters,
        })),
    }
  }
  if (typeof by === 'string')
    return { parameters: [], node: (_, collection) => whereType('number', collection, () => ({ by })) }
  const nodes = new WeakMap<CollectionView, { node: PlanNode | undefined }>()
  const readBoost = (collection: CollectionView) => ({
    node: valueBoost(fixedFilterNode(field, String(value), collection), by ?? 1),
  })
  return {
    parameters: [],
    node: (_, collection) => {
      // A long tuple list is read once for each collection.
      const boost = nodes.get(collection) ?? readBoost(collection)
      nodes.set(collection, boost)
      return boost.node
    },
  }
}

/** Turns a filter by a fixed value into a boost by it. */
const valueBoost = (filter: PlanNode, factor: number): PlanNode | undefined => {
  if (filter.kind !== 'filter') return undefined
  const values = filter.alternatives.flatMap(alternative => alternative.values)
  return values.length === 0
    ? undefined
    : { kind: 'boost', field: filter.field, rule: { by: 'value', values, factor } }
}

const pointParameters = (from: Point | undefined): Parameter[] =>
  ['lat', 'lon'].map(name => ({ name, type: 'number', required: from === undefined }))

/** The place of the request, or of the endpoint. Throws Problem `bad-parameter` for an invalid place, or for half of one. */
const readPlace = (name: string, [lat, lon]: Values, from: Point | undefined): Point => {
  if (lat === undefined && lon === undefined && from) return from
  const missing = lat === undefined ? 'lat' : lon === undefined ? 'lon' : undefined
  if (missing !== undefined)
    throw new Problem(
      'bad-parameter',
      `the parameter "${missing}" of "${name}" is missing: write both, /p/lat/52.37/p/lon/4.89`,
    )
  const isNumber = (text: string | undefined) =>
    text !== undefined && readFieldValue('number', text) !== undefined
  const point = readPoint(`${lat},${lon}`)
  if (point) return point
  const wrong = isNumber(lat) && Math.abs(Number(lat)) <= 90 ? 'lon' : 'lat'
  const degrees = wrong === 'lat' ? 90 : 180
  throw new Problem(
    'bad-parameter',
    `the parameter "${wrong}" of "${name}": found ${JSON.stringify((wrong === 'lat' ? lat : lon)?.slice(0, 100))}, allowed: ${valueForms.number} from -${degrees} to ${degrees}`,
  )
}
