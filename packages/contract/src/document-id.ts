/** Ids of documents: the URI that replies carry, and the short id that a collection's template turns into it (workspace-file.md). */
import type { Collection } from './workspace-file.ts'

/** An absolute URI or IRI, RFC 3986, section 4.3, in characters that may stand in one. `noun:dog` is one too. */
const absolutePattern = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s\p{Cc}<>"{}|\\^`]+$/u

export interface DocumentIds {
  /**
   * The URI of an id. An absolute URI is kept as it is. Another id is put in the place of `{id}`: characters that may stand in a URI,
   * reserved ones such as `/ ? # : ,` too, stand for themselves, all others and `%` are percent-encoded as UTF-8 (as `encodeURI` does).
   * Undefined for the empty id and for text that is not well-formed Unicode.
   */
  uriOf: (id: string) => string | undefined
  /** What stands before and behind `{id}` in the template. */
  prefix: string
  suffix: string
  /** The short id whose URI this is, or the URI itself when the template does not make it. */
  idOf: (uri: string) => string
}

/**
 * Ids of one collection. Without a template it is `urn:querent:{workspace}:{collection}:{id}`, so that every id is a URI, in RDF too.
 * `id.uri` has `{id}` in it once: the reader of workspace files sees to that.
 */
export const documentIds = (workspace: string, name: string, collection: Collection): DocumentIds => {
  const template = collection.id?.uri ?? `urn:querent:${workspace}:${name}:{id}`
  const [prefix = '', suffix = ''] = template.split('{id}')
  const uriOf = (id: string) => {
    if (id === '' || !id.isWellFormed()) return undefined
    return absolutePattern.test(id) ? id : `${prefix}${encodeURI(id)}${suffix}`
  }
  const idOf = (uri: string) => {
    if (!uri.startsWith(prefix) || !uri.endsWith(suffix) || uri.length <= prefix.length + suffix.length)
      return uri
    try {
      const id = decodeURI(uri.slice(prefix.length, uri.length - suffix.length))
      return uriOf(id) === uri ? id : uri
    } catch {
      return uri
    }
  }
  return { uriOf, prefix, suffix, idOf }
}
