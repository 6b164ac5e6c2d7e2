/** The path of a query as it came, still encoded: how it is told from others, and taken apart before anything in it is known. */
import { contractVersion, requestTypes } from '@querent/contract/paths'
import { decodeSegment } from './audience.ts'

/** Whether the URL is one of the query service's: `/4/{workspace}/api/{api}…`. */
export const isQueryUrl = (url: string): boolean => {
  if (!url.startsWith(`/${contractVersion}/`)) return false
  const workspaceEnd = url.indexOf('/', contractVersion.length + 2)
  return workspaceEnd > 0 && url.startsWith('/api/', workspaceEnd)
}

export interface QueryPath {
  workspace: string
  api: string
  /** `/4/{workspace}/api/{api}`: names the resource. */
  resourcePath: string
  /** What stands behind the API. */
  segments: string[]
}

/** `path`: of a URL that {@link isQueryUrl} accepts, without its query. */
export const splitQueryPath = (path: string): QueryPath => {
  const [, version = '', workspace = '', word = '', api = '', ...segments] = path.split('/')
  return { workspace, api, resourcePath: `/${version}/${workspace}/${word}/${api}`, segments }
}

/** Words of the grammar that stand alone. */
const grammarWords: ReadonlySet<string> = new Set([...requestTypes, 'status', 'openapi.json', 'mcp', ''])

/**
 * An address, or a path alone, without what was asked for, which may say what someone looks for: of a query its words and names stay,
 * also where it is malformed (`readApiRequest` has the grammar); behind a question mark nothing stays.
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
    const hasName = word === 'e' || word === 'options' || word === 'p'
    redacted.push(hasName || grammarWords.has(word) ? segment : '…')
    if (hasName && name !== undefined) redacted.push(name)
    if (word === 'p' && value !== undefined) redacted.push('…')
  }
  return [resourcePath, ...redacted].join('/')
}
