/** Finds mistakes that the schema cannot express, in the collections, configurations and APIs of a workspace file. */

import { areaFaults } from './area-faults.ts'
import { embedFaults, idFaults } from './collection-faults.ts'
import { anyFaults, defaultBoostFaults, facetsFaults, mixFaults } from './combination-faults.ts'
import type { EndpointKind } from './endpoint-traits.ts'
import type { Endpoint } from './endpoints.ts'
import { facetFaults, facetTypes } from './facet-faults.ts'
import { listFacetFields } from './facet-fields.ts'
import { describeFault, describeNotAllowed, describeRequired } from './fault-texts.ts'
import {
  type FilterableType,
  fieldTypes,
  filterableTypes,
  isFilterable,
  readFieldValue,
} from './field-value.ts'
import { readCircle } from './geo-value.ts'
import { hiddenFieldFaults } from './hidden-fields.ts'
import { describeUnknown, entry, fault } from './name-faults.ts'
import { listNames, suggest } from './nearest-names.ts'
import { expandFields } from './object-fields.ts'
import { readingFaults } from './reading-faults.ts'
import { testFaults } from './relevance-test-faults.ts'
import { describeValue, type Fault } from './schema-faults.ts'
import { togetherFaults } from './together-faults.ts'
import { readFilterValue } from './tuple-list.ts'
import { type Api, collectionChoices, type FieldType, type WorkspaceFile } from './workspace-file.ts'
import { reservedEndpointNames } from './workspace-names.ts'
import type { Path } from './workspace-source.ts'

/** Field types that each kind of endpoint supports. */
const fittingTypes = {
  match: ['text'],
  similar: ['text', 'vector'],
  filter: [...filterableTypes, 'geo'],
  range: ['number', 'date'],
  sort: ['text', ...filterableTypes, 'geo'],
  nearest: ['vector'],
  boost: [...filterableTypes, 'geo'],
  area: ['geo'],
  collapse: ['keyword', 'number'],
} as const satisfies Partial<Record<EndpointKind, readonly FieldType[]>>
/** Types of fields that a document may lack. */
const presenceTypes: readonly FieldType[] = ['text', ...filterableTypes, 'geo', 'vector']
type FieldKind = 'filter' | 'range' | 'sort' | 'nearest' | 'boost' | 'area' | 'collapse'

/** Yields the faults of collections, configurations and APIs. The schema must already accept the file. */
export function* definitionFaults(file: WorkspaceFile): Iterable<Fault> {
  for (const [name, collection] of Object.entries(file.collections ?? {})) {
    const path = ['collections', name]
    yield* idFaults(collection, path)
    yield* embedFaults(collection, [...path, 'fields'])
    yield* readingFaults(collection, path)
    yield* hiddenFieldFaults(collection, file.groups, path)
  }
  yield* configurationFaults(file)
  for (const [name, api] of Object.entries(file.apis ?? {})) yield* apiFaults(file, api, ['apis', name])
  for (const [index, test] of (file.tests ?? []).entries()) yield* testFaults(file, test, ['tests', index])
}

function* configurationFaults({ collections = {}, configurations = {} }: WorkspaceFile): Iterable<Fault> {
  for (const [name, configuration] of Object.entries(configurations))
    for (const [collection] of collectionChoices(configuration))
      if (!entry(collections, collection))
        yield fault(
          ['configurations', name, collection],
          describeUnknown('unknown-collection', collection, Object.keys(collections)),
          'key',
        )
}

/** The input of the checks of an endpoint, computed once for each API. */
interface Context {
  file: WorkspaceFile
  endpoints: Record<string, Endpoint>
  /** Collections for endpoints that name none: those that other endpoints of the API name, or else all collections. */
  candidateCollections: string[]
  /** Field name → types in those collections. */
  types: Map<string, FieldType[]>
}

