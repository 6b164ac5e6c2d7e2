/** The documents address (workspace-file.md, Documents), as a page calls it. */
import { ApiError, parseErrorReply } from '@querent/client'
import { documentListOptions, documentsPath, importPath } from '@querent/contract/paths'
import type { ImportProgress, ImportReply, UpdateReply } from '@querent/contract/query'
import { baseUrl } from './addresses.ts'
import { EditConflict } from './edit-conflict.ts'
import { queryToken } from './session.ts'

/** A document as the server returns it. */
export type StoredDocument = Readonly<Record<string, unknown>>

/** A document and its id. */
export interface ListedDocument {
  id: string
  document: StoredDocument
}

/** Selects the documents of a collection that meet all conditions and have all words. */
export interface DocumentFilter {
  /** Words, or an id. Empty for all documents. */
  search: string
  /** Values by field. */
  where: Readonly<Record<string, string>>
}

export interface DocumentList {
  items: StoredDocument[]
  next: string | null
  /** Number of documents on all pages. */
  total: number
}

export interface ValueCount {
  value: string
  documents: number
}

export interface ImportOptions {
  replace: boolean
  /** Only with `replace`. */
  stage: boolean
  strict: boolean
  /** Documents change the stored ones of their ids. Contradicts `replace`. */
  update?: boolean
  /** Only with `update`: documents with new ids are created. */
  create?: boolean
  /** Delimiter of CSV; by default the server detects it. */
  delimiter?: string
  /** Path of the list of documents in a JSON object; by default the longest. */
  rows?: string
}

