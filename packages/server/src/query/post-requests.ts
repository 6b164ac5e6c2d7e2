/** The requests of the query service that have a body: batches and the Model Context Protocol. All others are GET or HEAD. */
import { splitQueryPath } from '#authz/query-path'

export type PostRequest = 'batch' | 'mcp'

/** The header `Allow` of their addresses. */
export const postAllow = 'POST, OPTIONS'

/** Returns the request that a POST to the URL is, or undefined. Ignores a slash at the end. `isQueryUrl` must accept the URL. */
export const findPostRequest = (url: string): PostRequest | undefined => {
  const [fullPath = ''] = url.split('?', 1)
  const path = fullPath.endsWith('/') ? fullPath.slice(0, -1) : fullPath
  if (!path.endsWith('/batch') && !path.endsWith('/mcp')) return undefined
  const { segments } = splitQueryPath(path)
  return segments.length === 1 ? (segments[0] as PostRequest) : undefined
}
