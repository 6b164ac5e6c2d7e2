/** The management API and the query service, as the pages call them. */
import { managementApi, type OperationCall, queryApi } from '@querent/client'
import type { OperationId, OperationReply } from '@querent/contract/manage'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { authUrl, baseUrl } from './addresses.ts'
import { managementToken, queryToken } from './session.ts'

export const management = managementApi({ authUrl, token: managementToken })

/** The queries of one API, with a token of whoever is signed in. `as`: a member, whose row filter then holds too; for administrators. */
export const createQueryApi = (workspace: string, api: string, as?: string) => {
  const headers = as === undefined ? undefined : { 'querent-preview-as': encodeURIComponent(as) }
  return queryApi({ baseUrl, token: queryToken, headers }, workspace, api)
}

/** An operation that reads: for `useQuery`, `useSuspenseQuery` and a route's `loader`. */
export const readOperation = <Id extends OperationId>(id: Id, call: OperationCall<Id>) =>
  queryOptions<OperationReply<Id>>({ queryKey: [id, call], queryFn: () => management.call(id, call) })

/** An operation that changes something. What was read before is read anew. */
export const useOperation = <Id extends OperationId>(id: Id) => {
  const cache = useQueryClient()
  return useMutation<OperationReply<Id>, Error, OperationCall<Id>>({
    mutationFn: call => management.call(id, call),
    onSettled: () => cache.invalidateQueries(),
  })
}
