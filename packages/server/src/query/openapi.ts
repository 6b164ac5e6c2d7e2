/** OpenAPI 3.1 of the query service, and of one API with its endpoints (query-service.md, In between). */

import { contractVersion, type RequestType, requestTypes } from '@querent/contract/paths'
import type { EndpointKind } from '@querent/contract/workspace-file'
import {
  getOperation,
  json,
  makeReference,
  type OperationDescription,
  openApiDocument,
  type Parameter,
  queryReply,
  type Reference,
  resultsSchemas,
  type ServiceUrls,
  withStatistics,
} from '#http/openapi'
import { formatRows, formats } from './formats/formats.ts'
import { rankMax } from './options.ts'
import type { CompiledApi } from './plan/compile.ts'
import type { Parameter as EndpointParameter } from './plan/steps.ts'

/** The service without what one workspace defines: open to all. `others` are paths beside those of queries. */
export const serviceOpenApi = (service: ServiceUrls, others: Readonly<Record<string, unknown>>) => {
  const base = `/${contractVersion}/{workspace}/api/{api}`
  const api = [
    inPath('workspace', 'Name of the workspace', { type: 'string' }),
    inPath('api', 'Name of the API', { type: 'string' }),
  ]
  const endpoint = inPath('endpoint', 'Name of an endpoint of the API', { type: 'string' })
  const parameter = [
    inPath('name', 'Name of a parameter of the endpoint', { type: 'string' }),
    inPath('value', 'Its value', { type: 'string' }),
  ]
  const facet = inPath('facet', 'Name of an endpoint that is a facet', { type: 'string' })
  const about = { isOpen: false, parameters: api }
  const paths = {
    [`/${contractVersion}/openapi.json`]: openApiOperation({ isOpen: true, parameters: [] }),
    [base]: aboutOperation(about),
    [`${base}/status`]: statusOperation(about),
    [`${base}/openapi.json`]: { get: { ...openApiOperation(about).get, operationId: 'apiOpenapi' } },
    [`${base}/options/{facet}`]: optionsOperation('options', [...api, facet], false),
    [`${base}/e/{endpoint}/options/{facet}`]: optionsOperation(
      'endpointOptions',
      [...api, endpoint, facet],
      false,
    ),
    ...queries(`${base}/e/{endpoint}`, 'endpoint', [...api, endpoint], 'a query without parameters', false),
    ...queries(
      `${base}/e/{endpoint}/p/{name}/{value}`,
      'endpointWithParameter',
      [...api, endpoint, ...parameter],
      'a query with one parameter',
      false,
    ),
    ...others,
  }
  const description =
    'Endpoints can be stacked: /e/{endpoint}[/p/{name}/{value}]* may stand several times, each refines what came before. OpenAPI has no word for that; the paths here have one endpoint with at most one parameter.'
  return openApiDocument(
    service,
    { title: 'Querent query service', description, url: service.baseUrl },
    paths,
    { parameters: { ...options, config: configOption({ type: 'string' }) }, responses: replies },
  )
}

/**
 * An API with more operations is described with `{endpoint}` in its paths: the document stays below 2 MB, and is made within 50 ms,
 * whatever a workspace defines.
 */
const operationsMax = 2000
/** Of more optional parameters, a path with none and one with all of them is described. */
const optionalEachMax = 4

/**
 * One API: every endpoint with its parameters, or, where there are too many, the paths that all endpoints have. `configurations` are those of
 * its workspace.
 */
export const apiOpenApi = (
  service: ServiceUrls,
  workspace: string,
  api: CompiledApi,
  configurations: readonly string[],
) => {
  const facets = api.endpoints.filter(({ kind }) => kind === 'facet').map(({ name }) => name)
  const hasFacets = facets.length > 0
  const queriesOfPath = requestTypes.length + (hasFacets ? 1 : 0)
  const choicesOfAll = api.endpoints.map(({ parameters }) => choices(parameters))
  const operations = choicesOfAll.reduce((sum, { length }) => sum + length * queriesOfPath, 0)
  const isLarge = operations > operationsMax
  const described = isLarge
    ? { paths: pathsOfAny(hasFacets), parameters: parametersOfAny(api) }
    : pathsOfEach(api, choicesOfAll, hasFacets)
  const about = { parameters: [] }
  const facet = makeReference('parameters', 'facet')
  const paths = {
    '/': aboutOperation(about),
    '/status': statusOperation(about),
    '/openapi.json': openApiOperation(about),
    ...(hasFacets && { '/options/{facet}': optionsOperation('options', [facet]) }),
    ...described.paths,
  }
  const description = isLarge
    ? 'Endpoints can be stacked: /e/{endpoint}[/p/{name}/{value}]* may stand several times, each refines what came before. The paths here have one endpoint with at most one parameter; about (/) lists the parameters of each endpoint.'
    : 'Endpoints can be stacked: /e/{endpoint}[/p/{name}/{value}]* may stand several times, each refines what came before. The paths here have one endpoint each.'
  const url = `${service.baseUrl}/${contractVersion}/${workspace}/api/${api.name}`
  const parameters = {
    ...options,
    config: configOption({ type: 'string', enum: configurations }),
    ...(hasFacets && { facet: inPath('facet', 'Name of a facet', { type: 'string', enum: facets }) }),
    ...described.parameters,
  }
  const isOpen = api.access === 'public'
  return openApiDocument(service, { title: api.title, description, url, isOpen }, paths, {
    parameters,
    responses: replies,
  })
}

