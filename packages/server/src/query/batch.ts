/**
 * Several queries in one request (query-service.md, Batch): `POST …/api/{api}/batch`. The caller is authorized once, and all queries are
 * answered from one version of each index.
 */
import type { IncomingMessage } from 'node:http'
import type { ErrorCode } from '@querent/contract/errors'
import type { FastifyBaseLogger } from 'fastify'
import { refuseTokenInUrl } from '#authz/token-in-url'
import { errorReply, logProblem, Problem, problemOrFault } from '#errors'
import { toEngineProblem } from '#http/engine-problem'
import { ignoredHeader } from '#http/ignored-parameters'
import type { Text } from '#http/large-text'
import { urlTooLongProblem } from '#http/parser-errors'
import type { QueryReply } from '#http/raw-reply'
import type { ReplySize } from '#http/reply-size'
import { isUrlTooLong } from '#http/server'
import { addVary } from '#http/vary'
import { setAttributes } from '#telemetry/request-attributes'
import { readAddress } from './address.ts'
import { facetOptionsReply, resultsReply } from './answer-query.ts'
import { authorizeCounted, prepareQuery, recordClosedCollection } from './authorize-query.ts'
import type { Caller } from './cache/not-modified.ts'
import { readRequest } from './cache/plan-cache.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import { readCountedBody } from './json-body.ts'
import { readOptions } from './options.ts'
import { fillContext } from './plan/context-parameters.ts'
import type { QueryService, UsageDraft } from './query-context.ts'
import { recordUsage } from './record-usage.ts'
import { serverTiming } from './server-timing.ts'

/** Queries of one batch. */
export const batchMax = 20
/** 20 of the longest URLs, and the JSON around them. */
export const bodyBytesMax = 512 * 1024
/** How often a batch is run again because an index changed meanwhile. */
const attemptsMax = 4

/**
 * A vector in a path. It does not count toward the length of a query, because the vectors of large models are longer than a URL may be. The
 * size of the body limits them.
 */
const vectorSegment = /(?<=\/(?:p|parameter|c)\/[^/]+\/)(?:[-+.\deE,]|%2C){100,}(?=\/)/gi

/** Answers a batch. Throws Problems for the batch as a whole; those of single queries are in the reply. */
export const handleBatch = async (
  service: QueryService,
  reply: QueryReply,
  log: FastifyBaseLogger,
): Promise<void> => {
  const { request, url } = reply
  const pending = await prepareQuery(service, request, reply, url)
  if (isUrlTooLong(url)) throw urlTooLongProblem()
  const { account } = await authorizeCounted(service, reply, pending)
  const body = await readCountedBody(service, reply, account, bodyBytesMax)
  // The body may take a while. The caller must still be authorized when the queries run.
  const caller = await authorizeCounted(service, reply, pending)
  const paths = await readQueries(service, reply, caller, body)
  setAttributes(reply.response, { workspace: caller.workspace.slug, api: caller.api.name })
  addVary(reply, 'accept-encoding')
  const size = service.openReplySize(caller.account, reply.response)
  const startedMs = performance.now()
  const answers = await runQueries({ service, reply, caller, log, size }, paths)
  reply.header('server-timing', serverTiming(performance.now() - startedMs))
  reply.header('cache-control', 'private, no-store')
  reply.header('content-type', 'application/json; charset=utf-8')
  await reply.send(200, joinAnswers(answers))
}

/** Joins the answers of a batch. Long ones stay in pieces. */
const joinAnswers = (answers: readonly QueryAnswer[]): Text => {
  const parts = answers.flatMap(({ status, body }, index): Text[] => [
    `${index === 0 ? '{"responses":[' : ','}{"status":${status},"body":`,
    body,
    index === answers.length - 1 ? '}]}' : '}',
  ])
  if (parts.every(part => typeof part === 'string')) return parts.join('')
  return parts.flatMap(part => (typeof part === 'string' ? [Buffer.from(part)] : part))
}

/** A request that runs several queries for one caller. Its URL ends in one segment after the API. */
export interface BatchScope {
  service: QueryService
  reply: QueryReply
  caller: Caller
  log: FastifyBaseLogger
  /** Size of all answers together. */
  size: ReplySize
}

interface Batch extends BatchScope {
  /** All queries must be answered then. */
  deadline: Deadline
}

/** One query of a batch. */
interface BatchQuery {
  /** The part of the URL of a GET after `…/api/{api}/`. */
  path: string
  /** Set if the limits reject it. */
  refused?: Answer
}

