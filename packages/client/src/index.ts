/**
 * A client of Querent for Node and browsers, without dependencies. Other entries: `@querent/client/documents` imports documents, only in Node;
 * `@querent/client/manage` calls the management API. They also need `@querent/contract`.
 */
export type {
  AnyApi,
  ApiPlainEntity,
  ApiResultItem,
  ApiResultPage,
  ApiResults,
  ApiTypes,
  EndpointName,
  ParameterArguments,
  ParameterValues,
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
export {
  type AuthorizationClient,
  finishAuthorization,
  type PendingAuthorization,
  startAuthorization,
} from './authorization-code.ts'
export { type BrowserSignIn, type BrowserSignInSettings, browserSignIn } from './browser-sign-in.ts'
export { type CountedOption, readCountedOptions } from './counted-options.ts'
export {
  type DeviceCode,
  type DeviceSignIn,
  deviceSignIn,
  pollDeviceToken,
  requestDeviceCode,
} from './device.ts'
export {
  ApiError,
  type ErrorCode,
  isQuerentError,
  parseErrorReply,
  type QuerentError,
  SignInRequiredError,
  UnexpectedReplyError,
  UnreachableError,
} from './errors.ts'
export type { ApiRequest, StackedEndpoint } from './path.ts'
export { type Person, readIdToken } from './pkce.ts'
export type { ApiQueryOptions, PreparedRequest } from './prepared-request.ts'
export {
  type BatchOutcome,
  type BatchOutcomes,
  type QueryApi,
  type QueryService,
  queryApi,
  queryUrl,
} from './query.ts'
export type { QueryOptions } from './query-options.ts'
export type {
  ApiDescription,
  ApiStatus,
  Count,
  Entity,
  ErrorPlace,
  FacetOption,
  FacetOptions,
  Highlights,
  PlainEntity,
  ResultItem,
  Results,
  Statistics,
} from './replies.ts'
export type { RetryPolicy } from './retry.ts'
export type { TokenSource } from './send.ts'
export { type RequestOptions, type StackQuery, writeFilterValue } from './stack-query.ts'
