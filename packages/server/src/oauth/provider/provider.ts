/**
 * The authorization server: oidc-provider with our own routing, clients, people, keys and tokens.
 * `handle` checks path, method and origin (endpoint-routing.ts), redirects cross-site forms to GET
 * (forms.ts), and passes the request to the library.
 * - Plain client credentials requests take the fast path (client-credentials-fast-path.ts).
 * - For other machine requests, the library authenticates the client (oidc-provider-internals.ts,
 * authentication.ts), chooses the audience (resource.ts) and signs. endpoints.ts revokes and introspects
 * JWTs.
 * - Requests for people are normalized (normalize-request.ts). The prompts of policy.ts lead to the pages (interactions/) and back (sign-in.ts). The code refers to a grant made from
 * the consent (consents.ts). Each use of a code or token checks account and membership again (accounts.ts).
 */

import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { defaultNativeSchemes, loopbackHosts } from '@querent/contract/client-uris'
import { errors } from 'oidc-provider'
import { withoutSlash } from '#authz/audience'
import { errorReply, Problem } from '#errors'
import type { Origins } from '#http/origins'
import { refuseRequest } from '#http/parser-errors'
import { createPublicClientFetch, createPublicPost, type PublicFetchOptions } from '#http/public-fetch'
import { createProviderSecrets } from '#keys/provider-secrets'
import { clientAuthentication } from '#oauth/clients/authentication'
import { ensureOwnClients, openClients } from '#oauth/clients/clients'
import { type DocumentFetch, openMetadataDocuments } from '#oauth/clients/metadata-documents'
import { openRegistration } from '#oauth/clients/registration'
import { openSecretUses } from '#oauth/clients/secrets'
import { openProviderKeys } from '#oauth/identity-provider/provider-keys'
import { createMetadataCheck } from '#oauth/identity-provider/provider-metadata'
import { openRelyingParty } from '#oauth/identity-provider/relying-party'
import { openSignInRenewal } from '#oauth/identity-provider/sign-in-renewal'
import type { InteractionsDependencies } from '#oauth/interactions/dependencies'
import { openFormTokens } from '#oauth/interactions/forgery'
import { openRepeatedForms } from '#oauth/interactions/repeated-forms'
import { openCookies } from '#oauth/library/cookies'
import { toErrorReply } from '#oauth/library/error-descriptions'
import type { Interactions } from '#oauth/library/interaction-types'
import { routes } from '#oauth/library/routes'
import { sendJson, sendRefusal } from '#oauth/library/send-json'
import { switchLanguage } from '#oauth/pages/language'
import { isFromBrowser } from '#oauth/pages/page'
import { rememberAddresses } from '#oauth/requests/buffered-request'
import {
  answerHead,
  answerOptions,
  encodedBodyRefusal,
  findEndpoint,
  findRefusal,
  hasEffect,
  isEncoded,
  isResumePath,
  setCors,
  splitTarget,
} from '#oauth/requests/endpoint-routing'
import { openFailedAttempts } from '#oauth/requests/failed-attempts'
import { openStoredForms, resolveLogoutAlias } from '#oauth/requests/forms'
import { openStartedSignIns } from '#oauth/requests/started-sign-ins'
import { openUserCodeAttempts } from '#oauth/requests/user-code-attempts'
import { openConsentService } from '#oauth/sessions/consent-service'
import { dropInvalidHints } from '#oauth/sessions/logout'
import { openLogoutDelivery } from '#oauth/sessions/logout-delivery'
import { runEssential } from '#storage/disk-reserve'
import { countFormerPasskeys, recordServiceAddress } from '#storage/service-addresses'
import { setAttributes } from '#telemetry/request-attributes'
import { buildEndpoints, type EndpointsDependencies } from './endpoints.ts'
import { sendErrorPage, sendFailure, sendLandingPage } from './page-replies.ts'
import { logUnavailable } from './replies.ts'

/** Both URLs are origins without a trailing slash. The omitted dependencies are created here. */
interface Dependencies
  extends Omit<
    EndpointsDependencies,
    | 'clients'
    | 'authentication'
    | 'cookieKeys'
    | 'startedSignIns'
    | 'userCodeAttempts'
    | 'clientAddress'
    | 'metadataDocuments'
    | 'registration'
    | 'signInRenewal'
    | 'forgetReplies'
    | 'formerBaseUrls'
  > {
  /** Origins of registered applications. */
  origins: Origins
  /** Wrong secrets a minute from one address for one client. */
  signInThrottle: number | 'off'
  /** Schemes without a dot that native applications may use for redirect URIs. Default: those of known editors. */
  nativeSchemes?: readonly string[]
  /** How Client ID Metadata Documents are fetched. Default: from public addresses only. */
  documentFetch?: DocumentFetch
  /** Workspace whose applications may register themselves without a token. Default: none. */
  openRegistration?: string
  /** How logout tokens, and requests to workspaces' own OpenID providers, are sent. Default: to public addresses only, and to this machine if this server is on it only. */
  logoutRequests?: PublicFetchOptions
  /** IP address of the client, behind trusted proxies. Default: address of the connection. */
  clientAddress?: (request: IncomingMessage) => string
  /** Pages for people. */
  interactions?: (dependencies: InteractionsDependencies) => Interactions
}