/** Whether a file is compressed, by its name. */
export const isGzip = (name: string): boolean => /\.gz$/i.test(name)

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
  mediaType: string,
  { replace, stage, strict, update, create, delimiter, rows }: ImportOptions,
  onSent: (bytes: number) => void,
  signal: AbortSignal,
): Promise<ImportReply | UpdateReply> => {
  const token = await queryToken()
  signal.throwIfAborted()
  const query = {
    import: place.name,
    ...(replace ? { replace: 'true' } : {}),
    ...(replace && stage ? { stage: 'true' } : {}),
    ...(strict ? { strict: 'true' } : {}),
    ...(update ? { update: 'true' } : {}),
    ...(update && create ? { create: 'true' } : {}),
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(rows === undefined ? {} : { rows }),
  }
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', address(place.workspace, place.collection, query))
    request.setRequestHeader('authorization', `Bearer ${token}`)
    request.setRequestHeader('content-type', mediaType)
    if (isGzip(file.name)) request.setRequestHeader('content-encoding', 'gzip')
    request.upload.onprogress = ({ loaded }) => onSent(loaded)
    request.onload = () => {
      const { status, responseText } = request
      if (status >= 400) reject(parseErrorReply(status, responseText))
      // The reply's type is that of the contract, which the server checks it with.
      else resolve(JSON.parse(responseText) as ImportReply | UpdateReply)
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

/** Options of the list and the deletion. A field with such a name cannot be a condition. */
export const listOptions: readonly string[] = [...documentListOptions, 'dryRun']

const filterQuery = ({ search, where }: DocumentFilter): Record<string, string> => ({
  ...where,
  ...(search === '' ? {} : { search }),
})

/** Documents on a page. */
export const pageSize = 20

/** Fetches one page of documents: the best first, or in the order of their ids if there are no words. */
export const listDocuments = async (
  workspace: string,
  collection: string,
  filter: DocumentFilter,
  after?: string,
  count = pageSize,
): Promise<DocumentList> => {
  const query = {
    ...filterQuery(filter),
    count: String(count),
    ...(after === undefined ? {} : { after }),
  }
  return readJson<DocumentList>(address(workspace, collection, query))
}

/** Counts the most frequent values of a field. */
export const listValues = async (
  workspace: string,
  collection: string,
  field: string,
): Promise<ValueCount[]> => {
  const query = { values: field, count: '1' }
  return (await readJson<{ values: ValueCount[] }>(address(workspace, collection, query))).values
}

/** A document as it was read, with its ETag. */
export interface ReadDocument {
  document: StoredDocument
  tag: string
}

/** One document of the live generation; `null` if there is none with this id. */
export const readDocument = async (
  workspace: string,
  collection: string,
  id: string,
): Promise<ReadDocument | null> => {
  try {
    const reply = await send(`${baseUrl}${documentsPath(workspace, collection, id)}`)
    // The reply's type is that of the contract, which the server checks it with.
    return { document: (await reply.json()) as StoredDocument, tag: reply.headers.get('etag') ?? '*' }
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}

/** Adds a document. Rejects with `ApiError`, of code `precondition-failed` if there is one with this id. */
export const addDocument = (
  workspace: string,
  collection: string,
  id: string,
  document: StoredDocument,
): Promise<unknown> => putDocument(workspace, collection, id, document, { 'if-none-match': '*' })

/** Replaces a document. Rejects with an EditConflict if it is not the one that has this tag any more, or with `ApiError`. */
export const replaceDocument = (
  workspace: string,
  collection: string,
  id: string,
  document: StoredDocument,
  tag: string,
): Promise<unknown> =>
  putDocument(workspace, collection, id, document, { 'if-match': tag }).catch(throwConflict)

/** Deletes a document. Rejects with an EditConflict if it is not the one that has this tag any more. */
export const deleteDocument = async (
  workspace: string,
  collection: string,
  id: string,
  tag: string,
): Promise<void> => {
  const url = `${baseUrl}${documentsPath(workspace, collection, id)}`
  await send(url, { method: 'DELETE', headers: { 'if-match': tag } }).catch(throwConflict)
}

const putDocument = (
  workspace: string,
  collection: string,
  id: string,
  document: StoredDocument,
  condition: Record<string, string>,
): Promise<Response> =>
  send(`${baseUrl}${documentsPath(workspace, collection, id)}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', ...condition },
    body: JSON.stringify(document),
  })

const throwConflict = (fault: unknown): never => {
  throw fault instanceof ApiError && fault.code === 'precondition-failed' ? new EditConflict(true) : fault
}

/** Deletes the documents that meet all conditions, or only counts them. Returns their number. */
export const deleteMatching = async (
  workspace: string,
  collection: string,
  where: DocumentFilter['where'],
  isDryRun: boolean,
): Promise<number> => {
  // A list cannot delete by mistake: a field `dryRun` would make a condition of that option.
  if (isDryRun)
    return (await readJson<DocumentList>(address(workspace, collection, { ...where, count: '1' }))).total
  const reply = await send(address(workspace, collection, where), { method: 'DELETE' })
  // As below.
  const { deleted } = (await reply.json()) as { deleted: number }
  return deleted
}

/** Downloads documents as NDJSON. `onBytes` receives the number of bytes so far. Rejects with an AbortError after `signal`. */
export const downloadDocuments = async (
  workspace: string,
  collection: string,
  filter: DocumentFilter,
  onBytes: (bytes: number) => void,
  signal: AbortSignal,
): Promise<Blob> => {
  const query = { ...filterQuery(filter), format: 'ndjson' }
  const reply = await send(address(workspace, collection, query), { signal })
  let bytes = 0
  const body = reply.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length
        onBytes(bytes)
        controller.enqueue(chunk)
      },
    }),
  )
  // Browsers keep large blobs on disk.
  return new Response(body ?? null, { headers: { 'content-type': 'application/x-ndjson' } }).blob()
}

const send = async (url: string, request: RequestInit = {}): Promise<Response> => {
  const headers = { ...request.headers, authorization: `Bearer ${await queryToken()}` }
  const reply = await fetch(url, { ...request, headers })
  if (!reply.ok) throw parseErrorReply(reply.status, await reply.text())
  return reply
}

const readJson = async <T>(url: string): Promise<T> => {
  const reply = await send(url)
  // The reply's type is that of the contract, which the server checks it with.
  return (await reply.json()) as T
}
