/** Compiles the endpoints of an API to steps. A step has a name and parameters, and makes a node of a plan. */
import { isFilterable } from '@querent/contract/field-value'
import { endpointTitle } from '@querent/contract/titles'
import type { Definition, Endpoint, EndpointKind, FieldType } from '@querent/contract/workspace-file'
import type { PlanNode, SortKey } from '#engines/engine'
import { Problem } from '#errors'
import { type CollectionView, collectionViews } from './collection-view.ts'
import {
  distanceKey,
  filterNode,
  fixedFilterNode,
  lookupNode,
  rangeNode,
  similarNode,
  vectorNode,
} from './nodes.ts'
import { readQueryText } from './query-text.ts'

export interface Parameter {
  name: string
  /**
   * `string`, `number`, `boolean`, `date`, `vector` (numbers separated by commas), `point` (`lat,lon`) or `circle` (`lat,lon,distance`).
   * Filters and lookups accept tuple lists of it as well.
   */
  type: string
  required: boolean
}

/** Values in the order of the step's parameters. */
export type Values = readonly (string | undefined)[]

export interface Step {
  name: string
  kind: EndpointKind
  title: string
  parameters: Parameter[]
  /** The collection that the endpoint names. A step without one refines the steps before it. */
  collection: string | undefined
  /** Set for facets, their filters, and sorts. */
  field: string | undefined
  /** For the filter `genre:FILTER`: `genre`. */
  filteredFacet: string | undefined
  /** Makes the node, or undefined if the step filters nothing (facet, sort). Throws Problem `bad-parameter` for an invalid value. */
  node: (values: Values, collection: CollectionView) => PlanNode | undefined
  /**
   * Set for sorts. Returns undefined if the collection does not have the field. Throws Problem `bad-parameter` for an invalid value.
   */
  sortKey?: (values: Values, collection: CollectionView) => SortKey | undefined
}

type NodeBuilder = Step['node']

/** The properties of a step that depend on its kind. */
interface StepParts {
  parameters: Parameter[]
  node: NodeBuilder
  sortKey?: NonNullable<Step['sortKey']>
}

/** Returns all steps of an API by name, including the filters of its facets (`genre:FILTER`), and the collections that they search. */
export const compileSteps = (definition: Definition, endpoints: Readonly<Record<string, Endpoint>>) => {
  const collections = collectionViews(definition)
  const steps = new Map<string, Step>()
  const add = (name: string, endpoint: Endpoint, parts: StepParts, filteredFacet?: string) =>
    steps.set(name, {
      name,
      kind: endpoint.kind,
      title: endpointTitle(definition, endpoint, filteredFacet ?? name),
      collection: endpointCollection(endpoint, endpoints),
      field: 'field' in endpoint ? endpoint.field : undefined,
      filteredFacet,
      ...parts,
    })
  const mixes = Object.entries(endpoints).filter(([, { kind }]) => kind === 'mix')
  for (const [name, endpoint] of Object.entries(endpoints)) {
    if (endpoint.kind === 'mix') continue
    add(name, endpoint, simpleStep(name, endpoint, collections))
    if (endpoint.kind !== 'facet') continue
    const { field, parameter, title, collection } = endpoint
    const filter = {
      kind: 'filter',
      field,
      ...(parameter && { parameter }),
      ...(title && { title }),
      ...(collection && { collection }),
    } as const
    const filterName = `${name}:FILTER`
    add(filterName, filter, simpleStep(filterName, filter, collections), name)
  }
  for (const [name, endpoint] of mixes)
    if (endpoint.kind === 'mix') add(name, endpoint, mixStep(endpoint, steps))
  return { steps, collections }
}

const endpointCollection = (
  endpoint: Endpoint,
  endpoints: Readonly<Record<string, Endpoint>>,
): string | undefined => {
  if (endpoint.kind !== 'mix') return endpoint.collection
  const [part] = Object.keys(endpoint.of)
  const first = part === undefined ? undefined : endpoints[part]
  return first === undefined || first.kind === 'mix' ? undefined : first.collection
}

