/** A collection as the planner sees it, compiled once for each definition. */
import { type DocumentIds, documentIds } from '@querent/contract/document-id'
import { expandFields } from '@querent/contract/object-fields'
import type { Definition, Field } from '@querent/contract/workspace-file'
import { type EffectiveFilter, writeSecond } from '#authz/effective-filter'
import type { PlanNode } from '#engines/engine'
import { compileSynonyms, type Synonyms } from '#engines/synonyms'
import { readersNode, rowFilterNodes } from './row-filter-nodes.ts'
import { createStopWords, type StopWords } from './stop-words.ts'

export { matchNone } from './row-filter-nodes.ts'

export interface CollectionView {
  name: string
  /** Also those inside objects, by their paths. */
  fields: ReadonlyMap<string, Field>
  /** The fields as the workspace file has them. */
  fileFields: Readonly<Record<string, Field>>
  ids: DocumentIds
  /** The collection's own stop words. */
  stopWords: StopWords
  synonyms: Synonyms | undefined
  /** Returns the row filters as nodes that restrict every plan. Empty without filters. `nowMs`: the time of the query. */
  restrictions: (filters: readonly EffectiveFilter[], nowMs: number) => PlanNode[]
}

/** All collections of a definition by name. `whole`: the definition with hidden fields, which row filters may name. */
export const collectionViews = (definition: Definition, whole = definition): Map<string, CollectionView> =>
  new Map(
    Object.entries(definition.collections ?? {}).map(([name, collection]) => {
      const fields = new Map(Object.entries(expandFields(collection.fields)))
      const { readers, fields: allFields = {} } = whole.collections?.[name] ?? collection
      const filterFields = new Map(Object.entries(expandFields(allFields)))
      const makeNodes = (filter: EffectiveFilter, now: string): PlanNode[] => [
        ...rowFilterNodes(filter, filterFields, now),
        ...(filter.readers && readers ? [readersNode(filter.readers, readers)] : []),
      ]
      // The nodes live as long as the row filter, which belongs to a cached membership.
      const nodesByFilter = new WeakMap<EffectiveFilter, PlanNode[]>()
      const findNodes = (filter: EffectiveFilter, nowMs: number) => {
        if (filter.dependsOnTime) return makeNodes(filter, writeSecond(nowMs))
        const nodes = nodesByFilter.get(filter) ?? makeNodes(filter, '')
        nodesByFilter.set(filter, nodes)
        return nodes
      }
      const restrictions: CollectionView['restrictions'] = (filters, nowMs) =>
        filters.flatMap(filter => findNodes(filter, nowMs))
      const ids = documentIds(definition.workspace, name, collection)
      const { stopWords, synonyms } = collection
      return [
        name,
        {
          name,
          fields,
          fileFields: collection.fields ?? {},
          ids,
          stopWords: createStopWords(stopWords),
          synonyms: compileSynonyms(synonyms),
          restrictions,
        },
      ]
    }),
  )
