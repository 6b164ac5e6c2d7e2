/** Compiles the endpoints of an API to steps. A step has a name and parameters, and makes a node of a plan. */

import type { Endpoint } from '@querent/contract/endpoints'
import { endpointTitle } from '@querent/contract/titles'
import type { Definition } from '@querent/contract/workspace-file'
import type { PlanNode } from '#engines/engine'
import { Problem } from '#errors'
import { areaStep } from './area.ts'
import { boostStep } from './boost.ts'
import { type CollectionView, collectionViews, matchNone } from './collection-view.ts'
import { listDefaultBoosts } from './default-boosts.ts'
import { facetFilterStep, facetStep } from './facet-steps.ts'
import { possibleTypes, valueType } from './field-types.ts'
import {
  distanceKey,
  filterNode,
  fixedFilterNode,
  lookupNode,
  presenceNode,
  rangeNode,
  similarNode,
  vectorNode,
} from './nodes.ts'
import { readQueryText } from './query-text.ts'
import type { NodeBuilder, Parameter, Step, StepParts, TextNearestNode } from './step.ts'

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
  for (const [name, endpoint] of Object.entries(endpoints)) {
    if (endpoint.kind === 'mix' || endpoint.kind === 'any' || endpoint.kind === 'together') continue
    add(name, endpoint, simpleStep(name, endpoint, collections))
    if (endpoint.kind !== 'facet') continue
    const filterName = `${name}:FILTER`
    add(filterName, endpoint, facetFilterStep(filterName, endpoint, collections), name)
  }
  // These need the steps of their parts.
  for (const [name, endpoint] of Object.entries(endpoints))
    if (endpoint.kind === 'mix') add(name, endpoint, mixStep(endpoint, steps))
    else if (endpoint.kind === 'any') add(name, endpoint, anyStep(endpoint, steps))
    else if (endpoint.kind === 'together') add(name, endpoint, togetherStep(endpoint, steps))
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

/** Lengths of words with one typo and two, by default. */
const typoLengths = { one: 4, two: 8 }

/** Documents that a nearest endpoint finds (query-service.md, nearest). */
const nearestLimit = 1000

const matchOptions = ({ prefix, typos, matching, exact, contains }: Extract<Endpoint, { kind: 'match' }>) => {
  const asTyped = Boolean(prefix || typos)
  return {
    ...(typos && { typos: typos === true ? typoLengths : typos }),
    ...((asTyped || contains) && { ranking: 'words' as const }),
    ...(contains && { contains }),
    ...((exact ?? asTyped) && { exact: true }),
    ...(matching !== undefined && matching !== 'any' && { matching }),
  }
}

