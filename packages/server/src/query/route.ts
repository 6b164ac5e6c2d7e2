/** A query, from its URL to its reply: each line of {@link answer} is one step (design: "A query"). */

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { RowFilter } from '@querent/contract/manage'
import {
  type ApiRequest,
  contractVersion,
  PathError,
  readApiRequest,
  type StackedEndpoint,
} from '@querent/contract/paths'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Engine, Plan, Reply } from '#engines/engine'
import { Problem } from '#errors'
import { type AuthoriseDependencies, authorise } from '#http/authorise'
import { type Readable, readableBy, setCors, setPreflight } from '#http/cors'
import { problemOfEngine } from '#http/engine-problem'
import { type Exchange, openExchange, refuseNoHost } from '#http/exchange'
import type { Origins } from '#http/origins'
import { refuseOtherMethods } from '#http/other-methods'
import { previewedFilter, previewHeader } from '#http/preview'
import { notePlace } from '#http/request-log'
import { isTooLong } from '#http/server'
import { refuseTokenInUrl } from '#http/token-in-url'
import { tooLongUrl } from '#http/unparsed'
import type { UsageLog } from '#http/usage-log'
import { addVary, type Headed } from '#http/vary'
import type { WorkspaceRow } from '#storage/workspaces'
import { about, configurationsOf, status } from './about.ts'
import { isQueryUrl, noSuchPath, type QueryAddress, readAddress } from './address.ts'
import { type CompiledApi, compileApi } from './compile.ts'
import { acceptedFormat, type Format } from './formats/formats.ts'
import { type Formatted, writeFormatted } from './formatted.ts'
import { openLimits } from './limits.ts'
import { apiOpenApi } from './openapi.ts'
import { type QueryOptions, readOptions } from './options.ts'
import { type RequestTypeRow, requestTypeRows } from './request-types.ts'
import { optionsText } from './results.ts'
import { entityTag, isKnown } from './validator.ts'

export interface QueryDependencies extends AuthoriseDependencies {
  engine: Engine
  /** The generation of a collection that answers under a configuration; undefined while it is not there yet. */
  generation(
    workspace: WorkspaceRow,
    collection: string,
    config: string,
  ): Promise<{ id: string; name: string } | undefined>
  /** Of registered applications. */
  origins: Origins
  /** The authorization server's own pages, the console among them, may query. */
  authUrl: string
  usageLog: Pick<UsageLog, 'record'>
  clientAddress(request: IncomingMessage): string
  queryTimeoutMs: number
  aMinute: number | 'off'
  atOnce: number
}

/** Where the router finds what goes to queries and is none; a client that asks for it gets 404. */
const routed = '/queries'

/** The router would decode encoded slashes and refuse long values: it sees one fixed path, the recipe reads the URL itself. */
export const rewriteQueryUrl = (url: string): string => (isQueryUrl(url) ? routed : url)

const allowed = ['GET', 'HEAD', 'OPTIONS']

interface Asking {
  workspace: WorkspaceRow
  api: CompiledApi
  /** All of them hold. */
  filters: readonly RowFilter[]
  /** Id of a user or Client ID; '' for a public API. */
  subject: string
  /** Whose limits it counts for. */
  account: string
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
  const service = { baseUrl: deps.origin, authUrl: deps.authUrl }

  const find = async ({ workspace: slug, api: name }: QueryAddress) => {
    const workspace = slug === undefined ? undefined : await deps.directory.workspace(slug)
    return { workspace, api: workspace && name !== undefined ? compiled(workspace, name) : undefined }
  }

  /** Which pages may read the reply. What does not exist is readable by as few as what is private. */
  const readable = async (origin: string | undefined, address: QueryAddress): Promise<Readable> => {
    const { workspace, api } = await find(address)
    return api?.access === 'public' ? 'any' : readableBy(origin, workspace, deps)
  }

  /** Whoever asks may: a public API anyone, another its members. What is not there answers like what is not theirs. */
  const admit = async ({ request, requestId }: Exchange, address: QueryAddress): Promise<Asking> => {
    refuseTokenInUrl(address.search)
    const { workspace: known, api } = await find(address)
    const preview = request.headers[previewHeader]?.toString()
    if (known && api?.access === 'public' && preview === undefined)
      return { workspace: known, api, filters: [], subject: '', account: at(request) }
    const asked = {
      authorization: request.headers.authorization,
      path: address.path,
      resourcePath: address.resourcePath,
      requestId,
    }
    const authorised = await authorise(deps, asked, address.workspace ?? '', 'query')
    const { principal, workspace, filter } = authorised
    const previewed = await previewedFilter(deps, asked, authorised, preview)
    if (!api) throw noSuchApi(workspace, address.api)
    // In a public API everybody sees everything.
    const filters = api.access === 'public' ? [] : [filter, previewed].filter(each => each !== undefined)
    const { subject } = principal
    return { workspace, api, filters, subject, account: subject }
  }

