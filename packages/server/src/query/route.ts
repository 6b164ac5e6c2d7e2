/** A query, from its URL to its reply: each line of {@link answer} is one step (design: "A query"). What is known is not waited for. */

import type { IncomingMessage, RequestListener } from 'node:http'
import type { StackedEndpoint } from '@querent/contract/paths'
import type { FastifyInstance } from 'fastify'
import type { Engine, Reply } from '#engines/engine'
import { Problem } from '#errors'
import { type AuthoriseDependencies, authorising } from '#http/authorise'
import { type Readable, readableBy, setCors } from '#http/cors'
import type { Counts } from '#http/counts'
import { problemOfEngine } from '#http/engine-problem'
import { type Exchange, openExchange, refuseNoHost } from '#http/exchange'
import { openGone } from '#http/gone'
import { endStep, notePlace } from '#http/observation'
import type { Origins } from '#http/origins'
import { previewedFilter, previewHeader } from '#http/preview'
import { isQueryUrl } from '#http/query-path'
import { followed, known, type Recipe } from '#http/recipe'
import { isTooLong } from '#http/server'
import { refuseTokenInUrl } from '#http/token-in-url'
import { tooLongUrl } from '#http/unparsed'
import type { UsageLog } from '#http/usage-log'
import { addVary, type Headed } from '#http/vary'
import type { Known } from '#storage/directory'
import type { WorkspaceRow } from '#storage/workspaces'
import { about, configurationsOf, status } from './about.ts'
import type { QueryAddress } from './address.ts'
import { type Asking, openAgain, type Unchanged } from './again.ts'
import { noSuchApi, openCompiled, refuseUnknownConfiguration } from './apis.ts'
import type { CompiledApi, PlannedQuery } from './compile.ts'
import type { Format } from './formats/formats.ts'
import { type Formatted, writeFormatted } from './formatted.ts'
import { openLimits } from './limits.ts'
import { registerNotQueries, routed } from './not-queries.ts'
import { apiOpenApi } from './openapi.ts'
import { type QueryOptions, readOptions } from './options.ts'
import { openQuestions, type Planned, plannedFor, type Question, readRequest, tagOf } from './question.ts'
import { formatOf, requestTypeRows } from './request-types.ts'
import { optionsText } from './results.ts'
import { entityTag, isAny, isKnown } from './validator.ts'
import { openWhenOpened } from './when-opened.ts'

export interface QueryDependencies extends AuthoriseDependencies {
  engine: Engine
  /** The generation of a collection that answers under a configuration; undefined while it is not there yet. */
  generation(
    workspace: WorkspaceRow,
    collection: string,
    config: string,
  ): Known<{ id: string; name: string } | undefined>
  /** Of registered applications. */
  origins: Origins
  /** The authorization server's own pages, the console among them, may query. */
  authUrl: string
  usageLog: Pick<UsageLog, 'record'>
  clientAddress(request: IncomingMessage): string
  queryTimeoutMs: number
  aMinute: number | 'off'
  atOnce: number
  counts?: Pick<Counts, 'plansKept'>
}

/** The router would decode encoded slashes and refuse long values: it sees one fixed path, the recipe reads the URL itself. */
export const rewriteQueryUrl = (url: string): string => (isQueryUrl(url) ? routed : url)

/** What an address names, before it is known who asks. */
interface Found {
  workspace: WorkspaceRow | undefined
  api: CompiledApi | undefined
}

/** What is known before anything can be refused. */
interface Begun {
  question: Question
  found: Found
}

