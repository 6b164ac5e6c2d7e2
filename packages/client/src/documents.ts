/**
 * Import, deletion and export of documents. The import uses node:http for two reasons. The reply comes after the last document, but Node's fetch gives
 * up after five minutes without one. And node:http delivers the reply to a rejected stream before the stream ends. Browsers lack node:http, so
 * this file is a separate entry of the package. It needs `@querent/contract`.
 */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type DocumentFormat, documentFormats } from '@querent/contract/document-format'
import { documentListOptions, documentsPath } from '@querent/contract/paths'
import type { ImportReply, UpdateReply } from '@querent/contract/query'
import { buildAddress } from './address.ts'
import { parseErrorReply, UnexpectedReplyError, UnreachableError } from './errors.ts'
import type { RetryPolicy } from './retry.ts'
import { download, rejectDotSegments, send, type TokenSource } from './send.ts'

export type { DocumentFormat } from '@querent/contract/document-format'
export { documentFormats } from '@querent/contract/document-format'

/** Encoding of csv. */
export type Encoding = 'utf-8' | 'windows-1252' | 'utf-16le' | 'utf-16be'

/** A stream of documents, and where it goes. */
interface DocumentStream {
  baseUrl: string
  token: TokenSource
  workspace: string
  collection: string
  /** Bytes in `format`, read only as fast as the server accepts them. */
  source: AsyncIterable<Uint8Array>
  format?: DocumentFormat
  /** All or nothing. */
  strict?: boolean
  /** Delimiter of csv; detected by default. */
  delimiter?: ',' | ';' | '\t'
  /** Encoding of csv; detected by default. */
  encoding?: Encoding
  /** Path of the list of documents inside a JSON object; the longest by default. */
  rows?: string
  signal?: AbortSignal
}

export interface Import extends DocumentStream {
  replace?: boolean
  stage?: boolean
}

export interface Update extends DocumentStream {
  /** Create documents with unknown ids instead of rejecting them. */
  create?: boolean
}

/** Bytes of a reply to keep. The rest is dropped. */
const replyBytesMax = 16 * 1024 * 1024

/**
 * Sends a stream of documents by chunked POST with back-pressure. Resolves when they are durable and searchable. If no document is accepted,
 * it throws an `ApiError` with code `bad-documents` and the lines. Also throws `UnreachableError`, and errors of `source`.
 */
export const importDocuments = ({ replace, stage, ...stream }: Import): Promise<ImportReply> =>
  sendStream<ImportReply>(stream, { replace: replace || undefined, stage: stage || undefined })

/**
 * Changes stored documents: each document of the stream merges into the one with its id (RFC 7396). `null` removes a member. Otherwise like
 * {@link importDocuments}.
 */
export const updateDocuments = ({ create, ...stream }: Update): Promise<UpdateReply> =>
  sendStream<UpdateReply>(stream, { update: true, create: create || undefined })

