/** The path of a query as it came, still encoded: how it is told from others, and taken apart before anything in it is known. */
import { contractVersion, requestTypes } from '@querent/contract/paths'
import { meaningOf } from './address.ts'

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
const words: ReadonlySet<string> = new Set([...requestTypes, 'status', 'openapi.json', 'mcp', ''])

/**
 * An address, or a path alone, without what was asked for, which may say what someone looks for: of a query its words and names stay,
 * also where it is malformed (`readApiRequest` has the grammar); behind a question mark nothing stays.
 */
export const withoutValues = (address: string): string => {
  const [, origin = '', path = '', search] = /^(https?:\/\/[^/?]*)?([^?]*)(\?)?/.exec(address) ?? []
  return `${origin}${isQueryUrl(path) ? namesOf(splitQueryPath(path)) : path}${search === undefined ? '' : '?…'}`
}

const namesOf = ({ resourcePath, segments }: QueryPath): string => {
  const shown: string[] = []
  for (let at = 0; at < segments.length; at = shown.length) {
    const [segment = '', name, value] = segments.slice(at, at + 3)
    const word = meaningOf(segment)
    const hasName = word === 'e' || word === 'options' || word === 'p'
    shown.push(hasName || words.has(word) ? segment : '…')
    if (hasName && name !== undefined) shown.push(name)
    if (word === 'p' && value !== undefined) shown.push('…')
  }
  return [resourcePath, ...shown].join('/')
}