/** What is known of a request so far, to be counted when it is answered. */
interface Noted {
  asking?: Asking
  stack?: readonly StackedEndpoint[]
  endpoint?: string
  total?: number
}

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
  if (deps.counts) deps.counts.plansKept = questions.size
  const gone = openGone()
  const whenOpened = openWhenOpened({ ...deps, limits, gone })
  const again = openAgain({ ...deps, questions })
  const service = { baseUrl: deps.origin, authUrl: deps.authUrl }

  const apiOf = (workspace: WorkspaceRow | undefined, name: string | undefined) =>
    workspace && name !== undefined ? compiled(workspace, name) : undefined
  const find = function* ({ workspace: slug, api: name }: QueryAddress): Recipe<Found> {
    const workspace = slug === undefined ? undefined : yield* known(deps.directory.workspace(slug))
    return { workspace, api: apiOf(workspace, name) }
  }

  /** Which pages may read the reply. What does not exist is readable by as few as what is private. */
  const readable = (origin: string | undefined, { workspace, api }: Found): Known<Readable> =>
    api?.access === 'public' ? 'any' : readableBy(origin, workspace, deps)

  /** Whoever asks may: a public API anyone, another its members. What is not there answers like what is not theirs. */
  const admit = function* ({ request, requestId }: Exchange, { question, found }: Begun): Recipe<Asking> {
    const { address } = question
    refuseTokenInUrl(address.search)
    const preview = request.headers[previewHeader]?.toString()
    if (found.workspace && found.api?.access === 'public' && preview === undefined)
      return {
        workspace: found.workspace,
        api: found.api,
        filters: [],
        subject: '',
        account: at(request),
      }
    const asked = {
      request,
      path: address.path,
      resourcePath: address.resourcePath,
      requestId,
      connection: request.socket,
    }
    const mark = deps.directory.mark()
    const authorised = yield* authorising(deps, asked, address.workspace ?? '', 'query')
    const { principal, workspace, filter } = authorised
    const previewed =
      preview === undefined ? undefined : yield* known(previewedFilter(deps, asked, authorised, preview))
    // Of the same version of the definition as the workspace.
    const api = apiOf(workspace, address.api)
    if (!api) throw noSuchApi(workspace, address.api)
    // In a public API everybody sees everything.
    const filters = api.access === 'public' ? [] : [filter, previewed].filter(each => each !== undefined)
    const { subject } = principal
    const asking = { workspace, api, filters, subject, account: subject }
    if (preview === undefined) again.keep(principal.token, address.resourcePath, mark, asking)
    return asking
  }

  /** Whoever is refused counts by address, so that RateLimit headers are on refusals too. */
  const admitCounted = function* (exchange: Exchange, begun: Begun): Recipe<Asking> {
    try {
      return yield* admit(exchange, begun)
    } catch (error) {
      limits.count(exchange, at(exchange.request))
      throw error
    }
  }

  const answering = function* (asking: Asking, collection: string, config: string) {
    const generation = yield* known(deps.generation(asking.workspace, collection, config))
    if (generation) return generation
    throw new Problem('unavailable', `the collection "${collection}" is being made ready; try again shortly`)
  }

  /** The engine's answer to a plan; undefined when the client has it already. */
  const search = function* (
    { exchange, asking, options, noted }: Answering,
    planned: Planned<PlannedQuery>,
    format: Format = 'json',
  ): Recipe<Reply | undefined> {
    const { collection, plan } = planned.query
    const { id } = yield* answering(asking, collection, options.config)
    const leftMs = yield* whenOpened(exchange.request, asking.account, id)
    const vary = String(exchange.getHeader('vary'))
    const tag = tagOf(exchange.url, asking.workspace, planned, id, deps.engine.version(id), format, vary)
    exchange.header('etag', tag)
    endStep(exchange.observation, 'compile')
    if (isKnown(exchange.request.headers['if-none-match'], tag)) return undefined
    const found = yield* limits.within(asking.account, () =>
      deps.engine.search(id, plan, leftMs, gone(exchange.request.socket)),
    )
    endStep(exchange.observation, 'engine')
    noted.total = found.total
    return found
  }

  /** Not of a query: it has an entity tag of its own; undefined: not modified. */
  const tagged = (exchange: Exchange, reply: object): string | undefined => {
    const text = JSON.stringify(reply)
    const tag = entityTag([text])
    exchange.header('etag', tag)
    return isKnown(exchange.request.headers['if-none-match'], tag) ? undefined : text
  }

  /** JSON text, or another format with its headers; undefined: not modified. */
  const answer = function* (
    exchange: Exchange,
    begun: Begun,
    noted: Noted,
  ): Recipe<string | Formatted | undefined> {
    addVary(exchange, 'accept-encoding')
    const { question } = begun
    const asking = again.asking(exchange.request, question) ?? (yield* admitCounted(exchange, begun))
    noted.asking = asking
    endStep(exchange.observation, 'authorise')
    notePlace(exchange.response, { workspace: asking.workspace.slug, api: asking.api.name })
    limits.count(exchange, asking.account)
    question.request ??= readRequest(question.address)
    const asked = question.request
    if ('stack' in asked) noted.stack = asked.stack
    noted.endpoint = 'facet' in asked ? asked.facet : ''
    question.options ??= readOptions(question.address.search)
    const { options } = question
    refuseUnknownConfiguration(asking.workspace, options.config)
    const { api, filters } = asking
    const under = { exchange, asking, options, noted }
    switch (asked.kind) {
      case 'about':
        return tagged(exchange, about(asking.workspace, api))
      case 'status': {
        const opened = function* (collection: string) {
          const generation = yield* answering(asking, collection, options.config)
          yield* whenOpened(exchange.request, asking.account, generation.id)
          return generation
        }
        return tagged(exchange, yield* status(api, options.config, opened, deps.engine))
      }
      case 'openapi':
        return tagged(
          exchange,
          apiOpenApi(service, asking.workspace.slug, api, configurationsOf(asking.workspace)),
        )
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
        return yield* known(writeFormatted(format, found, options, wanted.statistics, origin))
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

  const record = ({ response }: Exchange, noted: Noted, ms: number, failed: boolean): void => {
    const { asking, stack, endpoint: facet = '', total } = noted
    // About and status are no queries; what stands in no grammar is one that failed.
    if (!asking || (!stack && !failed)) return
    const { workspace, api, subject } = asking
    const name = stack?.[0]?.endpoint ?? facet
    const endpoint = api.endpointNames.has(name) ? name : ''
    notePlace(response, { endpoint })
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
  const begin = function* (request: IncomingMessage, reply: Headed, url: string): Recipe<Begun> {
    const question = questions.of(url)
    const found = yield* find(question.address)
    setCors(request, reply, yield* known(readable(request.headers.origin, found)))
    if (isTooLong(url)) limits.count(reply, at(request))
    return { question, found }
  }

  /** 304, by the steps of {@link answer} that do more than find out. */
  const sayUnchanged = (exchange: Exchange, { asking, stack, tag, vary }: Unchanged): void => {
    const started = performance.now()
    endStep(exchange.observation, 'authorise')
    exchange.header('vary', vary)
    notePlace(exchange.response, { workspace: asking.workspace.slug, api: asking.api.name })
    try {
      limits.count(exchange, asking.account)
    } catch (error) {
      record(exchange, { asking }, performance.now() - started, true)
      throw error
    }
    exchange.header('etag', tag)
    record(exchange, { asking, stack }, performance.now() - started, false)
    exchange.header('cache-control', 'private, no-cache')
    void exchange.send(304)
  }

  /** Answers GET and HEAD. */
  const reply = function* (exchange: Exchange): Recipe<void> {
    const { request, response, url } = exchange
    const begun = yield* begin(request, exchange, url)
    if (isTooLong(url)) throw tooLongUrl()
    const noted: Noted = {}
    const started = performance.now()
    let answered: string | Formatted | undefined
    try {
      answered = yield* answer(exchange, begun, noted)
      record(exchange, noted, performance.now() - started, false)
    } catch (error) {
      // A query that was given up neither answered nor failed.
      if (!response.destroyed) record(exchange, noted, performance.now() - started, true)
      throw error
    }
    exchange.header('cache-control', 'private, no-cache')
    if (answered === undefined || isAny(request.headers['if-none-match']))
      return yield* known(exchange.send(304))
    if (typeof answered === 'string') {
      exchange.header('content-type', 'application/json; charset=utf-8')
      return yield* known(exchange.send(200, answered))
    }
    for (const [name, value] of Object.entries(answered.headers)) exchange.header(name, value)
    return yield* known(exchange.send(200, answered.body))
  }

  registerNotQueries(fastify, { limits, at, begin })
  return next => (request, response) => {
    const { method, url = '/' } = request
    if ((method !== 'GET' && method !== 'HEAD') || !isQueryUrl(url)) return next(request, response)
    const exchange = openExchange(request, response, routed)
    const fail = async (error: unknown) => {
      try {
        await exchange.fail(problemOfEngine(error), fastify.log)
      } catch (err) {
        fastify.log.error({ err, requestId: exchange.requestId }, 'a reply could not be written')
        response.destroy()
      }
    }
    try {
      refuseNoHost(request)
      const unchanged = again.unchanged(request)
      if (unchanged) return sayUnchanged(exchange, unchanged)
      const replied = followed(reply(exchange))
      if (replied instanceof Promise) replied.catch(fail)
    } catch (error) {
      void fail(error)
    }
  }
}

/** A request on its way, once it is known who asks and for what. */
interface Answering {
  exchange: Exchange
  asking: Asking
  options: QueryOptions
  noted: Noted
}
