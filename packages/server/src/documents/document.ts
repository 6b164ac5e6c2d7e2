/** `PUT`, `PATCH`, `GET` and `DELETE` of one document. */
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
import { isJsonObject } from './document-id.ts'
import { hasTooManyParts, tooManyParts } from './document-size.ts'
import type { RejectedDocument } from './entity.ts'
import {
  auditDocuments,
  changeLive,
  isInConsole,
  isRecorded,
  putAll,
  putSearchable,
  readLive,
  refresh,
} from './live-generation.ts'
import { refuseOtherDocuments, refuseOtherPatches } from './media-type.ts'
import { type Patch, readPatch, readWholePatch } from './patch.ts'
import { documentTag, readPrecondition } from './precondition.ts'
import { hiddenMessage } from './row-filter.ts'
import { readPatchRules, updateLive } from './update.ts'

/** Same limit as a line of a stream. */
export const documentBytesMax = 1024 * 1024

/** A document as the API returns it, with its entity tag. */
export interface TaggedDocument {
  document: Record<string, unknown>
  tag: string
}

/** A document as the API returns it, or only its id for callers who may not read it. */
export type ChangedDocument = TaggedDocument | { document: Record<string, unknown>; tag: undefined }

/** Adds or replaces the document and returns it as stored. Throws 412 if it is not as `If-Match` or `If-None-Match` say. */
export const putDocument = async (
  deps: DocumentsDependencies,
  request: FastifyRequest,
  context: DocumentsContext,
): Promise<ChangedDocument> => {
  const wait = readWait(context)
  const check = readCheck(deps, request, context)
  refuseOtherDocuments(request.headers)
  const id = readId(context.address)
  const body = readJson(await readWholeBody(request.raw, documentBytesMax, deps.idleMs))
  if (context.hiddenPaths) return putVisibleParts(deps, context, id, body, { wait, check })
  const document = readPutDocument(deps, context, id, body)
  const hidden = await (wait
    ? putSearchable(deps, context, document, check)
    : putAll(deps, context, [document], check))
  if (hidden.size > 0) throw refusedByFilter(deps, context, hiddenMessage)
  await recordSave(deps, context, id)
  return tagDocument(context, document.entity)
}

/** Puts a document of somebody from whom fields are hidden. Their stored values stay, and the reply has none of them. */
const putVisibleParts = async (
  deps: DocumentsDependencies,
  context: DocumentsContext,
  id: string,
  body: unknown,
  { wait, check }: { wait: boolean; check: ReturnType<typeof readCheck> },
): Promise<ChangedDocument> => {
  const { collection, reader, hiddenPaths } = context
  const idField = collection.id?.field ?? 'id'
  const isStated = collection.id?.generate === undefined && isJsonObject(body)
  const statedId = isStated && Object.hasOwn(body, idField) ? body[idField] : undefined
  const candidate = isStated ? { ...body, [idField]: statedId ?? reader.toIdValue(id) } : body
  const patch = readWholePatch({ collection, reader, hiddenPaths }, candidate, id)
  if ('message' in patch) throw new Problem('bad-documents', patch.message)
  if (patch.uri !== reader.toUri(id)) throw otherId(idField, statedId, id)
  const rules = await readPatchRules(deps, context)
  const [outcome] = await updateLive(deps, context, { rules, create: true }, [patch], check)
  if (!outcome || 'message' in outcome) throw rejectedDocument(deps, context, outcome)
  await recordSave(deps, context, id)
  if (wait) await refresh(deps, context)
  return idOnly(context, id)
}

const rejectedDocument = (
  deps: DocumentsDependencies,
  context: DocumentsContext,
  { message, isRefused }: RejectedDocument = { message: 'no document was written' },
): Problem => (isRefused ? refusedByFilter(deps, context, message) : new Problem('bad-documents', message))

const idOnly = ({ collection, reader }: DocumentsContext, id: string): ChangedDocument => ({
  document: { [collection.id?.field ?? 'id']: reader.toIdValue(id) },
  tag: undefined,
})

/**
 * Changes the document by a JSON Merge Patch (RFC 7396). Returns it as stored, or only its id to callers who may not read documents. Throws 404
 * if it does not exist or the caller's row filter hides it, and 412 if it is not as `If-Match` says.
 */