const sendStream = async <Reply>(
  options: DocumentStream,
  parameters: Readonly<Record<string, boolean | undefined>>,
): Promise<Reply> => {
  const address = buildAddress(options.baseUrl, documentsPath(options.workspace, options.collection), {
    ...parameters,
    strict: options.strict || undefined,
    delimiter: options.delimiter,
    encoding: options.encoding,
    rows: options.rows,
  })
  rejectDotSegments(address)
  const openRequest = address.startsWith('https:') ? httpsRequest : httpRequest
  const request = openRequest(address, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${await options.token()}`,
      'content-type': documentFormats[options.format ?? 'ndjson'],
    },
    ...(options.signal ? { signal: options.signal } : {}),
  })
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve)
    request.once('error', reject)
  })
  let sourceError: unknown
  const watchSource = async function* () {
    try {
      yield* options.source
    } catch (error) {
      sourceError = error
      throw error
    }
  }
  const upload = pipeline(Readable.from(watchSource(), { objectMode: false }), request)
  // A server that rejects the stream replies and closes the connection. Then its reply counts, not the broken pipe.
  upload.catch(() => {})
  try {
    const { status, body } = await response.then(readReply)
    if (status >= 400) throw parseErrorReply(status, body, address)
    await upload
    return parseReply<Reply>(address, body)
  } catch (error) {
    if (sourceError !== undefined) throw sourceError
    throw isNetworkError(error) && !options.signal?.aborted ? new UnreachableError(address, error) : error
  } finally {
    request.destroy()
  }
}

const parseReply = <Reply>(address: string, body: string): Reply => {
  try {
    // The server validates its replies with the contract's types.
    return JSON.parse(body) as Reply
  } catch (cause) {
    throw new UnexpectedReplyError(address, 'a query service', cause)
  }
}

const readReply = async (reply: IncomingMessage): Promise<{ status: number; body: string }> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of reply as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= replyBytesMax) chunks.push(chunk)
  }
  return { status: reply.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }
}

/** Codes of TLS and of the HTTP parser. Errors of system calls are recognized by their `syscall`. */
const networkErrorCode = /^ECONNRESET$|CERT|^UNABLE_TO_|^ERR_(SSL|TLS)_|^EPROTO$|^HPE_/

const isNetworkError = (error: unknown): boolean =>
  error instanceof Error &&
  ('syscall' in error || ('code' in error && networkErrorCode.test(String(error.code))))

export interface DocumentChange extends Export {
  /** As it was imported, or the document's URI. */
  id: string
  /** Members to merge; `null` removes one. */
  patch: Readonly<Record<string, unknown>>
  /** ETag of the document as it was read: rejects with `precondition-failed` if it has changed. */
  ifMatch?: string
  signal?: AbortSignal
}

/**
 * Changes one document (RFC 7396). Resolves to it as stored, or only to its id if the account may not read documents. Throws `ApiError`, with
 * `no-such-resource` if it does not exist, or `UnreachableError`.
 */
export const patchDocument = ({
  baseUrl,
  token,
  workspace,
  collection,
  id,
  patch,
  ifMatch,
  signal,
}: DocumentChange): Promise<Record<string, unknown>> =>
  send<Record<string, unknown>>(buildAddress(baseUrl, documentsPath(workspace, collection, id)), {
    method: 'PATCH',
    token,
    json: patch,
    headers: {
      'content-type': 'application/merge-patch+json',
      ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
    },
    signal,
  })

export interface Deletion extends Export {
  /** As it was imported, or the document's URI. */
  id: string
  signal?: AbortSignal
  retry?: RetryPolicy
}

/** Deletes one document. Also resolves if there is none with this id, so it may run again. Throws `ApiError` or `UnreachableError`. */
export const deleteDocument = ({
  baseUrl,
  token,
  workspace,
  collection,
  id,
  signal,
  retry = {},
}: Deletion): Promise<void> =>
  send<undefined>(buildAddress(baseUrl, documentsPath(workspace, collection, id)), {
    method: 'DELETE',
    token,
    signal,
    retry,
  })

/** Name and value of a field, or of an end of a range (`price.from`). Several values of a field are alternatives. */
export type Condition = readonly [name: string, value: string]

export interface MatchingDeletion extends Export {
  /** Documents must meet all of them; at least one. */
  conditions: readonly Condition[]
  signal?: AbortSignal
}

/** Deletes the documents that meet the conditions, and resolves to their number. Throws `ApiError` or `UnreachableError`. */
export const deleteDocuments = async ({ token, signal, ...place }: MatchingDeletion): Promise<number> => {
  const { deleted } = await send<{ deleted: number }>(buildConditionsAddress(place, place.conditions), {
    method: 'DELETE',
    token,
    signal,
  })
  return deleted
}

/** Options of the list of documents: not conditions there. */
const listOptions: readonly string[] = documentListOptions

/** Counts the documents that {@link deleteDocuments} would delete. */
export const countDocuments = async (options: MatchingDeletion): Promise<number> => {
  const { token, signal, conditions, ...place } = options
  // A list cannot delete by mistake, whatever fields the collection has. A field `dryRun` would make a condition of the option.
  if (conditions.some(([name]) => listOptions.includes(name))) {
    const address = buildConditionsAddress(place, [...conditions, ['dryRun', 'true']])
    return (await send<{ deleted: number }>(address, { method: 'DELETE', token, signal })).deleted
  }
  const address = buildConditionsAddress(place, [...conditions, ['count', '1']])
  return (await send<{ total: number }>(address, { token, signal, retry: {} })).total
}

const buildConditionsAddress = (
  { baseUrl, workspace, collection }: Pick<Export, 'baseUrl' | 'workspace' | 'collection'>,
  conditions: readonly Condition[],
): string =>
  `${buildAddress(baseUrl, documentsPath(workspace, collection))}?${new URLSearchParams(conditions.map(([name, value]): [string, string] => [name, value]))}`

export type Export = Pick<Import, 'baseUrl' | 'token' | 'workspace' | 'collection'>

/** Reads all documents of a collection as NDJSON, ordered by id. Throws `ApiError`, or `UnreachableError`, also if the stream is cut off. */
export const exportDocuments = ({
  baseUrl,
  token,
  workspace,
  collection,
}: Export): AsyncGenerator<Uint8Array> =>
  download(buildAddress(baseUrl, documentsPath(workspace, collection), { format: 'ndjson' }), { token })
