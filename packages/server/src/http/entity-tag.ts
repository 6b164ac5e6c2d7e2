/** Entity tags (RFC 9110, section 8.8.3). A client that has the reply gets 304 without a search. */
import { hash } from 'node:crypto'

/**
 * Makes a weak tag, because the same result may be written in other bytes. `parts` is everything that a reply depends on: definitions,
 * generation, index version, row filter, format and URL (query-service.md, In between).
 */
export const entityTag = (parts: readonly (string | number)[]): string =>
  `W/"${hash('sha1', parts.join('\n'), 'base64url')}"`

/** True if `If-None-Match` names the tag, by the weak comparison (RFC 9110, section 13.1.2). False for `*`: see {@link isWildcard}. */
export const etagMatches = (ifNoneMatch: string | undefined, tag: string): boolean => {
  if (ifNoneMatch === undefined) return false
  // The common case.
  if (ifNoneMatch === tag) return true
  const opaque = tag.slice('W/'.length)
  return ifNoneMatch.split(',').some(candidate => candidate.trim().replace(/^W\//, '') === opaque)
}

/** True if `If-None-Match` is `*`. It matches every successful reply, so check it when the reply is complete. */
export const isWildcard = (ifNoneMatch: string | undefined): boolean => ifNoneMatch?.trim() === '*'
