/** What a workspace file says that its schema accepts and that makes no sense: collections, configurations and APIs. */
import {
  type FilterableType,
  fieldTypes,
  filterableTypes,
  isFilterable,
  readFieldValue,
  valueForms,
} from './field-value.ts'
import { circleForm, readCircle } from './geo-value.ts'
import { didYouMean, listNames } from './nearest-names.ts'
import { type Fault, shown } from './schema-faults.ts'
import { readFilterValue } from './tuple-list.ts'
import {
  type Api,
  choicesIn,
  type Endpoint,
  type EndpointKind,
  type FieldType,
  type WorkspaceFile,
} from './workspace-file.ts'
import type { Path } from './workspace-source.ts'

/** Kinds whose endpoints score, and so may be parts of a mix. */
export const scoringKinds: readonly EndpointKind[] = ['match', 'similar', 'nearest']

/** Endpoint names that would make a path unreadable: they are words of its grammar. */
export const reservedEndpointNames: readonly string[] = ['e', 'p', 'options']

/** Types that the field of the id may be declared with. */
const idTypes: readonly FieldType[] = ['text', 'keyword', 'number', 'date']

/** Types that an endpoint of the kind may work on. */
const fittingTypes = {
  match: ['text'],
  similar: ['text'],
  filter: [...filterableTypes, 'geo'],
  facet: filterableTypes,
  range: ['number', 'date'],
  sort: ['text', ...filterableTypes, 'geo'],
  nearest: ['vector'],
} as const satisfies Partial<Record<EndpointKind, readonly FieldType[]>>

/** Reports what a name should be when nothing has it. */
const unknownName = (what: string, found: string, names: readonly string[]) =>
  `no ${what} "${found}"; there are: ${listNames(names)}${didYouMean(found, names)}`

/** The entry of that name, never one of Object's own. */
const entry = <T>(record: Record<string, T> | undefined, name: string): T | undefined =>
  record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined

/** Faults of collections, configurations and APIs of a file that its schema accepts, one at a time. */
export function* definitionFaults(file: WorkspaceFile): Iterable<Fault> {
  const collections = Object.keys(file.collections ?? {})
  for (const [name, collection] of Object.entries(file.collections ?? {})) {
    const template = collection.id?.uri
    if (template !== undefined && !isIdTemplate(template))
      yield fault(
        ['collections', name, 'id', 'uri'],
        `found ${shown(template)}, allowed: an absolute URI with {id} in it once, such as https://example.org/{id}`,
      )
    const idField = collection.id?.field ?? 'id'
    const type = entry(collection.fields, idField)?.type
    if (type !== undefined && !idTypes.includes(type))
      yield fault(
        ['collections', name, 'fields', idField, 'type'],
        `found ${shown(type)}, allowed: ${idTypes.join(', ')}: this field is the id, text or a number`,
      )
  }
  for (const [name, configuration] of Object.entries(file.configurations ?? {}))
    for (const [collection] of choicesIn(configuration))
      if (!entry(file.collections, collection))
        yield fault(
          ['configurations', name, collection],
          unknownName('collection', collection, collections),
          'key',
        )
  for (const [name, api] of Object.entries(file.apis ?? {})) yield* apiFaults(file, api, ['apis', name])
}

const fault = (path: Path, message: string, at: Fault['at'] = 'value'): Fault => ({ path, message, at })

const isIdTemplate = (template: string): boolean =>
  template.split('{id}').length === 2 &&
  /^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"{}|\\^`]*$/.test(template.replace('{id}', 'x')) &&
  URL.canParse(template.replace('{id}', 'x'))

/** What the faults of an endpoint are found from; made once for each API. */
interface Context {
  file: WorkspaceFile
  endpoints: Record<string, Endpoint>
  /** Where an endpoint without collection may find its field: the collections that the API's endpoints name, else all there are. */
  possible: string[]
  /** Field → types in those. */
  types: Map<string, FieldType[]>
}

function* apiFaults(file: WorkspaceFile, api: Api, path: Path): Iterable<Fault> {
  const endpoints = api.endpoints ?? {}
  const named = Object.values(endpoints).flatMap(other => ('collection' in other && other.collection) || [])
  const known = [...new Set(named)].filter(name => entry(file.collections, name))
  const possible = known.length > 0 ? known : Object.keys(file.collections ?? {})
  const types = fieldTypes(possible.flatMap(name => entry(file.collections, name) ?? []))
  const context = { file, endpoints, possible, types }
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const here = [...path, 'endpoints', name]
    if (reservedEndpointNames.includes(name))
      yield fault(
        here,
        `"${name}" is a word of the query path; allowed: any name but ${listNames(reservedEndpointNames)}`,
        'key',
      )
    yield* endpointFaults(context, endpoint, here)
  }
  for (const [index, { endpoint: name, when }] of (api.curation ?? []).entries()) {
    const here = [...path, 'curation', index]
    const endpoint = entry(endpoints, name)
    if (endpoint?.kind !== 'match') {
      const matches = Object.keys(endpoints).filter(other => endpoints[other]?.kind === 'match')
      yield fault([...here, 'endpoint'], unknownName('match endpoint', name, matches))
      continue
    }
    const parameter = endpoint.parameter ?? 'query'
    for (const found of Object.keys(when))
      if (found !== parameter)
        yield fault(
          [...here, 'when', found],
          unknownName(`parameter of "${name}"`, found, [parameter]),
          'key',
        )
  }
}

