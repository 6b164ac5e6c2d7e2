/** Finds mistakes in how a facet groups its values, which the schema cannot express. */
import type { Endpoint } from './endpoints.ts'
import { compareEnds, isExactInterval, makeRange, type ValueRange } from './facet-groups.ts'
import { describeFault, describeNotAllowed } from './fault-texts.ts'
import { filterableTypes } from './field-value.ts'
import { listNames } from './nearest-names.ts'
import { describeValue, type Fault } from './schema-faults.ts'
import { isTimeZone } from './time-zone.ts'
import type { FieldType } from './workspace-file.ts'
import type { Path } from './workspace-source.ts'

type FacetEndpoint = Endpoint & { kind: 'facet' }

const groupings = ['ranges', 'interval', 'separator'] as const

/** Returns the types of fields that the facet can count. */
export const facetTypes = ({
  ranges,
  interval,
  separator,
  statistics,
}: FacetEndpoint): readonly FieldType[] => {
  if (ranges !== undefined) return ['number', 'date']
  if (interval !== undefined) return [typeof interval === 'number' ? 'number' : 'date']
  if (statistics) return ['number', 'date']
  return separator === undefined ? filterableTypes : ['keyword']
}

/** Yields the faults of a facet apart from those of its fields. `types`: the declared types of the fields. */
export function* facetFaults(
  endpoint: FacetEndpoint,
  types: readonly FieldType[],
  path: Path,
): Iterable<Fault> {
  const { ranges, interval, timeZone } = endpoint
  yield* shapeFaults(endpoint, path)
  const givenKeys = groupings.filter(key => endpoint[key] !== undefined)
  const [, second] = givenKeys
  if (second !== undefined) {
    yield {
      path: [...path, second],
      ...describeFault('several-groupings', { found: listNames(givenKeys) }),
      target: 'key',
    }
    return
  }
  if (typeof interval === 'number' && !isExactInterval(interval))
    yield {
      path: [...path, 'interval'],
      ...describeNotAllowed(String(interval), { code: 'exact-interval' }),
      target: 'value',
    }
  if (endpoint.separator !== undefined && endpoint.statistics)
    yield {
      path: [...path, 'statistics'],
      ...describeFault('several-groupings', { found: listNames(['separator', 'statistics']) }),
      target: 'key',
    }
  if (timeZone !== undefined && (typeof interval !== 'string' || !isTimeZone(timeZone)))
    yield typeof interval === 'string'
      ? {
          path: [...path, 'timeZone'],
          ...describeNotAllowed(describeValue(timeZone), { code: 'time-zone' }),
          target: 'value',
        }
      : { path: [...path, 'timeZone'], ...describeFault('zone-without-interval'), target: 'key' }
  const type = types.find(candidate => candidate === 'number' || candidate === 'date')
  if (ranges !== undefined && type !== undefined) yield* rangesFaults(ranges, type, [...path, 'ranges'])
}

/** Yields the faults of the tuples of a facet, and of the parameters of a facet whose field the caller chooses. */
function* shapeFaults({ columns, field, parameter = 'value' }: FacetEndpoint, path: Path): Iterable<Fault> {
  if (columns !== undefined && columns.join() !== 'OBJ' && columns.join() !== 'OBJ,DOUBLE')
    yield {
      path: [...path, 'columns'],
      ...describeNotAllowed(columns.join(', '), {
        code: 'choice',
        values: { choices: '[OBJ], [OBJ, DOUBLE]' },
      }),
      target: 'value',
    }
  if (typeof field !== 'string' && field.parameter === parameter)
    yield {
      path: [...path, 'field', 'parameter'],
      ...describeFault('same-parameter', { found: parameter }),
      target: 'value',
    }
}

function* rangesFaults(
  ranges: NonNullable<FacetEndpoint['ranges']>,
  type: 'number' | 'date',
  path: Path,
): Iterable<Fault> {
  const earlier: ValueRange[] = []
  for (const [index, { from, to }] of ranges.entries()) {
    const rangePath = [...path, index]
    const ends = [
      ['from', from],
      ['to', to],
    ] as const
    const invalid = ends.find(([, end]) => end !== undefined && !makeRange(type, end, undefined))
    const range = makeRange(type, from, to)
    if (invalid)
      yield {
        path: [...rangePath, invalid[0]],
        ...describeNotAllowed(describeValue(invalid[1]), { code: `${type}-range-end` }),
        target: 'value',
      }
    if (invalid || !range) continue
    const overlapped = earlier.find(other => overlap(range, other))
    if (range.from !== undefined && range.to !== undefined && compareEnds(range.from, range.to) >= 0)
      yield {
        path: rangePath,
        ...describeFault('empty-range', { found: range.label }),
        target: 'value',
      }
    else if (overlapped)
      yield {
        path: rangePath,
        ...describeFault('overlapping-range', { found: range.label, other: overlapped.label }),
        target: 'value',
      }
    earlier.push(range)
  }
}

const overlap = (a: ValueRange, b: ValueRange): boolean => startsBeforeEnd(a, b) && startsBeforeEnd(b, a)

const startsBeforeEnd = ({ from }: ValueRange, { to }: ValueRange): boolean =>
  from === undefined || to === undefined || compareEnds(from, to) < 0
