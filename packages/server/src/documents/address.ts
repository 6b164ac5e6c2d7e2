/** Address of documents, read from the raw URL: the router would decode `%2F`, and ids are URIs. */
import { decodeSegment, PathError } from '@querent/contract/paths'
import { Problem } from '#errors'

export interface DocumentsAddress {
  /** Decoded; '' when its encoding is malformed, which no workspace's is. */
  workspace: string
  collection: string
  /** Still encoded; none: all documents. */
  idSegments: string[]
  /** All before the question mark, as it came. */
  path: string
  /** `/4/{workspace}/collections/{collection}/documents`, encoded as it came: names the resource. */
  resourcePath: string
  /** Behind the question mark; '' when there is none. */
  search: string
}

/** `url` is one of `/4/{workspace}/collections/{collection}/documents…`, or of `…/imports/…`, which belong to them. */
export const readDocumentsAddress = (url: string): DocumentsAddress => {
  const question = url.indexOf('?')
  const path = question < 0 ? url : url.slice(0, question)
  const segments = path.split('/')
  const [, , workspace = '', , collection = ''] = segments
  return {
    workspace: decodedOrEmpty(workspace),
    collection: decodedOrEmpty(collection),
    idSegments: segments.slice(6),
    path,
    resourcePath: [...segments.slice(0, 5), 'documents'].join('/'),
    search: question < 0 ? '' : url.slice(question + 1),
  }
}

const decodedOrEmpty = (segment: string): string => {
  try {
    return decodeSegment(segment)
  } catch (error) {
    if (error instanceof PathError) return ''
    throw error
  }
}

/**
 * The id of one document; slashes in it may come encoded or as they are, but the last: one that was added to an address would name
 * another document. Throws 400 for that, and when its encoding is malformed.
 */
export const readId = ({ idSegments }: DocumentsAddress): string => {
  if (idSegments.at(-1) === '')
    throw new Problem(
      'bad-path',
      'the path ends with a slash; name a document behind it, and write a slash at the end of an id as %2F',
    )
  try {
    return idSegments.map(decodeSegment).join('/')
  } catch (error) {
    if (error instanceof PathError) throw new Problem('bad-path', error.message)
    throw error
  }
}

/** Options of the query, each at most once: an unknown one is ignored. Throws 400 for one given twice or with a bad value. */
export const readOptions = <const N extends string>(
  search: string,
  allowed: Readonly<Record<N, { test: RegExp; words: string }>>,
): Partial<Record<N, string>> => {
  const given = new URLSearchParams(search)
  const options: Partial<Record<N, string>> = {}
  // Object.keys forgets the names' type.
  for (const name of Object.keys(allowed) as N[]) {
    const values = given.getAll(name)
    const [value] = values
    if (value === undefined) continue
    if (values.length > 1) throw new Problem('bad-option', `${name} is given ${values.length} times`)
    const { test, words } = allowed[name]
    if (!test.test(value))
      throw new Problem(
        'bad-option',
        `${name}: found ${JSON.stringify(value.slice(0, 100))}, allowed: ${words}`,
      )
    options[name] = value
  }
  return options
}

/** Names and values of a query. Throws 400 for malformed percent-encoding, of which U+FFFD would be made. */
export const readPairs = (search: string, code: 'bad-option' | 'bad-parameter'): URLSearchParams => {
  try {
    decodeURIComponent(search)
  } catch {
    throw new Problem(code, 'malformed percent-encoding in the query: write each byte of UTF-8 as %XX')
  }
  return new URLSearchParams(search)
}

/** Throws 400 for an option that is not one of `allowed`: where an ignored one would look like a filter. */
export const refuseOtherOptions = (search: string, allowed: readonly string[]): void => {
  const other = [...readPairs(search, 'bad-option').keys()].find(name => !allowed.includes(name))
  if (other !== undefined)
    throw new Problem(
      'bad-option',
      `no option ${JSON.stringify(other.slice(0, 100))} here; allowed: ${allowed.join(', ')}`,
    )
}

export const yesOrNo = { test: /^(true|false)$/, words: 'true or false' }

/** What a client may name an import. */
export const importName = { test: /^[\w-]{1,64}$/, words: '1 to 64 letters, digits, - and _' }
