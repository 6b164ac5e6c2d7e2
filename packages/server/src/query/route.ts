/**
 * A query from its URL to its reply. Each line of {@link answer} is one step (ARCHITECTURE.md, "A query"). The steps wait only for data
 * that is not in memory.
 */
import type { RequestListener } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { isQueryUrl } from '#authz/query-path'
import { Problem } from '#errors'
import { toEngineProblem } from '#http/engine-problem'
import { ignoredHeader } from '#http/ignored-parameters'
import { urlTooLongProblem } from '#http/parser-errors'
import { createQueryReply, type QueryReply } from '#http/raw-reply'
import { runSteps, type Steps, waitFor } from '#http/recipe'
import { isUrlTooLong } from '#http/server'
import { addVary } from '#http/vary'
import { endStep, setAttributes } from '#telemetry/request-attributes'
import {
  describeApiReply,
  facetOptionsReply,
  type ReplyBody,
  resultsReply,
  statusReply,
} from './answer-query.ts'
import { addressKey, authorizeCounted, prepareQuery } from './authorize-query.ts'
import { batchAllow, handleBatch, isBatchUrl } from './batch.ts'
import { isWildcard } from './cache/etag.ts'
import type { NotModified } from './cache/not-modified.ts'
import { readRequest } from './cache/plan-cache.ts'
import { queryDeadline } from './deadline.ts'
import { queryRoutePattern, registerFallbackRoutes } from './fallback-routes.ts'
import { createIntake } from './intake.ts'
import { readOptions } from './options.ts'
import {
  createQueryService,
  type PendingQuery,
  type QueryDependencies,
  type QueryService,
  type UsageDraft,
} from './query-context.ts'
import { recordUsage } from './record-usage.ts'

/** Gives all queries one route in Fastify. Its router would decode encoded slashes and reject long values, so we read the URL ourselves. */
export const rewriteQueryUrl = (url: string): string => (isQueryUrl(url) ? queryRoutePattern : url)

/**
 * Returns a function that puts queries before another listener. GET and HEAD of queries are answered without Fastify (raw-reply.ts), and so are batches. All
 * other requests go to Fastify, including other methods at the addresses of queries.
 */
export const registerQueries = (
  fastify: FastifyInstance,
  deps: QueryDependencies,
): ((next: RequestListener) => RequestListener) => {
  const service = createQueryService(deps)
  registerFallbackRoutes(fastify, {
    limits: service.limits,
    rateLimitKey: request => addressKey(deps, request),
    prepare: (request, reply, url) => prepareQuery(service, request, reply, url),
  })
  const intake = createIntake()
  return next => (request, response) => {
    const { method, url = '/' } = request
    const isBatch = method === 'POST' && isQueryUrl(url) && isBatchUrl(url)
    if (!isBatch && ((method !== 'GET' && method !== 'HEAD') || !isQueryUrl(url)))
      return next(request, response)
    const reply = createQueryReply(request, response, queryRoutePattern)
    const fail = async (error: unknown) => {
      try {
        await reply.fail(toEngineProblem(error), fastify.log)
      } catch (err) {
        fastify.log.error({ err, requestId: reply.requestId }, 'a reply could not be written')
        response.destroy()
      }
    }
    if (isBatch) {
      handleBatch(service, reply, fastify.log).catch(fail)
      return
    }
    try {
      const notModified = service.notModified.findNotModified(request)
      if (notModified) return sendNotModified(service, reply, notModified)
    } catch (error) {
      void fail(error)
      return
    }
    const arrivedMs = performance.now()
    intake.enter(request.headers.authorization ?? request.socket.remoteAddress ?? '', () => {
      if (request.socket.destroyed) return
      try {
        const deadline = queryDeadline(deps.queryTimeoutMs, arrivedMs)
        const handled = runSteps(handleQuery(service, reply, arrivedMs), deadline)
        if (handled instanceof Promise) handled.catch(fail)
      } catch (error) {
        void fail(error)
      }
    })
  }
}

