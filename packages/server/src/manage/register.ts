/** The management API, `{auth_url}/manage/v1`: a route for each row of the contract's table. */
import { type Operation, type OperationId, operations } from '@querent/contract/manage'
import type { TSchema } from '@querent/contract/schema'
import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify'
import { Problem } from '#errors'
import { type Admission, admit, recheckAdmission } from './admit.ts'
import { AcceptedResult, type Call, type ManagementDependencies } from './call.ts'
import { openCallerCheck } from './caller-check.ts'
import { isQuickToParse } from './json-body.ts'
import { managementOpenApi } from './openapi.ts'
import { managementPath } from './refuse.ts'
import { refuseNull } from './validation-problem.ts'

export type { ManagementDependencies } from './call.ts'

/** What operations do, what checks their input and what writes their replies: hundreds of files, that a start does without. */
const loadModules = async () => {
  const [{ handlers }, { inputValidator }, { replySerializer }] = await Promise.all([
    import('./handlers.ts'),
    import('./read-input.ts'),
    import('./write-reply.ts'),
  ])
  return { handlers, inputValidator, replySerializer }
}
/** It takes a third of a second, in which nothing else is answered: best before anybody waits. */
const loadAfterMs = 10_000
type ManagementModules = Awaited<ReturnType<typeof loadModules>>
let modules: ManagementModules | undefined
const requireModules = () => {
  if (!modules) throw new Error('an operation was called before it was loaded')
  return modules
}

/** A workspace file of 1 MiB, escaped as JSON text; nothing else comes near. */
const applyBytesMax = 4 * 1024 * 1024
const bodyBytesMax = 256 * 1024

/**
 * Adds the operations, `/manage/v1/openapi.json` (open to all), and errors for all other paths and methods below `/manage`. The
 * instance's router must take parameters of 254 characters and more (e-mail addresses).
 */
export const registerManagement = (fastify: FastifyInstance, deps: ManagementDependencies): void => {
  fastify.register(
    async scope => {
      scope.setValidatorCompiler<TSchema>(route => {
        let check: ReturnType<ManagementModules['inputValidator']> | undefined
        return sent => {
          check ??= requireModules().inputValidator(route)
          return check(sent)
        }
      })
      scope.setSerializerCompiler<TSchema>(route => {
        let write: ((reply: unknown) => string) | undefined
        return reply => {
          write ??= requireModules().replySerializer(route)
          return write(reply)
        }
      })
      let timer: NodeJS.Timeout | undefined
      scope.addHook('onReady', async () => {
        timer = setTimeout(() => void preloadModules(fastify), loadAfterMs).unref()
      })
      scope.addHook('onClose', async () => clearTimeout(timer))
      scope.removeContentTypeParser(['text/plain', 'application/json'])
      const parseJson = scope.getDefaultJsonParser('error', 'error')
      scope.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
        // Asked for as a string.
        const text = body as string
        if (isQuickToParse(text)) return parseJson(request, text, done)
        done(new Problem('bad-request', 'the body has too many values: a large one holds a file as one text'))
      })
      scope.addContentTypeParser('*', (request, _payload, done) => done(unsupportedMediaType(request)))
      for (const operation of Object.values(operations)) addRoute(scope, deps, operation)
      let document: ReturnType<typeof managementOpenApi> | undefined
      scope.get('/v1/openapi.json', async () => {
        document ??= managementOpenApi(deps.authUrl)
        return document
      })
      scope.setNotFoundHandler(() => {})
      // Before the body, which does not matter: a QUERY without a Content-Type would get 400.
      scope.addHook('onRequest', async request => {
        if (request.is404) throw notFound(request)
      })
    },
    { prefix: managementPath },
  )
}

/** A failed `import()` is tried again by the next one, but not what a CommonJS module of it could not read. */
const preloadModules = async ({ log }: FastifyInstance): Promise<void> => {
  try {
    modules ??= await loadModules()
  } catch (err) {
    log.error({ err }, 'management cannot be loaded: start again if its operations are answered 500')
  }
}