const simpleStep = (
  name: string,
  endpoint: Exclude<Endpoint, { kind: 'mix' | 'any' | 'together' }>,
  collections: ReadonlyMap<string, CollectionView>,
): StepParts => {
  switch (endpoint.kind) {
    case 'all':
      return { parameters: [], node: () => ({ kind: 'all' }) }
    case 'facet':
      return facetStep(name, endpoint)
    case 'facets':
      return { parameters: [], node: () => undefined, listedFacets: endpoint.of ?? 'all' }
    case 'collapse':
      return {
        parameters: [],
        node: () => undefined,
        collapse: { field: endpoint.field, best: endpoint.best ?? 1 },
      }
    case 'sort':
      return sortStep(name, endpoint, collections)
    case 'match': {
      const { prefix = false, parameter = 'query' } = endpoint
      const readFields = weightedFields(endpoint, collections)
      const options = matchOptions(endpoint)
      return {
        parameters: [{ name: parameter, type: 'string', required: true }],
        node: ([text = ''], { stopWords, synonyms }) => ({
          kind: 'match',
          text: { ...stopWords.mark(readQueryText(text, prefix)), ...(synonyms && { synonyms }) },
          fields: readFields(),
          ...options,
        }),
      }
    }
    case 'similar': {
      const readFields = weightedFields(endpoint, collections)
      return {
        parameters: [{ name: endpoint.parameter ?? 'id', type: 'string', required: true }],
        node: ([id = ''], { ids }) => similarNode(id, ids, readFields()),
      }
    }
    case 'lookup':
      return {
        parameters: [{ name: endpoint.parameter ?? 'id', type: 'string', required: true }],
        node: ([id = ''], { ids }) => lookupNode(id, ids),
      }
    case 'filter': {
      const { field, value, present, parameter = 'value' } = endpoint
      if (present !== undefined)
        return { parameters: [], node: (_, collection) => presenceNode(field, present, collection) }
      if (value !== undefined) return { parameters: [], node: fixedFilter(field, String(value)) }
      const type = valueType(endpoint, collections)
      const subject = `the parameter "${parameter}" of "${name}"`
      return {
        parameters: [{ name: parameter, type, required: true }],
        node: ([text = ''], collection) => filterNode(field, text, collection, subject),
      }
    }
    case 'range': {
      const { field, from: lowerName = 'from', to: upperName = 'to' } = endpoint
      const type = valueType(endpoint, collections)
      const lowerSubject = `the parameter "${lowerName}" of "${name}"`
      const upperSubject = `the parameter "${upperName}" of "${name}"`
      return {
        parameters: [lowerName, upperName].map(parameter => ({ name: parameter, type, required: false })),
        node: ([low, high], collection) =>
          rangeNode(
            field,
            { text: low, subject: lowerSubject },
            { text: high, subject: upperSubject },
            collection,
          ),
      }
    }
    case 'area':
      return areaStep(name, endpoint)
    case 'boost':
      return boostStep(name, endpoint)
    case 'nearest': {
      const { field, limit = nearestLimit, minimum = 0 } = endpoint
      const declared = collections.get(endpoint.collection)?.fields.get(field)
      if (declared?.type === 'vector' && declared.embed)
        return textNearestStep(
          name,
          { ...endpoint, limit, minimum },
          declared.embed.with,
          declared.dimensions,
        )
      const { parameter = 'vector' } = endpoint
      const subject = `the parameter "${parameter}" of "${name}"`
      return {
        parameters: [{ name: parameter, type: 'vector', required: true }],
        node: ([text = ''], collection) => vectorNode({ field, limit, minimum }, text, collection, subject),
      }
    }
  }
}

/** The server makes the vector of the query. A blank text has no meaning, so the step filters nothing. */
const textNearestStep = (
  name: string,
  {
    field,
    parameter = 'query',
    limit,
    minimum,
  }: Extract<Endpoint, { kind: 'nearest' }> & { limit: number; minimum: number },
  embedder: string,
  dimensions: number,
): StepParts => ({
  parameters: [{ name: parameter, type: 'string', required: true }],
  node: ([text = '']): TextNearestNode | undefined =>
    text.trim() === ''
      ? undefined
      : {
          kind: 'nearest',
          field,
          vector: [],
          limit,
          minimum,
          text: { endpoint: name, embedder, dimensions, text },
        },
})

/** A sort by a geo field sorts by the distance from a point of the request. */
const sortStep = (
  name: string,
  endpoint: Endpoint & { kind: 'sort' },
  collections: ReadonlyMap<string, CollectionView>,
): StepParts => {
  const { field, order = 'ascending' } = endpoint
  const types = possibleTypes(endpoint, collections)
  const point = { name: 'from', type: 'point', required: types.every(type => type === 'geo') }
  const subject = `the parameter "from" of "${name}"`
  return {
    parameters: types.includes('geo') ? [point] : [],
    node: () => undefined,
    sortKey: ([text], { name: collection, fields }) => {
      const type = fields.get(field)?.type
      if (type !== 'geo') return type && { by: 'field', field, order }
      if (text === undefined)
        throw new Problem(
          'bad-parameter',
          `${subject} is missing, and "${field}" of "${collection}" is sorted by distance: write /p/from/{lat,lon}`,
        )
      return distanceKey(field, order, text, subject)
    },
  }
}

