/** OpenAPI 3.1 document of the management API, generated from the contract's table. */
import { type Operation, operationGroups } from '@querent/contract/manage'
import type { TSchema } from '@querent/contract/schema'
import { openApiContact, pruneComponents, type Schema } from '#http/openapi-schemas'
import { createManagementSchemas, type ManagementSchemas } from './openapi-schemas.ts'

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

const json = (schema: Schema) => ({ 'application/json': { schema } })

interface ObjectSchema {
  properties?: Record<string, TSchema>
  required?: string[]
}

const parameters = (
  place: 'path' | 'query',
  schema: Operation['params'],
  write: ManagementSchemas['writePart'],
) => {
  // Parameter schemas are objects; TSchema does not declare their properties.
  const { properties = {}, required = [] } = (schema ?? {}) as ObjectSchema
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: required.includes(name),
    schema: write(property),
  }))
}

const needsBody = (input: TSchema): boolean => {
  // Body schemas are objects; TSchema does not declare what they require.
  const { required = [] } = input as ObjectSchema
  return required.length > 0
}

/** Describes `recentSignIn` of the contract: a sentence for the operation, and one for its status 401. */
const recentSignInTexts = {
  always: {
    operation:
      'Needs a sign-in to the console of the last five minutes, with your second factor if you have one',
    status: '; or the sign-in is too old (code `sign-in-too-old`): sign in again',
  },
  'own-account': {
    operation:
      'For your own account, it needs a sign-in to the console of the last five minutes, with your second factor if you have one',
    status: '; or it is your own account and the sign-in is too old (code `sign-in-too-old`): sign in again',
  },
} as const

const describeErrors = ({ recentSignIn }: Operation) => ({
  ...errorResponses,
  ...(recentSignIn && { 401: `${errorResponses[401]}${recentSignInTexts[recentSignIn].status}` }),
})

const describeOperation = (operation: Operation, tag: string, schemas: ManagementSchemas) => {
  const { id, permission, recentSignIn, input, reply, noticeReply, acceptedReply } = operation
  const answer = (schema: TSchema) => json(schemas.writeReply(id, schema))
  return {
    operationId: id,
    summary: operation.summary,
    description: `Permission: ${permission}${recentSignIn ? `. ${recentSignInTexts[recentSignIn].operation}.` : ''}`,
    tags: [tag],
    parameters: [
      ...parameters('path', operation.params, schemas.writePart),
      ...parameters('query', operation.query, schemas.writePart),
    ],
    ...(input && {
      requestBody: { required: needsBody(input), content: json(schemas.writeInput(id, input)) },
    }),
    responses: {
      [operation.status]: {
        description: 'Done',
        ...(reply && { content: answer(reply) }),
        // Binary content has no schema in OpenAPI 3.1.
        ...(operation.media && { content: { [operation.media]: {} } }),
      },
      ...(noticeReply && {
        200: { description: 'Done; something else ended with it', content: answer(noticeReply) },
      }),
      ...(acceptedReply && {
        202: { description: 'Accepted; another step is needed first', content: answer(acceptedReply) },
      }),
      ...Object.fromEntries(
        Object.entries(describeErrors(operation)).map(([status, description]) => [
          status,
          { description, content: json({ $ref: '#/components/schemas/ErrorReply' }) },
        ]),
      ),
    },
  }
}

/** `authUrl` without a trailing slash. */
export const managementOpenApi = (authUrl: string): Record<string, unknown> => {
  const paths: Record<string, Record<string, unknown>> = {}
  const schemas = createManagementSchemas()
  for (const [tag, operations] of Object.entries<Readonly<Record<string, Operation>>>(operationGroups))
    for (const operation of Object.values(operations)) {
      const methods = paths[operation.path] ?? {}
      const described = describeOperation(operation, tag, schemas)
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
      ...pruneComponents(paths, { schemas: schemas.components() }),
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  }
}
