/** Address of a query, read from the raw URL: the router would decode `%2F` and refuse long segments. */
import { contractVersion, decodeSegment, PathError } from '@querent/contract/paths'
import { splitQueryPath } from '#authz/query-path'
import { Problem } from '#errors'

export interface QueryAddress {
  /** Decoded; undefined when its encoding is malformed, which no workspace's is. */
  workspace: string | undefined
  api: string | undefined
  /** What stands behind the API, still encoded. */
  segments: string[]
  /** All before the question mark, as it came. */
  path: string
  /** `/4/{workspace}/api/{api}` as it came: names the resource. */
  resourcePath: string
  /** Behind the question mark; '' when there is none. */
  search: string
}

const versionAt = /^\/v?([0-9][0-9.]*)(?:\/|$|\?)/

/** 404 for a path that is none of ours; it names the versions there are when that was the mistake. */
export const noSuchPath = (url: string): Problem => {
  const version = versionAt.exec(url)?.[1]
  if (version !== undefined && version !== contractVersion)
    return new Problem(
      'no-such-version',
      `there is no version ${version} of this service; there is version ${contractVersion}`,
    )
  return new Problem(
    'no-such-path',
    `no such path: queries go to /${contractVersion}/{workspace}/api/{api}/e/{endpoint}/results`,
  )
}

const decoded = (segment: string): string | undefined => {
  try {
    return decodeSegment(segment)
  } catch (error) {
    if (error instanceof PathError) return undefined
    throw error
  }
}

/** `url` is one that `isQueryUrl` accepts. */
export const readAddress = (url: string): QueryAddress => {
  const question = url.indexOf('?')
  const path = question < 0 ? url : url.slice(0, question)
  const { workspace, api, resourcePath, segments } = splitQueryPath(path)
  return {
    workspace: decoded(workspace),
    api: decoded(api),
    segments,
    path,
    resourcePath,
    search: question < 0 ? '' : url.slice(question + 1),
  }
}
