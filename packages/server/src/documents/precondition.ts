/** Conditions of a write on the stored document: `If-Match` and `If-None-Match` (RFC 9110, section 13.1). */
import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Engine } from '#engines/engine'
import { Problem } from '#errors'

/** Throws 412 if the stored document of a generation is not as the caller expects. */
export type Precondition = (engine: Engine, generationId: string, uri: string) => Promise<void>

/** Returns the entity tag of a stored document. */
export const documentTag = (entity: string): string => `"${hash('sha256', entity, 'base64url')}"`

/** Returns undefined without such a header. Throws 400 for a value that is neither `*` nor a list of entity tags. */
export const readPrecondition = (headers: IncomingHttpHeaders): Precondition | undefined => {
  const required = readTags('If-Match', headers['if-match'])
  const excluded = readTags('If-None-Match', headers['if-none-match'])
  if (!required && !excluded) return undefined
  return async (engine, generationId, uri) => {
    const entity = await engine.get(generationId, uri)
    const isListed = (tags: Tags) =>
      entity !== undefined && (tags === '*' || tags.includes(documentTag(entity)))
    if (required && !isListed(required))
      throw new Problem(
        'precondition-failed',
        entity === undefined
          ? 'the document does not exist, so no value of If-Match matches; it may have been deleted'
          : 'the document has changed: its ETag is not in If-Match; read it again',
      )
    if (excluded && isListed(excluded))
      throw new Problem('precondition-failed', 'the document exists, and If-None-Match excludes it')
  }
}

type Tags = '*' | readonly string[]

const tagsPattern = /^\s*(?:W\/)?"[^"]*"(?:\s*,\s*(?:W\/)?"[^"]*")*\s*$/

/** Ignores the `W/` that proxies which compress replies put in front of a tag: the stored document is the same. */
const readTags = (name: string, header: string | undefined): Tags | undefined => {
  if (header === undefined) return undefined
  if (header.trim() === '*') return '*'
  if (!tagsPattern.test(header))
    throw new Problem(
      'bad-request',
      `${name}: found no entity tag, allowed: * or the ETag of the document, in quotes`,
    )
  return header.match(/"[^"]*"/g) ?? []
}
