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
import { documentsPath } from '@querent/contract/paths'
import type { ImportReply } from '@querent/contract/query'
import { buildAddress } from './address.ts'
import { parseErrorReply, UnexpectedReplyError, UnreachableError } from './errors.ts'
import type { RetryPolicy } from './retry.ts'
import { download, rejectDotSegments, send, type TokenSource } from './send.ts'

export type { DocumentFormat } from '@querent/contract/document-format'
export { documentFormats } from '@querent/contract/document-format'

/** Encoding of csv. */
export type Encoding = 'utf-8' | 'windows-1252' | 'utf-16le' | 'utf-16be'

export interface Import {
  baseUrl: string
  token: TokenSource
  workspace: string
  collection: string
  /** Bytes in `format`, read only as fast as the server accepts them. */
  source: AsyncIterable<Uint8Array>
  format?: DocumentFormat
  replace?: boolean
  stage?: boolean
  strict?: boolean
  /** Encoding of csv; detected by default. */
  encoding?: Encoding
  /** Path of the list of documents inside a JSON object; the longest by default. */
  rows?: string
  signal?: AbortSignal
}

/** Bytes of a reply to keep. The rest is dropped. */
const replyBytesMax = 16 * 1024 * 1024

/**
 * Sends a stream of documents by chunked POST with back-pressure. Resolves when they are durable and searchable. If no document is accepted,
 * it throws an `ApiError` with code `bad-documents` and the lines. Also throws `UnreachableError`, and errors of `source`.
 */
export const importDocuments = async (options: Import): Promise<ImportReply> => {
  const address = buildAddress(options.baseUrl, documentsPath(options.workspace, options.collection), {
    replace: options.replace || undefined,
    stage: options.stage || undefined,
    strict: options.strict || undefined,
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
  // A server that rejects the stream replies and closes the connection. Then its reply counts, not the broken pipe.
  const upload = pipeline(Readable.from(watchSource(), { objectMode: false }), request)
  upload.catch(() => {})
  try {
    const { status, body } = await response.then(readReply)
    if (status >= 400) throw parseErrorReply(status, body, address)
    await upload
    return parseImportReply(address, body)
  } catch (error) {
    if (sourceError !== undefined) throw sourceError
    throw isNetworkError(error) && !options.signal?.aborted ? new UnreachableError(address, error) : error
  } finally {
    request.destroy()
  }
}

const parseImportReply = (address: string, body: string): ImportReply => {
  try {
    // The server validates its replies with the contract's types.
    return JSON.parse(body) as ImportReply
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

export type Export = Pick<Import, 'baseUrl' | 'token' | 'workspace' | 'collection'>

/** Reads all documents of a collection as NDJSON, ordered by id. Throws `ApiError`, or `UnreachableError`, also if the stream is cut off. */
export const exportDocuments = ({
  baseUrl,
  token,
  workspace,
  collection,
}: Export): AsyncGenerator<Uint8Array> =>
  download(buildAddress(baseUrl, documentsPath(workspace, collection), { format: 'ndjson' }), { token })
