/** Endpoints of kind `area`: a box or a polygon, from the request or the definition (query-service.md, area). */
import { type Area, makeBox, makePolygon, readDegrees } from '@querent/contract/area-value'
import type { Endpoint } from '@querent/contract/endpoints'
import { requirementTexts } from '@querent/contract/fault-texts'
import type { PlanNode } from '#engines/engine'
import { Problem } from '#errors'
import { type CollectionView, matchNone } from './collection-view.ts'
import { badValue } from './nodes.ts'
import type { StepParts } from './step.ts'

type AreaEndpoint = Endpoint & { kind: 'area' }

export const areaStep = (name: string, endpoint: AreaEndpoint): StepParts => {
  const { field, box = 'box', polygon = 'polygon' } = endpoint
  if (typeof box !== 'string' || typeof polygon !== 'string') {
    const fixed = fixedArea(endpoint)
    return { parameters: [], node: (_, collection) => areaNode(field, fixed, collection) }
  }
  return {
    parameters: [
      { name: box, type: 'box', required: false },
      { name: polygon, type: 'polygon', required: false },
    ],
    needsOne: true,
    node: ([boxText, polygonText], collection) => {
      const area =
        boxText === undefined
          ? readPolygon(polygonText ?? '', `the parameter "${polygon}" of "${name}"`)
          : readBox(boxText, `the parameter "${box}" of "${name}"`)
      return areaNode(field, area, collection)
    },
  }
}

/** Nothing matches if the collection has no such field of places, or if the area of an older definition is none. */
const areaNode = (field: string, area: Area | undefined, { fields }: CollectionView): PlanNode =>
  area && fields.get(field)?.type === 'geo' ? { kind: 'area', field, area } : matchNone

const fixedArea = ({ box, polygon }: AreaEndpoint): Area | undefined => {
  if (typeof box === 'object') {
    const reading = makeBox(box)
    return reading && { box: reading }
  }
  const reading = typeof polygon === 'object' ? makePolygon(polygon, '') : undefined
  return reading && 'polygon' in reading ? reading : undefined
}

const readBox = (text: string, subject: string): Area => {
  const box = makeBox(readDegrees(text) ?? [])
  if (box === undefined) throw badValue(subject, text, requirementTexts.box)
  return { box }
}

const readPolygon = (text: string, subject: string): Area => {
  const degrees = readDegrees(text)
  if (degrees === undefined) throw badValue(subject, text, requirementTexts.polygon)
  const reading = makePolygon(degrees, `${degrees.length} numbers`)
  if ('fault' in reading) throw new Problem('bad-parameter', `${subject}: ${reading.fault.message}`)
  return reading
}
