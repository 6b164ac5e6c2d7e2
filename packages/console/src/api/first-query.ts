import { queryUrl } from '@querent/client'
import { useQuery } from '@tanstack/react-query'
import { baseUrl } from './addresses.ts'
import { createQueryApi, readOperation } from './manage.ts'
import { useWorkspaceAccess } from './workspace-access.ts'

/**
 * The address of a query to begin with: the first endpoint that searches words, of the first API that has one. Undefined where there is
 * none, and while it is looked for.
 */
export const useFirstQuery = (workspace: string): string | undefined => {
  const { may } = useWorkspaceAccess(workspace)
  const { data: apis } = useQuery(readOperation('listApis', { params: { workspace } }))
  const api = apis?.items.find(({ endpoints }) => endpoints.some(({ kind }) => kind === 'match'))?.api
  // Only the API itself says what its parameters are called; operators who are no members may not ask it.
  const { data: description } = useQuery({
    queryKey: ['about', workspace, api],
    queryFn: () => createQueryApi(workspace, api ?? '').about(),
    enabled: api !== undefined && may('query'),
  })
  const endpoint = description?.endpoints.find(({ kind }) => kind === 'match')
  if (api === undefined || !endpoint) return undefined
  const parameters = endpoint.parameters
    .filter(({ required }) => required)
    .map(({ name }) => ({ name, value: 'words' }))
  const stack = [{ endpoint: endpoint.name, parameters }]
  return queryUrl(baseUrl, workspace, api, { kind: 'query', type: 'results', stack })
}