const addRoute = (scope: FastifyInstance, deps: ManagementDependencies, operation: Operation): void => {
  const {
    id,
    method,
    path,
    params,
    query,
    input,
    status,
    reply: replySchema,
    acceptedReply,
    media,
  } = operation
  const admissions = new WeakMap<FastifyRequest, Admission>()
  scope.route({
    method,
    url: `/v1${path.replace(/\{(\w+)\}/g, ':$1')}`,
    bodyLimit: id === 'applyWorkspaceFile' ? applyBytesMax : bodyBytesMax,
    schema: {
      ...(params ? { params } : {}),
      ...(query ? { querystring: query } : {}),
      ...(input ? { body: input } : {}),
      ...(replySchema
        ? { response: { [status]: replySchema, ...(acceptedReply ? { 202: acceptedReply } : {}) } }
        : {}),
    },
    // Before the body is read: who may not ask learns nothing of what was wrong with it.
    onRequest: async request => {
      admissions.set(request, await admit(deps, operation, request))
      modules ??= await loadModules()
    },
    preValidation: async request => {
      // The body took its time, in which the account may have ended, or the workspace may have become another under the same name.
      const first = admissions.get(request)
      admissions.set(request, await admit(deps, operation, request))
      if (first) await recheckAdmission(deps, operation, request, first, deps.directory)
      refuseNull(request.body)
    },
    handler: async (request, reply) => {
      const admission = admissions.get(request)
      if (!admission) throw new Error('an operation was called without its permission')
      const caller = openCallerCheck(deps, operation, request, admission)
      const call: Call = {
        ...admission,
        recheckCaller: caller.recheckCaller,
        params: request.params,
        query: request.query,
        input: request.body,
        origin: {
          actor: admission.principal.subject,
          action: id,
          address: deps.clientAddress(request),
          requestId: request.id,
        },
        arrival: { peer: request.socket.remoteAddress ?? '', headers: request.headers },
        // Checked by the operation's own schemas, from which these types are derived.
      } as Call
      let value: unknown
      try {
        value = await findHandler(id)({ ...deps, storage: caller.storage }, call)
      } catch (error) {
        throw await caller.explain(error)
      }
      reply.header('cache-control', 'no-store')
      if (value instanceof AcceptedResult) return reply.code(202).send(value.reply)
      reply.code(status)
      if (media !== undefined) return reply.type(media).send(value)
      return replySchema ? value : reply.send()
    },
  })
}

const unsupportedMediaType = ({ headers }: FastifyRequest): Problem =>
  new Problem(
    'unsupported-media-type',
    `Content-Type: found ${JSON.stringify(headers['content-type']?.slice(0, 100) ?? '')}, allowed: application/json`,
  )

/** The table is typed row by row; a route knows only that id and call are of the same row. */
const findHandler = (id: string) =>
  requireModules().handlers[id as OperationId] as (
    deps: ManagementDependencies,
    call: Call,
  ) => Promise<unknown>

const routePatterns = Object.values(operations).map(({ method, path }) => ({
  method: method as HTTPMethods,
  pattern: new RegExp(`^${managementPath}/v1${path.replace(/\{\w+\}/g, '[^/]+')}$`),
}))
const openApiPath = `${managementPath}/v1/openapi.json`

/** 405 with `Allow` where the path is one of ours, else 404. */
const notFound = ({ method, originalUrl }: FastifyRequest): Problem => {
  const [path = ''] = originalUrl.split('?', 1)
  const allowed =
    path === openApiPath
      ? ['GET']
      : routePatterns.filter(({ pattern }) => pattern.test(path)).map(route => String(route.method))
  if (allowed.length === 0)
    return new Problem('no-such-path', `no such path: ${openApiPath} lists the ones there are`)
  const allow = [...new Set(allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed)].join(', ')
  return new Problem('method-not-allowed', `${method} is not allowed here: allowed are ${allow}`, {
    headers: { allow },
  })
}
