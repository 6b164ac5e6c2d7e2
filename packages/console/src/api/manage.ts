/** The client of the management API. */
import { managementApi, type OperationCall } from '@querent/client/manage'
import type { OperationId, OperationReply } from '@querent/contract/manage'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { authUrl } from './addresses.ts'
import { distinguishTitles } from './distinct-titles.ts'
import { managementToken } from './session.ts'

export const management = managementApi({ authUrl, token: managementToken })

/** Query options of an operation that reads, for `useQuery`, `useSuspenseQuery` and route loaders. */
export const readOperation = <Id extends OperationId>(id: Id, call: OperationCall<Id>) =>
  queryOptions<OperationReply<Id>>({
    queryKey: [id, call],
    queryFn: async () => {
      const reply = await management.call(id, call)
      return hasTitledItems(id, reply) ? distinguishTitles(reply) : reply
    },
  })

type TitledList = OperationReply<'listApis'> & OperationReply<'listCollections'>

const hasTitledItems = <Id extends OperationId>(
  id: Id,
  _: OperationReply<Id>,
): _ is OperationReply<Id> & TitledList => id === 'listApis' || id === 'listCollections'

/** Mutation of an operation that writes. Refetches all queries afterwards. */
export const useOperation = <Id extends OperationId>(id: Id) => {
  const cache = useQueryClient()
  return useMutation<OperationReply<Id>, Error, OperationCall<Id>>({
    mutationFn: call => management.call(id, call),
    onSettled: () => cache.invalidateQueries(),
  })
}
