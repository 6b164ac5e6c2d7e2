/** A query, from its URL to its reply: each line of {@link answer} is one step (design: "A query"). What is known is not waited for. */

import type { IncomingMessage, RequestListener } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { type AuthorizationDependencies, authorizeSteps } from '#authz/authorize'
import { findPreviewFilter, previewHeader } from '#authz/preview'
import { isQueryUrl } from '#authz/query-path'
import { refuseTokenInUrl } from '#authz/token-in-url'
import type { Engine, Reply } from '#engines/engine'
import { Problem } from '#errors'
import { type CorsAccess, findCorsAccess, setCors } from '#http/cors'
import { createDisconnectSignals } from '#http/disconnect-signal'
import { toEngineProblem } from '#http/engine-problem'
import { ignoredHeader } from '#http/ignored-parameters'
import type { Origins } from '#http/origins'
import { urlTooLongProblem } from '#http/parser-errors'
import { createQueryReply, type QueryReply } from '#http/raw-reply'
import { runSteps, type Steps, waitFor } from '#http/recipe'
import { isUrlTooLong } from '#http/server'
import { addVary, type HeaderWriter } from '#http/vary'
import type { MaybePromise } from '#storage/directory'
import type { WorkspaceRow } from '#storage/workspaces'
import type { Counters } from '#telemetry/counters'
import { endStep, setAttributes } from '#telemetry/request-attributes'
import type { UsageLog } from '#usage/usage-log'
import { status } from './about.ts'
import type { QueryAddress } from './address.ts'
import { type ApiDocument, openApiDocuments, replyWithDocument } from './cache/api-documents.ts'
import { noSuchApi, openCompiled } from './cache/compiled-apis.ts'
import { entityTag, isAny, isKnown } from './cache/etag.ts'
import { type Asking, openAgain, type Unchanged } from './cache/not-modified.ts'
import { openQuestions, type Planned, plannedFor, readRequest, tagOf } from './cache/plan-cache.ts'
import { openConfigurations } from './configurations.ts'
import { leftMs, queryDeadline } from './deadline.ts'
import { registerNotQueries, routed } from './fallback-routes.ts'
import type { Format } from './formats/formats.ts'
import { type Formatted, writeFormatted } from './formatted.ts'
import { createIntake } from './intake.ts'
import { openLimits } from './limits.ts'
import { readOptions } from './options.ts'
import type { PlannedQuery } from './plan/compile.ts'
import { formatOf, requestTypeRows } from './plan/request-types.ts'
import { optionsText } from './plan/results.ts'
import type { Answering, Begun, Found, Noted } from './query-context.ts'
import { openWhenOpened } from './when-opened.ts'

export interface QueryDependencies extends AuthorizationDependencies {
  engine: Engine
  /** The generation of a collection that answers under a configuration; undefined while it is not there yet. */
  generation(
    workspace: WorkspaceRow,
    collection: string,
    config: string,
  ): MaybePromise<{ id: string; name: string } | undefined>
  /** Of registered applications. */
  origins: Origins
  /** The authorization server's own pages, the console among them, may query. */
  authUrl: string
  usageLog: Pick<UsageLog, 'record'>
  clientAddress(request: IncomingMessage): string
  queryTimeoutMs: number
  aMinute: number | 'off'
  atOnce: number
  waitingMax: number
  counts?: Pick<Counters, 'cachedPlans' | 'waitingQueries'>
}

/** The router would decode encoded slashes and refuse long values: it sees one fixed path, the recipe reads the URL itself. */
export const rewriteQueryUrl = (url: string): string => (isQueryUrl(url) ? routed : url)

/**
 * Queries are answered without Fastify (exchange.ts), which gets all else: what this returns puts them before a listener. Of their
 * addresses Fastify answers the other methods.
 */
