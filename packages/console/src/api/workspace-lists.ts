/** The parts of a workspace that its overview and the command palette show. */
import { useQuery } from '@tanstack/react-query'
import { readOperation } from './manage.ts'
import { useWorkspaceAccess } from './workspace-access.ts'

/** Returns the lists that the person may see; a list is undefined while it is read. */
export const useWorkspaceLists = (workspace: string) => {
  const { may } = useWorkspaceAccess(workspace)
  const params = { workspace }
  const { data: apis } = useQuery({ ...readOperation('listApis', { params }), enabled: may('look') })
  const { data: collections } = useQuery({
    ...readOperation('listCollections', { params }),
    enabled: may('import'),
  })
  const { data: accounts } = useQuery({
    ...readOperation('listSystemToSystem', { params, query: { count: 100 } }),
    enabled: may('administer'),
  })
  return { apis: apis?.items, collections: collections?.items, accounts: accounts?.items }
}
