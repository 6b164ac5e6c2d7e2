/** Steps of kind `nearest`: by a vector of the request, or by one that the server makes of a text (query-service.md, nearest). */
import type { Endpoint } from '@querent/contract/endpoints'
import type { CollectionView } from './collection-view.ts'
import { vectorNode } from './nodes.ts'
import type { StepParts, TextNearestNode } from './step.ts'

type NearestEndpoint = Endpoint & { kind: 'nearest' }

/** Documents that a nearest endpoint finds (query-service.md, nearest). */
const nearestLimit = 1000

export const nearestStep = (
  name: string,
  endpoint: NearestEndpoint,
  collections: ReadonlyMap<string, CollectionView>,
): StepParts => {
  const { field, limit = nearestLimit, minimum = 0 } = endpoint
  const declared = collections.get(endpoint.collection)?.fields.get(field)
  if (declared?.type === 'vector' && declared.embed)
    return textNearestStep(name, { ...endpoint, limit, minimum }, declared.embed.with, declared.dimensions)
  const { parameter = 'vector' } = endpoint
  const subject = `the parameter "${parameter}" of "${name}"`
  return {
    parameters: [{ name: parameter, type: 'vector', required: true }],
    node: ([text = ''], collection) => vectorNode({ field, limit, minimum }, text, collection, subject),
  }
}

/** The server makes the vector of the query. A blank text has no meaning, so the step filters nothing. */
const textNearestStep = (
  name: string,
  { field, parameter = 'query', limit, minimum }: NearestEndpoint & { limit: number; minimum: number },
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
