/** The documents address (workspace-file.md, Documents), as a page calls it. */
import { ApiError, parseErrorReply } from '@querent/client'
import { documentsPath, importPath } from '@querent/contract/paths'
import type { ImportProgress, ImportReply } from '@querent/contract/query'
import { baseUrl } from './addresses.ts'
import { queryToken } from './session.ts'

export interface DocumentList {
  items: Record<string, unknown>[]
  next: string | null
}

export interface ImportOptions {
  replace: boolean
  /** Only with `replace`. */
  stage: boolean
  strict: boolean
}

const formats = [
  { ending: /\.csv$/i, type: 'text/csv', format: 'csv' },
  { ending: /\.json$/i, type: 'application/json', format: 'json' },
  { ending: /\.(ndjson|jsonl)$/i, type: 'application/x-ndjson', format: 'ndjson' },
] as const

/** Returns the media type of a file by its name; undefined if it cannot be imported. */
export const documentMediaType = (name: string): string | undefined =>
  formats.find(({ ending }) => ending.test(name))?.type

/** Returns the format of a file by its name; undefined if it cannot be imported. */
export const documentFormat = (name: string): (typeof formats)[number]['format'] | undefined =>
  formats.find(({ ending }) => ending.test(name))?.format

const address = (workspace: string, collection: string, query: Record<string, string>): string => {
  const search = new URLSearchParams(query)
  return `${baseUrl}${documentsPath(workspace, collection)}${search.size > 0 ? `?${search}` : ''}`
}

export interface NamedImport {
  workspace: string
  collection: string
  /** To ask for its progress by. */
  name: string
}

/**
 * Uploads a file of documents. `onSent` receives the number of bytes sent. It uses XMLHttpRequest, because `fetch` reports no upload
 * progress. Rejects with `ApiError`, or with an AbortError after `signal`.
 */
export const importFile = async (
  place: NamedImport,
  file: File,
  { replace, stage, strict }: ImportOptions,
  onSent: (bytes: number) => void,
  signal: AbortSignal,
): Promise<ImportReply> => {
  const token = await queryToken()
  signal.throwIfAborted()
  const query = {
    import: place.name,
    ...(replace ? { replace: 'true' } : {}),
    ...(replace && stage ? { stage: 'true' } : {}),
    ...(strict ? { strict: 'true' } : {}),
  }
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', address(place.workspace, place.collection, query))
    request.setRequestHeader('authorization', `Bearer ${token}`)
    request.setRequestHeader('content-type', documentMediaType(file.name) ?? 'application/x-ndjson')
    request.upload.onprogress = ({ loaded }) => onSent(loaded)
    request.onload = () => {
      const { status, responseText } = request
      if (status >= 400) reject(parseErrorReply(status, responseText))
      // The reply's type is that of the contract, which the server checks it with.
      else resolve(JSON.parse(responseText) as ImportReply)
    }
    request.onerror = () =>
      reject(new Error('the connection was lost; documents that the server acknowledged are kept'))
    request.onabort = () => reject(new DOMException('cancelled', 'AbortError'))
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(file)
  })
}

/** Fetches the progress of an import. */
export const importProgress = async ({ workspace, collection, name }: NamedImport): Promise<ImportProgress> =>
  readJson<ImportProgress>(`${baseUrl}${importPath(workspace, collection, name)}`)

/** One page of documents in the order of their ids. */
export const listDocuments = async (
  workspace: string,
  collection: string,
  after: string | undefined,
): Promise<DocumentList> => {
  const query = { count: '20', ...(after === undefined ? {} : { after }) }
  return readJson<DocumentList>(address(workspace, collection, query))
}

/** One document of the live generation; `null` if there is none with this id. */
export const readDocument = async (
  workspace: string,
  collection: string,
  id: string,
): Promise<Record<string, unknown> | null> => {
  try {
    return await readJson(`${baseUrl}${documentsPath(workspace, collection, id)}`)
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}

const readJson = async <T>(url: string): Promise<T> => {
  const reply = await fetch(url, { headers: { authorization: `Bearer ${await queryToken()}` } })
  if (!reply.ok) throw parseErrorReply(reply.status, await reply.text())
  // As above.
  return (await reply.json()) as T
}
