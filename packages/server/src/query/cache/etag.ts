/** Entity tags of replies (RFC 9110, section 8.8.3): a client that has the reply is told so without a search. */
import { hash } from 'node:crypto'

/**
 * Weak: the same result may be written in other bytes. `parts` is all that a reply depends on: definitions, generation, index version,
 * row filter, format and URL (query-service.md, In between).
 */
export const entityTag = (parts: readonly (string | number)[]): string =>
  `W/"${hash('sha1', parts.join('\n'), 'base64url')}"`

/**
 * Whether `If-None-Match` names the tag (RFC 9110, section 13.1.2: the weak comparison). `*` names none, but whatever there is:
 * {@link isAny}.
 */
export const isKnown = (ifNoneMatch: string | undefined, tag: string): boolean => {
  if (ifNoneMatch === undefined) return false
  // Nearly always.
  if (ifNoneMatch === tag) return true
  const opaque = tag.slice('W/'.length)
  return ifNoneMatch.split(',').some(known => known.trim().replace(/^W\//, '') === opaque)
}

/** Whether `If-None-Match` is `*`: true of every reply that there is, which only the reply itself can tell. */
export const isAny = (ifNoneMatch: string | undefined): boolean => ifNoneMatch?.trim() === '*'
