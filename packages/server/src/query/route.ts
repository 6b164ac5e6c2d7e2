/** A query from its URL to its reply. Each line of {@link answer} is one step (ARCHITECTURE.md, "A query"). */
import type { IncomingMessage, RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { isLeftOut } from '#authz/preview'
import { isQueryUrl } from '#authz/query-path'
import { Problem, problemOrFault } from '#errors'
import { toEngineProblem } from '#http/engine-problem'
import { isWildcard } from '#http/entity-tag'
import { ignoredHeader, joinIgnored } from '#http/ignored-parameters'
import { urlTooLongProblem } from '#http/parser-errors'
import { createQueryReply, type QueryReply } from '#http/raw-reply'
import { isUrlTooLong } from '#http/server'
import { addVary } from '#http/vary'
import type { MaybePromise } from '#storage/directory'
import { endStep, setAttributes } from '#telemetry/request-attributes'
import {
  describeApiReply,
  facetOptionsReply,
  type ReplyBody,
  resultsReply,
  statusReply,
} from './answer-query.ts'
import { addressKey, authorizeCaller, prepareQuery, recordClosedCollection } from './authorize-query.ts'
import { handleBatch } from './batch.ts'
import type { NotModified } from './cache/not-modified.ts'
import { readRequest } from './cache/plan-cache.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import { queryRoutePattern, registerFallbackRoutes } from './fallback-routes.ts'
import type { IntakeEntry } from './intake.ts'
import { readOptions } from './options.ts'
import { fillContext } from './plan/context-parameters.ts'
import { findPostRequest, postAllow } from './post-requests.ts'
import { withPreviewChanges } from './preview-changes.ts'
import {
  createQueryService,
  type PendingQuery,
  type QueryDependencies,
  type QueryService,
  type UsageDraft,
} from './query-context.ts'
import { recordUsage } from './record-usage.ts'
import { serverTiming } from './server-timing.ts'

/** The SDK takes 30 MB of memory, so it is loaded by the first message. */
const handleMcp: typeof handleBatch = async (...args) => (await import('./mcp/mcp.ts')).handleMcp(...args)

/** Gives all queries one route in Fastify. Its router would decode encoded slashes and reject long values, so we read the URL ourselves. */
export const rewriteQueryUrl = (url: string): string => (isQueryUrl(url) ? queryRoutePattern : url)

/**
 * Returns a function that puts queries before another listener. GET and HEAD of queries are answered without Fastify (raw-reply.ts), and so are batches and
 * MCP. All other requests go to Fastify, including other methods at the addresses of queries.
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
  const handlers = { batch: handleBatch, mcp: handleMcp }
  return next => (request, response) => {
    const { method, url = '/' } = request
    const post = method === 'POST' && isQueryUrl(url) ? findPostRequest(url) : undefined
    if (!post && ((method !== 'GET' && method !== 'HEAD') || !isQueryUrl(url))) return next(request, response)
    const reply = createQueryReply(request, response, queryRoutePattern)
    const fail = async (error: unknown) => {
      try {
        await reply.fail(toEngineProblem(error), fastify.log)
      } catch (err) {
        fastify.log.error({ err, requestId: reply.requestId }, 'a reply could not be written')
        response.destroy()
      }
    }
    if (post) {
      handlers[post](service, reply, fastify.log).catch(fail)
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
    const start = (entry: IntakeEntry) => {
      if (request.socket.destroyed) entry.leave()
      else handleQuery(service, reply, arrivedMs, entry).catch(fail)
    }
    service.intake.enter(readSender(request), start, readOwnConnection(request))
  }
}

const readSender = ({ headers, socket }: IncomingMessage): string =>
  headers.authorization ?? socket.remoteAddress ?? ''

/** A connection of a proxy carries the requests of many people. */
const readOwnConnection = ({ headers, socket }: IncomingMessage): Socket | undefined =>
  (headers['x-forwarded-for'] ?? headers.forwarded ?? headers.via ?? headers['x-real-ip']) === undefined
    ? socket
    : undefined

/**
 * Answers GET and HEAD until the deadline. Work that misses it goes on, but only this function sends a reply and records the usage. Calls
 * `entry.leave` when the reply is ready: a client that reads slowly delays no other query.
 */
const handleQuery = async (
  service: QueryService,
  reply: QueryReply,
  arrivedMs: number,
  entry: IntakeEntry,
): Promise<void> => {
  const { request, url } = reply
  const deadline = startDeadline(service.deps.queryTimeoutMs, arrivedMs)
  try {
    const pending = await deadline.race(prepareQuery(service, request, reply, url))
    if (isUrlTooLong(url)) throw urlTooLongProblem()
    pending.isBeyondLimit = entry.isBeyondLimit
    const body = await answerAndRecord(service, reply, pending, deadline, arrivedMs)
    entry.leave()
    const sending = sendBody(reply, body, pending.preview !== undefined, performance.now() - arrivedMs)
    if (sending) await deadline.race(sending)
  } finally {
    deadline.clear()
    entry.leave()
  }
}

/** Returns the body of the reply, and records the usage. */
const answerAndRecord = async (
  service: QueryService,
  reply: QueryReply,
  pending: PendingQuery,
  deadline: Deadline,
  arrivedMs: number,
): Promise<ReplyBody> => {
  const usage: UsageDraft = {}
  try {
    const body = await deadline.race(answer(service, reply, pending, usage, deadline))
    recordUsage(service, reply, usage, performance.now() - arrivedMs)
    return body
  } catch (error) {
    // An unauthorized request counts by IP address, so that its reply has `RateLimit-*` headers too.
    if (!usage.caller) service.limits.count(reply, addressKey(service.deps, reply.request))
    // A query whose client disconnected is neither a success nor a failure.
    if (!reply.response.destroyed)
      recordUsage(service, reply, usage, performance.now() - arrivedMs, readProblem(error))
    throw usage.caller
      ? recordClosedCollection(service, reply, usage.caller, pending.cached.address, error)
      : error
  }
}

/** Code of the error that the caller gets. */
const readProblem = (error: unknown) => problemOrFault(toEngineProblem(error))

const sendBody = (reply: QueryReply, body: ReplyBody, isPreview: boolean, ms: number): MaybePromise<void> => {
  reply.header('cache-control', isPreview ? 'private, no-store' : 'private, no-cache')
  if (body === undefined || isWildcard(reply.request.headers['if-none-match'])) return reply.send(304)
  reply.header('server-timing', serverTiming(ms))
  if (typeof body === 'string' || !('headers' in body)) {
    reply.header('content-type', 'application/json; charset=utf-8')
    return reply.send(200, body)
  }
  for (const [name, value] of Object.entries(body.headers)) reply.header(name, value)
  return reply.send(200, body.body)
}

/** Returns the body of the reply, or undefined if the client has it already. */
const answer = async (
  service: QueryService,
  reply: QueryReply,
  pending: PendingQuery,
  usage: UsageDraft,
  deadline: Deadline,
): Promise<ReplyBody> => {
  const { notModified, limits, configurations } = service
  addVary(reply, 'accept-encoding')
  const authorized =
    notModified.findCaller(reply.request, pending) ?? (await authorizeCaller(service, reply, pending))
  deadline.throwIfExpired()
  usage.caller = authorized
  endStep(reply.observation, 'authorize')
  setAttributes(reply.response, { workspace: authorized.workspace.slug, api: authorized.api.name })
  limits.count(reply, authorized.account, authorized.limits)
  if (pending.isBeyondLimit) throw limits.tooManyWaiting()
  const changes = pending.preview?.changes
  usage.isPreview = changes !== undefined
  usage.isLeftOut = isLeftOut(pending.preview, authorized.principal)
  const original = { service, reply, caller: authorized, cached: pending.cached }
  const parts = changes === undefined ? original : withPreviewChanges(original, changes)
  const { cached } = parts
  cached.request ??= readRequest(cached.address)
  const { request } = cached
  if (request.kind === 'batch' || request.kind === 'mcp')
    throw new Problem('method-not-allowed', `${reply.request.method} is not allowed here: send POST`, {
      headers: { allow: postAllow },
    })
  if (usage.isPreview && request.kind !== 'query' && request.kind !== 'options')
    throw new Problem('bad-parameter', `only queries and options can preview changes, not ${request.kind}`)
  if ('stack' in request) usage.stack = request.stack
  usage.facet = 'facet' in request ? request.facet : undefined
  cached.options ??= readOptions(cached.address.search)
  const { options } = cached
  const { caller, config } = await configurations.resolve(reply, parts.caller, options.config)
  const size = service.openReplySize(authorized.account, reply.response)
  const context = { reply: parts.reply, caller, config, options, usage, deadline, size }
  if ('stack' in request) {
    const { request: filled, ignored } = fillContext(caller.api, request)
    usage.stack = filled.stack
    addIgnored(reply, joinIgnored(options.ignored, ignored))
    return filled.kind === 'query'
      ? resultsReply(parts.service, context, cached, filled)
      : facetOptionsReply(parts.service, context, cached, filled)
  }
  addIgnored(reply, options.ignored)
  switch (request.kind) {
    case 'about': {
      const seesAll = await configurations.mayOpenAll(reply, authorized)
      return describeApiReply(service, context, 'description', seesAll)
    }
    case 'openapi': {
      const seesAll = await configurations.mayOpenAll(reply, authorized)
      return describeApiReply(service, context, 'openApi', seesAll)
    }
    case 'status':
      return statusReply(service, context)
  }
}

const addIgnored = (reply: QueryReply, ignored: string | undefined): void => {
  if (ignored !== undefined) reply.header(ignoredHeader, ignored)
}

/** Sends 304 from the caches. Repeats only those steps of {@link answer} that have effects. */
const sendNotModified = (
  service: QueryService,
  reply: QueryReply,
  { caller, stack, tag, vary, ignored }: NotModified,
): void => {
  const startedMs = performance.now()
  endStep(reply.observation, 'authorize')
  reply.header('vary', vary)
  setAttributes(reply.response, { workspace: caller.workspace.slug, api: caller.api.name })
  try {
    service.limits.count(reply, caller.account, caller.limits)
  } catch (error) {
    recordUsage(service, reply, { caller }, performance.now() - startedMs, readProblem(error))
    throw error
  }
  reply.header('etag', tag)
  addIgnored(reply, ignored)
  recordUsage(service, reply, { caller, stack }, performance.now() - startedMs)
  reply.header('cache-control', 'private, no-cache')
  void reply.send(304)
}