export interface QueryAnswer {
  status: number
  /** Set if the query failed. */
  failure?: ErrorCode
  /** JSON: the reply of the query, or an error. */
  body: Text
}

interface Answer extends QueryAnswer {
  /** The sentence of the error. */
  message?: string
  usage: UsageDraft
  ms: number
}

/** Reads the queries, and adds the `config` of the batch to those without one. A batch that is rejected counts as one query. */
const readQueries = async (
  { limits, configurations }: QueryService,
  reply: QueryReply,
  caller: Caller,
  body: unknown,
): Promise<string[]> => {
  try {
    const paths = readPaths(body)
    const [, search = ''] = reply.url.split('?', 2)
    const { config, ignored } = readOptions(search)
    if (ignored) reply.header(ignoredHeader, ignored)
    if (!hasConfig(search)) return paths
    await configurations.resolve(reply, caller, config)
    return paths.map(path => addConfig(path, config))
  } catch (error) {
    limits.count(reply, caller.account, caller.limits)
    throw error
  }
}

const hasConfig = (search: string): boolean => new URLSearchParams(search).has('config')

const addConfig = (path: string, config: string): string => {
  const [, search] = path.split('?', 2)
  if (hasConfig(search ?? '')) return path
  return `${path}${search === undefined ? '?' : '&'}config=${encodeURIComponent(config)}`
}

const readPaths = (body: unknown): string[] => {
  const requests: unknown =
    typeof body === 'object' && body !== null && 'requests' in body ? body.requests : []
  if (
    Array.isArray(requests) &&
    requests.length >= 1 &&
    requests.length <= batchMax &&
    requests.every(path => typeof path === 'string')
  )
    return requests
  throw new Problem(
    'bad-request',
    `the body must be {"requests": […]} with 1 to ${batchMax} queries, such as "e/search/p/query/x/results?count=10"`,
  )
}

const countQuery = (batch: Batch, path: string): BatchQuery => {
  const { service, reply, caller } = batch
  try {
    service.limits.count(reply, caller.account, caller.limits)
    return { path }
  } catch (error) {
    return { path, refused: errorAnswer(batch, error, { caller }, 0) }
  }
}

/**
 * Answers queries like GETs, from one version of each index. `paths` are the parts of their URLs after `…/api/{api}/`. Each query counts
 * toward the limits and the usage figures. An answer that makes all of them too large is an error. Throws Problem `unavailable` if
 * the documents keep changing meanwhile.
 */
export const runQueries = async (scope: BatchScope, paths: readonly string[]): Promise<QueryAnswer[]> => {
  const { service, reply } = scope
  const deadline = startDeadline(service.deps.queryTimeoutMs, performance.now())
  const batch: Batch = { ...scope, deadline }
  try {
    const queries = paths.map(path => countQuery(batch, path))
    const answers = await runOnOneVersion(batch, queries)
    for (const answer of answers) recordAnswer(service, reply, answer)
    return answers
  } finally {
    deadline.clear()
  }
}

/** The generations that answer, with their versions before the queries ran. */
type Versions = Map<string, number>

/** Runs all queries again if an index changed meanwhile, so that their answers fit together. */
const runOnOneVersion = async (batch: Batch, queries: readonly BatchQuery[]) => {
  const { engine } = batch.service
  for (let attempt = 1; ; attempt++) {
    const versions: Versions = new Map()
    const size = countApart(batch.size)
    const scoped = { ...batch, service: withFixedGenerations(batch.service, versions), size }
    const answers = await Promise.all(queries.map(async query => query.refused ?? runQuery(scoped, query)))
    const isOneVersion = [...versions].every(([id, version]) => engine.version(id) === version)
    if (isOneVersion) return answers
    size.takeBack()
    if (attempt === attemptsMax || performance.now() >= batch.deadline.endsAt)
      throw new Problem('unavailable', 'the documents changed while the queries ran: send the batch again')
  }
}

/** Counts for a reply, and can take everything back that it counted. */
const countApart = (size: ReplySize) => {
  let bytesCounted = 0
  return {
    add(bytes: number): void {
      size.add(bytes)
      bytesCounted += bytes
    },
    subtract(bytes: number): void {
      size.subtract(bytes)
      bytesCounted -= bytes
    },
    takeBack(): void {
      size.subtract(bytesCounted)
      bytesCounted = 0
    },
  }
}

