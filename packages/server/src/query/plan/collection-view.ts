/** A collection as the planner sees it, compiled once for each definition. */
import { type DocumentIds, documentIds } from '@querent/contract/document-id'
import { isFilterable, readFieldValue } from '@querent/contract/field-value'
import type { RowFilter } from '@querent/contract/manage'
import type { Definition, Field } from '@querent/contract/workspace-file'
import type { PlanNode } from '#engines/engine'

export interface CollectionView {
  name: string
  fields: ReadonlyMap<string, Field>
  ids: DocumentIds
  /** Returns the row filters as nodes that restrict every plan. Empty without filters. */
  restrictions: (filters: readonly RowFilter[]) => PlanNode[]
}

/** Lets no document through. */
export const matchNone: PlanNode = { kind: 'lookup', alternatives: [] }

/** All collections of a definition by name. */
export const collectionViews = (definition: Definition): Map<string, CollectionView> =>
  new Map(
    Object.entries(definition.collections ?? {}).map(([name, collection]) => {
      const fields = new Map(Object.entries(collection.fields ?? {}))
      // The nodes live as long as the row filter, which belongs to a cached membership.
      const nodesByFilter = new WeakMap<RowFilter, PlanNode[]>()
      const cachedNodes = (filter: RowFilter) => {
        const nodes = nodesByFilter.get(filter) ?? rowFilterNodes(filter, fields)
        nodesByFilter.set(filter, nodes)
        return nodes
      }
      const restrictions = (filters: readonly RowFilter[]) => filters.flatMap(cachedNodes)
      return [name, { name, fields, ids: documentIds(definition.workspace, name, collection), restrictions }]
    }),
  )

/** Fails closed: nothing matches if the field is not a keyword, number, boolean or date of the collection, or has no valid values. */
const rowFilterNodes = (filter: RowFilter, fields: ReadonlyMap<string, Field>): PlanNode[] =>
  Object.entries(filter).map(([field, allowed]) => {
    const type = fields.get(field)?.type
    if (type === undefined || !isFilterable(type)) return matchNone
    const values = (Array.isArray(allowed) ? allowed : [allowed])
      .map(value => readFieldValue(type, String(value)))
      .filter(value => value !== undefined)
    return values.length === 0 ? matchNone : { kind: 'filter', field, alternatives: [{ score: 1, values }] }
  })
