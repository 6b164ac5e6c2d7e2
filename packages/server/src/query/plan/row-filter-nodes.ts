/** Row filters as nodes of a plan. Fails closed: a filter that the fields of the collection cannot answer matches nothing. */

import type { RowFilter } from '@querent/contract/manage'
import { readCondition, type TypedCondition } from '@querent/contract/read-condition'
import type { Collection, Field } from '@querent/contract/workspace-file'
import type { EffectiveFilter } from '#authz/effective-filter'
import type { PlanNode } from '#engines/engine'

/** Lets no document through. */
export const matchNone: PlanNode = { kind: 'lookup', alternatives: [] }

type Fields = ReadonlyMap<string, Field>
type FilterNode = Extract<PlanNode, { kind: 'filter' }>
type AnyNode = Extract<PlanNode, { kind: 'any' }>

/** Returns the nodes that a document must satisfy, all of them. `now`: the time of the query, RFC 3339. */
export const rowFilterNodes = (
  { alternatives }: EffectiveFilter,
  fields: Fields,
  now: string,
): PlanNode[] => {
  const satisfiable = alternatives.flatMap(filter => {
    const conditions = filterNodes(filter, fields, now)
    return conditions ? [conditions] : []
  })
  const [first, ...others] = satisfiable
  if (first === undefined) return [matchNone]
  return others.length === 0 ? first : [unite(satisfiable)]
}

/** Returns the node for documents that name the caller or everyone. */
export const readersNode = (
  names: readonly string[],
  { field, everyone }: NonNullable<Collection['readers']>,
): PlanNode => {
  const values = everyone === undefined ? [...names] : [everyone, ...names]
  return values.length === 0 ? matchNone : { kind: 'filter', field, alternatives: [{ score: 1, values }] }
}

/** Returns a node for each field; undefined if no document matches. */
const filterNodes = (filter: RowFilter, fields: Fields, now: string): PlanNode[] | undefined => {
  const nodes: PlanNode[] = []
  for (const [field, condition] of Object.entries(filter)) {
    const typed = readCondition(fields.get(field)?.type, condition, now)
    if (!typed) return undefined
    nodes.push(conditionNode(field, typed))
  }
  return nodes
}

const conditionNode = (field: string, condition: TypedCondition): PlanNode => {
  switch (condition.kind) {
    case 'values':
      return { kind: 'filter', field, alternatives: [{ score: 1, values: condition.values }] }
    case 'range':
      return { ...condition, field }
    case 'not':
      return negate(conditionNode(field, condition.condition))
  }
}

const negate = (node: PlanNode): AnyNode =>
  node.kind === 'any' ? { ...node, not: !node.not } : { kind: 'any', parts: [node], not: true }

/** Any of the filters: a filter of several fields is the negation of "not one, or not another". */
const unite = (filters: readonly PlanNode[][]): PlanNode => {
  const single = filters.flatMap(nodes => (nodes.length === 1 ? nodes : []))
  const several = filters.filter(nodes => nodes.length > 1)
  const parts = [
    ...mergeValues(single),
    ...several.map((nodes): PlanNode => ({ kind: 'any', parts: nodes.map(negate), not: true })),
  ]
  const [only] = parts
  return only !== undefined && parts.length === 1 ? only : { kind: 'any', parts, not: false }
}

/** Joins the values of each field: engines answer one list of values faster than a union of many. */
const mergeValues = (nodes: readonly PlanNode[]): PlanNode[] => {
  const valuesByField = new Map<string, Set<string | number | boolean>>()
  const unmerged: PlanNode[] = []
  for (const node of nodes) {
    if (node.kind !== 'filter') {
      unmerged.push(node)
      continue
    }
    const merged = valuesByField.get(node.field) ?? new Set()
    for (const { values } of node.alternatives) for (const value of values) merged.add(value)
    valuesByField.set(node.field, merged)
  }
  const merged = [...valuesByField].map(
    ([field, values]): FilterNode => ({
      kind: 'filter',
      field,
      alternatives: [{ score: 1, values: [...values] }],
    }),
  )
  return [...merged, ...unmerged]
}
