import { queryAddress } from '@querent/client'
import { useQuery } from '@tanstack/react-query'
import { baseUrl } from '#api/addresses.ts'
import { queriesOf, reading } from '#api/manage.ts'
import { useStanding } from '#api/rights.ts'
import { CopyValue } from '#ui/copy-value.tsx'
import { curl } from '#ui/curl.ts'

/** A query that a token opens: the first endpoint that searches words, of the first API that has one. Nothing where there is none. */
export const FirstQuery = ({ workspace }: { workspace: string }) => {
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
  if (api === undefined || !found) return null
  const parameters = found.parameters
    .filter(({ required }) => required)
    .map(({ name }) => ({ name, value: 'words' }))
  const stack = [{ endpoint: found.name, parameters }]
  const address = queryAddress(baseUrl, workspace, api, { kind: 'query', type: 'results', stack })
  return <CopyValue label="A query with the access_token of the reply" value={curl(address)} block />
}
