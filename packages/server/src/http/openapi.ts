/** What the OpenAPI 3.1 documents of the query service have in common: replies, errors, how to get a token. */
import { ErrorReply } from '@querent/contract/errors'
import * as replies from '@querent/contract/query'
import { Type } from 'typebox'

type Schema = Readonly<Record<string, unknown>>
const named = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

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
}

const errors: Readonly<Record<number, string>> = {
  400: 'The path, a parameter or an option is not allowed; the message says which, and what is allowed',
  401: 'No access token, or one that is not valid here; WWW-Authenticate says why',
  403: 'The account may not query this API; WWW-Authenticate says why',
  404: 'No such API, configuration or result',
  405: 'Another method than GET or HEAD',
  414: 'The URL is longer than 16 KiB',
  429: 'More requests than the account may make; Retry-After says when to try again',
  503: 'Overloaded, away, or the query took too long; Retry-After says when to try again',
}
const header = (description: string, type = 'string') => ({ description, schema: { type } })
const errorResponses = Object.fromEntries(
  Object.entries(errors).map(([status, description]) => [
    status,
    {
      description,
      headers: { 'X-Request-Id': header('For questions about this reply') },
      content: { 'application/json': { schema: named('ErrorReply') } },
    },
  ]),
)

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
  parameters: Parameter[]
  /** Media type → schema. */
  content: Readonly<Record<string, Schema>>
}

/** One GET, with every status that it can have. */
export const getOperation = ({ isOpen, content, ...described }: Described) => ({
  get: {
    ...described,
    security: isOpen ? [] : [{ [oauth]: [] }],
    responses: {
      200: {
        description: 'The reply',
        headers: {
          ETag: header('Weak; changes with the reply'),
          'X-Request-Id': header('For questions about this reply'),
          'RateLimit-Limit': header('Requests a minute', 'integer'),
          'RateLimit-Remaining': header('How many of them are left', 'integer'),
          'RateLimit-Reset': header('Seconds until all are there again', 'integer'),
        },
        content: Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }])),
      },
      304: { description: 'Not modified since the reply with the tag in If-None-Match' },
      ...errorResponses,
    },
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

/** A whole document; `url` is where its paths begin. */
export const openApiDocument = (
  { baseUrl, authUrl }: Service,
  { title, description, url }: { title: string; description: string; url: string },
  paths: Readonly<Record<string, unknown>>,
) => ({
  openapi: '3.1.0',
  info: { title, version: '4', description },
  servers: [{ url }],
  paths,
  components: {
    schemas,
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