  const answering = async (asking: Asking, collection: string, config: string) => {
    const generation = await deps.generation(asking.workspace, collection, config)
    if (generation) return generation
    throw new Problem('unavailable', `the collection "${collection}" is being made ready; try again shortly`)
  }

  /** The engine's answer to a plan; undefined when the client has it already. */
  const search = async (
    { exchange, asking, options, noted, signal }: Answering,
    { collection, plan }: { collection: string; plan: Plan },
    format: Format = 'json',
  ): Promise<Reply | undefined> => {
    const { workspace, filters, account } = asking
    const { id } = await answering(asking, collection, options.config)
    const tag = entityTag([
      workspace.id,
      workspace.version,
      id,
      deps.engine.version(id),
      filters.length === 0 ? '' : JSON.stringify(filters),
      format,
      exchange.url,
    ])
    exchange.header('etag', tag)
    if (isKnown(exchange.request.headers['if-none-match'], tag)) return undefined
    try {
      const found = await limits.within(account, () =>
        deps.engine.search(id, plan, deps.queryTimeoutMs, signal()),
      )
      noted.total = found.total
      return found
    } catch (error) {
      throw problemOfEngine(error)
    }
  }

  /** JSON text, or another format with its headers; undefined: not modified. */
  const answer = async (
    exchange: Exchange,
    address: QueryAddress,
    noted: Noted,
    signal: () => AbortSignal,
  ): Promise<string | Formatted | undefined> => {
    addVary(exchange, 'accept-encoding')
    const asking = await admit(exchange, address).catch(error => {
      // Whoever is refused counts by address, so that RateLimit headers are on refusals too.
      limits.count(exchange, at(exchange.request))
      throw error
    })
    noted.asking = asking
    notePlace(exchange.response, { workspace: asking.workspace.slug, api: asking.api.name })
    limits.count(exchange, asking.account)
    const asked = readRequest(address)
    if ('stack' in asked) noted.stack = asked.stack
    noted.endpoint = 'facet' in asked ? asked.facet : ''
    const options = readOptions(address.search)
    refuseUnknownConfiguration(asking.workspace, options.config)
    const { api, filters } = asking
    const under = { exchange, asking, options, noted, signal }
    switch (asked.kind) {
      case 'about':
        return JSON.stringify(about(asking.workspace, api))
      case 'status':
        return JSON.stringify(
          await status(api, options.config, name => answering(asking, name, options.config), deps.engine),
        )
      case 'openapi':
        return JSON.stringify(
          apiOpenApi(service, asking.workspace.slug, api, configurationsOf(asking.workspace)),
        )
      case 'query': {
        const row = requestTypeRows[asked.type]
        const format = formatOf(row, under)
        const { cutoff } = options
        const wanted = row.wants(options)
        const planned = api.plan({ stack: asked.stack, filters, cutoff, ...wanted })
        const found = await search(under, planned, format)
        if (!found || format === 'json') return found && row.reply(found, options)
        const origin = { workspace: asking.workspace, api: api.name, planned, baseUrl: deps.origin }
        return writeFormatted(format, found, options, wanted.statistics, origin)
      }
      case 'options': {
        const { offset, count, cutoff, multiselect } = options
        const planned = api.options({ ...asked, filters, offset, count, cutoff, multiselect })
        const found = await search(under, planned)
        return found && optionsText(found, planned.facet)
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
  const begin = async (request: IncomingMessage, reply: Headed, url: string): Promise<QueryAddress> => {
    const address = readAddress(url)
    setCors(request, reply, await readable(request.headers.origin, address))
    if (isTooLong(url)) limits.count(reply, at(request))
    return address
  }

  /** Answers GET and HEAD. */
  const reply = async (exchange: Exchange): Promise<void> => {
    const { request, response, url } = exchange
    refuseNoHost(request)
    const address = await begin(request, exchange, url)
    if (isTooLong(url)) throw tooLongUrl()
    const noted: Noted = {}
    const started = performance.now()
    const gone = openGone(response)
    let answered: string | Formatted | undefined
    try {
      answered = await answer(exchange, address, noted, gone)
      record(exchange, noted, performance.now() - started, false)
    } catch (error) {
      // A query that was given up neither answered nor failed.
      if (!response.destroyed) record(exchange, noted, performance.now() - started, true)
      throw error
    }
    exchange.header('cache-control', 'private, no-cache')
    if (answered === undefined) return exchange.send(304)
    if (typeof answered === 'string') {
      exchange.header('content-type', 'application/json; charset=utf-8')
      return exchange.send(200, answered)
    }
    for (const [name, value] of Object.entries(answered.headers)) exchange.header(name, value)
    return exchange.send(200, answered.body)
  }

  // Queries count for who asks, once that is known; what is no query, by address. Imports have bounds of their own, and no page could
  // read why its preflight was refused.
  fastify.addHook('onRequest', async (request, reply) => {
    const { originalUrl, method, routeOptions } = request
    const isElse = !isQueryUrl(originalUrl) && !isDocumentsRoute(routeOptions.url)
    if (isElse && method !== 'OPTIONS') limits.count(reply, at(request.raw))
  })
  const beginOther = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (!isQueryUrl(request.originalUrl)) throw noSuchPath(request.originalUrl)
    await begin(request.raw, reply, request.originalUrl)
  }
  fastify.route({
    method: 'OPTIONS',
    url: routed,
    onRequest: beginOther,
    handler: async (request, reply) => {
      setPreflight(request, reply, 'GET, HEAD')
      reply.code(204).header('allow', allowed.join(', '))
    },
  })
  refuseOtherMethods(fastify, routed, allowed, async (request, reply) => {
    await beginOther(request, reply)
    limits.count(reply, at(request.raw))
  })
  return next => (request, response) => {
    const { method, url = '/' } = request
    if ((method !== 'GET' && method !== 'HEAD') || !isQueryUrl(url)) return next(request, response)
    const exchange = openExchange(request, response, routed)
    reply(exchange)
      .catch(error => exchange.fail(error, fastify.log))
      .catch(error => {
        fastify.log.error({ err: error, reqId: exchange.requestId }, 'a reply could not be written')
        response.destroy()
      })
  }
}

const isDocumentsRoute = (url: string | undefined): boolean =>
  url?.startsWith(`/${contractVersion}/:workspace/collections/`) ?? false

/** A request on its way, once it is known who asks and for what. */
interface Answering {
  exchange: Exchange
  asking: Asking
  options: QueryOptions
  noted: Noted
  /** Aborted when nobody waits for the reply any more. */
  signal: () => AbortSignal
}

/** Aborted when the connection is gone before the reply; made when it is asked for. */
const openGone = (response: ServerResponse) => (): AbortSignal => {
  const gone = new AbortController()
  if (response.destroyed) gone.abort()
  else
    response.once('close', () => {
      if (!response.writableFinished) gone.abort()
    })
  return gone.signal
}

/** The format that the option names, else the one that `Accept` prefers. */
const formatOf = ({ formats }: RequestTypeRow, { exchange, options }: Answering): Format => {
  if (!formats) return 'json'
  if (options.format !== undefined) return options.format
  addVary(exchange, 'Accept')
  return acceptedFormat(exchange.request.headers.accept)
}

/** Compiled APIs of each version of a workspace's definition; an older version's go with it. */
const openCompiled = () => {
  const versions = new WeakMap<WorkspaceRow, Map<string, CompiledApi | undefined>>()
  return (workspace: WorkspaceRow, name: string): CompiledApi | undefined => {
    const apis = versions.get(workspace) ?? new Map<string, CompiledApi | undefined>()
    versions.set(workspace, apis)
    if (!apis.has(name) && Object.hasOwn(workspace.definition.apis ?? {}, name))
      apis.set(name, compileApi(workspace.definition, name))
    return apis.get(name)
  }
}

const noSuchApi = (workspace: WorkspaceRow, name: string | undefined): Problem => {
  const names = Object.keys(workspace.definition.apis ?? {}).slice(0, 50)
  return new Problem(
    'no-such-api',
    `No such api ${JSON.stringify(name ?? '')}; there are: ${names.join(', ') || 'none'}`,
  )
}

const readRequest = ({ segments }: QueryAddress): ApiRequest => {
  try {
    return readApiRequest(segments)
  } catch (error) {
    if (error instanceof PathError) throw new Problem('bad-path', error.message)
    throw error
  }
}

const refuseUnknownConfiguration = (workspace: WorkspaceRow, name: string): void => {
  if (name === 'default' || Object.hasOwn(workspace.definition.configurations ?? {}, name)) return
  const names = configurationsOf(workspace).slice(0, 50).join(', ')
  throw new Problem(
    'no-such-configuration',
    `No such workspace configuration ${JSON.stringify(name.slice(0, 100))}; there are: ${names}`,
  )
}
