/** The operations of OpenAPI documents: those of queries, by request type, and those about an API. */
import { type RequestType, requestTypes } from '@querent/contract/paths'
import {
  getOperation,
  json,
  makeReference,
  type OperationDescription,
  operation,
  type Parameter,
  type PathItem,
  queryReply,
  type Reference,
} from '#http/openapi'
import type { Schema } from '#http/openapi-schemas'
import { formatRows } from '#query/formats/formats'
import type { ReplySchemas } from './collection-schemas.ts'
import { camelCase } from './names.ts'
import { referToOptions } from './parameters.ts'

/** A stack of endpoints as a path with variables. */
export interface StackPath {
  /** From `/e/` on. */
  path: string
  /** Names that make up the ids of its operations. */
  names: readonly string[]
  tag: string
  /** Names of its endpoints, for summaries. */
  subject: string
  parameters: readonly (Parameter | Reference)[]
  schemas: ReplySchemas
}

const schemaReference = (name: string): Schema => ({ ...makeReference('schemas', name) })
const replyNames = ({ results, resultsCount, resultPage, plainEntity }: ReplySchemas) => ({
  results: `${results}Reply`,
  'results,count': `${resultsCount}Reply`,
  resultpage: `${resultPage}Reply`,
  resultitem: `${plainEntity}Reply`,
  count: 'CountReply',
  statistics: 'StatisticsReply',
  otherFormats: `${results}FileReply`,
})

/** The other formats are not JSON, so they have no schema. */
const otherFormats = Object.fromEntries(
  Object.values(formatRows).map(({ type }) => [type.split(';', 1)[0], { type: 'string' }]),
)

/** The components of the replies of queries whose documents have these schemas. */
export const queryReplies = (schemas: ReplySchemas) => {
  const names = replyNames(schemas)
  const jsonReply = (schema: Schema) => queryReply({ 'application/json': schema })
  return {
    [names.results]: jsonReply(schemaReference(schemas.results)),
    [names['results,count']]: jsonReply(schemaReference(schemas.resultsCount)),
    [names.resultpage]: jsonReply(schemaReference(schemas.resultPage)),
    [names.resultitem]: jsonReply(schemaReference(schemas.plainEntity)),
    [names.otherFormats]: queryReply({
      'application/json': {
        anyOf: [schemaReference(schemas.results), schemaReference('HomogeneousResults')],
      },
      ...otherFormats,
    }),
  }
}

/** The replies that have the same schema in every API. */
export const commonReplies = {
  CountReply: queryReply(json('Count')),
  StatisticsReply: queryReply(json('Statistics')),
  OptionsReply: queryReply(json('Options')),
  AboutReply: queryReply(json('About')),
  StatusReply: queryReply(json('Status')),
  OpenApiReply: queryReply({ 'application/json': { type: 'object' } }),
}

interface RequestDescription {
  id: string
  description: string
}
const requests: Readonly<Record<RequestType, RequestDescription>> = {
  results: { id: 'results', description: 'A page of results.' },
  count: { id: 'count', description: 'The number of results.' },
  statistics: { id: 'statistics', description: 'The number of results by probability.' },
  'results,count': {
    id: 'resultsCount',
    description: 'A page of results, with the number of results by probability.',
  },
  resultpage: {
    id: 'resultpage',
    description: 'A page of results, with their attributes at the top level.',
  },
  resultitem: { id: 'resultitem', description: 'One result, with its attributes at the top level.' },
}

const queryOperation = (stack: StackPath, type: RequestType) => {
  const { id, description } = requests[type]
  return getOperation({
    operationId: camelCase([...stack.names, id]),
    summary: `${type} of ${stack.subject}`,
    description,
    tags: [stack.tag],
    parameters: [...stack.parameters, ...referToOptions(type)],
    reply: replyNames(stack.schemas)[type],
  })
}

/** One operation has one type of reply, so that clients need no casts. All others are at the alias `q` of `e`. */
const fileOperation = (stack: StackPath) =>
  getOperation({
    operationId: camelCase([...stack.names, 'file']),
    summary: `results of ${stack.subject} in other formats`,
    description: '`q` is an alias of `e`. The reply depends on `format` and `homogeneousArrays`.',
    tags: [stack.tag],
    parameters: [...stack.parameters, ...referToOptions('file')],
    reply: replyNames(stack.schemas).otherFormats,
  })

/** Path → method → operation. */
export type Paths = Record<string, PathItem>

/** All request types of a stack. */
export const allRequests = (stack: StackPath): Paths => ({
  ...Object.fromEntries(requestTypes.map(type => [`${stack.path}/${type}`, queryOperation(stack, type)])),
  [`${stack.path.replace('/e/', '/q/')}/results`]: fileOperation(stack),
})
/** Number of operations of {@link allRequests}. */
export const allRequestsCount = requestTypes.length + 1

/** The request types of refined stacks. */
const refinedRequests = ['results', 'results,count'] as const
export const someRequests = (stack: StackPath): Paths =>
  Object.fromEntries(refinedRequests.map(type => [`${stack.path}/${type}`, queryOperation(stack, type)]))
export const someRequestsCount = refinedRequests.length

/** The options of a facet among the results of a stack, or among all documents if the stack is empty. `facet` is the path parameter. */
export const optionsOperation = (
  { path, names, tag, parameters }: Omit<StackPath, 'subject' | 'schemas'>,
  facet: Parameter | Reference,
): Paths => ({
  [`${path}/options/{facet}`]: getOperation({
    operationId: camelCase([...names, 'options']),
    summary: 'Options of a facet',
    description: 'The values of a facet among the results, with their counts.',
    tags: [tag],
    parameters: [...parameters, facet, ...referToOptions('options')],
    reply: 'OptionsReply',
  }),
})

type OperationBase = Pick<OperationDescription, 'isOpen' | 'parameters' | 'tags'>

/** The operations about an API, and its batch. `path` is that of the API. */
export const apiOperations = (path: string, base: OperationBase): Paths => ({
  [path === '' ? '/' : path]: getOperation({
    ...base,
    operationId: 'about',
    summary: 'About the API',
    description: 'The endpoints of the API, with their parameters.',
    reply: 'AboutReply',
  }),
  [`${path}/status`]: getOperation({
    ...base,
    parameters: [...base.parameters, ...referToOptions('status')],
    operationId: 'status',
    summary: 'State of the API',
    description: 'Whether the API is up, and which generations of its collections answer.',
    reply: 'StatusReply',
  }),
  [`${path}/batch`]: {
    post: operation({
      ...base,
      parameters: [...base.parameters, ...referToOptions('batch')],
      operationId: 'batch',
      summary: 'Several queries in one request',
      description:
        'Runs up to 20 queries on one version of the index. Each is the rest of the URL of a GET, with its stack. A failing query has its error in the reply.',
      body: json('BatchRequest'),
      content: json('BatchReply'),
    }),
  },
  [`${path}/openapi.json`]: documentOperation('apiDocument', base),
})

export const documentOperation = (operationId: string, base: OperationBase) =>
  getOperation({
    ...base,
    operationId,
    summary: 'OpenAPI 3.1 document',
    description: 'The document that you read.',
    reply: 'OpenApiReply',
  })