/** The filter by a value of the workspace file. A long tuple list is read once for each collection. */
const fixedFilter = (field: string, text: string): NodeBuilder => {
  const nodes = new WeakMap<CollectionView, PlanNode>()
  return (_, collection) => {
    const node = nodes.get(collection) ?? fixedFilterNode(field, text, collection)
    nodes.set(collection, node)
    return node
  }
}

type WeightedFields = Extract<PlanNode, { kind: 'match' }>['fields']

/**
 * Returns the searched fields with their weights: those that the endpoint names, or all text fields of its collection. Reads them at the
 * first query, because an API may have 1,000 endpoints with 1,000 fields each.
 */
const weightedFields = (
  { collection, fields }: { collection: string; fields?: string[] },
  collections: ReadonlyMap<string, CollectionView>,
): (() => WeightedFields) => {
  let weighted: WeightedFields | undefined
  const readFields = (): WeightedFields => {
    const names = fields && new Set(fields)
    return [...(collections.get(collection)?.fields ?? [])].flatMap(([name, field]) =>
      names?.has(name) || (names === undefined && field.type === 'text')
        ? [{ name, weight: (field.type === 'text' ? field.weight : undefined) ?? 1 }]
        : [],
    )
  }
  return () => {
    weighted ??= readFields()
    return weighted
  }
}

/** Joins the parameters of several steps. Steps with the same parameter name share one parameter. */
const joinParameters = (names: readonly string[], steps: ReadonlyMap<string, Step>) => {
  const parameters: Parameter[] = []
  const parts = names.flatMap(name => {
    const step = steps.get(name)
    if (step === undefined) return []
    const indexes = step.parameters.map(parameter => {
      const index = parameters.findIndex(existing => existing.name === parameter.name)
      return index >= 0 ? index : parameters.push(parameter) - 1
    })
    const node: NodeBuilder = (values, collection, nowMs) =>
      step.node(
        indexes.map(index => values[index]),
        collection,
        nowMs,
      )
    return [{ name, node }]
  })
  return { parameters, parts }
}

const mixStep = (endpoint: Endpoint & { kind: 'mix' }, steps: ReadonlyMap<string, Step>): StepParts => {
  const { parameters, parts } = joinParameters(Object.keys(endpoint.of), steps)
  return {
    parameters,
    node: (...request) => {
      const nodes = parts.flatMap(part => {
        const node = part.node(...request)
        return node === undefined ? [] : [{ weight: endpoint.of[part.name] ?? 1, node, name: part.name }]
      })
      return nodes.length === 0
        ? undefined
        : { kind: 'mix', by: endpoint.scores ? 'score' : 'rank', parts: nodes }
    },
  }
}

/** A part that keeps everything, such as a range without ends, makes the whole keep everything; with `not`, nothing. */
const anyStep = (endpoint: Endpoint & { kind: 'any' }, steps: ReadonlyMap<string, Step>): StepParts => {
  const { parameters, parts } = joinParameters(endpoint.of, steps)
  const { not = false } = endpoint
  return {
    parameters,
    node: (...request) => {
      const nodes = parts.map(part => part.node(...request))
      const narrowing = nodes.filter(node => node !== undefined)
      if (narrowing.length < nodes.length) return not ? matchNone : undefined
      // The filter of a facet with groups may be an `any` itself.
      const anyParts = narrowing.flatMap(node => (node.kind === 'any' && !node.not ? node.parts : [node]))
      return { kind: 'any', parts: anyParts, not }
    },
  }
}

/** A part that keeps everything, such as a range without ends, is no condition on the element. */
const togetherStep = (
  endpoint: Endpoint & { kind: 'together' },
  steps: ReadonlyMap<string, Step>,
): StepParts => {
  const { parameters, parts } = joinParameters(endpoint.of, steps)
  return {
    parameters,
    node: (...request) => {
      const nodes = parts.map(part => part.node(...request)).filter(node => node !== undefined)
      return nodes.length === 0 ? undefined : { kind: 'together', parts: nodes }
    },
  }
}
