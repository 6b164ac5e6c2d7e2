/** A step of a stack: an endpoint with its parameters, which makes a node of a plan. */
import type { EndpointKind } from '@querent/contract/endpoint-traits'
import type { Collapse, PlanNode, SortKey } from '#engines/engine'
import type { FacetRequest } from '#engines/facet'
import type { CollectionView } from './collection-view.ts'
import type { FacetGrouping, SelectedGroup } from './facet-groups.ts'

export interface Parameter {
  name: string
  /**
   * `string`, `number`, `boolean`, `date`, `vector` (numbers separated by commas), `point` (`lat,lon`), `circle` (`lat,lon,distance`),
   * `box` (`south,west,north,east`) or `polygon` (`lat,lon,lat,lon,…`).
   * Filters and lookups accept tuple lists of it as well.
   */
  type: string
  required: boolean
  /** The only values. */
  among?: string[]
}

/** A nearest node whose vector is made from a text before the plan runs. */
export type TextNearestNode = Extract<PlanNode, { kind: 'nearest' }> & {
  text: { endpoint: string; embedder: string; dimensions: number; text: string }
}

/** Values in the order of the step's parameters. */
export type Values = readonly (string | undefined)[]

export interface Step {
  name: string
  kind: EndpointKind
  title: string
  parameters: Parameter[]
  /** A request gives exactly one of the parameters. */
  needsOne?: boolean
  /** The collection that the endpoint names. A step without one refines the steps before it. */
  collection: string | undefined
  /** Set for facets, their filters, and sorts. */
  field: string | undefined
  /** For the filter `genre:FILTER`: `genre`. */
  filteredFacet: string | undefined
  /** Makes the node, or undefined if the step filters nothing (facet, sort). Throws Problem `bad-parameter` for an invalid value. */
  node: (values: Values, collection: CollectionView, nowMs: number) => PlanNode | undefined
  /** Set for facets with groups. Returns undefined if the collection has no field of a fitting type. */
  grouping?: (collection: CollectionView) => FacetGrouping | undefined
  /** Set for facets: what the engine counts besides the options. */
  facetCounts?: Pick<FacetRequest, 'missing' | 'summary' | 'collapsed'>
  /** Set for facets whose results have several columns. */
  columns?: readonly FacetColumn[]
  /** Set for `collapse`. */
  collapse?: Collapse
  /** Set for lists of facets. */
  listedFacets?: readonly string[] | 'all'
  /**
   * Set for a facet and its filter whose first parameter is the field. Returns the parts of the step of that field, without that parameter.
   * Throws Problem `bad-parameter` for another field.
   */
  chooseField?: (field: string) => ChosenField
  /** Set for the filters of facets with groups. */
  selectGroups?: GroupReader
  /** Names of the boosts that apply whenever the step ranks. */
  boosts?: readonly string[]
  /** The node depends on the time: it must be made again when the minute has passed. */
  dependsOnTime?: boolean
  /**
   * Set for sorts. Returns undefined if the collection does not have the field. Throws Problem `bad-parameter` for an invalid value.
   */
  sortKey?: (values: Values, collection: CollectionView) => SortKey | undefined
}

export type FacetColumn = 'OBJ' | 'DOUBLE'

/** A facet or a list of facets, whose results are options. It must be last. */
export const listsOptions = ({ kind }: Pick<Step, 'kind'>): boolean => kind === 'facet' || kind === 'facets'

/** Reads the values of a filter of a facet with groups. */
export type GroupReader = (values: Values, collection: CollectionView) => SelectedGroup[]

export type NodeBuilder = Step['node']

/** The properties of a step that depend on its kind. */
export interface StepParts {
  parameters: Parameter[]
  needsOne?: boolean
  node: NodeBuilder
  grouping?: NonNullable<Step['grouping']>
  facetCounts?: NonNullable<Step['facetCounts']>
  columns?: NonNullable<Step['columns']>
  listedFacets?: NonNullable<Step['listedFacets']>
  collapse?: Collapse
  chooseField?: NonNullable<Step['chooseField']>
  selectGroups?: GroupReader
  sortKey?: NonNullable<Step['sortKey']>
  dependsOnTime?: boolean
}

/** The parts of a step for the field that the caller chose. */
export interface ChosenField extends StepParts {
  field: string
}
