/** A client of Querent for Node and browsers. `@querent/client/documents` imports documents and works only in Node. */
export type {
  AnyApi,
  ApiPlainEntity,
  ApiResultPage,
  ApiResults,
  ApiTypes,
  StackStep,
} from './api-types.ts'
export {
  type ClientCredentials,
  cacheToken,
  clientCredentials,
  discover,
  managementAudience,
  refreshAccessToken,
  requestToken,
  revokeToken,
  type ServerMetadata,
  type TokenReply,
} from './auth.ts'
export { type DeviceCode, pollDeviceToken, requestDeviceCode } from './device.ts'
export { ApiError, parseErrorReply, UnexpectedReplyError, UnreachableError } from './errors.ts'
export { allItems, type Management, managementApi, type OperationCall } from './manage.ts'
export { type ApiQueryOptions, type QueryOptions, type QueryService, queryApi, queryUrl } from './query.ts'
export type { TokenSource } from './send.ts'
