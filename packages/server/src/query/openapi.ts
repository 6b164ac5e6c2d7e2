/** OpenAPI 3.1 documents of the query service, and of one API with its endpoints (query-service.md, In between). */

import { contractVersion, type RequestType, requestTypes } from '@querent/contract/paths'
import type { EndpointKind } from '@querent/contract/workspace-file'
import {
  getOperation,
  json,
  makeReference,
  type OperationDescription,
  openApiDocument,
  operation,
  type Parameter,
  queryReply,
  type Reference,
  resultsSchemas,
  withStatistics,
} from '#http/openapi'
import type { ServiceUrls } from '#http/origins'
import { formatRows } from './formats/formats.ts'
import { configOption, inPath, options, referTo } from './openapi-parameters.ts'
import type { CompiledApi } from './plan/compile.ts'
import type { Parameter as EndpointParameter } from './plan/steps.ts'

/** Describes the service without any workspace; open to all. `otherPaths` are those of other parts of the service. */
export const serviceOpenApi = (service: ServiceUrls, otherPaths: Readonly<Record<string, unknown>>) => {
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
  const described = { isOpen: false, parameters: api }
  const paths = {
    [`/${contractVersion}/openapi.json`]: openApiOperation({ isOpen: true, parameters: [] }),
    [base]: aboutOperation(described),
    [`${base}/status`]: statusOperation(described),
    [`${base}/batch`]: batchOperation(described),
    [`${base}/openapi.json`]: { get: { ...openApiOperation(described).get, operationId: 'apiOpenapi' } },
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
    ...otherPaths,
  }
  const description =
    'You can stack endpoints: repeat /e/{endpoint}[/p/{name}/{value}]* and each one refines the results before it. OpenAPI cannot express this, so the paths here have one endpoint with at most one parameter.'
  return openApiDocument(
    service,
    { title: 'Querent query service', description, url: service.baseUrl },
    paths,
    { parameters: { ...options, config: configOption({ type: 'string' }) }, responses: replies },
  )
}

/**
 * An API with more operations is described with `{endpoint}` in its paths. The document then stays below 2 MB and takes at most 50 ms,
 * whatever a workspace defines.
 */
const operationsMax = 2000
/** With more optional parameters, only the paths with none and with all of them are described. */
const optionalEachMax = 4

