/** Clients of the management API and the query service. */
import { type QueryService, queryApi } from '@querent/client'
import { managementApi, type OperationCall } from '@querent/client/manage'
import type { OperationId, OperationReply } from '@querent/contract/manage'
import type { PreviewChanges } from '@querent/contract/preview-changes'
import { changesHeader, memberHeader } from '@querent/contract/preview-headers'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { authUrl, baseUrl } from './addresses.ts'
import { managementToken, queryToken } from './session.ts'

export const management = managementApi({ authUrl, token: managementToken })

interface QueryApiOptions extends Pick<QueryService, 'signal' | 'onHeaders'> {
  /** Adds the row filter of a member, for administrators. */
  as?: string | undefined
  /** Unsaved changes of the definition to query with, for people who may edit it. */
  changes?: PreviewChanges | undefined
}

/** Creates a client of one API for the signed-in person. */
export const createQueryApi = (
  workspace: string,
  api: string,
  { as, changes, signal, onHeaders }: QueryApiOptions = {},
) => {
  const headers = {
    ...(as !== undefined && { [memberHeader]: encodeURIComponent(as) }),
    ...(changes && { [changesHeader]: encodeURIComponent(JSON.stringify(changes)) }),
  }
  return queryApi({ baseUrl, token: queryToken, headers, signal, onHeaders }, workspace, api)
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