const simpleStep = (
  name: string,
  endpoint: Exclude<Endpoint, { kind: 'mix' }>,
  collections: ReadonlyMap<string, CollectionView>,
): StepParts => {
  switch (endpoint.kind) {
    case 'all':
      return { parameters: [], node: () => ({ kind: 'all' }) }
    case 'facet':
      return { parameters: [], node: () => undefined }
    case 'sort':
      return sortStep(name, endpoint, collections)
    case 'match': {
      const { prefix = false, typos = false, parameter = 'query' } = endpoint
      const fields = weightedFields(endpoint, collections)
      return {
        parameters: [{ name: parameter, type: 'string', required: true }],
        node: ([text = '']) => ({ kind: 'match', text: readQueryText(text, prefix), fields, typos }),
      }
    }
    case 'similar': {
      const fields = weightedFields(endpoint, collections)
      return {
        parameters: [{ name: endpoint.parameter ?? 'id', type: 'string', required: true }],
        node: ([id = ''], { ids }) => similarNode(id, ids, fields),
      }
    }
    case 'lookup':
      return {
        parameters: [{ name: endpoint.parameter ?? 'id', type: 'string', required: true }],
        node: ([id = ''], { ids }) => lookupNode(id, ids),
      }
    case 'filter': {
      const { field, value, parameter = 'value' } = endpoint
      if (value !== undefined)
        return { parameters: [], node: (_, collection) => fixedFilterNode(field, String(value), collection) }
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
    case 'nearest': {
      const { field, parameter = 'vector' } = endpoint
      const subject = `the parameter "${parameter}" of "${name}"`
      return {
        parameters: [{ name: parameter, type: 'vector', required: true }],
        node: ([text = ''], collection) => vectorNode(field, text, collection, subject),
      }
    }
  }
}

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

/** The searched fields with their weights: those that the endpoint names, or all text fields of its collection. */
const weightedFields = (
  { collection, fields }: { collection: string; fields?: string[] },
  collections: ReadonlyMap<string, CollectionView>,
): { name: string; weight: number }[] =>
  [...(collections.get(collection)?.fields ?? [])].flatMap(([name, field]) =>
    field.type === 'text' && (fields === undefined || fields.includes(name))
      ? [{ name, weight: field.weight ?? 1 }]
      : [],
  )

/** Describes the type of a field's values, as the first possible collection has it. */
const valueType = (
  endpoint: { collection?: string; field: string },
  collections: ReadonlyMap<string, CollectionView>,
): string => {
  const types = possibleTypes(endpoint, collections)
  const type = types.find(candidate => candidate === 'geo' || isFilterable(candidate)) ?? 'keyword'
  return type === 'geo' ? 'circle' : type === 'keyword' ? 'string' : type
}

/** Types that the field has in the collections that the endpoint may search. */
const possibleTypes = (
  { collection, field }: { collection?: string; field: string },
  collections: ReadonlyMap<string, CollectionView>,
): FieldType[] => {
  const views = collection === undefined ? [...collections.values()] : [collections.get(collection)]
  return views.flatMap(view => view?.fields.get(field)?.type ?? [])
}

/** A mix has the parameters of its parts. Parts with the same parameter name share one parameter. */
const mixStep = (endpoint: Endpoint & { kind: 'mix' }, steps: ReadonlyMap<string, Step>): StepParts => {
  const parameters: Parameter[] = []
  const parts = Object.entries(endpoint.of).flatMap(([name, weight]) => {
    const step = steps.get(name)
    if (step === undefined) return []
    const indexes = step.parameters.map(parameter => {
      const index = parameters.findIndex(existing => existing.name === parameter.name)
      return index >= 0 ? index : parameters.push(parameter) - 1
    })
    return [{ weight, step, places: indexes }]
  })
  const rule = endpoint.scores ? 'score' : 'rank'
  return {
    parameters,
    node: (values, collection) => ({
      kind: 'mix',
      by: rule,
      parts: parts.flatMap(({ weight, step, places: indexes }) => {
        const node = step.node(
          indexes.map(index => values[index]),
          collection,
        )
        return node === undefined ? [] : [{ weight, node }]
      }),
    }),
  }
}
