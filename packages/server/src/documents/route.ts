/** The documents address, `{base_url}/4/{workspace}/collections/{collection}/documents` (workspace-file.md, Documents). */
import { contractVersion } from '@querent/contract/paths'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Problem } from '#errors'
import { findCorsAccess, setCors, setPreflight } from '#http/cors'
import { refuseOtherMethods } from '#http/other-methods'
import { admit, type DocumentsDependencies } from './admit.ts'
import { drain } from './body.ts'
import { deleteDocument, getDocument, putDocument } from './document.ts'
import { deleteDocuments, listDocuments } from './document-list.ts'
import { openImportSlots } from './import-slots.ts'
import { answerNothingAccepted, importStream } from './import-stream.ts'
import { noDocument, noStream } from './media-type.ts'
import { openImportsProgress } from './progress.ts'

const all = `/${contractVersion}/:workspace/collections/:collection/documents`
const one = `${all}/*`
const underway = `/${contractVersion}/:workspace/collections/:collection/imports/:import`

const documentsUrl = new RegExp(`^/${contractVersion}/[^/?]+/collections/[^/?]+/documents(?:\\?|$)`)

/** Whether this is the address that imports are sent to. */
export const isDocumentsUrl = (url: string): boolean => documentsUrl.test(url)

/** Each line is a row of the contract's table, with the permission that it needs. */
export const registerDocuments = (fastify: FastifyInstance, deps: DocumentsDependencies): void => {
  const { storage } = deps
  const inSlot = openImportSlots(deps.counts?.imports)
  const progress = openImportsProgress(
    deps.counts?.imports,
    storage.kind === 'postgres' ? storage : undefined,
  )
  fastify.register(async scope => {
    // Bodies are streams, read after authorisation and at the pace of the engine.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    // Before anything can fail: errors are to be read by pages too.
    scope.addHook<{ Params: { workspace?: string } }>('onRequest', async (request, reply) => {
      const workspace = await deps.directory.workspace(request.params.workspace ?? '')
      setCors(request, reply, await findCorsAccess(request.headers.origin, workspace, deps))
    })
    scope.addHook('onResponse', async request => drain(request.raw))
    // The framework refuses what is no media type before there is a handler. Other errors, and what is thrown here, go on to the app's.
    scope.setErrorHandler<FastifyError | Problem>(async (error, request) => {
      if (error.code !== 'FST_ERR_CTP_INVALID_MEDIA_TYPE') throw error
      await admit(deps, request, 'import')
      throw request.method === 'PUT' ? noDocument(request.headers) : noStream(request.headers)
    })

    scope.post(all, async (request, reply) => {
      const asked = await admit(deps, request, 'import')
      const importing = inSlot(asked.workspace.id, () => importStream(deps, request, asked, progress))
      return importing.catch(error => answerNothingAccepted(error, request, reply))
    })
    scope.get(all, async (request, reply) => {
      const listed = await listDocuments(deps, await admit(deps, request, 'edit'))
      if ('items' in listed) return listed
      reply.type('application/x-ndjson; charset=utf-8').header('cache-control', 'no-store')
      if (request.method !== 'HEAD') return reply.send(listed)
      listed.destroy()
      return reply.send()
    })
    scope.delete(all, async request => deleteDocuments(deps, await admit(deps, request, 'edit')))
    scope.put(one, async request => putDocument(deps, request, await admit(deps, request, 'import')))
    scope.get(one, async request => getDocument(deps, await admit(deps, request, 'edit')))
    scope.delete(one, async (request, reply) => {
      await deleteDocument(deps, await admit(deps, request, 'import'))
      return reply.code(204).send()
    })
    scope.get<{ Params: { import: string } }>(underway, async (request, reply) => {
      const asked = await admit(deps, request, 'import')
      reply.header('cache-control', 'no-store')
      return progress.of(asked, request.params.import)
    })
    for (const [url, methods] of [
      [all, ['GET', 'HEAD', 'POST', 'DELETE']],
      [one, ['GET', 'HEAD', 'PUT', 'DELETE']],
      [underway, ['GET', 'HEAD']],
    ] as const) {
      scope.options(url, preflight(methods.join(', ')))
      refuseOtherMethods(scope, url, [...methods, 'OPTIONS'])
    }
  })
}

const preflight = (methods: string) => async (request: FastifyRequest, reply: FastifyReply) => {
  setPreflight(request, reply, methods)
  return reply.code(204).header('allow', `${methods}, OPTIONS`).send()
}