function* apiFaults(file: WorkspaceFile, api: Api, path: Path): Iterable<Fault> {
  const endpoints = api.endpoints ?? {}
  const namedCollections = Object.values(endpoints).flatMap(
    endpoint => ('collection' in endpoint && endpoint.collection) || [],
  )
  const existing = [...new Set(namedCollections)].filter(name => entry(file.collections, name))
  const candidateCollections = existing.length > 0 ? existing : Object.keys(file.collections ?? {})
  const types = fieldTypes(candidateCollections.flatMap(name => entry(file.collections, name) ?? []))
  const context = { file, endpoints, candidateCollections, types }
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const endpointPath = [...path, 'endpoints', name]
    if (reservedEndpointNames.includes(name))
      yield fault(
        endpointPath,
        describeFault('reserved-endpoint-name', { found: name, names: listNames(reservedEndpointNames) }),
        'key',
      )
    yield* endpointFaults(context, endpoint, endpointPath)
  }
  for (const [index, { endpoint: name, when }] of (api.curation ?? []).entries()) {
    const rulePath = [...path, 'curation', index]
    const endpoint = entry(endpoints, name)
    if (endpoint?.kind !== 'match') {
      const matches = Object.keys(endpoints).filter(candidate => endpoints[candidate]?.kind === 'match')
      yield fault([...rulePath, 'endpoint'], describeUnknown('unknown-match-endpoint', name, matches))
      continue
    }
    const parameter = endpoint.parameter ?? 'query'
    for (const key of Object.keys(when))
      if (key !== parameter)
        yield fault(
          [...rulePath, 'when', key],
          describeFault(
            'unknown-parameter',
            { endpoint: name, found: key, names: parameter },
            suggest(key, [parameter]),
          ),
          'key',
        )
  }
}

function* endpointFaults(context: Context, endpoint: Endpoint, path: Path): Iterable<Fault> {
  const { file } = context
  const collection = 'collection' in endpoint ? endpoint.collection : undefined
  if (collection !== undefined && !entry(file.collections, collection)) {
    const names = Object.keys(file.collections ?? {})
    yield fault([...path, 'collection'], describeUnknown('unknown-collection', collection, names))
    return
  }
  switch (endpoint.kind) {
    case 'all':
    case 'lookup':
      return
    case 'match':
      yield* typoLengthFaults(endpoint, path)
      yield* textFieldsFaults(context, endpoint, path)
      yield* defaultBoostFaults(context.endpoints, endpoint, path)
      return
    case 'similar':
      yield* textFieldsFaults(context, endpoint, path)
      yield* defaultBoostFaults(context.endpoints, endpoint, path)
      return
    case 'nearest':
      yield* defaultBoostFaults(context.endpoints, endpoint, path)
      break
    case 'mix':
      yield* mixFaults(context.endpoints, endpoint, path)
      yield* defaultBoostFaults(context.endpoints, endpoint, path)
      return
    case 'any':
      yield* anyFaults(context.endpoints, endpoint, path)
      return
    case 'boost':
      yield* boostFaults(context, endpoint, path)
      return
    case 'facet':
      yield* facetEndpointFaults(context, endpoint, path)
      return
    case 'together': {
      const names = endpoint.collection === undefined ? context.candidateCollections : [endpoint.collection]
      const searched = names.flatMap(name => entry(file.collections, name) ?? [])
      yield* togetherFaults(searched, context.endpoints, endpoint, path)
      return
    }
    case 'facets':
      yield* facetsFaults(context.endpoints, endpoint, path)
      return
    case 'area':
      yield* areaFaults(endpoint, path)
      break
    case 'range':
      yield* rangeFaults(endpoint, path)
      break
    case 'filter':
      yield* filterFaults(context, endpoint, path)
      if (endpoint.present !== undefined) return
  }
  yield* fieldFaults(context, endpoint, path)
}

