/** What the OpenAPI 3.1 documents of the query service have in common: replies, errors, how to get a token. */
import { ErrorReply } from '@querent/contract/errors'
import * as replies from '@querent/contract/query'
import { Type } from '@querent/contract/schema'

type Schema = Readonly<Record<string, unknown>>
export interface Reference {
  $ref: string
}

/** What many operations have stands in the document once. */
export const shared = (
  kind: 'schemas' | 'parameters' | 'responses' | 'headers',
  name: string,
): Reference => ({
  $ref: `#/components/${kind}/${name}`,
})
const named = (name: string): Schema => ({ ...shared('schemas', name) })

/** With `homogeneousArrays`, a tuple is an object. */
const HomogeneousResults = Type.Object({
  ...replies.Results.properties,
  items: Type.Array(
    Type.Object({ ...replies.ResultItem.properties, tuple: Type.Object({ '1': replies.Entity }) }),
  ),
})

const schemas = {
  ErrorReply,
  Results: replies.Results,
  HomogeneousResults,
  ResultPage: replies.ResultPage,
  PlainEntity: replies.PlainEntity,
  Count: replies.Count,
  Statistics: replies.Statistics,
  Options: replies.Options,
  About: replies.About,
  Status: replies.Status,
  ImportReply: replies.ImportReply,
  ImportProgress: replies.ImportProgress,
}

const header = (description: string, type = 'string') => ({ description, schema: { type } })
const headers = {
  'X-Request-Id': header('For questions about this reply'),
  ETag: header('Weak; changes with the reply'),
  'RateLimit-Limit': header('Requests a minute', 'integer'),
  'RateLimit-Remaining': header('How many of them are left', 'integer'),
  'RateLimit-Reset': header('Seconds until all are there again', 'integer'),
}
const sharedHeaders = (names: readonly string[]) =>
  Object.fromEntries(names.map(name => [name, shared('headers', name)]))
const traced = sharedHeaders(['X-Request-Id'])

const problem = (description: string) => ({
  description,
  headers: traced,
  content: { 'application/json': { schema: named('ErrorReply') } },
})
const responses = {
  NotModified: { description: 'Not modified since the reply with the tag in If-None-Match' },
  BadRequest: problem(
    'The path, a parameter or an option is not allowed; the message says which, and what is allowed',
  ),
  Unauthorized: problem('No access token, or one that is not valid here; WWW-Authenticate says why'),
  Forbidden: problem('The account may not query this API; WWW-Authenticate says why'),
  NotFound: problem('No such API, configuration or result'),
  MethodNotAllowed: problem('Another method than those in Allow'),
  Conflict: problem('Another change was made meanwhile'),
  BodyTooLarge: problem('The body is too large'),
  UrlTooLong: problem('The URL is longer than 16 KiB'),
  UnsupportedMediaType: problem('The body is of another media type'),
  TooManyRequests: problem('More requests than the account may make; Retry-After says when to try again'),
  Unavailable: problem('Overloaded, away, or the query took too long; Retry-After says when to try again'),
}
const response = (name: keyof typeof responses) => shared('responses', name)
const errorResponses = {
  400: response('BadRequest'),
  401: response('Unauthorized'),
  403: response('Forbidden'),
  404: response('NotFound'),
  405: response('MethodNotAllowed'),
  414: response('UrlTooLong'),
  429: response('TooManyRequests'),
  503: response('Unavailable'),
}
const bodyErrors = {
  409: response('Conflict'),
  413: response('BodyTooLarge'),
  415: response('UnsupportedMediaType'),
}

/** Security scheme of every address that is not open to all. */
const oauth = 'oauth2'

export interface Parameter {
  name: string
  in: 'path' | 'query'
  required: boolean
  description: string
  schema: Schema
}

export interface Described {
  operationId: string
  summary: string
  description?: string
  /** Open to all; else it takes a token. */
  isOpen: boolean
  parameters: readonly (Parameter | Reference)[]
  /** Media type → schema; none: 204. */
  content: Readonly<Record<string, Schema>>
  /** What is sent, by media type. */
  body?: Readonly<Record<string, Schema>>
}

const schemasOf = (content: Readonly<Record<string, Schema>>) =>
  Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }]))

const done = (content: Described['content']) => {
  if (Object.keys(content).length === 0) return { 204: { description: 'Done', headers: traced } }
  return { 200: { description: 'The reply', headers: traced, content: schemasOf(content) } }
}

/** One operation, with every status that it can have. */
export const operation = ({ isOpen, content, body, ...described }: Described) => ({
  ...described,
  security: isOpen ? [] : [{ [oauth]: [] }],
  ...(body && { requestBody: { required: true, content: schemasOf(body) } }),
  responses: {
    ...done(content),
    ...errorResponses,
    ...(body && bodyErrors),
  },
})

/** The reply to a query, about an API or of it: counted, and with an entity tag. */
export const queryReply = (content: Described['content']) => ({
  description: 'The reply',
  headers: sharedHeaders(Object.keys(headers)),
  content: schemasOf(content),
})

/** An operation that gives one of the document's shared replies. */
export const getOperation = ({
  isOpen,
  reply,
  ...described
}: Omit<Described, 'content' | 'body'> & { reply: string }) => ({
  get: {
    ...described,
    security: isOpen ? [] : [{ [oauth]: [] }],
    responses: { 200: shared('responses', reply), 304: response('NotModified'), ...errorResponses },
  },
})

/** JSON of one of the schemas. */
export const json = (name: keyof typeof schemas) => ({ 'application/json': named(name) })

/** Both ways a page of results may be written. */
export const resultsSchemas: Schema[] = [named('Results'), named('HomogeneousResults')]

/** `results,count`: said so that readers without `prefixItems` understand it too. */
export const withStatistics = (...results: Schema[]): Schema => ({
  type: 'array',
  description: 'The results, then their statistics',
  items: { anyOf: [...results, named('Statistics')] },
  minItems: 2,
  maxItems: 2,
})

export interface Service {
  /** Both without a slash at the end. */
  baseUrl: string
  authUrl: string
}

/** A whole document; `url` is where its paths begin. `own` are what its operations share beside errors. */
export const openApiDocument = (
  { baseUrl, authUrl }: Service,
  { title, description, url }: { title: string; description: string; url: string },
  paths: Readonly<Record<string, unknown>>,
  own: { parameters: Readonly<Record<string, Parameter>>; responses: Readonly<Record<string, unknown>> },
) => ({
  openapi: '3.1.0',
  info: { title, version: '4', description },
  servers: [{ url }],
  paths,
  components: {
    schemas,
    headers,
    parameters: own.parameters,
    responses: { ...responses, ...own.responses },
    securitySchemes: {
      [oauth]: {
        type: 'oauth2',
        description: `Ask for a token with audience=${baseUrl}, and send it as "Authorization: Bearer …".`,
        flows: {
          clientCredentials: { tokenUrl: `${authUrl}/oauth/token`, scopes: {} },
          authorizationCode: {
            authorizationUrl: `${authUrl}/authorize`,
            tokenUrl: `${authUrl}/oauth/token`,
            scopes: {},
          },
        },
      },
    },
  },
})
