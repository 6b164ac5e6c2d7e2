/** The common parts of OpenAPI 3.1 documents of the query service: replies, errors, how to get a token. */
import { ErrorPlace, ErrorReply } from '@querent/contract/errors'
import * as replies from '@querent/contract/query'
import { Type } from '@querent/contract/schema'
import { openApiContact, pruneComponents, type Schema, simplifySchemas } from './openapi-schemas.ts'
import type { ServiceUrls } from './origins.ts'

export interface Reference {
  $ref: string
}

/** References a component, so that the document contains it once. */
export const makeReference = (
  kind: 'schemas' | 'parameters' | 'responses' | 'headers',
  name: string,
): Reference => ({
  $ref: `#/components/${kind}/${name}`,
})
export const schemaReference = (name: string): Schema => ({ ...makeReference('schemas', name) })

/** With `homogeneousArrays`, a tuple is an object. */
const HomogeneousResults = Type.Object({
  ...replies.Results.properties,
  items: Type.Array(
    Type.Object({ ...replies.ResultItem.properties, tuple: Type.Object({ '1': replies.Entity }) }),
  ),
})

export const contractSchemas = {
  ErrorReply,
  ErrorPlace,
  Entity: replies.Entity,
  ResultItem: replies.ResultItem,
  Option: replies.Option,
  Results: replies.Results,
  HomogeneousResults,
  ResultPage: replies.ResultPage,
  PlainEntity: replies.PlainEntity,
  Count: replies.Count,
  Statistics: replies.Statistics,
  Options: replies.Options,
  About: replies.ApiDescription,
  Status: replies.Status,
  BatchRequest: replies.BatchRequest,
  BatchReply: replies.BatchReply,
  ImportReply: replies.ImportReply,
  UpdateReply: replies.UpdateReply,
  ImportProgress: replies.ImportProgress,
}
const schemas = simplifySchemas(contractSchemas)

const header = (description: string, type = 'string') => ({ description, schema: { type } })
const headers = {
  'X-Request-Id': header('For questions about this reply'),
  ETag: header('Weak; changes with the reply'),
  'RateLimit-Limit': header('Requests a minute', 'integer'),
  'RateLimit-Remaining': header('How many of them are left', 'integer'),
  'RateLimit-Reset': header('Seconds until all are there again', 'integer'),
  'Querent-Ignored-Parameters': header(
    'Only if the server ignored query parameters that it does not know: their names, percent-encoded and in quotes',
  ),
}
const sharedHeaders = (names: readonly string[]) =>
  Object.fromEntries(names.map(name => [name, makeReference('headers', name)]))
const requestIdHeader = sharedHeaders(['X-Request-Id'])

const problemResponse = (description: string) => ({
  description,
  headers: requestIdHeader,
  content: { 'application/json': { schema: schemaReference('ErrorReply') } },
})
const responses = {
  NotModified: { description: 'Not modified since the reply with the tag in If-None-Match' },
  BadRequest: problemResponse(
    'The path, a parameter or an option is not allowed; the message says which, and what is allowed',
  ),
  Unauthorized: problemResponse('No access token, or one that is not valid here; WWW-Authenticate says why'),
  Forbidden: problemResponse('The account may not query this API; WWW-Authenticate says why'),
  NotFound: problemResponse('No such API, configuration or result'),
  MethodNotAllowed: problemResponse('Another method than those in Allow'),
  Conflict: problemResponse('Another change was made meanwhile'),
  BodyTooLarge: problemResponse('The body is too large'),
  UrlTooLong: problemResponse('The URL is longer than 16 KiB'),
  UnsupportedMediaType: problemResponse('The body is of another media type'),
  TooManyRequests: problemResponse(
    'More requests than the account may make; Retry-After says when to try again',
  ),
  Refused: problemResponse(
    '400: the path, a parameter or an option is not allowed; 401: no valid access token; 403: the account may not query this API; 404: no such API, configuration or result; 405; 414: the URL is longer than 16 KiB; 429: more requests than the account may make, Retry-After says when to try again',
  ),
  Unavailable: problemResponse(
    'Overloaded, away, or the query took too long; Retry-After says when to try again',
  ),
}
const responseReference = (name: keyof typeof responses) => makeReference('responses', name)
const errorResponses = {
  400: responseReference('BadRequest'),
  401: responseReference('Unauthorized'),
  403: responseReference('Forbidden'),
  404: responseReference('NotFound'),
  405: responseReference('MethodNotAllowed'),
  414: responseReference('UrlTooLong'),
  429: responseReference('TooManyRequests'),
  503: responseReference('Unavailable'),
}
const bodyErrors = {
  409: responseReference('Conflict'),
  413: responseReference('BodyTooLarge'),
  415: responseReference('UnsupportedMediaType'),
}

