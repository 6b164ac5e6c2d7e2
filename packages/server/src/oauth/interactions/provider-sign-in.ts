/**
 * Signing in through a workspace's own OpenID provider: away from the page of an interaction, back at
 * `/provider/{workspace}/callback`, and on with the interaction.
 */
import type { IncomingMessage } from 'node:http'
import { providerCallbackUrl } from '#http/provider-urls'
import { admitPerson } from '#oauth/identity-provider/admit-person'
import { readAuthentication } from '#oauth/identity-provider/claims'
import { LogoutTokenRefusal } from '#oauth/identity-provider/logout-token'
import {
  ProviderRefusal,
  ProviderUnavailable,
  ScopeRefusal,
} from '#oauth/identity-provider/provider-failures'
import type { StartedSignIn } from '#oauth/identity-provider/started-sign-in'
import type { Cookies } from '#oauth/library/cookies'
import type { InteractionDetails, LoginResult } from '#oauth/library/interaction-types'
import { sendJson } from '#oauth/library/send-json'
import { endedPage, failurePage } from '#oauth/pages/error-page'
import type { ProviderFault } from '#oauth/pages/login-page'
import type { WorkspaceRow } from '#storage/workspaces'
import { setAttributes } from '#telemetry/request-attributes'
import { browserSession } from './browser-session.ts'
import { leadToProvider, readFault } from './lead-to-provider.ts'
import {
  type Answer,
  type Handler,
  type PageDependencies,
  type PageRequest,
  redirectBack,
} from './page-request.ts'
import { finishProviderTest } from './provider-test.ts'
import { recordSignIn } from './sign-in-record.ts'

/** Leads the browser of an interaction to the provider. If that is down, back to the page, which says so. */
export const startProviderSignIn = async (
  deps: PageDependencies,
  pageRequest: PageRequest,
  { prompt, params, uid }: InteractionDetails,
  { slug, email }: { slug: string; email: string },
): Promise<Answer> => {
  const workspace = await deps.directory.workspace(slug)
  if (!workspace?.definition.identityProvider) return redirectBack(deps, pageRequest)
  const maxAge = Number(params.max_age)
  const started = {
    uid,
    isRepeated: prompt.reasons.some(reason => ['login_prompt', 'max_age'].includes(reason)),
    isOffline: true,
    ...(email === '' ? {} : { loginHint: email }),
    ...(typeof params.client_id === 'string' ? { clientId: params.client_id } : {}),
    ...(params.max_age !== undefined && Number.isFinite(maxAge) ? { maxAgeSeconds: maxAge } : {}),
  }
  try {
    return { seeOther: (await leadToProvider(deps, pageRequest, workspace, started)).href }
  } catch (error) {
    if (!(error instanceof ProviderUnavailable)) throw error
    deps.log.warn(
      { err: error, workspace: slug },
      'a sign-in could not start: the OpenID provider is not available',
    )
    return redirectBack(deps, pageRequest, { fault: readFault(error), email })
  }
}

const resultCookie = 'provider_result'
/** The cookie belongs to one interaction of this browser. */
const makeOwner = (uid: string) => ({ accountId: 'provider', uid })

const callbackPath = /^\/provider\/([a-z0-9-]{1,63})\/callback$/
export const isCallbackPath = (pathname: string): boolean => callbackPath.test(pathname)

/** `/provider/{workspace}/callback`. */
export const providerCallback: Handler = async (deps, pageRequest, slug) => {
  const { query, request, response, requestId, reader } = pageRequest
  if (pageRequest.fields) return { page: failurePage('method', requestId, reader) }
  const started = await deps.providers.started.take(request, response, query.get('state') ?? '')
  const workspace = await deps.directory.workspace(slug)
  // Another browser, another workspace's provider (mix-up; RFC 9700, section 4.4), a second time, or too late.
  if (
    !started ||
    workspace?.id !== started.workspaceId ||
    workspace.definition.identityProvider?.issuer !== started.issuer
  )
    return { page: endedPage((await browserSession(deps, pageRequest)) !== undefined, requestId, reader) }
  // The form that led there was answered. Sent again after a failure, it starts another sign-in.
  await deps.repeatedForms.forget(request)
  if (started.testerId !== undefined) return finishProviderTest(deps, pageRequest, workspace, started)
  const pathname = `/interaction/${started.uid}`
  const result = await completeSignIn(deps, pageRequest, workspace, started)
  if (result instanceof URL) return { seeOther: result.href }
  recordSignIn(deps, pageRequest, {
    kind: 'sign-in',
    method: 'provider',
    clientId: started.clientId,
    workspaceId: workspace.id,
    ...(typeof result === 'string' ? { result } : { result: 'ok', userId: result.accountId }),
  })
  if (typeof result === 'string') {
    const { loginHint } = started
    deps.flash.set(response, pathname, {
      fault: result,
      ...(loginHint === undefined ? {} : { email: loginHint }),
    })
    return { seeOther: pathname }
  }
  await deps.sealedCookies.set(response, resultCookie, makeOwner(started.uid), { login: result })
  return { seeOther: pathname }
}

