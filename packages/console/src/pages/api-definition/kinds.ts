/** The kinds of endpoints in words, and which fields each can use. */
import type { EndpointKind } from '@querent/contract/endpoint-traits'
import type { Endpoint } from '@querent/contract/endpoints'
import { expandFields } from '@querent/contract/object-fields'
import type { Api, Field, FieldType, WorkspaceFile } from '@querent/contract/workspace-file'
import { t } from '#i18n/translate.ts'

export type FacetEndpoint = Endpoint & { kind: 'facet' }

interface KindDescription {
  label: string
  does: string
  /** Types of the field or fields; undefined: it has none. */
  types?: readonly FieldType[]
}

const values: readonly FieldType[] = ['keyword', 'number', 'date', 'boolean']

/** In the order of the kind chooser. */
export const kinds: Readonly<Record<EndpointKind, KindDescription>> = {
  match: {
    label: t('Full-text search'),
    does: t('Finds documents by words, the best first. It can complete words and forgive typos.'),
    types: ['text'],
  },
  facet: {
    label: t('Facet'),
    does: t('Counts the values of a field, and filters by the chosen ones. It can group values into ranges.'),
    types: values,
  },
  facets: {
    label: t('List of facets'),
    does: t('Lists the facets that have values in the result, to show only those.'),
  },
  filter: {
    label: t('Filter'),
    does: t('Keeps documents with one value, fixed or given by the query, with any value, or without one.'),
    types: [...values, 'geo'],
  },
  range: {
    label: t('Range'),
    does: t('Keeps documents between two numbers or dates that the query gives.'),
    types: ['number', 'date'],
  },
  area: {
    label: t('Area on the map'),
    does: t('Keeps documents with a place in a box or a polygon: a fixed one, or one that the query gives.'),
    types: ['geo'],
  },
  sort: {
    label: t('Sort order'),
    does: t('Orders the results by a field, or by distance from a place.'),
    types: ['text', ...values, 'geo'],
  },
  collapse: {
    label: t('One result per value'),
    does: t('Keeps the best documents for each value of a field, such as one per product.'),
    types: ['keyword', 'number'],
  },
  boost: {
    label: t('Boost'),
    does: t('Ranks documents higher by a value, a number, their age or their distance.'),
    types: [...values, 'geo'],
  },
  all: { label: t('All documents'), does: t('Returns every document of a collection, to filter and sort.') },
  lookup: { label: t('One document'), does: t('Returns the document with the id that the query gives.') },
  similar: {
    label: t('Similar documents'),
    does: t('Finds documents like the one whose id the query gives, by their words or by their vectors.'),
    types: ['text', 'vector'],
  },
  nearest: {
    label: t('Nearest by meaning'),
    does: t('Finds the documents whose vectors are nearest.'),
    types: ['vector'],
  },
  mix: {
    label: t('Mix of searches'),
    does: t('Combines the rankings of several search endpoints, each with its weight.'),
  },
  together: {
    label: t('Several conditions on one element'),
    does: t('Keeps documents of which one element of a list of objects passes all of several filters.'),
    types: ['object'],
  },
  any: {
    label: t('Any of several filters'),
    does: t('Keeps documents that at least one of several filters keeps, or those that none keeps.'),
  },
}

/** Returns the collections that an endpoint may use: its own, else those of the API, else all. */
export const findCollections = (file: WorkspaceFile, api: Api, endpoint: Partial<Endpoint>): string[] => {
  if ('collection' in endpoint && endpoint.collection !== undefined) return [endpoint.collection]
  const declared = Object.values(api.endpoints ?? {}).flatMap(other =>
    'collection' in other && other.collection !== undefined ? [other.collection] : [],
  )
  return declared.length > 0 ? [...new Set(declared)] : Object.keys(file.collections ?? {})
}

/** Returns whether the collections have text fields that an endpoint of this kind could use as keywords. */
export const leavesOutText = (
  file: WorkspaceFile,
  api: Api,
  endpoint: Partial<Endpoint> & { kind: EndpointKind },
): boolean => {
  const { types = [] } = kinds[endpoint.kind]
  if (!types.includes('keyword') || types.includes('text')) return false
  return findCollections(file, api, endpoint).some(name => {
    const { fields = {} } = file.collections?.[name] ?? {}
    return Object.values(fields).some(field => field.type === 'text' && field.source === undefined)
  })
}

/** Returns the fields that an endpoint of this kind can use, with their types. */
export const listFields = (
  file: WorkspaceFile,
  api: Api,
  endpoint: Partial<Endpoint> & { kind: EndpointKind },
): Map<string, FieldType> => {
  const { types = [] } = kinds[endpoint.kind]
  const fields = findCollections(file, api, endpoint).flatMap(name =>
    Object.entries(expandFields(file.collections?.[name]?.fields)),
  )
  const isUsable = (field: Field) =>
    types.includes(field.type) && (field.type !== 'object' || field.together === true)
  return new Map(fields.flatMap(([name, field]) => (isUsable(field) ? [[name, field.type] as const] : [])))
}
