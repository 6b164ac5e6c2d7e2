/** Clients of the management API and the query service. */
import { managementApi, type OperationCall, queryApi } from '@querent/client'
import type { OperationId, OperationReply } from '@querent/contract/manage'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { authUrl, baseUrl } from './addresses.ts'
import { managementToken, queryToken } from './session.ts'

export const management = managementApi({ authUrl, token: managementToken })

/** Creates a client of one API for the signed-in person. `as` adds the row filter of a member, for administrators. */
export const createQueryApi = (workspace: string, api: string, as?: string) => {
  const headers = as === undefined ? undefined : { 'querent-preview-as': encodeURIComponent(as) }
  return queryApi({ baseUrl, token: queryToken, headers }, workspace, api)
}

/** Query options of an operation that reads, for `useQuery`, `useSuspenseQuery` and route loaders. */
export const readOperation = <Id extends OperationId>(id: Id, call: OperationCall<Id>) =>
  queryOptions<OperationReply<Id>>({ queryKey: [id, call], queryFn: () => management.call(id, call) })

/** Mutation of an operation that writes. Refetches all queries afterwards. */
export const useOperation = <Id extends OperationId>(id: Id) => {
  const cache = useQueryClient()
  return useMutation<OperationReply<Id>, Error, OperationCall<Id>>({
    mutationFn: call => management.call(id, call),
    onSettled: () => cache.invalidateQueries(),
  })
}