export const patchDocument = async (
  deps: DocumentsDependencies,
  request: FastifyRequest,
  context: DocumentsContext,
): Promise<ChangedDocument> => {
  const wait = readWait(context)
  const check = readCheck(deps, request, context)
  refuseOtherPatches(request.headers)
  const id = readId(context.address)
  const body = readJson(await readWholeBody(request.raw, documentBytesMax, deps.idleMs))
  const patch = readAddressedPatch(context, id, body)
  const rules = await readPatchRules(deps, context)
  const [outcome] = patch ? await updateLive(deps, context, { rules, create: false }, [patch], check) : []
  if (!outcome || 'isMissing' in outcome) throw unknownDocument(id)
  if ('message' in outcome) throw rejectedDocument(deps, context, outcome)
  await recordSave(deps, context, id)
  if (wait) await refresh(deps, context)
  if (rules.mayRead) return tagDocument(context, outcome.document.entity)
  return idOnly(context, id)
}

/** Reads a patch of the document with the id of the address. Returns undefined if no document can have this id. */
const readAddressedPatch = (
  { collection, reader }: DocumentsContext,
  id: string,
  body: unknown,
): Patch | undefined => {
  if (!isJsonObject(body))
    throw new Problem(
      'bad-documents',
      'a merge patch of a document is a JSON object: {"field": value or null}',
    )
  const uri = reader.toUri(id)
  if (uri === undefined) return undefined
  const idField = collection.id?.field ?? 'id'
  if (collection.id?.generate !== undefined || !Object.hasOwn(body, idField))
    return { uri, id, members: body }
  const stated = readPatch({ collection, reader }, body)
  if ('message' in stated) throw new Problem('bad-documents', stated.message)
  if (stated.uri !== uri) throw otherId(idField, body[idField], id)
  return stated
}

const unknownDocument = (id: string): Problem =>
  new Problem('no-such-resource', `no document ${JSON.stringify(id.slice(0, 200))}`)

const otherId = (idField: string, stated: unknown, id: string): Problem =>
  new Problem(
    'bad-documents',
    `"${idField}": found ${JSON.stringify(stated).slice(0, 100)}, allowed: none, or the id in the address, ${JSON.stringify(id.slice(0, 200))}`,
  )

/** Throws 404 if the document does not exist. */
export const getDocument = async (
  deps: DocumentsDependencies,
  context: DocumentsContext,
): Promise<TaggedDocument> => {
  refuseFiltered(deps, context)
  const id = readId(context.address)
  const uri = context.reader.toUri(id)
  const entity = uri && (await readLive(deps, context, live => deps.engine.get(live, uri)))
  if (!entity) throw unknownDocument(id)
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
  const id = readId(address)
  const uri = reader.toUri(id)
  if (uri === undefined) return
  const isInLog = isRecorded(context)
  let isDeleted = false
  const check = readCheck(deps, request, context)
  const deleteVisible = async (live: string) => {
    await check?.(live)
    const entity = allowed || isInLog ? await deps.engine.get(live, uri) : undefined
    // An unknown id takes the time of a hidden document: neither is written.
    if (allowed && (entity === undefined || allowed.isHidden(entity))) return
    await deps.engine.write(live, [{ delete: uri }])
    isDeleted = entity !== undefined
  }
  // Nobody may put another document under this id between the check and the deletion.
  await changeLive(deps, context, deleteVisible, check !== undefined || allowed !== undefined)
  if (isInLog && isDeleted)
    await deps.storage.write(writer =>
      auditDocuments(writer, context, 'deleteDocuments', { deleted: 1, ids: [shortenId(id)] }),
    )
  if (wait) await refresh(deps, context)
}

/** Records a document that somebody saved in the console. */
const recordSave = async (
  deps: DocumentsDependencies,
  context: DocumentsContext,
  id: string,
): Promise<void> => {
  if (isInConsole(context))
    await deps.storage.write(writer =>
      auditDocuments(writer, context, 'saveDocument', { ids: [shortenId(id)] }),
    )
}

const recordedIdCharacters = 200
const shortenId = (id: string): string => id.slice(0, recordedIdCharacters)

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
  const { collection, reader } = context
  const idField = collection.id?.field ?? 'id'
  const isGenerated = collection.id?.generate !== undefined
  const uri = reader.toUri(id)
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  const statedId: unknown = isObject ? Object.getOwnPropertyDescriptor(body, idField)?.value : undefined
  const candidate = isObject && !isGenerated ? { ...body, [idField]: statedId ?? reader.toIdValue(id) } : body
  const document = reader.read(candidate, { id })
  if ('message' in document) {
    throw rejectedDocument(deps, context, document)
  }
  if (document.id !== uri) throw otherId(idField, statedId, id)
  return document
}
