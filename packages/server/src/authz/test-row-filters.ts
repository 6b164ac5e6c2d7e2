/** A plain model of row filters, for tests: what the contract says, on one document (authorization-server.md, Row filters). */
import type { Attributes, RowFilter, RowFilterCondition, RowFilterScalar } from '@querent/contract/manage'
import type { Definition } from '@querent/contract/workspace-file'
import fc from 'fast-check'

/** A document with values of the fields below, in lists. */
export interface ModelDocument {
  id: string
  kind?: string[]
  size?: number[]
  day?: string[]
}

export const modelCollection = {
  fields: { kind: { type: 'keyword' }, size: { type: 'number' }, day: { type: 'date' } },
} as const satisfies NonNullable<Definition['collections']>[string]

/** The time of the model's queries. */
export const modelNow = '2026-06-15T12:00:00Z'

const kinds = ['a', 'b', 'c']
const sizes = [1, 2, 3]
const days = ['2026-06-14', '2026-06-15T12:00:00Z', '2026-06-15T12:00:01Z', '2026-06-16']

export const arbitraryDocument: fc.Arbitrary<Omit<ModelDocument, 'id'>> = fc.record(
  {
    kind: fc.uniqueArray(fc.constantFrom(...kinds), { minLength: 1, maxLength: 2 }),
    size: fc.uniqueArray(fc.constantFrom(...sizes), { minLength: 1, maxLength: 2 }),
    day: fc.uniqueArray(fc.constantFrom(...days), { minLength: 1, maxLength: 2 }),
  },
  { requiredKeys: [] },
)

const negations = (condition: fc.Arbitrary<RowFilterCondition>): fc.Arbitrary<RowFilterCondition> =>
  fc.oneof(
    condition,
    condition,
    condition.map(not => ({ not })),
    condition.map(not => ({ not: { not } })),
  )
const range = <T extends string | number>(values: readonly T[]) =>
  fc.oneof(
    fc.constantFrom(...values).map(from => ({ from })),
    fc.constantFrom(...values).map(to => ({ to })),
    fc.tuple(fc.constantFrom(...values), fc.constantFrom(...values)).map(([from, to]) => ({ from, to })),
  )
const member = fc.constantFrom('kinds', 'none', 'empty').map(name => ({ member: name }))
const arbitraryList = <T>(values: readonly T[]) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 2 })

export const arbitraryFilter: fc.Arbitrary<RowFilter> = fc
  .record(
    {
      kind: negations(fc.oneof(fc.constantFrom(...kinds), arbitraryList(kinds), member)),
      size: negations(fc.oneof(fc.constantFrom(...sizes), arbitraryList(sizes), range(sizes))),
      day: negations(range([...days, 'now'])),
      /** No collection has this field. */
      gone: fc.constant('a'),
    },
    { requiredKeys: [] },
  )
  // Most filters should match something.
  .map(({ gone, ...filter }) => (gone !== undefined && filter.kind === 'a' ? { ...filter, gone } : filter))

export const arbitraryAttributes: fc.Arbitrary<Attributes> = arbitraryList(kinds).map(values => ({
  kinds: values,
  empty: [],
}))

const dayMs = 24 * 60 * 60 * 1000
const readSpan = (text: string): [from: number, to: number] => {
  const start = Date.parse(text === 'now' ? modelNow : text)
  return text.length === '2026-06-14'.length ? [start, start + dayMs - 1] : [start, start]
}

/** Whether the document matches; undefined if nothing can match, because the membership lacks an attribute. */
const matchesCondition = (
  values: readonly RowFilterScalar[],
  condition: RowFilterCondition,
  attributes: Attributes,
): boolean | undefined => {
  if (Array.isArray(condition)) return values.some(value => condition.includes(value))
  if (typeof condition !== 'object') return values.includes(condition)
  if ('not' in condition) {
    const inner = matchesCondition(values, condition.not, attributes)
    return inner === undefined ? undefined : !inner
  }
  if ('member' in condition) {
    const attributeValues = [attributes[condition.member] ?? []].flat()
    return attributeValues.length === 0 ? undefined : values.some(value => attributeValues.includes(value))
  }
  const { from, to } = condition
  return values.some(value =>
    typeof value === 'string'
      ? (from === undefined || readSpan(value)[0] >= readSpan(String(from))[0]) &&
        (to === undefined || readSpan(value)[0] <= readSpan(String(to))[1])
      : (from === undefined || Number(value) >= Number(from)) &&
        (to === undefined || Number(value) <= Number(to)),
  )
}

/** Whether a document matches every condition. */
export const matchesFilter = (document: ModelDocument, filter: RowFilter, attributes: Attributes): boolean =>
  Object.entries(filter).every(([field, condition]) => {
    if (field !== 'kind' && field !== 'size' && field !== 'day') return false
    return matchesCondition(document[field] ?? [], condition, attributes) === true
  })