/** A path for each endpoint and choice of its parameters; parameters that are alike stand in the document once. */
const pathsOfEach = (
  { endpoints }: CompiledApi,
  choicesOfAll: readonly EndpointParameter[][][],
  hasFacets: boolean,
) => {
  const paths: Record<string, unknown> = {}
  const parameters: Record<string, Parameter> = {}
  const names = new Map<string, string>()
  const sharedParameter = (kind: EndpointKind, parameter: EndpointParameter): Reference => {
    const described = inPath(parameter.name, descriptionOf(kind, parameter), schemaOf(parameter))
    const text = JSON.stringify(described)
    const name = names.get(text) ?? `p${names.size + 1}.${parameter.name}`
    names.set(text, name)
    parameters[name] = described
    return makeReference('parameters', name)
  }
  for (const [index, { name, kind, title }] of endpoints.entries())
    for (const given of choicesOfAll[index] ?? []) {
      const path = [`/e/${name}`, ...given.map(parameter => `/p/${parameter.name}/{${parameter.name}}`)].join(
        '',
      )
      const described = given.map(parameter => sharedParameter(kind, parameter))
      const id = [name, ...given.filter(({ required }) => !required).map(parameter => parameter.name)].join(
        '.',
      )
      Object.assign(paths, queries(path, id, described, `${title} (${kind})`))
      if (hasFacets && kind !== 'facet')
        paths[`${path}/options/{facet}`] = optionsOperation(`${id}.options`, [
          ...described,
          makeReference('parameters', 'facet'),
        ])
    }
  return { paths, parameters }
}

/** The paths that all endpoints have, as the service's own document has them. */
const pathsOfAny = (hasFacets: boolean) => {
  const [endpoint, name, value, facet] = ['endpoint', 'name', 'value', 'facet'].map(each =>
    makeReference('parameters', each),
  ) as [Reference, Reference, Reference, Reference]
  const withParameter = '/e/{endpoint}/p/{name}/{value}'
  return {
    ...queries('/e/{endpoint}', 'endpoint', [endpoint], 'an endpoint without parameters'),
    ...queries(
      withParameter,
      'endpointWithParameter',
      [endpoint, name, value],
      'an endpoint with one parameter',
    ),
    ...(hasFacets && {
      '/e/{endpoint}/options/{facet}': optionsOperation('endpointOptions', [endpoint, facet]),
      [`${withParameter}/options/{facet}`]: optionsOperation('endpointWithParameterOptions', [
        endpoint,
        name,
        value,
        facet,
      ]),
    }),
  }
}

const parametersOfAny = ({ endpoints }: CompiledApi) => {
  const names = new Set(endpoints.flatMap(({ parameters }) => parameters.map(({ name }) => name)))
  const ofEndpoints = endpoints.map(({ name }) => name)
  return {
    endpoint: inPath('endpoint', 'Name of an endpoint', { type: 'string', enum: ofEndpoints }),
    name: inPath('name', 'Name of a parameter of the endpoint', { type: 'string', enum: [...names] }),
    value: inPath('value', 'Its value', { type: 'string' }),
  }
}

/** OpenAPI has no optional parameters in paths: those required, with none, one and all of the others. */
const choices = (parameters: readonly EndpointParameter[]): EndpointParameter[][] => {
  const optional = parameters.filter(({ required }) => !required)
  const withThese = (these: readonly EndpointParameter[]) =>
    parameters.filter(parameter => parameter.required || these.includes(parameter))
  return [
    withThese([]),
    ...(optional.length > optionalEachMax ? [] : optional.map(one => withThese([one]))),
    ...(optional.length > 1 ? [[...parameters]] : []),
  ]
}

const listKinds = ['filter', 'lookup']
const descriptionOf = (kind: string, { type }: EndpointParameter): string =>
  listKinds.includes(kind)
    ? `A value of type ${type}, or a tuple list of several: 1(a)|0.5(b,c)`
    : `A value of type ${type}`

const schemaOf = ({ type }: EndpointParameter): Parameter['schema'] => {
  switch (type) {
    case 'date':
      // A date-time is allowed too; this form is one that all generators write well.
      return { type: 'string', format: 'date' }
    case 'vector':
      return { type: 'array', items: { type: 'number' }, minItems: 1 }
    default:
      return { type }
  }
}