function* rangeFaults(endpoint: Endpoint & { kind: 'range' }, path: Path): Iterable<Fault> {
  const { from = 'from', to = 'to' } = endpoint
  if (from === to)
    yield fault(
      [...path, endpoint.to === undefined ? 'from' : 'to'],
      describeFault('same-parameter', { found: from }),
    )
}

/** Checks the value of a filter, or the field that documents have or lack. */
function* filterFaults(
  context: Context,
  endpoint: Endpoint & { kind: 'filter' },
  path: Path,
): Iterable<Fault> {
  const { value, parameter, present } = endpoint
  if (present !== undefined) {
    const otherKeys = (['value', 'parameter'] as const).filter(key => endpoint[key] !== undefined)
    if (otherKeys.length > 0)
      yield fault(
        [...path, otherKeys[0] ?? 'value'],
        describeFault('several-groupings', { found: listNames([...otherKeys, 'present']) }),
        'key',
      )
    yield* fieldFaults(context, endpoint, path, presenceTypes)
  } else if (value !== undefined && parameter !== undefined)
    yield fault([...path, 'parameter'], describeFault('value-and-parameter'), 'key')
  else if (value !== undefined) yield* fixedValueFaults(context, { ...endpoint, value }, path)
}

function* typoLengthFaults({ typos }: Endpoint & { kind: 'match' }, path: Path): Iterable<Fault> {
  if (typeof typos === 'object' && typos.two < typos.one)
    yield fault(
      [...path, 'typos', 'two'],
      describeNotAllowed(String(typos.two), { code: 'typo-length', values: { min: typos.one } }),
    )
}

/** A `similar` endpoint compares words of text fields, or the vectors of one field. */
function* textFieldsFaults(
  { file }: Context,
  endpoint: Endpoint & { kind: 'match' | 'similar' },
  path: Path,
): Iterable<Fault> {
  const fields = expandFields(entry(file.collections, endpoint.collection)?.fields)
  const fitting: readonly FieldType[] = fittingTypes[endpoint.kind]
  const fittingNames = Object.keys(fields).filter(name => fitting.includes(fields[name]?.type ?? 'object'))
  if (endpoint.fields === undefined && !fittingNames.some(name => fields[name]?.type === 'text'))
    yield fault(
      [...path, 'collection'],
      describeFault('no-text-field', { collection: endpoint.collection, kind: endpoint.kind }),
    )
  for (const [index, name] of (endpoint.fields ?? []).entries()) {
    const type = entry(fields, name)?.type
    if (type === undefined)
      yield fault([...path, 'fields', index], describeUnknown('unknown-field', name, fittingNames))
    else if (!fitting.includes(type))
      yield fault(
        [...path, 'fields', index],
        describeFault('wrong-field-type', {
          found: name,
          type,
          kind: endpoint.kind,
          types: fitting.join(', '),
          names: listNames(fittingNames),
        }),
      )
    else if (type === 'vector' && endpoint.fields?.length !== 1)
      yield fault([...path, 'fields', index], describeFault('mixed-vector-fields', { found: name }))
  }
}

/** Returns field types of the endpoint's own collection, or of all candidates: the field may be missing in some of them. */
const typesFor = ({ file, types }: Context, collection: string | undefined): Map<string, FieldType[]> => {
  const ownCollection = collection === undefined ? undefined : entry(file.collections, collection)
  return ownCollection === undefined ? types : fieldTypes([ownCollection])
}

function* facetEndpointFaults(
  context: Context,
  endpoint: Endpoint & { kind: 'facet' },
  path: Path,
): Iterable<Fault> {
  const fields = listFacetFields(endpoint)
  for (const [index, field] of fields.entries())
    yield* fieldFaults(
      context,
      { ...endpoint, field },
      path,
      facetTypes(endpoint),
      typeof endpoint.field === 'string' ? ['field'] : ['field', 'among', index],
    )
  const types = typesFor(context, endpoint.collection)
  yield* facetFaults(
    endpoint,
    fields.flatMap(field => types.get(field) ?? []),
    path,
  )
}