function* endpointFaults(context: Context, endpoint: Endpoint, path: Path): Iterable<Fault> {
  const { file } = context
  const collection = 'collection' in endpoint ? endpoint.collection : undefined
  if (collection !== undefined && !entry(file.collections, collection)) {
    const names = Object.keys(file.collections ?? {})
    yield fault([...path, 'collection'], unknownName('collection', collection, names))
    return
  }
  switch (endpoint.kind) {
    case 'all':
    case 'lookup':
      return
    case 'match':
    case 'similar':
      yield* textFieldsFaults(context, endpoint, path)
      return
    case 'mix':
      yield* mixFaults(context, endpoint, path)
      return
    case 'range': {
      const { from = 'from', to = 'to' } = endpoint
      if (from === to)
        yield fault(
          [...path, endpoint.to === undefined ? 'from' : 'to'],
          `both ends take the parameter "${from}"; allowed: two names`,
        )
      break
    }
    case 'filter': {
      if (endpoint.value === undefined) break
      if (endpoint.parameter !== undefined)
        yield fault(
          [...path, 'parameter'],
          'found both "value" and "parameter"; allowed: one of them, a fixed value or a parameter',
          'key',
        )
      else yield* fixedValueFaults(context, { ...endpoint, value: endpoint.value }, path)
    }
  }
  yield* fieldFaults(context, endpoint, path)
}

function* textFieldsFaults(
  { file }: Context,
  endpoint: Endpoint & { kind: 'match' | 'similar' },
  path: Path,
): Iterable<Fault> {
  const fields = entry(file.collections, endpoint.collection)?.fields ?? {}
  const texts = Object.keys(fields).filter(name => fields[name]?.type === 'text')
  if (endpoint.fields === undefined && texts.length === 0)
    yield fault(
      [...path, 'collection'],
      `the collection "${endpoint.collection}" has no text field to ${endpoint.kind}`,
    )
  for (const [index, name] of (endpoint.fields ?? []).entries()) {
    const type = entry(fields, name)?.type
    if (type === undefined) yield fault([...path, 'fields', index], unknownName('field', name, texts))
    else if (type !== 'text')
      yield fault(
        [...path, 'fields', index],
        `the field "${name}" is of type ${type}; ${endpoint.kind} works on text: ${listNames(texts)}`,
      )
  }
}

/** Field → types in the endpoint's own collection, or in those it may be used with: one that has the field is enough. */
const typesFor = ({ file, types }: Context, collection: string | undefined): Map<string, FieldType[]> => {
  const own = collection === undefined ? undefined : entry(file.collections, collection)
  return own === undefined ? types : fieldTypes([own])
}

function* fieldFaults(
  context: Context,
  endpoint: Endpoint & { kind: 'filter' | 'range' | 'facet' | 'sort' | 'nearest' },
  path: Path,
): Iterable<Fault> {
  const { collection, field, kind } = endpoint
  const types = typesFor(context, collection)
  const fitting: readonly FieldType[] = fittingTypes[kind]
  const own = types.get(field)
  if (own?.some(type => fitting.includes(type))) return
  const usable = [...types]
    .filter(([, some]) => some.some(type => fitting.includes(type)))
    .map(([name]) => name)
  yield fault(
    [...path, 'field'],
    own === undefined
      ? `${unknownName('field', field, usable)} (in ${listNames(collection === undefined ? context.possible : [collection])})`
      : `the field "${field}" is of type ${own.join(', ')}; ${kind} works on ${fitting.join(', ')}: ${listNames(usable)}`,
  )
}

/** A fixed value is written as in a URL, a tuple list too; numbers and booleans as themselves. It has to fit one type that the field has. */
function* fixedValueFaults(
  context: Context,
  { collection, field, value }: { collection?: string; field: string; value: string | number | boolean },
  path: Path,
): Iterable<Fault> {
  const all = typesFor(context, collection).get(field) ?? []
  const types = all.filter(type => type === 'geo' || isFilterable(type))
  const fits = (written: string) => types.some(type => isValueOf(type, written))
  const values = readFilterValue(String(value), fits).flatMap(tuple => tuple.values)
  for (const written of values)
    if (types.length > 0 && !fits(written))
      yield fault(
        [...path, 'value'],
        `found ${shown(written)}, allowed: ${types.map(type => (type === 'geo' ? circleForm : valueForms[type])).join(' or ')}`,
      )
}

const isValueOf = (type: FilterableType | 'geo', written: string): boolean =>
  (type === 'geo' ? readCircle(written) : readFieldValue(type, written)) !== undefined

function* mixFaults(
  { endpoints }: Context,
  endpoint: Endpoint & { kind: 'mix' },
  path: Path,
): Iterable<Fault> {
  const parts = () =>
    Object.keys(endpoints).filter(name => scoringKinds.includes(endpoints[name]?.kind ?? 'all'))
  let collection: string | undefined
  for (const name of Object.keys(endpoint.of)) {
    const here = [...path, 'of', name]
    const part = entry(endpoints, name)
    if (part === undefined) yield fault(here, unknownName('endpoint', name, parts()), 'key')
    else if (part.kind !== 'match' && part.kind !== 'similar' && part.kind !== 'nearest')
      yield fault(
        here,
        `"${name}" is of kind ${part.kind}; a mix is of ${scoringKinds.join(', ')}: ${listNames(parts())}`,
        'key',
      )
    else if (collection !== undefined && part.collection !== collection)
      yield fault(
        here,
        `"${name}" works on "${part.collection}", the parts before it on "${collection}"; allowed: one collection`,
        'key',
      )
    else collection = part.collection
  }
}
