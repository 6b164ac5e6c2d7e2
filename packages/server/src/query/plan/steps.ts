/** Compiles the endpoints of an API to steps. A step has a name and parameters, and makes a node of a plan. */

import type { EndpointKind } from '@querent/contract/endpoint-traits'
import type { Endpoint } from '@querent/contract/endpoints'
import { endpointTitle } from '@querent/contract/titles'
import type { Definition } from '@querent/contract/workspace-file'
import { areaStep } from './area.ts'
import { boostStep } from './boost.ts'
import { type CollectionView, collectionViews } from './collection-view.ts'
import { anyStep, mixStep, togetherStep } from './combinations.ts'
import { listDefaultBoosts } from './default-boosts.ts'
import { facetFilterStep, facetStep } from './facet-steps.ts'
import { filterStep } from './filter.ts'
import { matchStep, weightedFields } from './match.ts'
import { nearestStep } from './nearest.ts'
import { lookupNode, similarNode } from './nodes.ts'
import { rangeStep } from './range.ts'
import { sortStep } from './sort.ts'
import type { Step, StepParts } from './step.ts'

/**
 * Returns all steps of an API by name, including the filters of its facets (`genre:FILTER`), and the collections that they search. `whole`:
 * the definition with the fields that are hidden from the caller.
 */
export const compileSteps = (
  definition: Definition,
  endpoints: Readonly<Record<string, Endpoint>>,
  whole = definition,
) => {
  const collections = collectionViews(definition, whole)
  const steps = new Map<string, Step>()
  const isTimed = (endpoint: Endpoint): boolean =>
    listDefaultBoosts(endpoint).some(name => {
      const boost = endpoints[name]
      return boost?.kind === 'boost' && boost.halfLife !== undefined
    })
  const dependsOnTime = (endpoint: Endpoint): boolean => {
    const parts = endpoint.kind === 'mix' ? Object.keys(endpoint.of) : []
    return [endpoint, ...parts.flatMap(part => endpoints[part] ?? [])].some(isTimed)
  }
  const add = (name: string, endpoint: Endpoint, parts: StepParts, filteredFacet?: string) =>
    steps.set(name, {
      name,
      kind: filteredFacet === undefined ? endpoint.kind : 'filter',
      title: endpointTitle(definition, endpoint, filteredFacet ?? name),
      collection: endpointCollection(endpoint, endpoints),
      field: 'field' in endpoint && typeof endpoint.field === 'string' ? endpoint.field : undefined,
      filteredFacet,
      boosts: listDefaultBoosts(endpoint),
      ...(dependsOnTime(endpoint) && { dependsOnTime: true }),
      ...parts,
    })
  const isCombination = ({ kind }: Endpoint) => kind === 'mix' || kind === 'any' || kind === 'together'
  const entries = Object.entries(endpoints)
  // Combinations need the steps of their parts.
  for (const [name, endpoint] of [
    ...entries.filter(([, endpoint]) => !isCombination(endpoint)),
    ...entries.filter(([, endpoint]) => isCombination(endpoint)),
  ]) {
    add(name, endpoint, makeStep(endpoint, { name, collections, steps }))
    if (endpoint.kind !== 'facet') continue
    const filterName = `${name}:FILTER`
    add(filterName, endpoint, facetFilterStep(filterName, endpoint, collections), name)
  }
  return { steps, collections }
}

const endpointCollection = (
  endpoint: Endpoint,
  endpoints: Readonly<Record<string, Endpoint>>,
): string | undefined => {
  if (endpoint.kind !== 'mix' && endpoint.kind !== 'any') return endpoint.collection
  const parts = endpoint.kind === 'mix' ? Object.keys(endpoint.of) : endpoint.of
  for (const name of parts) {
    const part = endpoints[name.split(':', 1)[0] ?? '']
    if (part && 'collection' in part && part.collection !== undefined) return part.collection
  }
  return undefined
}

interface StepContext {
  name: string
  collections: ReadonlyMap<string, CollectionView>
  /** The steps before it, among them its parts. */
  steps: ReadonlyMap<string, Step>
}

type StepMakers = {
  [Kind in EndpointKind]: (endpoint: Extract<Endpoint, { kind: Kind }>, context: StepContext) => StepParts
}

const makeStep = (endpoint: Endpoint, context: StepContext): StepParts =>
  // The row of its kind takes it, which the compiler cannot follow.
  stepMakers[endpoint.kind](endpoint as never, context)

const stepMakers: StepMakers = {
  match: (endpoint, { collections }) => matchStep(endpoint, collections),
  similar: (endpoint, { collections }) => {
    const readFields = weightedFields(endpoint, collections)
    return {
      parameters: [{ name: endpoint.parameter ?? 'id', type: 'string', required: true }],
      node: ([id = ''], { ids }) => similarNode(id, ids, readFields()),
    }
  },
  nearest: (endpoint, { name, collections }) => nearestStep(name, endpoint, collections),
  lookup: ({ parameter = 'id' }) => ({
    parameters: [{ name: parameter, type: 'string', required: true }],
    node: ([id = ''], { ids }) => lookupNode(id, ids),
  }),
  all: () => ({ parameters: [], node: () => ({ kind: 'all' }) }),
  filter: (endpoint, { name, collections }) => filterStep(name, endpoint, collections),
  range: (endpoint, { name, collections }) => rangeStep(name, endpoint, collections),
  area: (endpoint, { name }) => areaStep(name, endpoint),
  facet: (endpoint, { name }) => facetStep(name, endpoint),
  facets: ({ of }) => ({ parameters: [], node: () => undefined, listedFacets: of ?? 'all' }),
  sort: (endpoint, { name, collections }) => sortStep(name, endpoint, collections),
  collapse: ({ field, best = 1 }) => ({ parameters: [], node: () => undefined, collapse: { field, best } }),
  boost: (endpoint, { name }) => boostStep(name, endpoint),
  mix: (endpoint, { steps }) => mixStep(endpoint, steps),
  any: (endpoint, { steps }) => anyStep(endpoint, steps),
  together: (endpoint, { steps }) => togetherStep(endpoint, steps),
}