/**
 * Describes one API: every endpoint with its parameters, or generic paths if there are too many operations. `configurations` are those of
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
  const operationsPerPath = requestTypes.length + (hasFacets ? 1 : 0)
  const choicesByEndpoint = api.endpoints.map(({ parameters }) => choices(parameters))
  const operations = choicesByEndpoint.reduce((sum, { length }) => sum + length * operationsPerPath, 0)
  const isLarge = operations > operationsMax
  const described = isLarge
    ? { paths: genericPaths(hasFacets), parameters: genericParameters(api) }
    : endpointPaths(api, choicesByEndpoint, hasFacets)
  const base = { parameters: [] }
  const facet = makeReference('parameters', 'facet')
  const paths = {
    '/': aboutOperation(base),
    '/status': statusOperation(base),
    '/batch': batchOperation(base),
    '/openapi.json': openApiOperation(base),
    ...(hasFacets && { '/options/{facet}': optionsOperation('options', [facet]) }),
    ...described.paths,
  }
  const description = isLarge
    ? 'You can stack endpoints: repeat /e/{endpoint}[/p/{name}/{value}]* and each one refines the results before it. The paths here have one endpoint with at most one parameter; about (/) lists the parameters of each endpoint.'
    : 'You can stack endpoints: repeat /e/{endpoint}[/p/{name}/{value}]* and each one refines the results before it. The paths here have one endpoint each.'
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

/** A path for each endpoint and choice of its parameters. Equal parameters appear in the document once. */
const endpointPaths = (
  { endpoints }: CompiledApi,
  choicesByEndpoint: readonly EndpointParameter[][][],
  hasFacets: boolean,
) => {
  const paths: Record<string, unknown> = {}
  const parameters: Record<string, Parameter> = {}
  const names = new Map<string, string>()
  const sharedParameter = (kind: EndpointKind, parameter: EndpointParameter): Reference => {
    const described = inPath(parameter.name, describeParameter(kind, parameter), parameterSchema(parameter))
    const text = JSON.stringify(described)
    const name = names.get(text) ?? `p${names.size + 1}.${parameter.name}`
    names.set(text, name)
    parameters[name] = described
    return makeReference('parameters', name)
  }
  for (const [index, { name, kind, title }] of endpoints.entries())
    for (const choice of choicesByEndpoint[index] ?? []) {
      const path = [
        `/e/${name}`,
        ...choice.map(parameter => `/p/${parameter.name}/{${parameter.name}}`),
      ].join('')
      const described = choice.map(parameter => sharedParameter(kind, parameter))
      const id = [name, ...choice.filter(({ required }) => !required).map(parameter => parameter.name)].join(
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

/** Generic paths for all endpoints, as in the document of the service. */
const genericPaths = (hasFacets: boolean) => {
  const [endpoint, name, value, facet] = ['endpoint', 'name', 'value', 'facet'].map(parameterName =>
    makeReference('parameters', parameterName),
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

const genericParameters = ({ endpoints }: CompiledApi) => {
  const names = new Set(endpoints.flatMap(({ parameters }) => parameters.map(({ name }) => name)))
  const endpointNames = endpoints.map(({ name }) => name)
  return {
    endpoint: inPath('endpoint', 'Name of an endpoint', { type: 'string', enum: endpointNames }),
    name: inPath('name', 'Name of a parameter of the endpoint', { type: 'string', enum: [...names] }),
    value: inPath('value', 'Its value', { type: 'string' }),
  }
}

/** OpenAPI has no optional path parameters, so we list choices: the required ones, with none, one or all of the optional ones. */
const choices = (parameters: readonly EndpointParameter[]): EndpointParameter[][] => {
  const optional = parameters.filter(({ required }) => !required)
  const withOptional = (included: readonly EndpointParameter[]) =>
    parameters.filter(parameter => parameter.required || included.includes(parameter))
  return [
    withOptional([]),
    ...(optional.length > optionalEachMax ? [] : optional.map(one => withOptional([one]))),
    ...(optional.length > 1 ? [[...parameters]] : []),
  ]
}

const listKinds = ['filter', 'lookup']
const describeParameter = (kind: string, { type }: EndpointParameter): string =>
  listKinds.includes(kind)
    ? `A value of type ${type}, or a tuple list of several: 1(a)|0.5(b,c)`
    : `A value of type ${type}`

const parameterSchema = ({ type }: EndpointParameter): Parameter['schema'] => {
  switch (type) {
    case 'date':
      // A date-time is allowed too, but all generators support this form well.
      return { type: 'string', format: 'date' }
    case 'vector':
      return { type: 'array', items: { type: 'number' }, minItems: 1 }
    default:
      return { type }
  }
}

/** The other formats are not JSON, so they have no schema. */
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

type OperationBase = Pick<OperationDescription, 'isOpen' | 'parameters'>
const aboutOperation = (base: OperationBase) =>
  getOperation({ ...base, operationId: 'about', summary: 'About the API', reply: 'about' })
const statusOperation = ({ parameters, ...base }: OperationBase) =>
  getOperation({
    ...base,
    parameters: [...parameters, ...referTo('config')],
    operationId: 'status',
    summary: 'State of the API, and the generations that answer',
    reply: 'status',
  })
const batchOperation = (base: OperationBase) => ({
  post: operation({
    ...base,
    operationId: 'batch',
    summary: 'Up to 20 queries in one request',
    body: json('BatchRequest'),
    content: json('BatchReply'),
  }),
})
const openApiOperation = (base: OperationBase) =>
  getOperation({
    ...base,
    operationId: 'openapi',
    summary: 'OpenAPI 3.1 document',
    reply: 'openapi',
  })
const optionsOperation = (operationId: string, path: (Parameter | Reference)[], isOpen?: boolean) =>
  getOperation({
    operationId,
    summary: 'Options of a facet, with their counts',
    ...(isOpen === undefined ? {} : { isOpen }),
    parameters: [...path, ...referTo('config', 'count', 'offset', 'cutoff', 'multiselect', 'query')],
    reply: 'options',
  })

/** The options and the reply of each request type. */
const requests: Readonly<Record<RequestType, { id: keyof typeof replies; options: Reference[] }>> = {
  results: {
    id: 'results',
    options: referTo('count', 'offset', 'cutoff', 'format', 'homogeneousArrays', 'attributes', 'highlight'),
  },
  count: { id: 'count', options: referTo('cutoff') },
  statistics: { id: 'statistics', options: referTo('cutoff') },
  'results,count': {
    id: 'resultsCount',
    options: referTo('count', 'offset', 'cutoff', 'format', 'homogeneousArrays', 'attributes', 'highlight'),
  },
  resultpage: {
    id: 'resultpage',
    options: referTo('count', 'offset', 'cutoff', 'attributes', 'highlight'),
  },
  resultitem: { id: 'resultitem', options: referTo('cutoff', 'rank', 'column') },
}

/** The paths of all request types of a query. */
const queries = (
  path: string,
  id: string,
  parameters: (Parameter | Reference)[],
  subject: string,
  isOpen?: boolean,
) =>
  Object.fromEntries(
    requestTypes.map(type => {
      const { id: reply, options } = requests[type]
      const operation = getOperation({
        operationId: `${id}.${reply}`,
        summary: `${type} of ${subject}`,
        ...(isOpen === undefined ? {} : { isOpen }),
        parameters: [...parameters, ...referTo('config'), ...options],
        reply,
      })
      return [`${path}/${type}`, operation]
    }),
  )
