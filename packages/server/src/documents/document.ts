/** `PUT`, `GET` and `DELETE` of one document (workspace-file.md, Documents). */
import type { FastifyRequest } from 'fastify'
import type { EngineDocument } from '#engines/engine'
import { Problem } from '#errors'
import { readId, readOptions, yesOrNo } from './address.ts'
import {
  type Asked,
  changeLive,
  type DocumentsDependencies,
  putAll,
  readLive,
  refresh,
  refusedByFilter,
  refuseFiltered,
} from './admit.ts'
import { readWholeBody } from './body.ts'
import { refuseOtherDocuments } from './media-type.ts'
import { hiddenMessage } from './row-filter.ts'

/** As long as a line of a stream may be. */
const documentBytesMax = 1024 * 1024

/** Adds or replaces the document, and gives it as it is kept. */
export const putDocument = async (
  deps: DocumentsDependencies,
  request: FastifyRequest,
  asked: Asked,
): Promise<Record<string, unknown>> => {
  const wait = readWait(asked)
  refuseOtherDocuments(request.headers)
  const id = readId(asked.address)
  const sent = readJson(await readWholeBody(request.raw, documentBytesMax, deps.idleMs))
  const document = withId(deps, asked, id, sent)
  if ((await putAll(deps, asked, [document])).size > 0) throw refusedByFilter(deps, asked, hiddenMessage)
  if (wait) await refresh(deps, asked)
  return asked.reader.documentOf(document.entity)
}

/** Throws 404 when it is not there. */
export const getDocument = async (
  deps: DocumentsDependencies,
  asked: Asked,
): Promise<Record<string, unknown>> => {
  refuseFiltered(deps, asked)
  const id = readId(asked.address)
  const uri = asked.reader.uriOf(id)
  const entity = uri && (await readLive(deps, asked, live => deps.engine.get(live, uri)))
  if (!entity) throw new Problem('no-such-resource', `no document ${JSON.stringify(id.slice(0, 200))}`)
  return asked.reader.documentOf(entity)
}

/** Does nothing for a document that is not there, or that the caller's row filter hides: the reply is the same. */
export const deleteDocument = async (deps: DocumentsDependencies, asked: Asked): Promise<void> => {
  const { allowed, reader, address } = asked
  const wait = readWait(asked)
  const uri = reader.uriOf(readId(address))
  if (uri === undefined) return
  const deleteVisible = async (live: string) => {
    const hidden = await allowed?.hidden(deps.engine, live, [{ id: uri }])
    if (!hidden?.size) await deps.engine.write(live, [{ delete: uri }])
  }
  // With a row filter nobody may put another document under this id between the look and the deletion.
  await changeLive(deps, asked, deleteVisible, allowed !== undefined)
  if (wait) await refresh(deps, asked)
}

const readWait = ({ address }: Asked): boolean =>
  readOptions(address.search, { wait: yesOrNo }).wait !== 'false'

const readJson = (body: Buffer): unknown => {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw new Problem('bad-documents', 'the body is not UTF-8')
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Problem(
      'bad-documents',
      `the body is no JSON: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

/** The document under the address's id, which it may say again. Throws 400 when it says another, or is no document. */
const withId = (deps: DocumentsDependencies, asked: Asked, id: string, sent: unknown): EngineDocument => {
  const { collection, reader, allowed } = asked
  const idField = collection.id?.field ?? 'id'
  const uri = reader.uriOf(id)
  const isObject = typeof sent === 'object' && sent !== null && !Array.isArray(sent)
  const given: unknown = isObject ? Object.getOwnPropertyDescriptor(sent, idField)?.value : undefined
  const put = isObject ? { ...sent, [idField]: given ?? reader.idValueOf(id) } : sent
  const document = reader.read(put)
  if ('message' in document) {
    const refusal = isObject && allowed?.refusal({ ...put })
    throw document.message === refusal
      ? refusedByFilter(deps, asked, refusal)
      : new Problem('bad-documents', document.message)
  }
  if (document.id !== uri)
    throw new Problem(
      'bad-documents',
      `"${idField}": found ${JSON.stringify(given).slice(0, 100)}, allowed: none, or that of the address, ${JSON.stringify(id.slice(0, 200))}`,
    )
  return document
}
