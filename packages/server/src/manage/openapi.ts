/** OpenAPI 3.1 document of the management API, generated from the contract's table. */
import { ErrorReply } from '@querent/contract/errors'
import { type Operation, operationGroups } from '@querent/contract/manage'
import type { TSchema } from '@querent/contract/schema'

import { openApiContact } from '#http/openapi-schemas'

/** Error statuses of every operation. */
const errorResponses = {
  '400': 'The input is invalid; `errors` lists every place',
  '401': 'No access token, or an invalid one',
  '403': 'The account has no permission',
  '404': 'Not found',
  '409': 'Conflicts with the current state',
  '413': 'The body is too large',
  '415': 'The body is not application/json',
  '429': 'Too many requests; Retry-After says when to try again',
  '503': 'Storage or engine cannot be reached; Retry-After says when to try again',
} as const

const json = (schema: unknown) => ({ 'application/json': { schema } })

interface ObjectSchema {
  properties?: Record<string, unknown>
  required?: string[]
}

const parameters = (place: 'path' | 'query', schema: Operation['params']) => {
  // Parameter schemas are objects; TSchema does not declare their properties.
  const { properties = {}, required = [] } = (schema ?? {}) as ObjectSchema
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: required.includes(name),
    schema: property,
  }))
}

const needsBody = (input: TSchema): boolean => {
  // Body schemas are objects; TSchema does not declare what they require.
  const { required = [] } = input as ObjectSchema
  return required.length > 0
}

const describeOperation = (operation: Operation, tag: string) => ({
  operationId: operation.id,
  summary: operation.summary,
  description: `Permission: ${operation.permission}`,
  tags: [tag],
  parameters: [...parameters('path', operation.params), ...parameters('query', operation.query)],
  ...(operation.input
    ? { requestBody: { required: needsBody(operation.input), content: json(operation.input) } }
    : {}),
  responses: {
    [operation.status]: {
      description: 'Done',
      ...(operation.reply ? { content: json(operation.reply) } : {}),
      // Binary content has no schema in OpenAPI 3.1.
      ...(operation.media ? { content: { [operation.media]: {} } } : {}),
    },
    ...(operation.noticeReply
      ? { 200: { description: 'Done; something else ended with it', content: json(operation.noticeReply) } }
      : {}),
    ...(operation.acceptedReply
      ? {
          202: {
            description: 'Accepted; another step is needed first',
            content: json(operation.acceptedReply),
          },
        }
      : {}),
    ...Object.fromEntries(
      Object.entries(errorResponses).map(([status, description]) => [
        status,
        { description, content: json({ $ref: '#/components/schemas/ErrorReply' }) },
      ]),
    ),
  },
})

/** `authUrl` without a trailing slash. */
export const managementOpenApi = (authUrl: string): Record<string, unknown> => {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [tag, operations] of Object.entries<Readonly<Record<string, Operation>>>(operationGroups))
    for (const operation of Object.values(operations)) {
      const methods = paths[operation.path] ?? {}
      const described = describeOperation(operation, tag)
      paths[operation.path] = { ...methods, [operation.method.toLowerCase()]: described }
    }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Querent management API',
      version: '1',
      description: `Access tokens have the audience ${authUrl}/manage/`,
      contact: openApiContact(authUrl),
    },
    servers: [{ url: `${authUrl}/manage/v1` }],
    security: [{ bearer: [] }],
    tags: Object.keys(operationGroups).map(name => ({ name })),
    paths,
    components: {
      schemas: { ErrorReply },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  }
}
