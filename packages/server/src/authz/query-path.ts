/** Recognizes, splits and redacts the paths of queries. Paths are still encoded. */
import { contractVersion, requestTypes, startsPart } from '@querent/contract/paths'
import { decodeSegment } from './audience.ts'

/** True for URLs of the query service: `/4/{workspace}/api/{api}…`. */
export const isQueryUrl = (url: string): boolean => {
  if (!url.startsWith(`/${contractVersion}/`)) return false
  const workspaceEnd = url.indexOf('/', contractVersion.length + 2)
  return workspaceEnd > 0 && url.startsWith('/api/', workspaceEnd)
}

export interface QueryPath {
  workspace: string
  api: string
  /** `/4/{workspace}/api/{api}`, which names the OAuth resource. */
  resourcePath: string
  /** The segments after the API. */
  segments: string[]
}

/** `path` is from a URL that {@link isQueryUrl} accepts, without its query string. */
export const splitQueryPath = (path: string): QueryPath => {
  const [, version = '', workspace = '', word = '', api = '', ...segments] = path.split('/')
  return { workspace, api, resourcePath: `/${version}/${workspace}/${word}/${api}`, segments }
}

/** Words of the grammar without a name after them. */
const grammarWords: ReadonlySet<string> = new Set([
  ...requestTypes,
  'status',
  'openapi.json',
  'swagger.json',
  'batch',
  'mcp',
  '',
])

/**
 * Removes values from an address or a path, because they may reveal what somebody searches for. Words and names of a query stay, even if it
 * is malformed (`readApiRequest` has the grammar). The query string is removed.
 */
export const redactAddress = (address: string): string => {
  const [, origin = '', path = '', search] = /^(https?:\/\/[^/?]*)?([^?]*)(\?)?/.exec(address) ?? []
  return `${origin}${isQueryUrl(path) ? redactSegments(splitQueryPath(path)) : path}${search === undefined ? '' : '?…'}`
}

const redactSegments = ({ resourcePath, segments }: QueryPath): string => {
  const redacted: string[] = []
  for (let index = 0; index < segments.length; index = redacted.length) {
    const [segment = '', name, value] = segments.slice(index, index + 3)
    const word = decodeSegment(segment)
    const part = startsPart(word)
    const hasName = part !== undefined || word === 'options'
    redacted.push(hasName || grammarWords.has(word) ? segment : '…')
    if (hasName && name !== undefined) redacted.push(name)
    if (part === 'parameter' && value !== undefined) redacted.push('…')
  }
  return [resourcePath, ...redacted].join('/')
}
