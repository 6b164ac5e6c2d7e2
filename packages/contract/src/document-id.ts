/** Converts between the short id of a document and the URI in replies, by the collection's template (workspace-file.md). */
import type { Collection } from './workspace-file.ts'

/** An absolute URI or IRI (RFC 3986, section 4.3) in allowed characters. `noun:dog` matches too. */
const absolutePattern = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s\p{Cc}<>"{}|\\^`]+$/u

export interface DocumentIds {
  /**
   * Returns the URI of an id. An absolute URI stays as it is. Any other id replaces `{id}` in the template, percent-encoded as `encodeURI`
   * does: reserved characters such as `/ ? # : ,` stay literal. Undefined for the empty id and for text that is not well-formed Unicode.
   */
  toUri: (id: string) => string | undefined
  /** The parts of the template before and after `{id}`. */
  prefix: string
  suffix: string
  /** Returns the short id of a URI, or the URI itself if it does not match the template. */
  toId: (uri: string) => string
}

/**
 * Creates the converter of one collection. The default template is `urn:querent:{workspace}:{collection}:{id}`, so that every id is a URI,
 * also in RDF. The reader of workspace files checks that `id.uri` contains `{id}` once.
 */
export const documentIds = (workspace: string, name: string, collection: Collection): DocumentIds => {
  const template = collection.id?.uri ?? `urn:querent:${workspace}:${name}:{id}`
  const [prefix = '', suffix = ''] = template.split('{id}')
  const toUri = (id: string) => {
    if (id === '' || !id.isWellFormed()) return undefined
    return absolutePattern.test(id) ? id : `${prefix}${encodeURI(id)}${suffix}`
  }
  const toId = (uri: string) => {
    if (!uri.startsWith(prefix) || !uri.endsWith(suffix) || uri.length <= prefix.length + suffix.length)
      return uri
    try {
      const id = decodeURI(uri.slice(prefix.length, uri.length - suffix.length))
      return toUri(id) === uri ? id : uri
    } catch {
      return uri
    }
  }
  return { toUri, prefix, suffix, toId }
}
