/** Endpoints in plain sentences, and grouped by their purpose. */
import { type EndpointKind, listKinds } from '@querent/contract/endpoint-traits'
import type { Endpoint } from '@querent/contract/endpoints'
import { listFacetFields } from '@querent/contract/facet-fields'
import { joinNames, t } from '#i18n/translate.ts'
import { writeBoolean } from '#ui/boolean-words.ts'

interface Purpose {
  label: string
  kinds: readonly EndpointKind[]
}

/** In the order in which a query uses them. Each kind has one. */
export const purposes: readonly Purpose[] = [
  { label: t('Searches'), kinds: listKinds(({ purpose }) => purpose === 'search') },
  {
    label: t('Filters and facets'),
    kinds: listKinds(({ purpose }) => purpose === 'filter' || purpose === 'facet'),
  },
  { label: t('Order and ranking'), kinds: listKinds(({ purpose }) => purpose === 'order') },
]

const join = (names: readonly string[] | undefined): string => joinNames(names ?? [])

/** Returns one sentence on what the endpoint does, with its fields. `hasPlaces`: whether its field has type `geo`. */
export const describeEndpoint = (endpoint: Endpoint, hasPlaces: boolean): string =>
  // The row of its kind takes it, which the compiler cannot follow.
  describers[endpoint.kind](endpoint as never, hasPlaces)

type Describers = {
  [Kind in EndpointKind]: (endpoint: Extract<Endpoint, { kind: Kind }>, hasPlaces: boolean) => string
}

const describers: Describers = {
  match: ({ fields, collection, prefix }) => {
    const place = { collection: collection ?? '', fields: join(fields) }
    if (prefix)
      return fields
        ? t('Finds {collection} by words in {fields}, also by the beginning of the last word', place)
        : t('Finds {collection} by words in all text fields, also by the beginning of the last word', {
            collection: place.collection,
          })
    return fields
      ? t('Finds {collection} by words in {fields}', place)
      : t('Finds {collection} by words in all text fields', { collection: place.collection })
  },
  nearest: ({ field, collection }) =>
    t('Finds {collection} by meaning, with the vectors of {field}', { collection: collection ?? '', field }),
  mix: ({ of }) => t('Combines the rankings of {parts}', { parts: join(Object.keys(of)) }),
  similar: ({ collection }) => t('Finds {collection} like a given one', { collection: collection ?? '' }),
  all: ({ collection }) => t('Returns all {collection}', { collection: collection ?? '' }),
  lookup: ({ collection }) =>
    t('Returns one document of {collection} by its id', { collection: collection ?? '' }),
  facet: endpoint =>
    t('Counts the values of {fields}, and filters by them', { fields: join(listFacetFields(endpoint)) }),
  facets: ({ of }) =>
    of
      ? t('Lists the facets {facets} that have values', { facets: join(of) })
      : t('Lists the facets that have values'),
  filter: (endpoint, hasPlaces) =>
    'value' in endpoint && endpoint.value !== undefined
      ? t('Keeps documents whose {field} is {value}', {
          field: endpoint.field,
          value: writeBoolean(endpoint.value) ?? String(endpoint.value),
        })
      : hasPlaces
        ? t('Keeps documents whose {field} is near a place', { field: endpoint.field })
        : t('Keeps documents by a value of {field}', { field: endpoint.field }),
  range: ({ field }) => t('Keeps documents with {field} in a range', { field }),
  area: ({ field }) => t('Keeps documents whose {field} is in an area of the map', { field }),
  together: ({ field, of }) =>
    t('Keeps documents of which one of {field} passes {parts}', { field, parts: join(of) }),
  any: ({ of }) => t('Keeps documents that pass one of {parts}', { parts: join(of) }),
  sort: ({ field, order }, hasPlaces) => {
    if (order === 'descending')
      return hasPlaces
        ? t('Sorts by the distance of {field}, the farthest first', { field })
        : t('Sorts by {field}, the highest first', { field })
    return hasPlaces
      ? t('Sorts by the distance of {field}, the nearest first', { field })
      : t('Sorts by {field}, the lowest first', { field })
  },
  boost: ({ field }) => t('Ranks documents higher by {field}', { field }),
  collapse: ({ field }) => t('Shows the best document of each {field}', { field }),
}
