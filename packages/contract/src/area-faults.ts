/** Finds mistakes in endpoints of kind `area`: a fixed box or polygon must be one. */
import { makeBox, makePolygon } from './area-value.ts'
import type { Endpoint } from './endpoints.ts'
import { describeFault, describeNotAllowed } from './fault-texts.ts'
import { fault } from './name-faults.ts'
import { listNames } from './nearest-names.ts'
import type { Fault } from './schema-faults.ts'
import type { Path } from './workspace-source.ts'

export function* areaFaults(
  { box = 'box', polygon = 'polygon' }: Endpoint & { kind: 'area' },
  path: Path,
): Iterable<Fault> {
  const isFixed = typeof box !== 'string' || typeof polygon !== 'string'
  if (isFixed && typeof box !== 'string' && typeof polygon !== 'string')
    yield fault(
      [...path, 'polygon'],
      describeFault('several-groupings', { found: listNames(['box', 'polygon']) }),
    )
  if (!isFixed && box === polygon) yield fault(path, describeFault('same-parameter', { found: box }))
  if (typeof box !== 'string' && makeBox(box) === undefined)
    yield fault([...path, 'box'], describeNotAllowed(`[${box.join(', ')}]`, { code: 'box' }))
  if (typeof polygon !== 'string') {
    const reading = makePolygon(polygon, `${polygon.length} numbers`)
    if ('fault' in reading) yield fault([...path, 'polygon'], reading.fault)
  }
}