export const registerQueries = (
  fastify: FastifyInstance,
  deps: QueryDependencies,
): ((next: RequestListener) => RequestListener) => {
  const limits = openLimits(deps)
  const compiled = openCompiled()
  const questions = openQuestions()
  if (deps.counts) {
    deps.counts.cachedPlans = questions.size
    deps.counts.waitingQueries = limits.waiting
  }
  const gone = createDisconnectSignals()
  const whenOpened = openWhenOpened({ ...deps, limits, gone })
  const again = openAgain({ ...deps, questions })
  const configurations = openConfigurations(deps)
  const documents = openApiDocuments({ baseUrl: deps.origin, authUrl: deps.authUrl })

  const apiOf = (workspace: WorkspaceRow | undefined, name: string | undefined) =>
    workspace && name !== undefined ? compiled(workspace, name) : undefined
  const find = function* ({ workspace: slug, api: name }: QueryAddress): Steps<Found> {
    const workspace = slug === undefined ? undefined : yield* waitFor(deps.directory.workspace(slug))
    return { workspace, api: apiOf(workspace, name) }
  }

  /** Which pages may read the reply. What does not exist is readable by as few as what is private. */
  const readable = (origin: string | undefined, { workspace, api }: Found): MaybePromise<CorsAccess> =>
    api?.access === 'public' ? 'any' : findCorsAccess(origin, workspace, deps)

  /** Whoever asks may: a public API anyone, another its members. What is not there answers like what is not theirs. */
  const admit = function* ({ request, requestId }: QueryReply, { question, found }: Begun): Steps<Asking> {
    const { address } = question
    refuseTokenInUrl(address.search)
    const preview = request.headers[previewHeader]?.toString()
    if (found.workspace && found.api?.access === 'public' && preview === undefined)
      return {
        workspace: found.workspace,
        api: found.api,
        filters: [],
        memberFilters: undefined,
        subject: '',
        account: at(request),
      }
    const asked = {
      request,
      path: address.path,
      resourcePath: address.resourcePath,
      requestId,
      clientAddress: () => deps.clientAddress(request),
      connection: request.socket,
    }
    const mark = deps.directory.version()
    const authorised = yield* authorizeSteps(deps, asked, address.workspace ?? '', 'query')
    const { principal, workspace, filter } = authorised
    const previewed =
      preview === undefined ? undefined : yield* waitFor(findPreviewFilter(deps, asked, authorised, preview))
    // Of the same version of the definition as the workspace.
    const api = apiOf(workspace, address.api)
    if (!api) throw noSuchApi(workspace, address.api)
    // In a public API everybody sees everything.
    const memberFilters = [filter, previewed].filter(each => each !== undefined)
    const filters = api.access === 'public' ? [] : memberFilters
    const { subject } = principal
    const asking = { workspace, api, filters, memberFilters, subject, account: subject }
    if (preview === undefined) again.keep(principal.token, address.resourcePath, mark, asking)
    return asking
  }

  /** Whoever is refused counts by address, so that RateLimit headers are on refusals too. */
  const admitCounted = function* (exchange: QueryReply, begun: Begun): Steps<Asking> {
    try {
      return yield* admit(exchange, begun)
    } catch (error) {
      limits.count(exchange, at(exchange.request))
      throw error
    }
  }

  const answering = function* (asking: Asking, collection: string, config: string) {
    const generation = yield* waitFor(deps.generation(asking.workspace, collection, config))
    if (generation) return generation
    throw new Problem('unavailable', `the collection "${collection}" is being made ready; try again shortly`)
  }

  /** The engine's answer to a plan; undefined when the client has it already. */
  const search = function* (
    { exchange, asking, config, noted, endsAt }: Answering,
    planned: Planned<PlannedQuery>,
    format: Format = 'json',
  ): Steps<Reply | undefined> {
    const { collection, plan } = planned.query
    const { id } = yield* answering(asking, collection, config)
    const { socket } = exchange.request
    yield* whenOpened(socket, asking.account, id, endsAt)
    const vary = String(exchange.getHeader('vary'))
    const tag = tagOf(exchange.url, asking.workspace, planned, id, deps.engine.version(id), format, vary)
    exchange.header('etag', tag)
    endStep(exchange.observation, 'compile')
    if (isKnown(exchange.request.headers['if-none-match'], tag)) return undefined
    const signal = gone(socket)
    const found = yield* limits.search(asking.account, signal, hasWaited => {
      if (hasWaited) endStep(exchange.observation, 'wait')
      return deps.engine.search(id, plan, leftMs(endsAt), signal)
    })
    endStep(exchange.observation, 'engine')
    noted.total = found.total
    return found
  }

  /** A document about the API, counted as a query of its account: it waits for earlier ones, and takes nothing from searches. */
  const describe = (exchange: QueryReply, { account }: Asking, document: ApiDocument) =>
    replyWithDocument(exchange, document, write =>
      limits.withoutSearch(account, gone(exchange.request.socket), write),
    )

  /** Not of a query: it has an entity tag of its own; undefined: not modified. */
  const tagged = (exchange: QueryReply, reply: object): string | undefined => {
    const text = JSON.stringify(reply)
    const tag = entityTag([text])
    exchange.header('etag', tag)
    return isKnown(exchange.request.headers['if-none-match'], tag) ? undefined : text
  }

  /** JSON text, or another format with its headers; undefined: not modified. */
  const answer = function* (
    exchange: QueryReply,
    begun: Begun,
    noted: Noted,
    endsAt: number,
  ): Steps<string | Formatted | undefined> {
    addVary(exchange, 'accept-encoding')
    const { question } = begun
    const admitted = again.asking(exchange.request, question) ?? (yield* admitCounted(exchange, begun))
    noted.asking = admitted
    endStep(exchange.observation, 'authorise')
    setAttributes(exchange.response, { workspace: admitted.workspace.slug, api: admitted.api.name })
    limits.count(exchange, admitted.account)
    question.request ??= readRequest(question.address)
    const asked = question.request
    if ('stack' in asked) noted.stack = asked.stack
    noted.endpoint = 'facet' in asked ? asked.facet : ''
    question.options ??= readOptions(question.address.search)
    const { options } = question
    if (options.ignored) exchange.header(ignoredHeader, options.ignored)
    const { asking, config } = yield* configurations.resolve(exchange, admitted, options.config)
    const { api, filters } = asking
    const under = { exchange, asking, config, options, noted, endsAt }
    const seesAll = () => configurations.mayOpenAll(exchange, admitted)
    switch (asked.kind) {
      case 'about':
        return yield* describe(exchange, asking, documents.about(asking.workspace, api, yield* seesAll()))
      case 'status': {
        const opened = function* (collection: string) {
          const generation = yield* answering(asking, collection, config)
          yield* whenOpened(exchange.request.socket, asking.account, generation.id, endsAt)
          return generation
        }
        return tagged(exchange, yield* status(api, options.config, opened, deps.engine))
      }
      case 'openapi':
        return yield* describe(exchange, asking, documents.openApi(asking.workspace, api, yield* seesAll()))
      case 'query': {
        const row = requestTypeRows[asked.type]
        if (row.formats && options.format === undefined) addVary(exchange, 'Accept')
        const format = formatOf(row, options, exchange.request.headers.accept)
        const { cutoff } = options
        const wanted = row.wants(options)
        const planned = plannedFor(question.query, asking, () =>
          api.plan({ stack: asked.stack, filters, cutoff, ...wanted }),
        )
        if (!question.query) questions.keep(exchange.url, question)
        question.query = planned
        const found = yield* search(under, planned, format)
        if (!found || format === 'json') return found && row.reply(found, options)
        const origin = {
          workspace: asking.workspace,
          api: api.name,
          planned: planned.query,
          baseUrl: deps.origin,
        }
        return yield* waitFor(writeFormatted(format, found, options, wanted.statistics, origin))
      }
      case 'options': {
        const { offset, count, cutoff, multiselect } = options
        const planned = plannedFor(question.optionsOf, asking, () =>
          api.options({ ...asked, filters, offset, count, cutoff, multiselect }),
        )
        if (!question.optionsOf) questions.keep(exchange.url, question)
        question.optionsOf = planned
        const found = yield* search(under, planned)
        return found && optionsText(found, planned.query.facet)
      }
      default:
        throw new Problem('not-built-yet', `${asked.kind} is not built yet in this version`)
    }
  }

  const record = ({ response }: QueryReply, noted: Noted, ms: number, failed: boolean): void => {
    const { asking, stack, endpoint: facet = '', total } = noted
    // About and status are no queries; what stands in no grammar is one that failed.
    if (!asking || (!stack && !failed)) return
    const { workspace, api, subject } = asking
    const name = stack?.[0]?.endpoint ?? facet
    const endpoint = api.endpointNames.has(name) ? name : ''
    setAttributes(response, { endpoint })
    deps.usageLog.record({
      workspace,
      api: api.name,
      endpoint,
      account: subject,
      stack: stack ?? [],
      total: failed ? undefined : total,
      failed,
      ms,
    })
  }

  /** Whose limits a request counts for while nobody knows whose it is. */
  const at = (request: IncomingMessage): string => `at ${deps.clientAddress(request)}`

  /** Before anything else can fail: errors are to be read by pages too. */
  const begin = function* (request: IncomingMessage, reply: HeaderWriter, url: string): Steps<Begun> {
    const question = questions.of(url)
    const found = yield* find(question.address)
    setCors(request, reply, yield* waitFor(readable(request.headers.origin, found)))
    if (isUrlTooLong(url)) limits.count(reply, at(request))
    return { question, found }
  }

  /** 304, by the steps of {@link answer} that do more than find out. */
  const sayUnchanged = (exchange: QueryReply, { asking, stack, tag, vary, ignored }: Unchanged): void => {
    const started = performance.now()
    endStep(exchange.observation, 'authorise')
    exchange.header('vary', vary)
    setAttributes(exchange.response, { workspace: asking.workspace.slug, api: asking.api.name })
    try {
      limits.count(exchange, asking.account)
    } catch (error) {
      record(exchange, { asking }, performance.now() - started, true)
      throw error
    }
    exchange.header('etag', tag)
    if (ignored) exchange.header(ignoredHeader, ignored)
    record(exchange, { asking, stack }, performance.now() - started, false)
    exchange.header('cache-control', 'private, no-cache')
    void exchange.send(304)
  }

  /** Answers GET and HEAD. */
  const reply = function* (exchange: QueryReply, startedMs: number): Steps<void> {
    const { request, response, url } = exchange
    const begun = yield* begin(request, exchange, url)
    if (isUrlTooLong(url)) throw urlTooLongProblem()
    const noted: Noted = {}
    let answered: string | Formatted | undefined
    try {
      answered = yield* answer(exchange, begun, noted, startedMs + deps.queryTimeoutMs)
      record(exchange, noted, performance.now() - startedMs, false)
    } catch (error) {
      // A query that was given up neither answered nor failed.
      if (!response.destroyed) record(exchange, noted, performance.now() - startedMs, true)
      throw error
    }
    exchange.header('cache-control', 'private, no-cache')
    if (answered === undefined || isAny(request.headers['if-none-match']))
      return yield* waitFor(exchange.send(304))
    if (typeof answered === 'string') {
      exchange.header('content-type', 'application/json; charset=utf-8')
      return yield* waitFor(exchange.send(200, answered))
    }
    for (const [name, value] of Object.entries(answered.headers)) exchange.header(name, value)
    return yield* waitFor(exchange.send(200, answered.body))
  }

  registerNotQueries(fastify, { limits, at, begin })
  const intake = createIntake()
  return next => (request, response) => {
    const { method, url = '/' } = request
    if ((method !== 'GET' && method !== 'HEAD') || !isQueryUrl(url)) return next(request, response)
    const exchange = createQueryReply(request, response, routed)
    const fail = async (error: unknown) => {
      try {
        await exchange.fail(toEngineProblem(error), fastify.log)
      } catch (err) {
        fastify.log.error({ err, requestId: exchange.requestId }, 'a reply could not be written')
        response.destroy()
      }
    }
    try {
      const unchanged = again.unchanged(request)
      if (unchanged) return sayUnchanged(exchange, unchanged)
    } catch (error) {
      void fail(error)
      return
    }
    const arrivedMs = performance.now()
    intake.enter(request.headers.authorization ?? request.socket.remoteAddress ?? '', () => {
      if (request.socket.destroyed) return
      try {
        const replied = runSteps(reply(exchange, arrivedMs), queryDeadline(deps.queryTimeoutMs, arrivedMs))
        if (replied instanceof Promise) replied.catch(fail)
      } catch (error) {
        void fail(error)
      }
    })
  }
}
