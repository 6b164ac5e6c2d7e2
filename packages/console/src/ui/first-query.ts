import { ApiError, queryUrl } from '@querent/client'
import type { StackedEndpoint } from '@querent/contract/paths'
import type { ApiDescription } from '@querent/contract/query'
import { useQuery } from '@tanstack/react-query'
import { baseUrl } from '#api/addresses.ts'
import { readOperation } from '#api/manage.ts'
import { createQueryApi } from '#api/query.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { readHeading } from './heading.ts'

/**
 * The address of a query to begin with: the first endpoint that searches words, of the first API that has one, with a word of its
 * documents. Undefined if there is none, and while it is loading.
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
  const { data: word } = useQuery({
    queryKey: ['firstWord', workspace, api, endpoint?.name],
    queryFn: () => findWord(createQueryApi(workspace, api ?? ''), endpoint),
    enabled: endpoint !== undefined,
  })
  if (api === undefined || !endpoint || word === undefined) return undefined
  return queryUrl(baseUrl, workspace, api, {
    kind: 'query',
    type: 'results',
    stack: searchFor(endpoint, word),
  })
}

type Endpoint = Pick<ApiDescription['endpoints'][number], 'name' | 'parameters'>

const searchFor = ({ name, parameters }: Endpoint, word: string): StackedEndpoint[] => [
  {
    endpoint: name,
    parameters: parameters
      .filter(({ required }) => required)
      .map(parameter => ({ name: parameter.name, value: word })),
  },
]

/** Where no document has a word to search for. */
const placeholder = 'words'

/** Returns a word that finds something: a first reply without results looks like a failure. */
const findWord = async (
  query: ReturnType<typeof createQueryApi>,
  endpoint: Endpoint | undefined,
): Promise<string> => {
  if (!endpoint) return placeholder
  try {
    // Blank text matches all documents.
    const { items } = await query.results(searchFor(endpoint, ''), { count: 1 })
    const entity = items[0]?.tuple[0]
    const word = entity && /\p{L}{4,}/u.exec(readHeading(entity).text)?.[0].toLowerCase()
    if (word === undefined) return placeholder
    const { total } = await query.statistics(searchFor(endpoint, word))
    return total > 0 ? word : placeholder
  } catch (fault) {
    // The person has no right to query, or the API cannot answer now. The code is an example all the same.
    if (fault instanceof ApiError) return placeholder
    throw fault
  }
}
