/**
 * Every error of the query service, the documents address and the management API (query-service.md, Errors). The token endpoint uses
 * the errors of RFC 6749, section 5.2, which come from its library.
 */
import { type Static, Type } from './schema.ts'

/** Stable code → HTTP status. A code never changes its meaning; a new situation gets a new code. */
export const errorStatus = {
  'bad-request': 400,
  'bad-path': 400,
  'bad-option': 400,
  'bad-parameter': 400,
  'unknown-endpoint': 400,
  'token-in-url': 400,
  'bad-workspace-file': 400,
  'bad-documents': 400,
  'reply-too-large': 400,
  'not-built-yet': 400,
  'not-supported-by-engine': 400,
  'no-token': 401,
  'invalid-token': 401,
  'insufficient-user-authentication': 401,
  'sign-in-too-old': 401,
  'insufficient-scope': 403,
  'api-not-allowed': 403,
  'collection-not-allowed': 403,
  'membership-ended': 403,
  'origin-not-allowed': 403,
  'no-such-path': 404,
  'no-such-version': 404,
  'no-such-api': 404,
  'no-such-configuration': 404,
  'no-such-resource': 404,
  'method-not-allowed': 405,
  'request-timeout': 408,
  conflict: 409,
  'leak-test-failed': 409,
  'precondition-failed': 412,
  'body-too-large': 413,
  'url-too-long': 414,
  'unsupported-media-type': 415,
  'expectation-failed': 417,
  'headers-too-large': 431,
  'too-many-requests': 429,
  fault: 500,
  unavailable: 503,
  'documents-lost': 503,
  overloaded: 503,
  timeout: 503,
} as const

export type ErrorCode = keyof typeof errorStatus

/** One wrong place in the input. `line` and `column` start at 1 and are present if the input is text. */
export const ErrorPlace = Type.Object({
  message: Type.String(),
  path: Type.Optional(Type.String()),
  line: Type.Optional(Type.Integer()),
  column: Type.Optional(Type.Integer()),
  index: Type.Optional(
    Type.Integer({ description: 'Position in the list of documents of a JSON file, from 0' }),
  ),
  code: Type.Optional(
    Type.String({ description: 'Stable, kebab-case: why it is wrong. Many messages have none' }),
  ),
  values: Type.Optional(
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
      description: 'Values of the message, to write it in another language by its code',
    }),
  ),
})
export type ErrorPlace = Static<typeof ErrorPlace>

/** Errors of an import that differ only in the value that was found. */
export const ErrorGroup = Type.Object({
  first: ErrorPlace,
  count: Type.Integer({
    description: 'Number of errors that differ from the first only in the value that was found',
  }),
  examples: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Up to 3 different values that were found, the first one included, if there are several',
    }),
  ),
})
export type ErrorGroup = Static<typeof ErrorGroup>

/** Body of every error reply. */
export const ErrorReply = Type.Object({
  message: Type.String({ description: 'The problem, and what is allowed' }),
  status: Type.Integer({ description: 'Same as the HTTP status' }),
  code: Type.Unsafe<ErrorCode>(
    Type.String({ description: 'Stable, kebab-case', enum: Object.keys(errorStatus) }),
  ),
  requestId: Type.String({ description: 'Also in X-Request-Id' }),
  errors: Type.Optional(Type.Array(ErrorPlace)),
})
export type ErrorReply = Static<typeof ErrorReply>
