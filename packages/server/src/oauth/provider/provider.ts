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
import type { Problem } from '#errors'
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
import { sendRefusal } from '#oauth/library/send-json'
import { switchLanguage } from '#oauth/pages/language'
import { rememberAddresses } from '#oauth/requests/buffered-request'
import { findEndpoint, splitTarget } from '#oauth/requests/endpoint-routing'
import { openFailedAttempts } from '#oauth/requests/failed-attempts'
import { openStoredForms } from '#oauth/requests/forms'
import { openStartedSignIns } from '#oauth/requests/started-sign-ins'
import { openUserCodeAttempts } from '#oauth/requests/user-code-attempts'
import { openConsentService } from '#oauth/sessions/consent-service'
import { openLogoutDelivery } from '#oauth/sessions/logout-delivery'
import { runEssential } from '#storage/disk-reserve'
import { countFormerPasskeys, recordServiceAddress } from '#storage/service-addresses'
import { setAttributes } from '#telemetry/request-attributes'
import { createRequestAnswer } from './answer-request.ts'
import { buildEndpoints, type EndpointsDependencies } from './endpoints.ts'
import { sendFailure } from './page-replies.ts'
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

/** Revocations and logouts work on a full disk too. */
const endsAccess = ({ url = '' }: IncomingMessage): boolean =>
  url === routes.revocation || /^\/logout(?:[/?]|$)/.test(url)

const readRemoteAddress = (request: IncomingMessage): string => request.socket.remoteAddress ?? ''

export const openAuthorizationServer = async (dependencies: Dependencies): Promise<AuthorizationServer> => {
  const { storage, directory, keyring, authUrl, baseUrl, log, origins } = dependencies
  await ensureOwnClients(storage)
  const { formerBaseUrls, formerPasskeyHosts } = await recordAddress(dependencies)
  const { secretUses, ...clientParts } = openClientParts(dependencies)
  const { clients, clientAddress, startedSignIns } = clientParts
  const cookieKeys = [keyring.derive('cookies').toString('base64url')]
  const requestOptions: PublicFetchOptions = {
    internalHosts: [],
    loopbackToo: loopbackHosts.includes(new URL(authUrl).hostname),
    ...dependencies.logoutRequests,
  }
  const { providerKeys, relyingParty, signInRenewal, checkIssuer } = openProviders(
    dependencies,
    requestOptions,
  )
  const cookies = openCookies(authUrl)
  const repeatedForms = openRepeatedForms({ db: storage.db, keyring, cookies, clientAddress, log })
  const build = () =>
    buildEndpoints({
      ...dependencies,
      ...clientParts,
      ...{ cookieKeys, signInRenewal, formerBaseUrls },
      forgetReplies: repeatedForms.forget,
    })
  let endpoints = build()
  const stopRotation = keyring.onRotation(() => {
    endpoints = build()
  })
  const interactions = (dependencies.interactions ?? noInteractions)({
    provider: () => endpoints.provider,
    consentService: openConsentService({ storage, clients, baseUrl }),
    signInLog: dependencies.signInLog,
    ...{ storage, directory, keyring, authUrl, baseUrl, log },
    ...{ clientAddress, formerPasskeyHosts, providerKeys, relyingParty, signInRenewal, repeatedForms },
  })
  const logoutDelivery = openLogoutDelivery({
    storage,
    clients,
    log,
    makeLogoutToken: (...notice) => endpoints.makeLogoutToken(...notice),
    post: createPublicPost(requestOptions),
  })
  const answer = createRequestAnswer({
    ...{ authUrl, baseUrl, origins, keyring, startedSignIns, repeatedForms, interactions },
    forms: openStoredForms(storage, keyring, startedSignIns),
    formTokens: openFormTokens(cookies, authUrl),
    endpoints: () => endpoints,
  })

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
      outcome.catch((error: unknown) => answerFailure(dependencies, { request, response, requestId }, error))
    },
    checkIssuer,
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

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  requestId: string
}

const answerFailure = (
  { baseUrl, log }: Pick<Dependencies, 'baseUrl' | 'log'>,
  { request, response, requestId }: Exchange,
  error: unknown,
): void => {
  // The body timed out, or the client disconnected.
  if (!request.complete && (response.headersSent || request.destroyed)) return
  const reply = toErrorReply(error, requestId, baseUrl)
  setAttributes(response, { code: reply.body.error })
  if (reply.status === 503) logUnavailable(log, error, requestId)
  else log.error({ err: error, requestId }, 'a request to the authorization server failed')
  if (response.headersSent) response.destroy()
  else sendFailure(request, response, reply, requestId)
}

/** Records the address of the service, and warns if it has changed. */
const recordAddress = async ({ storage, baseUrl, authUrl, log }: Dependencies) => {
  const { former, hasMoved } = await recordServiceAddress(storage, { baseUrl, authUrl })
  const { hosts, ...counts } = await countFormerPasskeys(storage.db, new URL(authUrl).hostname)
  if (hasMoved || counts.passkeys > 0) log.warn({ ...counts, hosts, former: former[0] }, movedMessage)
  return { formerBaseUrls: former.map(address => address.baseUrl), formerPasskeyHosts: hosts }
}

/** Clients, how they prove who they are, and limits for those who do not. */
const openClientParts = (dependencies: Dependencies) => {
  const { storage, directory, authUrl, log, signInThrottle } = dependencies
  const { nativeSchemes = defaultNativeSchemes, clientAddress: readAddress = readRemoteAddress } =
    dependencies
  const clientAddress = rememberAddresses(readAddress)
  const secretUses = openSecretUses(storage, log)
  const failedAttempts = openFailedAttempts(signInThrottle)
  return {
    secretUses,
    clientAddress,
    clients: openClients(storage, directory, authUrl),
    authentication: clientAuthentication(secretUses, failedAttempts, clientAddress),
    startedSignIns: openStartedSignIns(storage.db, signInThrottle, clientAddress),
    userCodeAttempts: openUserCodeAttempts(storage, signInThrottle, clientAddress),
    metadataDocuments: openMetadataDocuments({
      documentFetch: { internalHosts: [] },
      ...dependencies,
      clientAddress,
      nativeSchemes,
    }),
    registration: openRegistration({ ...dependencies, clientAddress, nativeSchemes }),
  }
}

/** This server as a client of workspaces' own OpenID providers. */
const openProviders = (
  { storage, directory, keyring, authUrl, log, signInLog, counts }: Dependencies,
  requestOptions: PublicFetchOptions,
) => {
  const { db } = storage
  const fetch = createPublicClientFetch(requestOptions)
  const providerKeys = openProviderKeys(fetch)
  const secrets = createProviderSecrets(keyring)
  const relyingParty = openRelyingParty({ db, secrets, fetch, keys: providerKeys, authUrl, log })
  const signInRenewal = openSignInRenewal({
    ...{ storage, directory, relyingParty, log, signInLog },
    secrets: createProviderSecrets(keyring, 'provider tokens'),
    counter: counts.providerRenewals,
  })
  return { providerKeys, relyingParty, signInRenewal, checkIssuer: createMetadataCheck(fetch, log) }
}
