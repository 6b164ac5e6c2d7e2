/** The filters of the list as people see them: one for each field, with both ends of a range, and values as the table shows them. */
import type { DocumentFilter } from '#api/documents.ts'
import type { FieldSummary } from './document-path.ts'

type Conditions = DocumentFilter['where']
type WriteValue = (value: string, field: FieldSummary | undefined) => string

export interface ShownCondition {
  field: string
  /** `Price: ≥ 10` */
  text: string
  /** The filter without this condition. */
  remaining: Conditions
}

/** Ends of a range follow the name of the field (workspace-file.md, Documents). */
export const rangeEnds = { from: '.from', to: '.to' } as const

/** Whether the addresses of lists can have a range of the field: no other field has the name of an end. */
export const hasRange = ({ name, type }: FieldSummary, fields: readonly FieldSummary[]): boolean =>
  (type === 'number' || type === 'date') &&
  !fields.some(field => Object.values(rangeEnds).some(end => field.name === name + end))

/** Lists the conditions of a filter in the order of its fields. `write` writes the values. */
export const listConditions = (
  where: Conditions,
  fields: readonly FieldSummary[],
  write: WriteValue,
): ShownCondition[] => {
  const names = Object.keys(where).map(name => readFieldName(name, fields))
  return [...new Set(names)].flatMap(field => describeField(field, { where, fields, write }))
}

const readFieldName = (name: string, fields: readonly FieldSummary[]): string => {
  const [, field = ''] = /^(.+)\.(?:from|to)$/s.exec(name) ?? []
  return fields.some(one => one.name === field && hasRange(one, fields)) ? field : name
}

interface FilterTexts {
  where: Conditions
  fields: readonly FieldSummary[]
  write: WriteValue
}

const describeField = (name: string, { where, fields, write }: FilterTexts): ShownCondition[] => {
  const field = fields.find(one => one.name === name)
  const title = field?.title ?? name
  const { [name]: value, ...withoutValue } = where
  const exact =
    value === undefined
      ? []
      : [{ field: name, text: `${title}: ${write(value, field)}`, remaining: withoutValue }]
  if (!field || !hasRange(field, fields)) return exact
  const { [name + rangeEnds.from]: low, [name + rangeEnds.to]: high, ...withoutRange } = where
  const ends = describeEnds(low && write(low, field), high && write(high, field))
  return ends === undefined
    ? exact
    : [...exact, { field: name, text: `${title}: ${ends}`, remaining: withoutRange }]
}

const describeEnds = (low: string | undefined, high: string | undefined): string | undefined => {
  if (low === undefined) return high === undefined ? undefined : `≤ ${high}`
  return high === undefined ? `≥ ${low}` : `${low} – ${high}`
}
