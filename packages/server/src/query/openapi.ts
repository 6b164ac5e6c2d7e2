/** OpenAPI 3.1 of the query service, and of one API with its endpoints (query-service.md, In between). */
import { contractVersion, type RequestType, requestTypes } from '@querent/contract/paths'
import {
  type Described,
  getOperation,
  json,
  openApiDocument,
  type Parameter,
  resultsSchemas,
  type Service,
  withStatistics,
} from '#http/openapi'
import type { CompiledApi } from './compile.ts'
import { formatRows, formats } from './formats/formats.ts'
import { rankMax } from './options.ts'
import type { Parameter as EndpointParameter } from './steps.ts'

/** The service without what one workspace defines: open to all. `others` are paths beside those of queries. */
export const serviceOpenApi = (service: Service, others: Readonly<Record<string, unknown>>) => {
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
  )
}

/** One API: every endpoint with its parameters. `configurations` are those of its workspace. */
export const apiOpenApi = (
  service: Service,
  workspace: string,
  api: CompiledApi,
  configurations: readonly string[],
) => {
  const isOpen = api.access === 'public'
  const about = { isOpen, parameters: [] }
  const facets = api.endpoints.filter(({ kind }) => kind === 'facet').map(({ name }) => name)
  const config = configOption({ type: 'string', enum: configurations })
  const paths: Record<string, unknown> = {
    '/': aboutOperation(about),
    '/status': statusOperation(about, config),
    '/openapi.json': openApiOperation(about),
  }
  const facet = inPath('facet', 'Name of a facet', { type: 'string', enum: facets })
  if (facets.length > 0) paths['/options/{facet}'] = optionsOperation('options', [facet], isOpen, config)
  for (const { name, kind, title, parameters } of api.endpoints)
    for (const given of choices(parameters)) {
      const path = [`/e/${name}`, ...given.map(parameter => `/p/${parameter.name}/{${parameter.name}}`)].join(
        '',
      )
      const described = given.map(parameter =>
        inPath(parameter.name, descriptionOf(kind, parameter), schemaOf(parameter)),
      )
      const id = [name, ...given.filter(({ required }) => !required).map(parameter => parameter.name)].join(
        '.',
      )
      Object.assign(paths, queries(path, id, described, `${title} (${kind})`, isOpen, config))
      if (facets.length > 0 && kind !== 'facet')
        paths[`${path}/options/{facet}`] = optionsOperation(
          `${id}.options`,
          [...described, facet],
          isOpen,
          config,
        )
    }
  const description =
    'Endpoints can be stacked: /e/{endpoint}[/p/{name}/{value}]* may stand several times, each refines what came before. The paths here have one endpoint each.'
  const url = `${service.baseUrl}/${contractVersion}/${workspace}/api/${api.name}`
  return openApiDocument(service, { title: api.title, description, url }, paths)
}

/** OpenAPI has no optional parameters in paths: those required, with none, one and all of the others. */
const choices = (parameters: readonly EndpointParameter[]): EndpointParameter[][] => {
  const optional = parameters.filter(({ required }) => !required)
  const withThese = (these: readonly EndpointParameter[]) =>
    parameters.filter(parameter => parameter.required || these.includes(parameter))
  return [
    withThese([]),
    ...optional.map(one => withThese([one])),
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
const anyConfig = configOption({ type: 'string' })
const paging = [
  option('count', 'Items on the page', { type: 'integer', minimum: 1, maximum: 100, default: 10 }),
  option('offset', 'Items before the page', { type: 'integer', minimum: 0, maximum: 10_000, default: 0 }),
]
const cutoff = option('cutoff', 'Least probability of a result', {
  type: 'number',
  minimum: 0,
  maximum: 1,
  default: 0,
})
const attributes = option('attributes', 'Names parted by commas: only these attributes', { type: 'string' })
const highlight = option('highlight', 'Adds snippets with what was found', truth)
const written = [
  option('format', 'As Accept says when it is absent', { type: 'string', enum: formats }),
  option('homogeneousArrays', 'A tuple is an object with the keys "1", "2", …', truth),
]

type About = Pick<Described, 'isOpen' | 'parameters'>
const aboutOperation = (about: About) =>
  getOperation({ ...about, operationId: 'about', summary: 'About the API', content: json('About') })
const statusOperation = ({ isOpen, parameters }: About, config = anyConfig) =>
  getOperation({
    isOpen,
    parameters: [...parameters, config],
    operationId: 'status',
    summary: 'Is it up, and which generations answer',
    content: json('Status'),
  })
const openApiOperation = (about: About) =>
  getOperation({
    ...about,
    operationId: 'openapi',
    summary: 'OpenAPI 3.1 document',
    content: { 'application/json': { type: 'object' } },
  })
const optionsOperation = (operationId: string, path: Parameter[], isOpen: boolean, config = anyConfig) =>
  getOperation({
    operationId,
    summary: 'Options of a facet, with their counts',
    isOpen,
    parameters: [
      ...path,
      config,
      ...paging,
      cutoff,
      option('multiselect', "The facet's own selection does not narrow its counts", truth),
    ],
    content: json('Options'),
  })

/** What stands in the other formats is not JSON, so that a schema says nothing of it. */
const otherFormats = Object.fromEntries(
  Object.values(formatRows).map(({ type }) => [type.split(';', 1)[0], { type: 'string' }]),
)

/** For each request type its options and the reply. */
const requests: Readonly<
  Record<RequestType, { id: string; options: Parameter[]; content: Described['content'] }>
> = {
  results: {
    id: 'results',
    options: [...paging, cutoff, ...written, attributes, highlight],
    content: { 'application/json': { anyOf: resultsSchemas }, ...otherFormats },
  },
  count: { id: 'count', options: [cutoff], content: json('Count') },
  statistics: { id: 'statistics', options: [cutoff], content: json('Statistics') },
  'results,count': {
    id: 'resultsCount',
    options: [...paging, cutoff, ...written, attributes, highlight],
    content: { 'application/json': withStatistics(...resultsSchemas), ...otherFormats },
  },
  resultpage: {
    id: 'resultpage',
    options: [...paging, cutoff, attributes, highlight],
    content: json('ResultPage'),
  },
  resultitem: {
    id: 'resultitem',
    options: [
      cutoff,
      option('rank', 'From 1', { type: 'integer', minimum: 1, maximum: rankMax, default: 1 }),
      option('column', 'Of the tuple, from 1', { type: 'integer', minimum: 1, maximum: 1, default: 1 }),
    ],
    content: json('PlainEntity'),
  },
}

/** The paths of all request types behind a query. */
const queries = (
  path: string,
  id: string,
  parameters: Parameter[],
  what: string,
  isOpen: boolean,
  config = anyConfig,
) =>
  Object.fromEntries(
    requestTypes.map(type => {
      const request = requests[type]
      const operation = getOperation({
        operationId: `${id}.${request.id}`,
        summary: `${type} of ${what}`,
        isOpen,
        parameters: [...parameters, config, ...request.options],
        content: request.content,
      })
      return [`${path}/${type}`, operation]
    }),
  )
