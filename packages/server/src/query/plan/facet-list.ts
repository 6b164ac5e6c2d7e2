/** Endpoints of kind `facets`: the facets that a result has (query-service.md, facet). */
import { isFilterable } from '@querent/contract/field-value'
import type { Plan, Reply } from '#engines/engine'
import type { EngineFacet, FacetOption, FacetRequest } from '#engines/facet'
import type { CollectionView } from './collection-view.ts'
import { type FacetGrouping, type GroupPage, pageOptions } from './facet-groups.ts'
import type { Step } from './step.ts'

/** A facet of the list, and what the engine counts for it. */
export interface ListedFacet {
  name: string
  title: string
  request: FacetRequest
  grouping?: FacetGrouping
}

/** An option that is a facet. */
export interface FacetAsOption extends FacetOption {
  title: string
  /** Number of different values. */
  options: number
}

export const isFacetOption = (option: FacetOption): option is FacetAsOption => 'options' in option

/** Facets that are allOptions at once. */
const countedAtOnce = 4

/** Returns the facets of the list that the collection can have. A facet whose field the caller chooses is not one of them. */
export const listFacets = (
  names: readonly string[] | 'all',
  steps: ReadonlyMap<string, Step>,
  collection: CollectionView,
): ListedFacet[] =>
  (names === 'all' ? [...steps.keys()] : names).flatMap(name => {
    const step = steps.get(name)
    if (step?.kind !== 'facet' || step.field === undefined) return []
    if (step.collection !== undefined && step.collection !== collection.name) return []
    const type = collection.fields.get(step.field)?.type
    const grouping = step.grouping?.(collection)
    const isUsable = type !== undefined && isFilterable(type) && (!step.grouping || grouping)
    if (!isUsable) return []
    const request: FacetRequest = {
      field: step.field,
      offset: 0,
      count: 0,
      selected: [],
      missing: true,
      ...(grouping && { groups: grouping.groups([]) }),
    }
    return [{ name, title: step.title, request, ...(grouping && { grouping }) }]
  })

/** Counts the documents of a result that have a value of each facet. `run` runs a plan that counts. */
export const countFacets = async (
  { facets, page }: { facets: readonly ListedFacet[]; page: GroupPage },
  plan: Plan,
  run: (plan: Plan) => Promise<Reply>,
): Promise<EngineFacet> => {
  const allOptions: FacetAsOption[] = []
  for (let start = 0; start < facets.length; start += countedAtOnce) {
    const next = facets.slice(start, start + countedAtOnce)
    allOptions.push(...(await Promise.all(next.map(facet => countFacet(facet, plan, run)))))
  }
  const options = allOptions.filter(({ count }) => count > 0).sort(compareOptions)
  return { ...pageOptions(options, page, ({ title }) => title), selected: [] }
}

const countFacet = async (
  { name, title, request, grouping }: ListedFacet,
  plan: Plan,
  run: (plan: Plan) => Promise<Reply>,
): Promise<FacetAsOption> => {
  const { total, facet } = await run({ ...plan, statistics: false, total: true, facet: request })
  const missing = facet?.missing ?? 0
  const groups = grouping?.options(facet?.options ?? []).filter(({ count }) => count > 0)
  // Without groups, the documents without a value are an option too.
  const options = groups?.length ?? (facet?.distinct ?? 0) - Math.min(missing, 1)
  return { value: name, title, count: total - missing, options }
}

const compareOptions = (a: FacetAsOption, b: FacetAsOption): number =>
  b.count - a.count || compareTexts(a.title, b.title) || compareTexts(a.value, b.value)

const compareTexts = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
