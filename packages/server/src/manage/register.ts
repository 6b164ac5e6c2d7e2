/** The management API, `{auth_url}/manage/v1`: one route for each row of the contract's table. */
import { type Operation, type OperationId, operations } from '@querent/contract/manage'
import type { TSchema } from '@querent/contract/schema'
import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify'
import { Problem } from '#errors'
import { runEssential } from '#storage/disk-reserve'
import { findTokenIssuer } from '#storage/provider-sessions'
import { type Admission, admit, recheckAdmission } from './admit.ts'
import { AcceptedResult, type Call, type ManagementDependencies } from './call.ts'
import { openCallerCheck } from './caller-check.ts'
import { isQuickToParse } from './json-body.ts'
import { managementOpenApi } from './openapi.ts'
import { managementPath } from './refuse.ts'
import { refuseNull } from './validation-problem.ts'

export type { ManagementDependencies } from './call.ts'

/** Handlers, validators and serializers: hundreds of files that a start does not need. */
const loadModules = async () => {
  const [{ handlers }, { inputValidator, replySerializer }] = await Promise.all([
    import('./handlers.ts'),
    import('./schema-compilers.ts'),
  ])
  return { handlers, inputValidator, replySerializer }
}
/** Loading blocks the thread for a third of a second, so do it before anybody waits. */
const loadAfterMs = 10_000
type ManagementModules = Awaited<ReturnType<typeof loadModules>>
let modules: ManagementModules | undefined
const requireModules = () => {
  if (!modules) throw new Error('an operation was called before it was loaded')
  return modules
}

/** A workspace file of 1 MiB, escaped as JSON text; no other body is nearly as large. */
const largeBodyBytesMax = 4 * 1024 * 1024
/** A sample of 8 MiB and its parts, escaped in the same way. */
const sampleBodyBytesMax = 24 * 1024 * 1024
const bodyLimits: Readonly<Record<string, number>> = {
  applyWorkspaceFile: largeBodyBytesMax,
  proposeCollection: sampleBodyBytesMax,
}
export const bodyBytesMax = 256 * 1024

/**
 * Adds the operations, the public `/manage/v1/openapi.json`, and errors for all other paths and methods below
 * `/manage`. The router must accept parameters of at least 254 characters (e-mail addresses).
 */
