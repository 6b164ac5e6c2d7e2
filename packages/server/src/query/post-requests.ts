/** The requests of the query service that have a body: batches and the Model Context Protocol. All others are GET or HEAD. */
import { splitQueryPath } from '#authz/query-path'

export type PostRequest = 'batch' | 'mcp'

/** The header `Allow` of their addresses. */
export const postAllow = 'POST, OPTIONS'

/** Returns the request that a POST to the URL is, or undefined. `isQueryUrl` must accept the URL. */
export const findPostRequest = (url: string): PostRequest | undefined => {
  const [path = ''] = url.split('?', 1)
  if (!path.endsWith('/batch') && !path.endsWith('/mcp')) return undefined
  const { segments } = splitQueryPath(path)
  return segments.length === 1 ? (segments[0] as PostRequest) : undefined
}
