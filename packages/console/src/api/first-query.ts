import { queryUrl } from '@querent/client'
import { useQuery } from '@tanstack/react-query'
import { baseUrl } from './addresses.ts'
import { queriesOf, reading } from './manage.ts'
import { useStanding } from './rights.ts'

/**
 * The address of a query to begin with: the first endpoint that searches words, of the first API that has one. Undefined where there is
 * none, and while it is looked for.
 */
export const useFirstQuery = (workspace: string): string | undefined => {
  const { may } = useStanding(workspace)
  const { data: apis } = useQuery(reading('listApis', { params: { workspace } }))
  const api = apis?.items.find(({ endpoints }) => endpoints.some(({ kind }) => kind === 'match'))?.api
  // Only the API itself says what its parameters are called; operators who are no members may not ask it.
  const { data: about } = useQuery({
    queryKey: ['about', workspace, api],
    queryFn: () => queriesOf(workspace, api ?? '').about(),
    enabled: api !== undefined && may('query'),
  })
  const found = about?.endpoints.find(({ kind }) => kind === 'match')
  if (api === undefined || !found) return undefined
  const parameters = found.parameters
    .filter(({ required }) => required)
    .map(({ name }) => ({ name, value: 'words' }))
  const stack = [{ endpoint: found.name, parameters }]
  return queryUrl(baseUrl, workspace, api, { kind: 'query', type: 'results', stack })
}
