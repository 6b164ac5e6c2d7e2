/** The client of the management API. */
import { managementApi, type OperationCall } from '@querent/client/manage'
import type { OperationId, OperationReply } from '@querent/contract/manage'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { authUrl } from './addresses.ts'
import { managementToken } from './session.ts'

export const management = managementApi({ authUrl, token: managementToken })

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