export interface AuthorizationServer {
  /** Answers a request whose body is unread. For unknown paths, sends browsers a page and others a 404. */
  handle(request: IncomingMessage, response: ServerResponse): void
  /** Answers a request whose body timed out, in the error format of its path. */
  answerLate(request: IncomingMessage, response: ServerResponse, problem: Problem): void
  /** Whether the path is handled here; `/manage` and `/console` are not. */
  owns(pathname: string): boolean
  /** Returns what is wrong with the metadata of an OpenID provider; undefined: nothing. */
  checkIssuer: ReturnType<typeof createMetadataCheck>
  /** Flushes pending writes. */
  close(): Promise<void>
}

/** See docs/operate.md, "Another address". */
const movedMessage =
  'this server has another address than before: tokens end, people are asked for their consent again, and passkeys of the former host name do not work: see querent doctor'

const noInteractions = (): Interactions => ({ owns: () => false, handle: async () => {} })

/** Headers of the redirect after a form. */
const formRedirectHeaders = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }

/** Revocations and logouts work on a full disk too. */
const endsAccess = ({ url = '' }: IncomingMessage): boolean =>
  url === routes.revocation || /^\/logout(?:[/?]|$)/.test(url)

const readRemoteAddress = (request: IncomingMessage): string => request.socket.remoteAddress ?? ''

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: older than the limit
export const openAuthorizationServer = async (dependencies: Dependencies): Promise<AuthorizationServer> => {
  const { storage, directory, keyring, authUrl, baseUrl, log, origins } = dependencies
  const secretUses = openSecretUses(storage, log)
  const failedAttempts = openFailedAttempts(dependencies.signInThrottle)
  await ensureOwnClients(storage)
  const { former, hasMoved } = await recordServiceAddress(storage, { baseUrl, authUrl })
  const formerPasskeys = await countFormerPasskeys(storage.db, new URL(authUrl).hostname)
  if (hasMoved || formerPasskeys.passkeys > 0)
    log.warn({ ...formerPasskeys, former: former[0] }, movedMessage)
  const clients = openClients(storage, directory, authUrl)
  const clientAddress = rememberAddresses(dependencies.clientAddress ?? readRemoteAddress)
  const authentication = clientAuthentication(secretUses, failedAttempts, clientAddress)
  const startedSignIns = openStartedSignIns(storage.db, dependencies.signInThrottle, clientAddress)
  const userCodeAttempts = openUserCodeAttempts(storage, dependencies.signInThrottle, clientAddress)
  const nativeSchemes = dependencies.nativeSchemes ?? defaultNativeSchemes
  const metadataDocuments = openMetadataDocuments({
    documentFetch: { internalHosts: [] },
    ...dependencies,
    clientAddress,
    nativeSchemes,
  })
  const registration = openRegistration({ ...dependencies, clientAddress, nativeSchemes })
  const cookieKeys = [keyring.derive('cookies').toString('base64url')]
  const { host, hostname, protocol } = new URL(authUrl)
  const requestOptions: PublicFetchOptions = {
    internalHosts: [],
    loopbackToo: loopbackHosts.includes(hostname),
    ...dependencies.logoutRequests,
  }
  const providerFetch = createPublicClientFetch(requestOptions)
  const providerKeys = openProviderKeys(providerFetch)
  const relyingParty = openRelyingParty({
    db: storage.db,
    secrets: createProviderSecrets(keyring),
    fetch: providerFetch,
    keys: providerKeys,
    authUrl,
    log,
  })
  const signInRenewal = openSignInRenewal({
    storage,
    directory,
    secrets: createProviderSecrets(keyring, 'provider tokens'),
    relyingParty,
    log,
    signInLog: dependencies.signInLog,
    counter: dependencies.counts.providerRenewals,
  })
  const cookies = openCookies(authUrl)
  const repeatedForms = openRepeatedForms({ db: storage.db, keyring, cookies, clientAddress, log })
  const formTokens = openFormTokens(cookies, authUrl)
  const build = () =>
    buildEndpoints({
      ...dependencies,
      forgetReplies: repeatedForms.forget,
      clients,
      authentication,
      cookieKeys,
      startedSignIns,
      userCodeAttempts,
      clientAddress,
      metadataDocuments,
      registration,
      signInRenewal,
      formerBaseUrls: former.map(address => address.baseUrl),
    })
  let endpoints = build()
  const stopRotation = keyring.onRotation(() => {
    endpoints = build()
  })
  const interactions = (dependencies.interactions ?? noInteractions)({
    provider: () => endpoints.provider,
    consentService: openConsentService({ storage, clients, baseUrl }),
    clientAddress,
    signInLog: dependencies.signInLog,
    storage,
    directory,
    keyring,
    authUrl,
    baseUrl,
    formerPasskeyHosts: formerPasskeys.hosts,
    providerKeys,
    relyingParty,
    signInRenewal,
    log,
    repeatedForms,
  })
  const logoutDelivery = openLogoutDelivery({
    storage,
    clients,
    log,
    makeLogoutToken: (...notice) => endpoints.makeLogoutToken(...notice),
    post: createPublicPost(requestOptions),
  })
  const forms = openStoredForms(storage, keyring, startedSignIns)

  /** Replies always contain the public address, whatever Host, proxy headers or request target say. */
  const applyPublicOrigin = (request: IncomingMessage, url: string) => {
    request.url = url
    request.headers.host = host
    request.headers['x-forwarded-proto'] = protocol.slice(0, -1)
    delete request.headers['x-forwarded-host']
  }

  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: older than the limit
  const answer = async (request: IncomingMessage, response: ServerResponse, requestId: string) => {
    // The body timed out.
    if (response.headersSent) return
    response.setHeader('x-request-id', requestId)
    response.setHeader('x-content-type-options', 'nosniff')
    const target = splitTarget(request.url ?? '/')
    const { pathname, search } = resolveLogoutAlias(target.pathname, target.search) ?? target
    const endpoint = findEndpoint(pathname)
    if (interactions.owns(pathname)) {
      if (request.method === 'POST' && isEncoded(request)) return sendRefusal(response, encodedBodyRefusal)
      applyPublicOrigin(request, pathname + search)
      return interactions.handle(request, response, { requestId })
    }
    if (!endpoint) {
      response.setHeader('vary', 'Accept')
      if (isFromBrowser(request)) return sendLandingPage(request, response, { pathname, baseUrl, requestId })
      return sendJson(response, 404, errorReply(notFoundProblem(pathname), requestId))
    }
    await setCors(request, response, endpoint, origins)
    if (request.method === 'OPTIONS') return answerOptions(request, response, endpoint)
    const refusal = findRefusal(request, pathname, search)
    if (refusal) {
      setAttributes(response, { code: refusal.error })
      return sendRefusal(response, refusal)
    }
    if (request.method === 'HEAD' && hasEffect(pathname)) return answerHead(response)
    if (endpoint.form) {
      const query = await withErrorPage(request, response, requestId, async () => {
        if (request.method !== 'POST') return forms.readQuery(search)
        startedSignIns.refuseTooMany(request)
        response
          .writeHead(303, { ...formRedirectHeaders, location: await forms.save(request, target.pathname) })
          .end()
        return undefined
      })
      if (query === undefined) return
      const isLogout = withoutSlash(pathname) === routes.end_session
      // For its question, which is a form.
      if (isLogout) formTokens.ensureKey(request, response)
      applyPublicOrigin(request, pathname + (isLogout ? await dropInvalidHints(query, keyring) : query))
    } else applyPublicOrigin(request, pathname + search)
    if (request.method === 'GET' && isResumePath(pathname))
      return repeatedForms.answer(request, response, { page: pathname, values: [search] }, target =>
        endpoints.answer(request, target),
      )
    // Nobody waits for a reply. For a closed connection, the library would print that the body was already
    // read.
    if (request.socket.destroyed) return
    await endpoints.answer(request, response)
  }

  return {
    handle(request, response) {
      if (switchLanguage(request, response, authUrl)) return
      const requestId = randomUUID()
      setAttributes(response, { requestId })
      // Read now, because a form's work goes on if the client hangs up.
      clientAddress(request)
      const fastPathReply = endpoints.fastPath?.(request, response, requestId)
      const outcome = fastPathReply
        ? fastPathReply.then(isDone => (isDone ? undefined : answer(request, response, requestId)))
        : endsAccess(request)
          ? runEssential(() => answer(request, response, requestId))
          : answer(request, response, requestId)
      outcome.catch((error: unknown) => {
        // The body timed out, or the client disconnected.
        if (!request.complete && (response.headersSent || request.destroyed)) return
        const reply = toErrorReply(error, requestId, baseUrl)
        setAttributes(response, { code: reply.body.error })
        if (reply.status === 503) logUnavailable(log, error, requestId)
        else log.error({ err: error, requestId }, 'a request to the authorization server failed')
        if (response.headersSent) response.destroy()
        else sendFailure(request, response, reply, requestId)
      })
    },
    checkIssuer: createMetadataCheck(providerFetch, log),
    answerLate(request, response, problem) {
      setAttributes(response, { code: problem.code })
      if (!findEndpoint(splitTarget(request.url ?? '/').pathname)) return refuseRequest(response, problem)
      const { status, headers, message: description } = problem
      sendRefusal(response, { status, headers, error: 'invalid_request', description })
    },
    owns: pathname => findEndpoint(pathname) !== undefined || interactions.owns(pathname),
    async close() {
      stopRotation()
      await logoutDelivery.close()
      await secretUses.close()
    },
  }
}

/** Returns undefined if `work` answered, or an error page was sent. */
const withErrorPage = async <T>(
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
    setAttributes(response, { code })
    sendErrorPage(request, response, { status, error: code, description, requestId })
    return undefined
  }
}

const notFoundProblem = (pathname: string): Problem =>
  new Problem('no-such-path', `unknown path on the authorization server: ${pathname.slice(0, 200)}`)
