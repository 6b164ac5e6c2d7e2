/**
 * Import of documents. Over node:http rather than fetch: an import's reply comes after its last document, and Node's fetch gives a
 * request up when the server has held it back for five minutes; also the answer to a refused stream arrives here before the stream's end.
 * So this file is an entry of its own, which pages in browsers leave out.
 */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { documentsPath } from '@querent/contract/paths'
import type { ImportReply } from '@querent/contract/query'
import { addressOf } from './address.ts'
import { errorOf, UnexpectedReplyError, UnreachableError } from './errors.ts'
import { download, refuseDots, type TokenSource } from './send.ts'

export const documentFormats = {
  ndjson: 'application/x-ndjson',
  json: 'application/json',
  csv: 'text/csv',
} as const
export type DocumentFormat = keyof typeof documentFormats

export interface Import {
  baseUrl: string
  token: TokenSource
  workspace: string
  collection: string
  /** Bytes in `format`; read only as fast as the server takes them. */
  source: AsyncIterable<Uint8Array>
  format?: DocumentFormat
  replace?: boolean
  stage?: boolean
  strict?: boolean
  signal?: AbortSignal
}

/** What an error body may hold of a reply; the rest is thrown away. */
const replyBytesMax = 16 * 1024 * 1024

/**
 * Sends a stream of documents by chunked POST with back-pressure. Resolves when they are durable and searchable. Throws `ApiError`
 * (400 `bad-documents` with the lines, when nothing was accepted), `UnreachableError`, or what reading `source` throws.
 */
export const importDocuments = async (given: Import): Promise<ImportReply> => {
  const address = addressOf(given.baseUrl, documentsPath(given.workspace, given.collection), {
    replace: given.replace || undefined,
    stage: given.stage || undefined,
    strict: given.strict || undefined,
  })
  refuseDots(address)
  const send = address.startsWith('https:') ? httpsRequest : httpRequest
  const request = send(address, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${await given.token()}`,
      'content-type': documentFormats[given.format ?? 'ndjson'],
    },
    ...(given.signal ? { signal: given.signal } : {}),
  })
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve)
    request.once('error', reject)
  })
  let unreadable: unknown
  const noticing = async function* () {
    try {
      yield* given.source
    } catch (error) {
      unreadable = error
      throw error
    }
  }
  // A server that refuses the stream answers and closes: then its answer counts, not the broken pipe.
  const sent = pipeline(Readable.from(noticing(), { objectMode: false }), request)
  sent.catch(() => {})
  try {
    const { status, body } = await answered.then(readReply)
    if (status >= 400) throw errorOf(status, body, address)
    await sent
    return importReply(address, body)
  } catch (error) {
    if (unreadable !== undefined) throw unreadable
    throw isOfNetwork(error) && !given.signal?.aborted ? new UnreachableError(address, error) : error
  } finally {
    request.destroy()
  }
}

const importReply = (address: string, body: string): ImportReply => {
  try {
    // The reply's type is that of the contract, which the server checks it with.
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

/** Codes of TLS and of the HTTP parser; errors of system calls name the call. */
const networkCode = /^ECONNRESET$|CERT|^UNABLE_TO_|^ERR_(SSL|TLS)_|^EPROTO$|^HPE_/

const isOfNetwork = (error: unknown): boolean =>
  error instanceof Error && ('syscall' in error || ('code' in error && networkCode.test(String(error.code))))

export type Export = Pick<Import, 'baseUrl' | 'token' | 'workspace' | 'collection'>

/** All documents of a collection as NDJSON, in the order of ids. Throws `ApiError` or `UnreachableError`, also when it is cut short. */
export const exportDocuments = ({
  baseUrl,
  token,
  workspace,
  collection,
}: Export): AsyncGenerator<Uint8Array> =>
  download(addressOf(baseUrl, documentsPath(workspace, collection), { format: 'ndjson' }), { token })