/** Returns an address at the provider if the person has to go there once more. */
const completeSignIn = async (
  deps: PageDependencies,
  pageRequest: PageRequest,
  workspace: WorkspaceRow,
  started: StartedSignIn,
): Promise<LoginResult['login'] | ProviderFault | URL> => {
  const { providers, storage, authUrl, log, signInLog } = deps
  const { query, address, requestId } = pageRequest
  const callback = new URL(providerCallbackUrl(authUrl, workspace.slug))
  callback.search = query.toString()
  try {
    const { issuer, claims, refreshToken } = await providers.relyingParty.complete(callback, {
      ...started,
      workspace,
      maxAgeSeconds: started.maxAgeSeconds,
    })
    const arrival = { workspace, issuer, claims, address, requestId }
    const user = await admitPerson({ storage, log, signInLog }, arrival)
    if (typeof user === 'string') return `provider-${user}`
    const now = Math.floor(Date.now() / 1000)
    const tokenId = refreshToken && (await providers.renewal.keepToken(workspace, user.id, refreshToken))
    return {
      accountId: user.id,
      ...readAuthentication(claims),
      // When the person signed in there, for applications that ask (`max_age`, `auth_time`).
      ts: typeof claims.auth_time === 'number' ? Math.min(Math.floor(claims.auth_time), now) : now,
      providerSignIn: {
        workspaceId: workspace.id,
        workspace: workspace.slug,
        issuer,
        subject: claims.sub,
        at: now,
        ...(typeof claims.sid === 'string' ? { sid: claims.sid } : {}),
        ...(tokenId ? { tokenId } : {}),
      },
    }
  } catch (error) {
    if (!(error instanceof ProviderUnavailable || error instanceof ProviderRefusal)) throw error
    log.warn(
      { err: error, workspace: workspace.slug, requestId },
      'a sign-in through an OpenID provider failed',
    )
    if (error instanceof ProviderUnavailable) return readFault(error)
    // Not every client and person may have a refresh token, whatever the provider's metadata say.
    if (error instanceof ScopeRefusal && started.isOffline)
      return leadToProvider(deps, pageRequest, workspace, { ...started, isOffline: false })
    return query.get('error') === 'access_denied' ? 'provider-denied' : 'provider-refused'
  }
}

/** Returns the sign-in that came back from the provider for this interaction, once. */
export const takeProviderResult = async (
  { sealedCookies }: Pick<PageDependencies, 'sealedCookies'>,
  { request, response }: Pick<PageRequest, 'request' | 'response'>,
  uid: string,
): Promise<LoginResult['login'] | undefined> => {
  const payload = await sealedCookies.read(request, resultCookie, makeOwner(uid))
  if (!payload) return undefined
  sealedCookies.clear(response, resultCookie)
  // Written only by `providerCallback`; the cipher authenticates it.
  return payload.login as LoginResult['login']
}

/** Returns the cookie of a request that brings the result to its interaction. */
export const readProviderResult = (cookies: Cookies, request: IncomingMessage): string | undefined =>
  request.url?.startsWith('/interaction/') ? cookies.read(request, resultCookie) : undefined

const backchannelPath = /^\/provider\/([a-z0-9-]{1,63})\/backchannel-logout\/?$/

/** Returns the slug in the path of a back-channel logout. */
export const readBackchannelPath = (pathname: string): string | undefined =>
  backchannelPath.exec(pathname)?.[1]

/** `/provider/{workspace}/backchannel-logout` (OpenID Connect Back-Channel Logout 1.0, section 2.5): the provider's server calls it. */
export const backchannelLogout = async (
  { providers, directory, log }: PageDependencies,
  { request, response, requestId }: Pick<PageRequest, 'request' | 'response' | 'requestId'>,
  slug: string,
  readFields: () => Promise<ReadonlyMap<string, string>>,
): Promise<Answer> => {
  const refuse = (status: number, description: string, headers: Record<string, string> = {}): Answer => {
    setAttributes(response, { code: 'invalid_request' })
    response.setHeader('cache-control', 'no-store')
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    sendJson(response, status, { error: 'invalid_request', error_description: description })
    return 'answered'
  }
  if (request.method !== 'POST') return refuse(405, 'send the logout token with POST', { allow: 'POST' })
  const token = (await readFields()).get('logout_token')
  if (!token) return refuse(400, 'the parameter logout_token is missing')
  const workspace = await directory.workspace(slug)
  if (!workspace?.definition.identityProvider)
    return refuse(400, 'the logout token is of no OpenID provider of this workspace')
  try {
    const sessions = await providers.logout.accept(workspace, token)
    log.debug({ workspace: slug, requestId, sessions }, 'an OpenID provider ended sessions')
    response.writeHead(200, { 'cache-control': 'no-store', 'content-length': 0 }).end()
    return 'answered'
  } catch (error) {
    if (error instanceof LogoutTokenRefusal) {
      log.warn({ err: error, workspace: slug, requestId }, 'a logout token of an OpenID provider was refused')
      return refuse(400, error.message)
    }
    if (!(error instanceof ProviderUnavailable)) throw error
    return refuse(503, 'the keys of the OpenID provider could not be fetched: try again later')
  }
}
