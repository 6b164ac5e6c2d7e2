/** The kinds of endpoints, and what a query does with each (query-service.md, Endpoint kinds). Lists of kinds elsewhere follow from these rows. */

interface EndpointTraits {
  /** `search` starts a query. The others refine it: `order` decides which results come first, and which repeat a value. */
  purpose: 'search' | 'filter' | 'facet' | 'order'
  /** `own`: the endpoint names a collection. `parts`: that of its parts. `optional`: without one, that of the endpoints before it. */
  collection: 'own' | 'parts' | 'optional'
  /** Gives scores, so that the best results come first. */
  ranks?: true
  /** Takes ids of documents. */
  takesIds?: true
}

export const endpointTraits = {
  match: { purpose: 'search', collection: 'own', ranks: true },
  filter: { purpose: 'filter', collection: 'optional' },
  range: { purpose: 'filter', collection: 'optional' },
  facet: { purpose: 'facet', collection: 'optional' },
  sort: { purpose: 'order', collection: 'optional' },
  lookup: { purpose: 'search', collection: 'own', takesIds: true },
  all: { purpose: 'search', collection: 'own' },
  similar: { purpose: 'search', collection: 'own', ranks: true, takesIds: true },
  nearest: { purpose: 'search', collection: 'own', ranks: true },
  mix: { purpose: 'search', collection: 'parts', ranks: true },
  any: { purpose: 'filter', collection: 'parts' },
  boost: { purpose: 'order', collection: 'optional', ranks: true },
  area: { purpose: 'filter', collection: 'optional' },
  facets: { purpose: 'facet', collection: 'optional' },
  collapse: { purpose: 'order', collection: 'optional' },
  together: { purpose: 'filter', collection: 'optional' },
} as const satisfies Readonly<Record<string, EndpointTraits>>

export type EndpointKind = keyof typeof endpointTraits

const rows: Readonly<Record<EndpointKind, EndpointTraits>> = endpointTraits

/** Returns the kinds with these traits, in the order of the table. */
export const listKinds = (hasTraits: (traits: EndpointTraits) => boolean): EndpointKind[] =>
  // The table has no other keys.
  (Object.keys(rows) as EndpointKind[]).filter(kind => hasTraits(rows[kind]))

/** Kinds whose endpoints score. */
export const rankingKinds: readonly EndpointKind[] = listKinds(({ ranks }) => ranks === true)

/** Kinds that may have boosts of every search. */
export const boostableKinds: readonly EndpointKind[] = listKinds(
  ({ purpose, ranks }) => purpose === 'search' && ranks === true,
)

/** Kinds whose endpoints may be parts of a mix. */
export const mixableKinds: readonly EndpointKind[] = boostableKinds.filter(
  kind => rows[kind].collection === 'own',
)
