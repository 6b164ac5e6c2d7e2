/** Finds mistakes in endpoints that combine others: `mix`, `any` and `facets`. */
import { mixableKinds } from './endpoint-traits.ts'
import type { Endpoint } from './endpoints.ts'
import { describeFault } from './fault-texts.ts'
import { describeUnknown, entry, fault } from './name-faults.ts'
import { listNames } from './nearest-names.ts'
import type { Fault } from './schema-faults.ts'
import type { Path } from './workspace-source.ts'

/** Yields the faults of a mix: its parts score, and are of one collection. */
export function* mixFaults(
  endpoints: Record<string, Endpoint>,
  endpoint: Endpoint & { kind: 'mix' },
  path: Path,
): Iterable<Fault> {
  const parts = () =>
    Object.keys(endpoints).filter(name => mixableKinds.includes(endpoints[name]?.kind ?? 'all'))
  let collection: string | undefined
  for (const name of Object.keys(endpoint.of)) {
    const partPath = [...path, 'of', name]
    const part = entry(endpoints, name)
    if (part === undefined) yield fault(partPath, describeUnknown('unknown-endpoint', name, parts()), 'key')
    else if (part.kind !== 'match' && part.kind !== 'similar' && part.kind !== 'nearest')
      yield fault(
        partPath,
        describeFault('wrong-part-kind', {
          found: name,
          kind: part.kind,
          kinds: mixableKinds.join(', '),
          names: listNames(parts()),
        }),
        'key',
      )
    else if (collection !== undefined && part.collection !== collection)
      yield fault(
        partPath,
        describeFault('several-collections', { found: name, collection: part.collection, first: collection }),
        'key',
      )
    else collection = part.collection
  }
}

const suffix = ':FILTER'

/** Yields the faults of `any`: its parts are filters, ranges and the filters of facets, all of one collection. */
export function* anyFaults(
  endpoints: Record<string, Endpoint>,
  endpoint: Endpoint & { kind: 'any' },
  path: Path,
): Iterable<Fault> {
  const usable = Object.entries(endpoints).flatMap(([name, { kind }]) =>
    kind === 'filter' || kind === 'range' ? [name] : kind === 'facet' ? [name + suffix] : [],
  )
  let collection: string | undefined
  for (const [index, name] of endpoint.of.entries()) {
    const partPath = [...path, 'of', index]
    if (!usable.includes(name)) {
      const kind = entry(endpoints, name)?.kind
      const wrongKind = { found: name, kind: kind ?? '', names: listNames(usable) }
      yield fault(
        partPath,
        kind === undefined
          ? describeUnknown('unknown-filter', name, usable)
          : describeFault('wrong-filter-kind', wrongKind),
      )
      continue
    }
    const part = entry(endpoints, name.endsWith(suffix) ? name.slice(0, -suffix.length) : name)
    const partCollection = part && 'collection' in part ? part.collection : undefined
    if (partCollection !== undefined && collection !== undefined && partCollection !== collection)
      yield fault(
        partPath,
        describeFault('several-collections', { found: name, collection: partCollection, first: collection }),
      )
    collection ??= partCollection
  }
}

/** Whether the endpoint is a condition on values of the fields that `together` can combine: no value is no condition on an element. */
export const isPart = (endpoint: Endpoint, fields: readonly string[]): boolean => {
  switch (endpoint.kind) {
    case 'filter':
      return endpoint.present === undefined && fields.includes(endpoint.field)
    case 'range':
    case 'area':
      return fields.includes(endpoint.field)
    case 'facet':
      return typeof endpoint.field === 'string' && !endpoint.missing && fields.includes(endpoint.field)
    default:
      return false
  }
}

/** Yields the faults of `facets`: its parts are facets whose field is fixed. */
export function* facetsFaults(
  endpoints: Record<string, Endpoint>,
  endpoint: Endpoint & { kind: 'facets' },
  path: Path,
): Iterable<Fault> {
  const usable = Object.entries(endpoints).flatMap(([name, part]) =>
    part.kind === 'facet' && typeof part.field === 'string' ? [name] : [],
  )
  for (const [index, name] of (endpoint.of ?? []).entries())
    if (!usable.includes(name))
      yield fault([...path, 'of', index], describeUnknown('unknown-facet', name, usable))
}

/** Yields the faults of the default boosts of an endpoint: boosts that need no parameter, of the same collection. */
export function* defaultBoostFaults(
  endpoints: Record<string, Endpoint>,
  endpoint: Endpoint & { kind: 'match' | 'similar' | 'nearest' | 'mix' },
  path: Path,
): Iterable<Fault> {
  const usable = Object.keys(endpoints).filter(name => isDefaultBoost(endpoints[name]))
  const partNames = endpoint.kind === 'mix' ? Object.keys(endpoint.of) : []
  const searched = endpoint.kind === 'mix' ? entry(endpoints, partNames[0] ?? '') : endpoint
  const collection = searched && 'collection' in searched ? searched.collection : undefined
  for (const [index, name] of (endpoint.boosts ?? []).entries()) {
    const boostPath = [...path, 'boosts', index]
    const boost = entry(endpoints, name)
    if (boost?.kind !== 'boost') yield fault(boostPath, describeUnknown('unknown-boost', name, usable))
    else if (!isDefaultBoost(boost))
      yield fault(
        boostPath,
        describeFault('boost-needs-parameter', { found: name, names: listNames(usable) }),
      )
    else if (collection !== undefined && boost.collection !== undefined && boost.collection !== collection)
      yield fault(
        boostPath,
        describeFault('several-collections', {
          found: name,
          collection: boost.collection,
          first: collection,
        }),
      )
  }
}

/** A boost by distance needs the place of the request, unless it has one. */
const isDefaultBoost = (endpoint: Endpoint | undefined): boolean =>
  endpoint?.kind === 'boost' && (endpoint.halfDistance === undefined || endpoint.from !== undefined)