/** Answers GET and HEAD, and records the usage. */
function* handleQuery(service: QueryService, reply: QueryReply, arrivedMs: number): Steps<void> {
  const { request, response, url } = reply
  const pending = yield* prepareQuery(service, request, reply, url)
  if (isUrlTooLong(url)) throw urlTooLongProblem()
  const usage: UsageDraft = {}
  let body: ReplyBody
  try {
    body = yield* answer(service, reply, pending, usage, arrivedMs + service.deps.queryTimeoutMs)
    recordUsage(service, reply, usage, performance.now() - arrivedMs, false)
  } catch (error) {
    // A query whose client disconnected is neither a success nor a failure.
    if (!response.destroyed) recordUsage(service, reply, usage, performance.now() - arrivedMs, true)
    throw error
  }
  reply.header('cache-control', 'private, no-cache')
  if (body === undefined || isWildcard(request.headers['if-none-match']))
    return yield* waitFor(reply.send(304))
  if (typeof body === 'string') {
    reply.header('content-type', 'application/json; charset=utf-8')
    return yield* waitFor(reply.send(200, body))
  }
  for (const [name, value] of Object.entries(body.headers)) reply.header(name, value)
  return yield* waitFor(reply.send(200, body.body))
}

/** Returns the body of the reply, or undefined if the client has it already. */
function* answer(
  service: QueryService,
  reply: QueryReply,
  pending: PendingQuery,
  usage: UsageDraft,
  endsAt: number,
): Steps<ReplyBody> {
  const { notModified, limits, configurations } = service
  addVary(reply, 'accept-encoding')
  const { cached } = pending
  const authorized =
    notModified.findCaller(reply.request, cached) ?? (yield* authorizeCounted(service, reply, pending))
  usage.caller = authorized
  endStep(reply.observation, 'authorise')
  setAttributes(reply.response, { workspace: authorized.workspace.slug, api: authorized.api.name })
  limits.count(reply, authorized.account)
  cached.request ??= readRequest(cached.address)
  const { request } = cached
  if ('stack' in request) usage.stack = request.stack
  usage.endpoint = 'facet' in request ? request.facet : ''
  cached.options ??= readOptions(cached.address.search)
  const { options } = cached
  if (options.ignored) reply.header(ignoredHeader, options.ignored)
  const { caller, config } = yield* configurations.resolve(reply, authorized, options.config)
  const context = { reply, caller, config, options, usage, endsAt }
  switch (request.kind) {
    case 'about': {
      const seesAll = yield* configurations.mayOpenAll(reply, authorized)
      return yield* describeApiReply(service, context, 'description', seesAll)
    }
    case 'openapi': {
      const seesAll = yield* configurations.mayOpenAll(reply, authorized)
      return yield* describeApiReply(service, context, 'openApi', seesAll)
    }
    case 'status':
      return yield* statusReply(service, context)
    case 'query':
      return yield* resultsReply(service, context, cached, request)
    case 'options':
      return yield* facetOptionsReply(service, context, cached, request)
    case 'batch':
      throw new Problem(
        'method-not-allowed',
        `${reply.request.method} is not allowed here: send a batch by POST`,
        {
          headers: { allow: batchAllow },
        },
      )
    default:
      throw new Problem('not-built-yet', `this version does not support ${request.kind} yet`)
  }
}

/** Sends 304 from the caches. Repeats only those steps of {@link answer} that have effects. */
const sendNotModified = (
  service: QueryService,
  reply: QueryReply,
  { caller, stack, tag, vary, ignored }: NotModified,
): void => {
  const startedMs = performance.now()
  endStep(reply.observation, 'authorise')
  reply.header('vary', vary)
  setAttributes(reply.response, { workspace: caller.workspace.slug, api: caller.api.name })
  try {
    service.limits.count(reply, caller.account)
  } catch (error) {
    recordUsage(service, reply, { caller }, performance.now() - startedMs, true)
    throw error
  }
  reply.header('etag', tag)
  if (ignored) reply.header(ignoredHeader, ignored)
  recordUsage(service, reply, { caller, stack }, performance.now() - startedMs, false)
  reply.header('cache-control', 'private, no-cache')
  void reply.send(304)
}
