/** Parses the address of a query from the raw URL. A router would decode `%2F` and reject long segments. */
import { contractVersion, decodeSegment, PathError } from '@querent/contract/paths'
import { splitQueryPath } from '#authz/query-path'
import { Problem } from '#errors'

export interface QueryAddress {
  /** Decoded. Undefined if its encoding is malformed; no such workspace exists. */
  workspace: string | undefined
  api: string | undefined
  /** The segments after the API, still encoded. */
  segments: string[]
  /** Everything before the question mark, still encoded. */
  path: string
  /** The OAuth resource: `/4/{workspace}/api/{api}`, or its `mcp`, which agents name themselves. Still encoded. */
  resourcePath: string
  /** Everything after the question mark, or ''. */
  search: string
}

const versionPattern = /^\/v?([0-9][0-9.]*)(?:\/|$|\?)/

/** 404 for an unknown path. If the path has another version, the message names the supported one. */
export const noSuchPath = (url: string): Problem => {
  const version = versionPattern.exec(url)?.[1]
  if (version !== undefined && version !== contractVersion)
    return new Problem(
      'no-such-version',
      `this service has no version ${version}; use version ${contractVersion}`,
    )
  return new Problem(
    'no-such-path',
    `no such path: queries go to /${contractVersion}/{workspace}/api/{api}/e/{endpoint}/results`,
  )
}

const decodeOrUndefined = (segment: string): string | undefined => {
  try {
    return decodeSegment(segment)
  } catch (error) {
    if (error instanceof PathError) return undefined
    throw error
  }
}

/** With a slash at the end too: the metadata that a challenge names then has the address that the agent uses. */
const isMcp = ([first, last = '', ...more]: readonly string[]): boolean =>
  first === 'mcp' && last === '' && more.length === 0

/** `isQueryUrl` must accept the URL. */
export const readAddress = (url: string): QueryAddress => {
  const question = url.indexOf('?')
  const path = question < 0 ? url : url.slice(0, question)
  const { workspace, api, resourcePath, segments } = splitQueryPath(path)
  return {
    workspace: decodeOrUndefined(workspace),
    api: decodeOrUndefined(api),
    segments,
    path,
    resourcePath: isMcp(segments) ? path : resourcePath,
    search: question < 0 ? '' : url.slice(question + 1),
  }
}
