/**
 * The authorization server (authorization-server.md): oidc-provider behind an entrance, with clients, people, keys and tokens of ours.
 *
 * A request goes through `handle`, which settles address, method and origin (entrance.ts) and turns forms of other sites into a GET
 * (forms.ts), then to the library.
 *
 * - A machine that asks for a token as most do gets it on a short way (token-shortcut.ts).
 * - Another machine: the library authenticates the client (library.ts, authentication.ts), chooses the audience (resource.ts) and signs. JWTs
 *   that are to be revoked or introspected come back from it, with the client authenticated (endpoints.ts).
 * - A person: what is asked for is put into one form (asked.ts); the prompts `login`, `member`, `consent` (policy.ts) lead to the pages
 *   (interactions/) and back (sign-in.ts); the code stands on a grant made from the consent (consents.ts). Whenever a code or token is
 *   used later, account and membership are looked at again (accounts.ts).
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors } from 'oidc-provider'
import { errorReply, Problem } from '#errors'
import { withoutSlash } from '#http/address'
import { notePlace } from '#http/observation'
import type { Origins } from '#http/origins'
import { clientAuthentication } from './authentication.ts'
import type { Interactions, InteractionsDependencies } from './boundary.ts'
import { openClients, registerConsole } from './clients.ts'
import { routes } from './configuration.ts'
import { buildEndpoints, type EndpointsDependencies } from './endpoints.ts'
import { addressAt, answerOptions, refusalOf, setCors, splitTarget } from './entrance.ts'
import { explain } from './error-words.ts'
import { openFailedAttempts } from './failed-attempts.ts'
import { openForms, ownLogoutAddress } from './forms.ts'
import { openInteracting } from './interacting.ts'
import { withoutBadHint } from './logout.ts'
import { isOfBrowser, sendErrorPage, sendFailure, sendSign } from './page-replies.ts'
import { logUnavailable } from './replies.ts'
import { openSecretUses } from './secrets.ts'
import { sendJson, sendRefusal } from './send-json.ts'
import { openStartLimit } from './started-sign-ins.ts'
import { startUpkeep } from './upkeep.ts'

/** What is made here is not handed in; both addresses are origins, without a slash at the end. */
interface Dependencies
  extends Omit<
    EndpointsDependencies,
    'clients' | 'authentication' | 'cookieKeys' | 'mayStart' | 'clientAddress'
  > {
  /** Of registered applications. */
  origins: Origins
  /** Wrong secrets a minute from one address, for one client. */
  signInThrottle: number | 'off'
  /** The client's IP address; with trusted proxies, what they say. Absent: that of the connection. */
  clientAddress?: (request: IncomingMessage) => string
  /** The pages that people see on the way to a code. */
  interactions?: (dependencies: InteractionsDependencies) => Interactions
}

export interface AuthorizationServer {
  /** Answers a request whose body nobody has read; also one for an address that is not its own: a browser by a page, else 404. */
  handle(request: IncomingMessage, response: ServerResponse): void
  /** Whether there is such an address here; `/manage` and `/console` are others'. */
  owns(pathname: string): boolean
  /** Writes what is not written yet. */
  close(): Promise<void>
}

const noInteractions = (): Interactions => ({ owns: () => false, handle: async () => {} })

/** A redirect after a form. */
const onward = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }

const addressOfConnection = (request: IncomingMessage): string => request.socket.remoteAddress ?? ''

