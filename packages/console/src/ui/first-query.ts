import { ApiError, queryUrl } from '@querent/client'
import type { StackedEndpoint } from '@querent/contract/paths'
import type { ApiDescription } from '@querent/contract/query'
import { useQuery } from '@tanstack/react-query'
import { baseUrl } from '#api/addresses.ts'
import { readOperation } from '#api/manage.ts'
import { createQueryApi } from '#api/query.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { readHeading } from './heading.ts'

/** APIs that are tried for a search that finds something, and documents of each whose words are tried. */
const apisMax = 5
const documentsMax = 5
const wordsMax = 5

/**
 * The address of a query to begin with: the first endpoint that searches words, of the first API that has one and finds a word of its
 * documents; if none finds any, of the first API. Undefined if no API searches words, and while it is loading.
 */
export const useFirstQuery = (workspace: string): string | undefined => {
  const { may } = useWorkspaceAccess(workspace)
  const { data: list } = useQuery(readOperation('listApis', { params: { workspace } }))
  const apis = list?.items
    .filter(({ endpoints }) => endpoints.some(({ kind }) => kind === 'match'))
    .map(({ api }) => api)
    .slice(0, apisMax)
  // Only the API itself says what its parameters are called; operators who are no members may not ask it.
  const { data } = useQuery({
    queryKey: ['firstQuery', workspace, apis],
    queryFn: () => findFirstQuery(workspace, apis ?? []),
    enabled: apis !== undefined && apis.length > 0 && may('query'),
  })
  return data ?? undefined
}

type Endpoint = Pick<ApiDescription['endpoints'][number], 'name' | 'parameters'>
type QueryApi = ReturnType<typeof createQueryApi>

/** Null if no API searches words. */
const findFirstQuery = async (workspace: string, apis: readonly string[]): Promise<string | null> => {
  const writeAddress = (api: string, endpoint: Endpoint, word: string) =>
    queryUrl(baseUrl, workspace, api, { kind: 'query', type: 'results', stack: searchFor(endpoint, word) })
  let withoutWord: string | null = null
  for (const api of apis) {
    const query = createQueryApi(workspace, api, { isLookup: true })
    const endpoint = await findEndpoint(query)
    if (!endpoint) continue
    const word = await findWord(query, endpoint)
    if (word !== undefined) return writeAddress(api, endpoint, word)
    withoutWord ??= writeAddress(api, endpoint, placeholder)
  }
  return withoutWord
}

/** Undefined if the API cannot be queried. */
const findEndpoint = async (query: QueryApi): Promise<Endpoint | undefined> => {
  try {
    const { endpoints } = await query.about()
    return endpoints.find(({ kind }) => kind === 'match')
  } catch (fault) {
    if (fault instanceof ApiError) return undefined
    throw fault
  }
}

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

/** Returns a word that finds something, because a first reply without results looks like a failure. */
const findWord = async (query: QueryApi, endpoint: Endpoint): Promise<string | undefined> => {
  try {
    // Blank text matches all documents.
    const { items } = await query.results(searchFor(endpoint, ''), { count: documentsMax })
    const words = items.flatMap(({ tuple: [entity] }) => (entity ? listWords(entity) : []))
    for (const word of [...new Set(words)].slice(0, wordsMax)) {
      const { total } = await query.statistics(searchFor(endpoint, word))
      if (total > 0) return word
    }
    return undefined
  } catch (fault) {
    // The person has no right to query, or the API cannot answer now. The code is an example all the same.
    if (fault instanceof ApiError) return undefined
    throw fault
  }
}

/** Returns a word of the heading, and one of each other text. */
const listWords = (entity: Parameters<typeof readHeading>[0]): string[] =>
  [readHeading(entity).text, ...Object.values(entity.attributes).flat()].flatMap(value => {
    const [word] = (typeof value === 'string' && /\p{L}{4,}/u.exec(value)) || []
    return word === undefined ? [] : [word.toLowerCase()]
  })
