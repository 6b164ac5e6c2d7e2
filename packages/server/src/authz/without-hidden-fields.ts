/** The definition as a caller sees it for whom some fields do not exist (workspace-file.md, Hidden fields). Pure. */
import type { Endpoint } from '@querent/contract/endpoints'
import { listFacetFields } from '@querent/contract/facet-fields'
import { expandFields } from '@querent/contract/object-fields'
import type { Api, Collection, Definition } from '@querent/contract/workspace-file'
import type { HiddenFields } from './hidden-fields.ts'

type Endpoints = Record<string, Endpoint>

/**
 * Returns the definition without the hidden fields, and the API without the endpoints that work on them alone. Endpoints with more fields work
 * without the hidden ones.
 */
export const withoutHiddenFields = (
  definition: Definition,
  apiName: string,
  hidden: HiddenFields,
): Definition => {
  const collections: Record<string, Collection> = {}
  for (const [name, { readers: _, ...collection }] of Object.entries(definition.collections ?? {})) {
    const { fields = {} } = collection
    collections[name] = {
      ...collection,
      fields: Object.fromEntries(
        Object.entries(fields).filter(([field]) => !hidden.fields.get(name)?.has(field)),
      ),
    }
  }
  const api = definition.apis?.[apiName]
  if (!api) return { ...definition, collections }
  return {
    ...definition,
    collections,
    apis: { ...definition.apis, [apiName]: withoutHiddenEndpoints(api, definition, collections) },
  }
}

/** Returns the collections with the fields that the caller sees. `readers` stays if its field does. */
export const visibleCollections = (
  { collections = {} }: Definition,
  { fields: hidden }: Pick<HiddenFields, 'fields'>,
): Record<string, Collection> =>
  Object.fromEntries(
    Object.entries(collections).map(([name, { readers, ...collection }]) => {
      const isVisible = (field: string) => !hidden.get(name)?.has(field)
      const fields = collection.fields && {
        fields: Object.fromEntries(Object.entries(collection.fields).filter(([field]) => isVisible(field))),
      }
      return [name, { ...collection, ...(readers && isVisible(readers.field) && { readers }), ...fields }]
    }),
  )

/** Returns the API without the endpoints that work on hidden fields alone. `visible`: {@link visibleCollections}. */
export const withoutHiddenEndpoints = (
  api: Api,
  { collections: whole = {} }: Definition,
  visible: Readonly<Record<string, Collection>>,
): Api => {
  const endpoints = api.endpoints ?? {}
  /** Whether the endpoint's field exists. One without a collection works on the API's collections. */
  const exists = (collection: string | undefined, field: string): boolean => {
    const names = collection === undefined ? Object.keys(whole) : [collection]
    return names.some(name => Object.hasOwn(expandFields(visible[name]?.fields), field))
  }
  /** Whether an endpoint that names no fields has any left. */
  const hasFields = ({ kind, collection }: { kind: 'match' | 'similar'; collection: string }): boolean =>
    Object.values(expandFields(visible[collection]?.fields)).some(
      ({ type }) => type === 'text' || (kind === 'similar' && type === 'vector'),
    )
  const simple: Endpoints = {}
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const keptParts = keepVisible(endpoint, exists, hasFields)
    if (keptParts) simple[name] = keptParts
  }
  return { ...api, ...withoutLostParts(simple, endpoints), ...keepCuration(api, simple) }
}

/** Returns the endpoint without hidden fields; undefined if nothing of it is left. */
const keepVisible = (
  endpoint: Endpoint,
  exists: (collection: string | undefined, field: string) => boolean,
  hasFields: (endpoint: { kind: 'match' | 'similar'; collection: string }) => boolean,
): Endpoint | undefined => {
  switch (endpoint.kind) {
    case 'match':
    case 'similar': {
      const { fields, ...rest } = endpoint
      if (!fields) return hasFields(endpoint) ? endpoint : undefined
      const keptParts = fields.filter(field => exists(endpoint.collection, field))
      return keptParts.length === 0 ? undefined : { ...rest, fields: keptParts }
    }
    case 'facet': {
      const { field, collection } = endpoint
      if (typeof field === 'string') return exists(collection, field) ? endpoint : undefined
      const fields = listFacetFields(endpoint).filter(name => exists(collection, name))
      return fields.length === 0 ? undefined : { ...endpoint, field: { ...field, among: fields } }
    }
    case 'filter':
    case 'range':
    case 'sort':
    case 'nearest':
    case 'collapse':
    case 'area':
    case 'boost':
    case 'together':
      return exists(endpoint.collection, endpoint.field) ? endpoint : undefined
    case 'lookup':
    case 'all':
    case 'facets':
    case 'mix':
    case 'any':
      return endpoint
  }
}

/** Takes the endpoints that are gone out of those that name them. One without any part left is gone too. */
const withoutLostParts = (keptParts: Endpoints, all: Endpoints): Pick<Api, 'endpoints'> => {
  const isLost = (name: string) => Object.hasOwn(all, name) && !Object.hasOwn(keptParts, name)
  const isLostPart = (part: string) => isLost(part.split(':', 1)[0] ?? '')
  for (const [name, endpoint] of Object.entries(keptParts)) {
    const rest = withoutParts(endpoint, isLostPart)
    if (rest) keptParts[name] = withoutBoosts(rest, isLost)
    else delete keptParts[name]
  }
  return { endpoints: keptParts }
}

const withoutParts = (endpoint: Endpoint, isLost: (part: string) => boolean): Endpoint | undefined => {
  if (endpoint.kind === 'mix') {
    const parts = Object.entries(endpoint.of).filter(([part]) => !isLost(part))
    return parts.length === 0 ? undefined : { ...endpoint, of: Object.fromEntries(parts) }
  }
  if (endpoint.kind !== 'any' && endpoint.kind !== 'facets' && endpoint.kind !== 'together') return endpoint
  if (endpoint.of === undefined) return endpoint
  const parts = endpoint.of.filter(part => !isLost(part))
  return parts.length === 0 ? undefined : { ...endpoint, of: parts }
}

const withoutBoosts = (endpoint: Endpoint, isLost: (name: string) => boolean): Endpoint => {
  if (!('boosts' in endpoint) || !endpoint.boosts) return endpoint
  const { boosts, ...rest } = endpoint
  const keptParts = boosts.filter(name => !isLost(name))
  return keptParts.length === 0 ? rest : { ...rest, boosts: keptParts }
}

const keepCuration = ({ curation }: Api, endpoints: Endpoints): Pick<Api, 'curation'> =>
  curation ? { curation: curation.filter(({ endpoint }) => Object.hasOwn(endpoints, endpoint)) } : {}
