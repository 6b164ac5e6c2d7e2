/** Turns the plan of a page of documents into one of a page of the options of a facet. */
import type { StackedEndpoint } from '@querent/contract/paths'
import type { Api } from '@querent/contract/workspace-file'
import type { Plan } from '#engines/engine'
import { readCollapse } from './collapse.ts'
import type { CollectionView } from './collection-view.ts'
import type { FacetGrouping, GroupPage } from './facet-groups.ts'
import { listFacets } from './facet-list.ts'
import { facetField, groupedFacet, readSelectedGroups, readSelection } from './facet-selection.ts'
import type { PlannedFacet } from './planned-facet.ts'
import type { Step } from './step.ts'

interface FacetRequest {
  facet: Step
  stacked: readonly Step[]
  stack: readonly StackedEndpoint[]
  collection: CollectionView
  /** Minimum probability of an option. */
  cutoff: number
  /** Only options with a word that starts with this text. */
  query?: string | undefined
}

interface FacetPlan {
  collection: string
  plan: Plan
  facet: PlannedFacet
}

export const planFacet = (
  plan: Plan,
  { endpoints }: Api,
  steps: ReadonlyMap<string, Step>,
  request: FacetRequest,
): FacetPlan => {
  const { facet, stacked, collection, cutoff, query } = request
  const page = { offset: plan.offset, count: plan.count, cutoff, query, statistics: false }
  if (facet.listedFacets !== undefined)
    return {
      collection: collection.name,
      plan: { ...plan, offset: 0, count: 0 },
      facet: {
        ...groupedFacet(facet.name, facet.title, ''),
        listed: { facets: listFacets(facet.listedFacets, steps, collection), page },
      },
    }
  const field = facetField(facet, collection)
  const title = endpoints?.[facet.name]?.title ?? collection.fields.get(field)?.title ?? facet.name
  // Other facets count documents.
  const collapse = facet.facetCounts?.collapsed ? readCollapse(stacked, collection) : undefined
  const { collapsed: _, ...documentCounts } = facet.facetCounts ?? {}
  const counts = collapse ? facet.facetCounts : documentCounts
  const optionsPlan = { ...plan, ...(collapse && { collapse }), offset: 0, count: 0 }
  const grouping = facet.grouping?.(collection)
  if (grouping) return planGroups(optionsPlan, request, { grouping, page, field, title, counts })
  const selection = readSelection(facet, stacked, request.stack, collection)
  const facetRequest = {
    field,
    offset: plan.offset,
    count: plan.count,
    selected: selection.selectedValues,
    cutoff,
    ...(query !== undefined && { query }),
    ...counts,
  }
  return {
    collection: collection.name,
    plan: { ...optionsPlan, facet: facetRequest },
    facet: { name: facet.name, title, field, ...readColumns(facet), ...selection },
  }
}

interface GroupedFacet {
  grouping: FacetGrouping
  page: GroupPage
  field: string
  title: string
  counts: Step['facetCounts']
}

/** All groups are counted. The server makes the page of them. */
const planGroups = (
  plan: Plan,
  { facet, stacked, stack, collection }: FacetRequest,
  { grouping, page, field, title, counts }: GroupedFacet,
): FacetPlan => {
  const selected = readSelectedGroups(facet, stacked, stack, collection)
  return {
    collection: collection.name,
    plan: {
      ...plan,
      facet: { field, offset: 0, count: 0, selected: [], groups: grouping.groups(selected), ...counts },
    },
    facet: {
      ...groupedFacet(facet.name, title, field),
      ...readColumns(facet),
      groups: { grouping, selected, page },
    },
  }
}

const readColumns = ({ columns }: Step): Pick<PlannedFacet, 'columns'> => (columns ? { columns } : {})
