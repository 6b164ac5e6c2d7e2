/** Row filters: conditions on the fields of documents (authorization-server.md, Row filters). */
import { type Static, type TSchema, Type } from '#schema'

export const rowFilterFieldsMax = 100
export const rowFilterValuesMax = 1000

const closed = { additionalProperties: false } as const

/** Name of an attribute of a membership. */
export const attributeNamePattern = '^[A-Za-z0-9_-]{1,63}$'

export const RowFilterScalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()])
export type RowFilterScalar = Static<typeof RowFilterScalar>

const RangeEnd = Type.Union([Type.String(), Type.Number()])

/** Both ends are inclusive, and either may be absent. */
export interface RangeCondition {
  from?: string | number
  to?: string | number
}
/** The values of an attribute of the membership. */
export interface MemberCondition {
  member: string
}
export type RowFilterCondition =
  | RowFilterScalar
  | RowFilterScalar[]
  | RangeCondition
  | MemberCondition
  | { not: RowFilterCondition }

export const RowFilterRange = Type.Object(
  { from: Type.Optional(RangeEnd), to: Type.Optional(RangeEnd) },
  { ...closed, minProperties: 1, description: 'A range of numbers or dates. `now` is the time of the query' },
)
export const RowFilterMember = Type.Object(
  { member: Type.String({ pattern: attributeNamePattern }) },
  { ...closed, description: 'The values of this attribute of the membership' },
)

const positiveConditions: TSchema[] = [
  Type.String(),
  Type.Number(),
  Type.Boolean(),
  Type.Array(RowFilterScalar, { minItems: 1, maxItems: rowFilterValuesMax }),
  RowFilterRange,
  RowFilterMember,
]
const negationOptions = { ...closed, description: 'All documents but these' }
/** The condition that an inner negation leaves out. */
export const RowFilterInnerNegatedValue = Type.Union(positiveConditions)
export const RowFilterInnerNegation = Type.Object({ not: RowFilterInnerNegatedValue }, negationOptions)
/** The condition that a negation leaves out. */
export const RowFilterNegatedValue = Type.Union([...positiveConditions, RowFilterInnerNegation])
export const RowFilterNegation = Type.Object({ not: RowFilterNegatedValue }, negationOptions)

/** A value, a list of values, a range, an attribute of the member, or a negation. */
export const RowFilterValue = Type.Unsafe<RowFilterCondition>(
  Type.Union([...positiveConditions, RowFilterNegation]),
)

/** A row filter: field → condition. A document must match every field. */
export const RowFilter = Type.Record(Type.String({ minLength: 1 }), RowFilterValue, {
  maxProperties: rowFilterFieldsMax,
  description: 'Row filter: field → value, values, { from, to }, { not } or { member }',
})
export type RowFilter = Static<typeof RowFilter>
