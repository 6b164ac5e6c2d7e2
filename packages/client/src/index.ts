/** A client of Querent for Node and browsers. The import of documents, for Node alone, is `@querent/client/documents`. */
export {
  type ClientCredentials,
  clientCredentials,
  discover,
  managementAudience,
  requestToken,
  type ServerMetadata,
  type TokenReply,
} from './auth.ts'
export { ApiError, errorOf, UnexpectedReplyError, UnreachableError } from './errors.ts'
export { allItems, type Management, managementApi, type OperationCall } from './manage.ts'
export { type QueryOptions, type QueryService, queryAddress, queryApi } from './query.ts'
export type { TokenSource } from './send.ts'
