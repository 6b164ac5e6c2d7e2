/** The latest requests of a workspace, while they come. */
import { type Static, Type } from '#schema'
import { Party, Timestamp } from './fields.ts'
import { type Operations, WorkspaceParams } from './operation.ts'
import { QueryLogParameters } from './workspaces.ts'

export const liveRequestsMax = 500

export const LiveRequest = Type.Object({
  kind: Type.Union([Type.Literal('query'), Type.Literal('refusal')]),
  at: Timestamp,
  api: Type.String({ description: 'Empty: the path names none' }),
  endpoint: Type.String({ description: 'First endpoint of a query; empty: an unknown one, or a refusal' }),
  parameters: Type.Union([Type.String(), Type.Null()], {
    description:
      'Path of the endpoints of a query, such as e/search/p/query/cat, at most 1024 characters; or its hmac-sha256:…; null: `queryLog` is off, or a refusal',
  }),
  facet: Type.Union([Type.String(), Type.Null()], {
    description: 'The facet whose options were requested; null: a search, or a refusal',
  }),
  total: Type.Union([Type.Integer(), Type.Null()], {
    description:
      'Results of a query; null: unknown, because it failed, the client had them already, or a refusal',
  }),
  totalRelation: Type.Union([Type.Literal('eq'), Type.Literal('gte')], {
    description: 'gte: `total` or more results, because the query asked for no count',
  }),
  code: Type.Union([Type.String(), Type.Null()], {
    description: 'Error code of a failed query, or the failed check of a refusal',
  }),
  message: Type.Union([Type.String(), Type.Null()], {
    description:
      'Of the failed check of a refusal: tells a missing token from a malformed one. Of a failed query, if `queryLog` is full: the sentence of its error',
  }),
  ms: Type.Union([Type.Number(), Type.Null()], { description: 'Duration of a query' }),
  account: Type.Union([Party, Type.Null()], {
    description: 'null: a public API, a removed account, or the caller is no administrator',
  }),
  requestId: Type.Union([Type.String(), Type.Null()], { description: 'Of a refusal or a failed query' }),
})
export type LiveRequest = Static<typeof LiveRequest>

export const LiveRequests = Type.Object({
  items: Type.Array(LiveRequest, { description: 'The newest first' }),
  answersQueries: Type.Boolean({
    description: 'false: other nodes answer the queries, so that this one lists refusals only',
  }),
  parameters: QueryLogParameters,
})

export const liveRequestOperations = {
  listLiveRequests: {
    id: 'listLiveRequests',
    method: 'GET',
    path: '/workspaces/{workspace}/requests',
    permission: 'edit',
    summary:
      'List the latest 500 queries that this node answered, which it keeps in memory only; for administrators also the refused requests and the accounts',
    params: WorkspaceParams,
    status: 200,
    reply: LiveRequests,
  },
} as const satisfies Operations