function* fieldFaults(
  context: Context,
  endpoint: { collection?: string; field: string; kind: FieldKind | 'facet' },
  path: Path,
  fitting: readonly FieldType[] = endpoint.kind === 'facet' ? filterableTypes : fittingTypes[endpoint.kind],
  place: Path = ['field'],
): Iterable<Fault> {
  const { collection, field, kind } = endpoint
  const types = typesFor(context, collection)
  const declaredTypes = types.get(field)
  if (declaredTypes?.some(type => fitting.includes(type))) return
  const usable = [...types]
    .filter(([, candidates]) => candidates.some(type => fitting.includes(type)))
    .map(([name]) => name)
  yield fault(
    [...path, ...place],
    declaredTypes === undefined
      ? describeFault(
          'unknown-field-in',
          {
            found: field,
            names: listNames(usable),
            collections: listNames(collection === undefined ? context.candidateCollections : [collection]),
          },
          suggest(field, usable),
        )
      : describeFault('wrong-field-type', {
          found: field,
          type: declaredTypes.join(', '),
          kind,
          types: fitting.join(', '),
          names: listNames(usable),
        }),
  )
}

/** A fixed value is written as in a URL, also as a tuple list; numbers and booleans are literal. It must fit one type of the field. */
function* fixedValueFaults(
  context: Context,
  { collection, field, value }: { collection?: string; field: string; value: string | number | boolean },
  path: Path,
): Iterable<Fault> {
  const declaredTypes = typesFor(context, collection).get(field) ?? []
  const types = declaredTypes.filter(type => type === 'geo' || isFilterable(type))
  const fits = (text: string) => types.some(type => isValidValue(type, text))
  const values = readFilterValue(String(value), fits).flatMap(tuple => tuple.values)
  for (const text of values)
    if (types.length > 0 && !fits(text))
      yield fault(
        [...path, 'value'],
        describeRequired(
          describeValue(text),
          types.map(type => ({ code: type === 'geo' ? 'circle' : `${type}-value` })),
        ),
      )
}

const isValidValue = (type: FilterableType | 'geo', text: string): boolean =>
  (type === 'geo' ? readCircle(text) : readFieldValue(type, text)) !== undefined

type BoostEndpoint = Endpoint & { kind: 'boost' }

/** The keys that each rule of a boost needs, and the types of its fields. */
const boostRules: readonly {
  fits(endpoint: BoostEndpoint): boolean
  keys: readonly (keyof BoostEndpoint)[]
  types: readonly FieldType[]
}[] = [
  { fits: ({ by }) => typeof by === 'number', keys: ['value', 'by'], types: filterableTypes },
  { fits: ({ by }) => typeof by === 'string', keys: ['by'], types: ['number'] },
  { fits: ({ halfLife }) => halfLife !== undefined, keys: ['halfLife'], types: ['date'] },
  { fits: ({ halfDistance }) => halfDistance !== undefined, keys: ['from', 'halfDistance'], types: ['geo'] },
]

function* boostFaults(context: Context, endpoint: BoostEndpoint, path: Path): Iterable<Fault> {
  const rule = boostRules.find(({ fits }) => fits(endpoint))
  const givenKeys = (['value', 'by', 'halfLife', 'from', 'halfDistance'] as const).filter(
    key => endpoint[key] !== undefined,
  )
  const isComplete = rule && (!rule.keys.includes('value') || endpoint.value !== undefined)
  if (!rule || !isComplete || givenKeys.some(key => !rule.keys.includes(key))) {
    yield fault(
      path,
      givenKeys.length > 0
        ? describeFault('wrong-boost-keys', { found: listNames(givenKeys) })
        : describeFault('missing-boost-rule'),
    )
    return
  }
  yield* fieldFaults(context, endpoint, path, rule.types)
  const { value } = endpoint
  if (value !== undefined) yield* fixedValueFaults(context, { ...endpoint, value }, path)
}