export const openAuthorizationServer = async (dependencies: Dependencies): Promise<AuthorizationServer> => {
  const { storage, directory, keyring, authUrl, baseUrl, log, origins } = dependencies
  const uses = openSecretUses(storage)
  const failed = openFailedAttempts(dependencies.signInThrottle)
  await registerConsole(storage)
  const clients = openClients(storage, directory, authUrl)
  const clientAddress = dependencies.clientAddress ?? addressOfConnection
  const authentication = clientAuthentication(uses, failed, clientAddress)
  const mayStart = openStartLimit(dependencies.signInThrottle, clientAddress)
  const cookieKeys = [keyring.derive('cookies').toString('base64url')]
  const build = () =>
    buildEndpoints({ ...dependencies, clients, authentication, cookieKeys, mayStart, clientAddress })
  let endpoints = build()
  const stopRotation = keyring.onRotation(() => {
    endpoints = build()
  })
  const interactions = (dependencies.interactions ?? noInteractions)({
    provider: () => endpoints.provider,
    interacting: openInteracting({ storage, clients }),
    clientAddress,
    storage,
    directory,
    authUrl,
    baseUrl,
    log,
  })
  const forms = openForms(storage, keyring)
  const stopUpkeep = startUpkeep(uses, log)
  const { host, protocol } = new URL(authUrl)

  /** Addresses in replies are the public ones, whatever Host, proxy headers or request target say. */
  const sayPublicAddress = (request: IncomingMessage, url: string) => {
    request.url = url
    request.headers.host = host
    request.headers['x-forwarded-proto'] = protocol.slice(0, -1)
    delete request.headers['x-forwarded-host']
  }

  const answer = async (request: IncomingMessage, response: ServerResponse, requestId: string) => {
    response.setHeader('x-request-id', requestId)
    response.setHeader('x-content-type-options', 'nosniff')
    const target = splitTarget(request.url ?? '/')
    const { pathname, search } = ownLogoutAddress(target.pathname, target.search) ?? target
    const address = addressAt(pathname)
    if (interactions.owns(pathname)) {
      sayPublicAddress(request, pathname + search)
      return interactions.handle(request, response, { requestId })
    }
    if (!address) {
      response.setHeader('vary', 'Accept')
      if (isOfBrowser(request)) return sendSign(request, response, { pathname, baseUrl, requestId })
      return sendJson(response, 404, errorReply(nothingAt(pathname), requestId))
    }
    await setCors(request, response, address, origins)
    if (request.method === 'OPTIONS') return answerOptions(request, response, address)
    const refusal = refusalOf(request, pathname, search)
    if (refusal) {
      notePlace(response, { code: refusal.notBuilt ? 'not-built-yet' : refusal.error })
      if (refusal.notBuilt && isOfBrowser(request))
        return sendErrorPage(request, response, { ...refusal, requestId })
      return sendRefusal(response, refusal)
    }
    if (address.form) {
      const query = await orErrorPage(request, response, requestId, async () => {
        if (request.method !== 'POST') return forms.queryOf(search)
        mayStart(request)
        response.writeHead(303, { ...onward, location: await forms.keep(request, target.pathname) }).end()
        return undefined
      })
      if (query === undefined) return
      const isLogout = withoutSlash(pathname) === routes.end_session
      sayPublicAddress(request, pathname + (isLogout ? await withoutBadHint(query, keyring) : query))
    } else sayPublicAddress(request, pathname + search)
    // Nobody waits for a reply. Of a body that ends with its connection the library says, outside the log, that another has read it.
    if (request.socket.destroyed) return
    await endpoints.answer(request, response)
  }

  return {
    handle(request, response) {
      const requestId = randomUUID()
      notePlace(response, { requestId })
      const taken = endpoints.shortcut?.(request, response, requestId)
      const answered = taken
        ? taken.then(isDone => (isDone ? undefined : answer(request, response, requestId)))
        : answer(request, response, requestId)
      answered.catch((error: unknown) => {
        const reply = explain(error, requestId, baseUrl)
        notePlace(response, { code: reply.body.error })
        if (reply.status === 503) logUnavailable(log, error, requestId)
        else log.error({ err: error, requestId }, 'a request to the authorization server failed')
        if (response.headersSent) response.destroy()
        else sendFailure(request, response, reply, requestId)
      })
    },
    owns: pathname => addressAt(pathname) !== undefined || interactions.owns(pathname),
    async close() {
      stopUpkeep()
      stopRotation()
      await uses
        .flush()
        .catch((error: unknown) => log.warn({ err: error }, 'the last uses of secrets were not written'))
    },
  }
}

/** Undefined: a page says what is wrong with the request, or `work` answered. */
const orErrorPage = async <T>(
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  work: () => Promise<T>,
): Promise<T | undefined> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof errors.OIDCProviderError) || !error.expose) throw error
    const { statusCode: status, error: code, error_description: description = '' } = error
    notePlace(response, { code })
    sendErrorPage(request, response, { status, error: code, description, requestId })
    return undefined
  }
}

const nothingAt = (pathname: string): Problem =>
  new Problem('no-such-path', `there is nothing at ${pathname.slice(0, 200)} on the authorization server`)
