/** The facet whose options a plan requests. */
import type { AmbiguousTuple } from '@querent/contract/tuple-list'
import type { FacetGrouping, GroupPage, SelectedGroup } from './facet-groups.ts'
import type { ListedFacet } from './facet-list.ts'
import type { FacetColumn } from './step.ts'

export interface PlannedFacet {
  name: string
  title: string
  field: string
  /** Values in the stack's filters of the facet, in their order. */
  selectedValues: string[]
  /** Tuples in those filters that can be read in two ways. The documents decide which readings are selected. */
  ambiguousTuples: AmbiguousTuple[]
  /** The selected values of the other tuples. */
  certainValues: string[]
  /** Set if the results have several columns. */
  columns?: readonly FacetColumn[]
  /** Set for a list of facets. */
  listed?: { facets: ListedFacet[]; page: GroupPage }
  /** Set if the facet groups its values. */
  groups?: { grouping: FacetGrouping; selected: SelectedGroup[]; page: GroupPage }
}
