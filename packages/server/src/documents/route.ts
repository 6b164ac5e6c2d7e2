/** Routes of the documents API, `{base_url}/4/{workspace}/collections/{collection}/documents`. */
import { Readable } from 'node:stream'
import { contractVersion } from '@querent/contract/paths'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Problem } from '#errors'
import { findCorsAccess, setCors, setPreflight } from '#http/cors'
import type { Text } from '#http/large-text'
import { refuseOtherMethods } from '#http/other-methods'
import { admit, type DocumentsDependencies } from './admit.ts'
import { drain } from './body.ts'
import { deleteDocument, getDocument, patchDocument, putDocument } from './document.ts'
import { deleteDocuments, listDocuments } from './document-list.ts'
import { createEmptyFields } from './empty-fields.ts'
import { openImportSlots } from './import-slots.ts'
import { importStream } from './import-stream.ts'
import { unsupportedDocument, unsupportedPatch, unsupportedStream } from './media-type.ts'
import { answerNothingAccepted } from './nothing-accepted.ts'
import { createImportsProgress } from './progress.ts'

const documentsPath = `/${contractVersion}/:workspace/collections/:collection/documents`
const documentPath = `${documentsPath}/*`
const progressPath = `/${contractVersion}/:workspace/collections/:collection/imports/:import`

const documentsUrl = new RegExp(`^/${contractVersion}/[^/?]+/collections/[^/?]+/documents(?:\\?|$)`)

/** Whether this is the address of imports. */
export const isDocumentsUrl = (url: string): boolean => documentsUrl.test(url)

/** Registers each operation with its permission. */
export const registerDocuments = (fastify: FastifyInstance, deps: DocumentsDependencies): void => {
  const { storage } = deps
  const inSlot = openImportSlots(deps.counts.imports)
  const progress = createImportsProgress(
    deps.counts.imports,
    storage.kind === 'postgres' ? storage : undefined,
  )
  const emptyFields = createEmptyFields(deps.engine)
  fastify.register(async scope => {
    // Bodies are streams, read after authorization and at the pace of the engine.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    // Set CORS headers before anything can fail, so that pages can read errors too.
    scope.addHook<{ Params: { workspace?: string } }>('onRequest', async (request, reply) => {
      const workspace = await deps.directory.workspace(request.params.workspace ?? '')
      setCors(request, reply, await findCorsAccess(request.headers.origin, workspace, deps))
    })
    scope.addHook('onResponse', async request => drain(request.raw))
    // Fastify rejects an invalid media type before a handler runs. Other errors, and those thrown here, go on
    // to the app's handler.
    scope.setErrorHandler<FastifyError | Problem>(async (error, request) => {
      if (error.code !== 'FST_ERR_CTP_INVALID_MEDIA_TYPE') throw error
      await admit(deps, request, 'import')
      const unsupported = { PUT: unsupportedDocument, PATCH: unsupportedPatch }[request.method]
      throw (unsupported ?? unsupportedStream)(request.headers)
    })

    scope.post(documentsPath, async (request, reply) => {
      const context = await admit(deps, request, 'import')
      const importing = inSlot(context.workspace.id, () =>
        importStream(deps, request, context, { progress, emptyFields }),
      )
      return importing.catch(error => answerNothingAccepted(error, request, reply))
    })
    scope.get(documentsPath, async (request, reply) => {
      const context = await admit(deps, request, 'edit')
      const size = deps.openReplySize(context.principal.subject, reply.raw)
      const listed = await listDocuments(deps, context, size)
      if ('json' in listed) return sendJson(reply, listed.json)
      reply.type('application/x-ndjson; charset=utf-8').header('cache-control', 'no-store')
      if (request.method !== 'HEAD') return reply.send(listed)
      listed.destroy()
      return reply.send()
    })
    scope.delete(documentsPath, async request => deleteDocuments(deps, await admit(deps, request, 'edit')))
    scope.put(documentPath, async (request, reply) => {
      const context = await admit(deps, request, writePermission(request))
      const { document, tag } = await putDocument(deps, request, context)
      if (tag !== undefined) reply.header('etag', tag)
      return document
    })
    scope.patch(documentPath, async (request, reply) => {
      const context = await admit(deps, request, writePermission(request))
      const { document, tag } = await patchDocument(deps, request, context)
      if (tag !== undefined) reply.header('etag', tag)
      return document
    })
    scope.get(documentPath, async (request, reply) => {
      const { document, tag } = await getDocument(deps, await admit(deps, request, 'edit'))
      reply.header('etag', tag).header('cache-control', 'no-cache')
      return document
    })
    scope.delete(documentPath, async (request, reply) => {
      await deleteDocument(deps, request, await admit(deps, request, writePermission(request)))
      return reply.code(204).send()
    })
    scope.get<{ Params: { import: string } }>(progressPath, async (request, reply) => {
      const context = await admit(deps, request, 'import')
      reply.header('cache-control', 'no-store')
      return progress.get(context, request.params.import)
    })
    for (const [url, methods] of [
      [documentsPath, ['GET', 'HEAD', 'POST', 'DELETE']],
      [documentPath, ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']],
      [progressPath, ['GET', 'HEAD']],
    ] as const) {
      scope.options(url, preflight(methods.join(', ')))
      refuseOtherMethods(scope, url, [...methods, 'OPTIONS'])
    }
  })
}

const sendJson = (reply: FastifyReply, json: Text) => {
  reply.type('application/json; charset=utf-8')
  return reply.send(typeof json === 'string' ? json : Readable.from(json, { objectMode: false }))
}

/** A condition on the stored document tells whether it exists and what it is, so it needs the permission to read it. */
const writePermission = ({ headers }: FastifyRequest) =>
  headers['if-match'] === undefined && headers['if-none-match'] === undefined ? 'import' : 'edit'

const preflight = (methods: string) => async (request: FastifyRequest, reply: FastifyReply) => {
  setPreflight(request, reply, methods)
  return reply.code(204).header('allow', `${methods}, OPTIONS`).send()
}
