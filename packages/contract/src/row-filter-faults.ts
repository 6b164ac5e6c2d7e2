/** Finds mistakes in row filters that the schema cannot express. */
import { describeFault, describeNotAllowed } from './fault-texts.ts'
import { describeWrongValue, type FilterableType, isFilterable } from './field-value.ts'
import { listedValues, nowValue } from './listed-values.ts'
import type { RangeCondition, RowFilter, RowFilterCondition } from './manage/row-filter.ts'
import { listNames, suggest } from './nearest-names.ts'
import { readConditionValue, readRangeEnd } from './read-condition.ts'
import { describeValue, type Fault } from './schema-faults.ts'
import type { FieldType } from './workspace-file.ts'
import type { Path } from './workspace-source.ts'

type Types = ReadonlyMap<string, FieldType[]>

/** Any time: only the form of values is checked. */
const anyTime = '2000-01-01T00:00:00Z'

/** Yields the faults of the row filter at `path`, in a workspace whose fields have these types. */
export function* rowFilterFaults(types: Types, filter: RowFilter | undefined, path: Path): Iterable<Fault> {
  for (const [name, condition] of Object.entries(filter ?? {})) {
    const declaredTypes = types.get(name)
    const fitting = declaredTypes?.filter(isFilterable) ?? []
    if (fitting.length > 0) {
      yield* conditionFaults(types, name, fitting, condition, [...path, name])
      continue
    }
    const usable = listFields(types, isFilterable)
    const code = declaredTypes === undefined ? 'unknown-row-filter-field' : 'wrong-row-filter-field'
    const type = declaredTypes?.join(', ') ?? ''
    const text = describeFault(code, { found: name, type, names: listNames(usable) }, suggest(name, usable))
    yield { path: [...path, name], ...text, target: 'key' }
  }
}

const listFields = (types: Types, isUsable: (type: FieldType) => boolean): string[] =>
  [...types].filter(([, candidates]) => candidates.some(isUsable)).map(([field]) => field)

function* conditionFaults(
  types: Types,
  name: string,
  fitting: readonly FilterableType[],
  condition: RowFilterCondition,
  path: Path,
): Iterable<Fault> {
  const values = listedValues(condition)
  if (values) {
    for (const [index, value] of values.entries())
      if (fitting.every(type => readConditionValue(type, value, anyTime) === undefined))
        yield {
          path: Array.isArray(condition) ? [...path, index] : path,
          ...describeWrongValue(describeValue(value), fitting),
          target: 'value',
        }
    return
  }
  if (typeof condition !== 'object' || Array.isArray(condition) || 'member' in condition) return
  if ('not' in condition) yield* conditionFaults(types, name, fitting, condition.not, [...path, 'not'])
  else yield* rangeFaults(types, name, fitting, condition, path)
}

const isOrdered = (type: FieldType): type is 'number' | 'date' => type === 'number' || type === 'date'

function* rangeFaults(
  types: Types,
  name: string,
  fitting: readonly FilterableType[],
  condition: RangeCondition,
  path: Path,
): Iterable<Fault> {
  const ordered = fitting.filter(isOrdered)
  if (ordered.length === 0) {
    const names = listNames(listFields(types, isOrdered))
    const text = describeFault('wrong-row-filter-range', { found: name, type: fitting.join(', '), names })
    yield { path, ...text, target: 'value' }
    return
  }
  let hasFault = false
  for (const end of ['from', 'to'] as const) {
    const value = condition[end]
    if (value === undefined) continue
    if (ordered.some(type => readRangeEnd(type, value, end, anyTime) !== undefined)) continue
    hasFault = true
    yield {
      path: [...path, end],
      ...describeNotAllowed(describeValue(value), { code: `${ordered[0] ?? 'number'}-range-end` }),
      target: 'value',
    }
  }
  if (!hasFault && ordered.every(type => isReversed(type, condition)))
    yield {
      path,
      ...describeFault('reversed-range', { found: `${condition.from}..${condition.to}` }),
      target: 'value',
    }
}

/** Whether the range is empty at any time. In a negation, it would open everything. */
const isReversed = (type: 'number' | 'date', { from, to }: RangeCondition): boolean => {
  if (from === undefined || to === undefined || from === nowValue || to === nowValue) return false
  const first = readRangeEnd(type, from, 'from', anyTime)
  const last = readRangeEnd(type, to, 'to', anyTime)
  if (first === undefined || last === undefined) return true
  return typeof first === 'string' || typeof last === 'string'
    ? Date.parse(String(first)) > Date.parse(String(last))
    : first > last
}
