/** `PUT`, `GET` and `DELETE` of one document. */

import { parseExactJson } from '@querent/contract/exact-json'
import type { FastifyRequest } from 'fastify'
import type { EngineDocument } from '#engines/engine'
import { Problem } from '#errors'
import { readId, readWriteOptions, yesOrNo } from './address.ts'
import {
  type DocumentsContext,
  type DocumentsDependencies,
  refusedByFilter,
  refuseFiltered,
} from './admit.ts'
import { readWholeBody } from './body.ts'
import { hasTooManyParts, tooManyParts } from './document-size.ts'
import { changeLive, putAll, putSearchable, readLive, refresh } from './live-generation.ts'
import { refuseOtherDocuments } from './media-type.ts'
import { documentTag, readPrecondition } from './precondition.ts'
import { hiddenMessage } from './row-filter.ts'

/** Same limit as a line of a stream. */
export const documentBytesMax = 1024 * 1024

/** A document as the API returns it, with its entity tag. */
export interface TaggedDocument {
  document: Record<string, unknown>
  tag: string
}

/** Adds or replaces the document and returns it as stored. Throws 412 if it is not as `If-Match` or `If-None-Match` say. */
export const putDocument = async (
  deps: DocumentsDependencies,
  request: FastifyRequest,
  context: DocumentsContext,
): Promise<TaggedDocument> => {
  const wait = readWait(context)
  const check = readCheck(deps, request, context)
  refuseOtherDocuments(request.headers)
  const id = readId(context.address)
  const body = readJson(await readWholeBody(request.raw, documentBytesMax, deps.idleMs))
  const document = readPutDocument(deps, context, id, body)
  const hidden = await (wait
    ? putSearchable(deps, context, document, check)
    : putAll(deps, context, [document], check))
  if (hidden.size > 0) throw refusedByFilter(deps, context, hiddenMessage)
  return tagDocument(context, document.entity)
}

/** Throws 404 if the document does not exist. */
export const getDocument = async (
  deps: DocumentsDependencies,
  context: DocumentsContext,
): Promise<TaggedDocument> => {
  refuseFiltered(deps, context)
  const id = readId(context.address)
  const uri = context.reader.toUri(id)
  const entity = uri && (await readLive(deps, context, live => deps.engine.get(live, uri)))
  if (!entity) throw new Problem('no-such-resource', `no document ${JSON.stringify(id.slice(0, 200))}`)
  return tagDocument(context, entity)
}

const tagDocument = ({ reader }: DocumentsContext, entity: string): TaggedDocument => ({
  document: reader.toDocument(entity),
  tag: documentTag(entity),
})

/** Returns the check of the condition in the headers. It tells about the stored document, so it needs the right to read it. */
const readCheck = (deps: DocumentsDependencies, request: FastifyRequest, context: DocumentsContext) => {
  const precondition = readPrecondition(request.headers)
  if (!precondition) return undefined
  refuseFiltered(deps, context)
  const id = readId(context.address)
  const uri = context.reader.toUri(id)
  return uri === undefined ? undefined : (live: string) => precondition(deps.engine, live, uri)
}

/**
 * Deletes the document. Does nothing if it does not exist or the caller's row filter hides it: the reply is
 * the same. Throws 412 if the document is not as `If-Match` says.
 */
export const deleteDocument = async (
  deps: DocumentsDependencies,
  request: FastifyRequest,
  context: DocumentsContext,
): Promise<void> => {
  const { writeFilter: allowed, reader, address } = context
  const wait = readWait(context)
  const uri = reader.toUri(readId(address))
  if (uri === undefined) return
  const check = readCheck(deps, request, context)
  const deleteVisible = async (live: string) => {
    await check?.(live)
    const hidden = await allowed?.findHidden(deps.engine, live, [{ id: uri }])
    if (!hidden?.size) await deps.engine.write(live, [{ delete: uri }])
  }
  // Nobody may put another document under this id between the check and the deletion.
  await changeLive(deps, context, deleteVisible, check !== undefined || allowed !== undefined)
  if (wait) await refresh(deps, context)
}

const readWait = ({ address }: DocumentsContext): boolean =>
  readWriteOptions(address.search, { wait: yesOrNo }).wait !== 'false'

const readJson = (body: Buffer): unknown => {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw new Problem('bad-documents', 'the body is not UTF-8')
  }
  if (hasTooManyParts(text)) throw new Problem('bad-documents', tooManyParts)
  try {
    return parseExactJson(text)
  } catch (error) {
    throw new Problem(
      'bad-documents',
      `the body is not JSON: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

/** Reads the document under the id of the address. Throws 400 if it states another id or is invalid. */
const readPutDocument = (
  deps: DocumentsDependencies,
  context: DocumentsContext,
  id: string,
  body: unknown,
): EngineDocument => {
  const { collection, reader, writeFilter: allowed } = context
  const idField = collection.id?.field ?? 'id'
  const isGenerated = collection.id?.generate !== undefined
  const uri = reader.toUri(id)
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  const statedId: unknown = isObject ? Object.getOwnPropertyDescriptor(body, idField)?.value : undefined
  const candidate = isObject && !isGenerated ? { ...body, [idField]: statedId ?? reader.toIdValue(id) } : body
  const document = reader.read(candidate, { id })
  if ('message' in document) {
    const refusal = isObject && allowed?.refusal({ ...(candidate as object) })
    throw document.message === refusal
      ? refusedByFilter(deps, context, refusal)
      : new Problem('bad-documents', document.message)
  }
  if (document.id !== uri)
    throw new Problem(
      'bad-documents',
      `"${idField}": found ${JSON.stringify(statedId).slice(0, 100)}, allowed: none, or the id in the address, ${JSON.stringify(id.slice(0, 200))}`,
    )
  return document
}
