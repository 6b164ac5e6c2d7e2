/**
 * Reads the address of documents from the raw URL. A router would decode `%2F`, and document ids are URIs.
 */
import { didYouMean, listNames } from '@querent/contract/nearest-names'
import { decodeSegment, PathError } from '@querent/contract/paths'
import { Problem } from '#errors'

export interface DocumentsAddress {
  /** Decoded. '' if the encoding is malformed; no workspace has that name. */
  workspace: string
  collection: string
  /** Still encoded. Empty for the whole list of documents. */
  idSegments: string[]
  /** Everything before the question mark, unchanged. */
  path: string
  /** `/4/{workspace}/collections/{collection}/documents`, still encoded. Names the OAuth resource. */
  resourcePath: string
  /** Everything after the question mark; '' if there is none. */
  search: string
}

/** Reads `/4/{workspace}/collections/{collection}/documents…`, and `…/imports/…` of the same collection. */
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
 * Reads the id of one document. Slashes in it may be encoded or not, except for the last character: a slash
 * appended to the address would name another document. Throws 400 for that and for malformed encoding.
 */
export const readId = ({ idSegments }: DocumentsAddress): string => {
  if (idSegments.at(-1) === '')
    throw new Problem(
      'bad-path',
      'the path ends with a slash; add the id of a document, and write a slash at the end of an id as %2F',
    )
  try {
    return idSegments.map(decodeSegment).join('/')
  } catch (error) {
    if (error instanceof PathError) throw new Problem('bad-path', error.message)
    throw error
  }
}

/**
 * Reads the options of the query and ignores unknown ones. Throws 400 for an option given twice or with a bad
 * value.
 */
export const readOptions = <const N extends string>(
  search: string,
  allowed: Readonly<Record<N, { test: RegExp; words: string }>>,
): Partial<Record<N, string>> => {
  const parameters = new URLSearchParams(search)
  const options: Partial<Record<N, string>> = {}
  // Object.keys loses the type of the names.
  for (const name of Object.keys(allowed) as N[]) {
    const values = parameters.getAll(name)
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

/**
 * Like {@link readOptions}, and throws 400 for an unknown option: a write that ignores one, such as `update=true`, could destroy
 * documents.
 */
export const readWriteOptions = <const N extends string>(
  search: string,
  allowed: Readonly<Record<N, { test: RegExp; words: string }>>,
): Partial<Record<N, string>> => {
  const names = Object.keys(allowed)
  for (const name of readPairs(search, 'bad-option').keys())
    if (!names.includes(name))
      throw new Problem(
        'bad-option',
        `unknown option ${JSON.stringify(name.slice(0, 100))}; allowed: ${listNames(names)}${didYouMean(name, names)}`,
      )
  return readOptions(search, allowed)
}

/**
 * Reads names and values of a query. Throws 400 for malformed percent-encoding, which URLSearchParams would
 * turn into U+FFFD.
 */
export const readPairs = (search: string, code: 'bad-option' | 'bad-parameter'): URLSearchParams => {
  try {
    decodeURIComponent(search)
  } catch {
    throw new Problem(code, 'malformed percent-encoding in the query: write each byte of UTF-8 as %XX')
  }
  return new URLSearchParams(search)
}

export const yesOrNo = { test: /^(true|false)$/, words: 'true or false' }

/** Name that a client may give an import. */
export const importName = { test: /^[\w-]{1,64}$/, words: '1 to 64 letters, digits, - and _' }
