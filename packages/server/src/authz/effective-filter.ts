/** Combines the row filters of a membership and of its groups (authorization-server.md, Row filters). Pure. */
import type { Attributes, RowFilter, RowFilterCondition, RowFilterScalar } from '@querent/contract/manage'
import { usesNow } from '@querent/contract/read-condition'

/**
 * A document must match one of the `alternatives`, in which the attributes of the membership are filled in. Without any, no document
 * matches. Queries and writes replace `now`.
 */
export interface EffectiveFilter {
  readonly alternatives: readonly RowFilter[]
  /** Whether the documents that match depend on the time. */
  readonly dependsOnTime: boolean
  /** The caller's names. In collections with `readers`, a document must also name one of them, or everyone. */
  readonly readers?: readonly string[]
}

/** `now` of row filters: whole seconds. */
export const writeSecond = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

/** A filter without attributes and without `now`. */
export const fixedFilter = (filter: RowFilter): EffectiveFilter => ({
  alternatives: [filter],
  dependsOnTime: false,
})

/** A filter without attributes. */
export const filledFilter = (filter: RowFilter): EffectiveFilter => ({
  alternatives: [filter],
  dependsOnTime: Object.values(filter).some(usesNow),
})

/** Hides every document. */
export const hideAll: EffectiveFilter = { alternatives: [], dependsOnTime: false }

/** Joins the filters of several sources: any of them opens its documents. Undefined: every document is open. */
export const uniteFilters = (
  filters: readonly RowFilter[],
  attributes: ReadonlyMap<string, readonly RowFilterScalar[]>,
): EffectiveFilter | undefined => {
  const alternatives: RowFilter[] = []
  for (const filter of filters) {
    const filled = fillAttributes(filter, attributes)
    if (!filled) continue
    if (Object.keys(filled).length === 0) return undefined
    alternatives.push(filled)
  }
  if (alternatives.length === 0) return hideAll
  return { alternatives, dependsOnTime: alternatives.some(filter => Object.values(filter).some(usesNow)) }
}

/** Replaces `{ member }` by the values of that attribute. Undefined if the filter matches nothing, because the membership lacks one. */
export const fillAttributes = (
  filter: RowFilter,
  attributes: ReadonlyMap<string, readonly RowFilterScalar[]>,
): RowFilter | undefined => {
  const filled: [field: string, condition: RowFilterCondition][] = []
  for (const [field, condition] of Object.entries(filter)) {
    const replaced = fillCondition(condition, attributes)
    if (replaced === undefined) return undefined
    filled.push([field, replaced])
  }
  return Object.fromEntries(filled)
}

const fillCondition = (
  condition: RowFilterCondition,
  attributes: ReadonlyMap<string, readonly RowFilterScalar[]>,
): RowFilterCondition | undefined => {
  if (typeof condition !== 'object' || Array.isArray(condition)) return condition
  if ('member' in condition) {
    const values = attributes.get(condition.member) ?? []
    return values.length > 0 ? [...values] : undefined
  }
  if (!('not' in condition)) return condition
  const inner = fillCondition(condition.not, attributes)
  return inner === undefined ? undefined : { not: inner }
}

/** Joins attributes of several sources: their values add up. */
export const uniteAttributes = (
  sources: readonly (Attributes | undefined)[],
): ReadonlyMap<string, readonly RowFilterScalar[]> => {
  const united = new Map<string, RowFilterScalar[]>()
  for (const source of sources)
    for (const [name, values] of Object.entries(source ?? {}))
      united.set(name, [...new Set([...(united.get(name) ?? []), ...[values].flat()])])
  return united
}