export const registerManagement = (fastify: FastifyInstance, deps: ManagementDependencies): void => {
  fastify.register(
    async scope => {
      scope.setValidatorCompiler<TSchema>(route => {
        let check: ReturnType<ManagementModules['inputValidator']> | undefined
        return input => {
          check ??= requireModules().inputValidator(route)
          return check(input)
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
        // Because of `parseAs: 'string'`.
        const text = body as string
        // Many clients send the header with every request. The schema says whether a body is required.
        if (text === '') return done(null)
        if (isQuickToParse(text)) return parseJson(request, text, done)
        done(
          new Problem(
            'bad-request',
            'the body has too many values; a large body may only contain a few long texts',
          ),
        )
      })
      scope.addContentTypeParser('*', (request, _payload, done) => done(unsupportedMediaType(request)))
      for (const operation of Object.values(operations)) addRoute(scope, deps, operation)
      let document: ReturnType<typeof managementOpenApi> | undefined
      scope.get('/v1/openapi.json', async () => {
        document ??= managementOpenApi(deps.authUrl)
        return document
      })
      scope.setNotFoundHandler(() => {})
      // Runs before the body is read: a QUERY without a Content-Type would otherwise get 400.
      scope.addHook('onRequest', async request => {
        if (request.is404) throw notFound(request)
      })
    },
    { prefix: managementPath },
  )
}

/** The next `import()` retries after a failure, but not for CommonJS modules that could not be read. */
const preloadModules = async ({ log }: FastifyInstance): Promise<void> => {
  try {
    modules ??= await loadModules()
  } catch (err) {
    log.error(
      { err },
      'the management API cannot be loaded: restart the server if its operations fail with 500',
    )
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
    noticeReply,
    media,
  } = operation
  const admissions = new WeakMap<FastifyRequest, Admission>()
  const isEssential = isEssentialOperation(operation)
  scope.route({
    method,
    url: `/v1${path.replace(/\{(\w+)\}/g, ':$1')}`,
    bodyLimit: bodyLimits[id] ?? bodyBytesMax,
    schema: {
      ...(params ? { params } : {}),
      ...(query ? { querystring: query } : {}),
      ...(input ? { body: input } : {}),
      ...(replySchema
        ? { response: { [status]: replySchema, ...(acceptedReply ? { 202: acceptedReply } : {}) } }
        : {}),
      ...(noticeReply ? { response: { 200: noticeReply } } : {}),
    },
    // Runs before the body is read, so that unauthorized callers learn nothing from its errors.
    onRequest: async request => {
      admissions.set(request, await admit(deps, operation, request))
      modules ??= await loadModules()
    },
    preValidation: async request => {
      // While the body arrived, the account may have ended, or another workspace may have taken the name.
      const first = admissions.get(request)
      admissions.set(request, await admit(deps, operation, request))
      if (first) await recheckAdmission(deps, operation, request, first, deps.directory)
      refuseNull(request.body)
    },
    handler: async (request, reply) => {
      const admission = admissions.get(request)
      if (!admission) throw new Error('an operation was called without its permission')
      const caller = openCallerCheck(deps, operation, request, admission)
      const { token, subject } = admission.principal
      const call: Call = {
        ...admission,
        recheckCaller: caller.recheckCaller,
        params: request.params,
        query: request.query,
        input: request.body,
        origin: {
          actor: subject,
          // Before the operation, because it may end the sign-in. Tokens of applications never open the management API.
          byProvider:
            token.workspaceId === undefined ? undefined : await findTokenIssuer(deps.storage.db, token),
          action: id,
          address: deps.clientAddress(request),
          requestId: request.id,
        },
        arrival: { peer: request.socket.remoteAddress ?? '', headers: request.headers },
        // The operation's schemas, from which these types are derived, have checked it.
      } as Call
      let value: unknown
      try {
        const handle = () => findHandler(id)({ ...deps, storage: caller.storage }, call)
        value = await (isEssential ? runEssential(handle) : handle())
      } catch (error) {
        throw await caller.explain(error)
      }
      reply.header('cache-control', 'no-store')
      if (value instanceof AcceptedResult) return reply.code(202).send(value.reply)
      if (noticeReply && value !== undefined) return reply.code(200).send(value)
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

/** The table is typed row by row; a route knows only that id and call belong together. */
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

/** 405 with `Allow` for a known path, otherwise 404. */
const notFound = ({ method, originalUrl }: FastifyRequest): Problem => {
  const [path = ''] = originalUrl.split('?', 1)
  const allowed =
    path === openApiPath
      ? ['GET']
      : routePatterns.filter(({ pattern }) => pattern.test(path)).map(route => String(route.method))
  if (allowed.length === 0)
    return new Problem('no-such-path', `unknown path: see ${openApiPath} for all paths`)
  const allow = [...new Set(allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed)].join(', ')
  return new Problem('method-not-allowed', `${method} is not allowed here: allowed are ${allow}`, {
    headers: { allow },
  })
}

const otherThanDeletions: ReadonlySet<string> = new Set<OperationId>([
  'makeBackup',
  'downloadBackup',
  'rotateKeys',
  'withdrawKey',
  'updateUser',
  'updateSystemToSystem',
  'setMember',
  'resetPassword',
  'changePassword',
  'deleteMe',
])

/** Whether it may use the reserve of a full disk (docs/operate.md, Full disk), because it takes access away or saves data. */
const isEssentialOperation = ({ id, method }: Pick<Operation, 'id' | 'method'>): boolean =>
  method === 'DELETE' || otherThanDeletions.has(id)
