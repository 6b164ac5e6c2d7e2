/** The endpoints of an API, each compiled to a step: what it is called, which parameters it takes, and which node of a plan it becomes. */
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
  /** `string`, `number`, `boolean`, `date`; `vector`: numbers parted by commas; `point`: `lat,lon`; `circle`: `lat,lon,distance`. Filters and lookups take tuple lists of it as well. */
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
  /** The collection that the endpoint names; a step without one refines whatever stands before it. */
  collection: string | undefined
  /** Of facets, their filters, and sorts. */
  field: string | undefined
  /** Of `genre:FILTER`: `genre`. */
  filterOf: string | undefined
  /** The node, or undefined when the step narrows nothing (facet, sort). Throws Problem `bad-parameter` for a value that cannot be. */
  node: (values: Values, collection: CollectionView) => PlanNode | undefined
  /**
   * Of sorts: what they sort by, or undefined where the collection does not have the field. Throws Problem `bad-parameter` for a value
   * that cannot be.
   */
  sortKey?: (values: Values, collection: CollectionView) => SortKey | undefined
}

type NodeOf = Step['node']

/** What distinguishes a step of one kind. */
interface Made {
  parameters: Parameter[]
  node: NodeOf
  sortKey?: NonNullable<Step['sortKey']>
}

/** All steps of an API by name, the filters of its facets (`genre:FILTER`) included, and the collections they work on. */
export const compileSteps = (definition: Definition, endpoints: Readonly<Record<string, Endpoint>>) => {
  const collections = collectionViews(definition)
  const steps = new Map<string, Step>()
  const add = (name: string, endpoint: Endpoint, made: Made, filterOf?: string) =>
    steps.set(name, {
      name,
      kind: endpoint.kind,
      title: endpointTitle(definition, endpoint, filterOf ?? name),
      collection: collectionOf(endpoint, endpoints),
      field: 'field' in endpoint ? endpoint.field : undefined,
      filterOf,
      ...made,
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

const collectionOf = (
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
): Made => {
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
      const where = `the parameter "${parameter}" of "${name}"`
      return {
        parameters: [{ name: parameter, type, required: true }],
        node: ([text = ''], collection) => filterNode(field, text, collection, where),
      }
    }
    case 'range': {
      const { field, from = 'from', to = 'to' } = endpoint
      const type = valueType(endpoint, collections)
      const whereFrom = `the parameter "${from}" of "${name}"`
      const whereTo = `the parameter "${to}" of "${name}"`
      return {
        parameters: [from, to].map(parameter => ({ name: parameter, type, required: false })),
        node: ([low, high], collection) =>
          rangeNode(field, { text: low, where: whereFrom }, { text: high, where: whereTo }, collection),
      }
    }
    case 'nearest': {
      const { field, parameter = 'vector' } = endpoint
      const where = `the parameter "${parameter}" of "${name}"`
      return {
        parameters: [{ name: parameter, type: 'vector', required: true }],
        node: ([text = ''], collection) => vectorNode(field, text, collection, where),
      }
    }
  }
}

/** A sort by a geo field is by the distance from a point, which the request names. */
const sortStep = (
  name: string,
  endpoint: Endpoint & { kind: 'sort' },
  collections: ReadonlyMap<string, CollectionView>,
): Made => {
  const { field, order = 'ascending' } = endpoint
  const types = possibleTypes(endpoint, collections)
  const from = { name: 'from', type: 'point', required: types.every(type => type === 'geo') }
  const where = `the parameter "from" of "${name}"`
  return {
    parameters: types.includes('geo') ? [from] : [],
    node: () => undefined,
    sortKey: ([text], { name: collection, fields }) => {
      const type = fields.get(field)?.type
      if (type !== 'geo') return type && { by: 'field', field, order }
      if (text === undefined)
        throw new Problem(
          'bad-parameter',
          `${where} is missing, and "${field}" of "${collection}" is sorted by distance: write /p/from/{lat,lon}`,
        )
      return distanceKey(field, order, text, where)
    },
  }
}

/** The fields that are searched, by their weights: those that the endpoint names, else all text fields of its collection. */
const weightedFields = (
  { collection, fields }: { collection: string; fields?: string[] },
  collections: ReadonlyMap<string, CollectionView>,
): { name: string; weight: number }[] =>
  [...(collections.get(collection)?.fields ?? [])].flatMap(([name, field]) =>
    field.type === 'text' && (fields === undefined || fields.includes(name))
      ? [{ name, weight: field.weight ?? 1 }]
      : [],
  )

/** Type of the values of a field, as its parameter is described: that of the first collection it may be about. */
const valueType = (
  endpoint: { collection?: string; field: string },
  collections: ReadonlyMap<string, CollectionView>,
): string => {
  const types = possibleTypes(endpoint, collections)
  const type = types.find(found => found === 'geo' || isFilterable(found)) ?? 'keyword'
  return type === 'geo' ? 'circle' : type === 'keyword' ? 'string' : type
}

/** Types that the field has in the collections that the endpoint may be about. */
const possibleTypes = (
  { collection, field }: { collection?: string; field: string },
  collections: ReadonlyMap<string, CollectionView>,
): FieldType[] => {
  const views = collection === undefined ? [...collections.values()] : [collections.get(collection)]
  return views.flatMap(view => view?.fields.get(field)?.type ?? [])
}

/** A mix takes the parameters of its parts; a name that several have is one parameter, handed to each of them. */
const mixStep = (endpoint: Endpoint & { kind: 'mix' }, steps: ReadonlyMap<string, Step>): Made => {
  const parameters: Parameter[] = []
  const parts = Object.entries(endpoint.of).flatMap(([name, weight]) => {
    const step = steps.get(name)
    if (step === undefined) return []
    const places = step.parameters.map(parameter => {
      const known = parameters.findIndex(other => other.name === parameter.name)
      return known >= 0 ? known : parameters.push(parameter) - 1
    })
    return [{ weight, step, places }]
  })
  const by = endpoint.scores ? 'score' : 'rank'
  return {
    parameters,
    node: (values, collection) => ({
      kind: 'mix',
      by,
      parts: parts.flatMap(({ weight, step, places }) => {
        const node = step.node(
          places.map(place => values[place]),
          collection,
        )
        return node === undefined ? [] : [{ weight, node }]
      }),
    }),
  }
}