/** All queries of a batch use the same generation of a collection, even if another one is promoted meanwhile. */
const withFixedGenerations = (service: QueryService, versions: Versions): QueryService => {
  const { deps, engine } = service
  const generations = new Map<string, ReturnType<typeof deps.generation>>()
  return {
    ...service,
    deps: {
      ...deps,
      generation(workspace, collection, config) {
        const key = JSON.stringify([collection, config])
        const generation = generations.get(key) ?? deps.generation(workspace, collection, config)
        generations.set(key, generation)
        return generation
      },
    },
    engine: {
      ...engine,
      search(id, ...rest) {
        if (!versions.has(id)) versions.set(id, engine.version(id))
        return engine.search(id, ...rest)
      },
    },
  }
}

const runQuery = async (batch: Batch, { path }: BatchQuery): Promise<Answer> => {
  const startedMs = performance.now()
  const usage: UsageDraft = { caller: batch.caller }
  try {
    const body = await batch.deadline.race(answerQuery(batch, path, usage))
    return { status: 200, body, usage, ms: performance.now() - startedMs }
  } catch (error) {
    const { service, caller } = batch
    const refusal = recordClosedCollection(service, batch.reply, caller, readAddress(batch.reply.url), error)
    return errorAnswer(batch, refusal, usage, performance.now() - startedMs)
  }
}

const answerQuery = async (batch: Batch, path: string, usage: UsageDraft): Promise<Text> => {
  const { service, caller, deadline, size } = batch
  const [batchPath = ''] = batch.reply.url.split('?', 1)
  const url = `${batchPath.slice(0, batchPath.lastIndexOf('/'))}/${path}`
  if (isUrlTooLong(url.replaceAll(vectorSegment, ''))) throw urlTooLongProblem()
  const cached = service.planCache.getOrRead(url)
  refuseTokenInUrl(cached.address.search)
  cached.request ??= readRequest(cached.address)
  const { request } = cached
  if (request.kind !== 'query' && request.kind !== 'options')
    throw new Problem('bad-path', `a batch has queries and options only, not ${request.kind}`)
  usage.stack = request.stack
  usage.facet = request.kind === 'options' ? request.facet : undefined
  cached.options ??= readOptions(cached.address.search)
  const { options } = cached
  if (options.format !== undefined && options.format !== 'json')
    throw new Problem('bad-option', `the option "format" is "${options.format}"; a batch allows json`)
  const reply = createPartReply(batch.reply, url)
  const { caller: configured, config } = await service.configurations.resolve(reply, caller, options.config)
  const context = { reply, caller: configured, config, options, usage, deadline, size }
  const { request: filled } = fillContext(configured.api, request)
  usage.stack = filled.stack
  const body =
    filled.kind === 'query'
      ? await resultsReply(service, context, cached, filled)
      : await facetOptionsReply(service, context, cached, filled)
  if (body === undefined || (typeof body !== 'string' && 'headers' in body))
    throw new Error('a query of a batch has an answer that is not JSON')
  return body
}

/**
 * The reply of one query. Its headers are not sent, but the plan cache keeps its `vary` for later queries. Conditions and `Accept` of the
 * batch do not apply to it.
 */
const createPartReply = (reply: QueryReply, url: string): QueryReply => {
  const headers = new Map<string, string | number | undefined>([
    ['vary', reply.getHeader('vary')?.toString()],
  ])
  const { 'if-none-match': _tag, accept: _accept, ...requestHeaders } = reply.request.headers
  // Everything else is inherited from the request.
  const request = Object.create(reply.request, { headers: { value: requestHeaders } }) as IncomingMessage
  return {
    ...reply,
    request,
    url,
    observation: undefined,
    header: (name, value) => headers.set(name, value),
    getHeader: name => headers.get(name),
  }
}

const errorAnswer = ({ log, reply }: Batch, error: unknown, usage: UsageDraft, ms: number): Answer => {
  const problem = problemOrFault(toEngineProblem(error))
  const { requestId, response } = reply
  logProblem(problem.status < 500 ? log : log.child({ requestId }), problem, response.destroyed)
  const body = JSON.stringify(errorReply(problem, requestId))
  return { status: problem.status, failure: problem.code, message: problem.message, body, usage, ms }
}

/** A query whose client disconnected is neither a success nor a failure. */
const recordAnswer = (
  service: QueryService,
  reply: QueryReply,
  { failure, message = '', usage, ms }: Answer,
): void => {
  if (failure !== undefined && reply.response.destroyed) return
  recordUsage(service, reply, usage, ms, failure && { code: failure, message })
}