const inPath = (name: string, description: string, schema: Parameter['schema']): Parameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema,
})
const option = (name: string, description: string, schema: Parameter['schema']): Parameter => ({
  name,
  in: 'query',
  required: false,
  description,
  schema,
})
const truth = { type: 'boolean', default: false }

const configOption = (schema: Parameter['schema']) =>
  option('config', 'Name of a configuration', { ...schema, default: 'default' })

/** Behind the question mark. */
const options = {
  count: option('count', 'Items on the page', { type: 'integer', minimum: 1, maximum: 100, default: 10 }),
  offset: option('offset', 'Items before the page', {
    type: 'integer',
    minimum: 0,
    maximum: 10_000,
    default: 0,
  }),
  cutoff: option('cutoff', 'Least probability of a result', {
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 0,
  }),
  format: option('format', 'As Accept says when it is absent', { type: 'string', enum: formats }),
  homogeneousArrays: option('homogeneousArrays', 'A tuple is an object with the keys "1", "2", …', truth),
  attributes: option('attributes', 'Names parted by commas: only these attributes', { type: 'string' }),
  highlight: option('highlight', 'Adds snippets with what was found', truth),
  rank: option('rank', 'From 1', { type: 'integer', minimum: 1, maximum: rankMax, default: 1 }),
  column: option('column', 'Of the tuple, from 1', { type: 'integer', minimum: 1, maximum: 1, default: 1 }),
  multiselect: option('multiselect', "The facet's own selection does not narrow its counts", truth),
}
const taking = (...names: ('config' | keyof typeof options)[]) =>
  names.map(name => makeReference('parameters', name))

/** What stands in the other formats is not JSON, so that a schema says nothing of it. */
const otherFormats = Object.fromEntries(
  Object.values(formatRows).map(({ type }) => [type.split(';', 1)[0], { type: 'string' }]),
)

const replies = {
  results: queryReply({ 'application/json': { anyOf: resultsSchemas }, ...otherFormats }),
  count: queryReply(json('Count')),
  statistics: queryReply(json('Statistics')),
  resultsCount: queryReply({ 'application/json': withStatistics(...resultsSchemas), ...otherFormats }),
  resultpage: queryReply(json('ResultPage')),
  resultitem: queryReply(json('PlainEntity')),
  options: queryReply(json('Options')),
  about: queryReply(json('About')),
  status: queryReply(json('Status')),
  openapi: queryReply({ 'application/json': { type: 'object' } }),
}

type About = Pick<OperationDescription, 'isOpen' | 'parameters'>
const aboutOperation = (about: About) =>
  getOperation({ ...about, operationId: 'about', summary: 'About the API', reply: 'about' })
const statusOperation = ({ parameters, ...about }: About) =>
  getOperation({
    ...about,
    parameters: [...parameters, ...taking('config')],
    operationId: 'status',
    summary: 'Is it up, and which generations answer',
    reply: 'status',
  })
const openApiOperation = (about: About) =>
  getOperation({
    ...about,
    operationId: 'openapi',
    summary: 'OpenAPI 3.1 document',
    reply: 'openapi',
  })
const optionsOperation = (operationId: string, path: (Parameter | Reference)[], isOpen?: boolean) =>
  getOperation({
    operationId,
    summary: 'Options of a facet, with their counts',
    ...(isOpen === undefined ? {} : { isOpen }),
    parameters: [...path, ...taking('config', 'count', 'offset', 'cutoff', 'multiselect')],
    reply: 'options',
  })

/** For each request type its options and the reply. */
const requests: Readonly<Record<RequestType, { id: keyof typeof replies; options: Reference[] }>> = {
  results: {
    id: 'results',
    options: taking('count', 'offset', 'cutoff', 'format', 'homogeneousArrays', 'attributes', 'highlight'),
  },
  count: { id: 'count', options: taking('cutoff') },
  statistics: { id: 'statistics', options: taking('cutoff') },
  'results,count': {
    id: 'resultsCount',
    options: taking('count', 'offset', 'cutoff', 'format', 'homogeneousArrays', 'attributes', 'highlight'),
  },
  resultpage: { id: 'resultpage', options: taking('count', 'offset', 'cutoff', 'attributes', 'highlight') },
  resultitem: { id: 'resultitem', options: taking('cutoff', 'rank', 'column') },
}

/** The paths of all request types behind a query. */
const queries = (
  path: string,
  id: string,
  parameters: (Parameter | Reference)[],
  what: string,
  isOpen?: boolean,
) =>
  Object.fromEntries(
    requestTypes.map(type => {
      const { id: reply, options } = requests[type]
      const operation = getOperation({
        operationId: `${id}.${reply}`,
        summary: `${type} of ${what}`,
        ...(isOpen === undefined ? {} : { isOpen }),
        parameters: [...parameters, ...taking('config'), ...options],
        reply,
      })
      return [`${path}/${type}`, operation]
    }),
  )