/** Security scheme of all operations that are not open to all. */
const oauth = 'oauth2'

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description: string
  schema: Schema
}

export interface OperationDescription {
  operationId: string
  summary: string
  description: string
  /** Generators and pages group operations by them. */
  tags: [string]
  /** True if no token is needed. Undefined: the default of the document applies. */
  isOpen?: boolean
  parameters: readonly (Parameter | Reference)[]
  /** Media type → schema. Empty: 204. */
  content: Readonly<Record<string, Schema>>
  /** Schemas of the request body by media type. */
  body?: Readonly<Record<string, Schema>>
}

const wrapSchemas = (content: Readonly<Record<string, Schema>>) =>
  Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }]))

const successResponses = (content: OperationDescription['content']) => {
  if (Object.keys(content).length === 0) return { 204: { description: 'Done', headers: requestIdHeader } }
  return { 200: { description: 'The reply', headers: requestIdHeader, content: wrapSchemas(content) } }
}

const securityFor = (isOpen: boolean | undefined) =>
  isOpen === undefined ? {} : { security: isOpen ? [] : [{ [oauth]: [] }] }

/** Describes one operation with all its statuses. */
export const operation = ({ isOpen, content, body, ...fields }: OperationDescription) => ({
  ...fields,
  ...securityFor(isOpen),
  ...(body && { requestBody: { required: true, content: wrapSchemas(body) } }),
  responses: {
    ...successResponses(content),
    ...errorResponses,
    ...(body && bodyErrors),
  },
})

/** A reply to a query, or about an API: it counts towards limits and has an entity tag. */
export const queryReply = (content: OperationDescription['content']) => ({
  description: 'The reply',
  headers: sharedHeaders(Object.keys(headers)),
  content: wrapSchemas(content),
})

/** An operation with one of the document's shared replies. Errors are ranges; the shared description lists each status. */
export const getOperation = ({
  isOpen,
  reply,
  ...fields
}: Omit<OperationDescription, 'content' | 'body'> & { reply: string }) => ({
  get: {
    ...fields,
    ...securityFor(isOpen),
    responses: {
      200: makeReference('responses', reply),
      304: responseReference('NotModified'),
      '4XX': responseReference('Refused'),
      '5XX': responseReference('Unavailable'),
    },
  },
})

/** A JSON body with one of the schemas. */
export const json = (name: keyof typeof contractSchemas) => ({ 'application/json': schemaReference(name) })

interface DocumentDescription {
  title: string
  description: string
  url: string
  isOpen: boolean
  tags: readonly Tag[]
}

/** The operations of a path by method. */
export type PathItem = Readonly<Record<string, { operationId: string }>>

export interface DocumentComponents {
  schemas: Readonly<Record<string, Schema>>
  parameters: Readonly<Record<string, Parameter>>
  responses: Readonly<Record<string, unknown>>
}

export interface Tag {
  name: string
  description: string
}

/**
 * Makes a document. Paths are relative to `url`. `isOpen` is the default of operations. Shared components are in addition to errors and the
 * contract's schemas; those that no operation refers to are left out.
 */
export const openApiDocument = (
  { baseUrl, authUrl }: ServiceUrls,
  { title, description, url, isOpen, tags }: DocumentDescription,
  paths: Readonly<Record<string, PathItem>>,
  sharedComponents: DocumentComponents,
) => ({
  openapi: '3.1.0',
  info: { title, version: '4', description, contact: openApiContact(authUrl) },
  servers: [{ url }],
  ...securityFor(isOpen),
  tags,
  paths,
  components: {
    ...pruneComponents(paths, {
      schemas: { ...schemas, ...sharedComponents.schemas },
      headers,
      parameters: sharedComponents.parameters,
      responses: { ...responses, ...sharedComponents.responses },
    }),
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
