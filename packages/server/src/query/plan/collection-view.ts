/** A collection as the planner sees it: compiled once for each definition, read by every query. */
import { type DocumentIds, documentIds } from '@querent/contract/document-id'
import { isFilterable, readFieldValue } from '@querent/contract/field-value'
import type { RowFilter } from '@querent/contract/manage'
import type { Definition, Field } from '@querent/contract/workspace-file'
import type { PlanNode } from '#engines/engine'

export interface CollectionView {
  name: string
  fields: ReadonlyMap<string, Field>
  ids: DocumentIds
  /** The row filter as nodes that restrict every plan; the same array for the same filter object. Empty for no filter. */
  restrictions: (filters: readonly RowFilter[]) => PlanNode[]
}

/** Lets no document through. */
export const nothing: PlanNode = { kind: 'lookup', alternatives: [] }

/** All collections of a definition by name. */
export const collectionViews = (definition: Definition): Map<string, CollectionView> =>
  new Map(
    Object.entries(definition.collections ?? {}).map(([name, collection]) => {
      const fields = new Map(Object.entries(collection.fields ?? {}))
      // Row filters live as long as the membership that is kept in memory; their nodes live with them.
      const known = new WeakMap<RowFilter, PlanNode[]>()
      const nodesOf = (filter: RowFilter) => {
        const nodes = known.get(filter) ?? rowFilterNodes(filter, fields)
        known.set(filter, nodes)
        return nodes
      }
      const restrictions = (filters: readonly RowFilter[]) => filters.flatMap(nodesOf)
      return [name, { name, fields, ids: documentIds(definition.workspace, name, collection), restrictions }]
    }),
  )

/** Fails closed: a field that the collection does not have as keyword, number, boolean or date, or values that are none, let nothing through. */
const rowFilterNodes = (filter: RowFilter, fields: ReadonlyMap<string, Field>): PlanNode[] =>
  Object.entries(filter).map(([field, allowed]) => {
    const type = fields.get(field)?.type
    if (type === undefined || !isFilterable(type)) return nothing
    const values = (Array.isArray(allowed) ? allowed : [allowed])
      .map(value => readFieldValue(type, String(value)))
      .filter(value => value !== undefined)
    return values.length === 0 ? nothing : { kind: 'filter', field, alternatives: [{ score: 1, values }] }
  })
