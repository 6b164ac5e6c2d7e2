/**
 * The pages for people: routes them and applies common rules. Forms are protected against forgery
 * (forgery.ts). Their redirects are 303 (RFC 9700, section 4.12) and stay on this origin, except for the
 * library's redirects to registered addresses.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors } from 'oidc-provider'
import type { Mailer } from '#accounts/mail'
import { dummyHash, verifyPassword } from '#accounts/password-hash'
import type { SecurityNotices } from '#accounts/security-notices'
import { Problem } from '#errors'
import { openProviderLogout } from '#oauth/identity-provider/logout-token'
import { openStartedProviderSignIns } from '#oauth/identity-provider/started-sign-in'
import { type Cookies, openCookies } from '#oauth/library/cookies'
import type { Interactions, Reader } from '#oauth/library/interaction-types'
import { type ErrorKind, failurePage } from '#oauth/pages/error-page'
import { chooseLocale, createReader } from '#oauth/pages/language'
import type { NextLink } from '#oauth/pages/next-link'
import { sendPage } from '#oauth/pages/page'
import { passkeyScript, passkeyScriptPath } from '#oauth/pages/passkey-script'
import { answerHead } from '#oauth/requests/endpoint-routing'
import { activate, isActivatePath } from './activate.ts'
import { confirmEmail, emailConfirmed, openEmailLink } from './confirm-email.ts'
import type { InteractionsDependencies } from './dependencies.ts'
import { openDevices } from './device.ts'
import { confirmDomain } from './domain-link.ts'
import { removeApp, setUpApp } from './factor-app.ts'
import { openFactorCodes } from './factor-codes.ts'
import { addPasskey, changePasskey } from './factor-passkeys.ts'
import { factors, recoveryCodes } from './factors.ts'
import { openFlashStore } from './flash.ts'
import { openFormTokens } from './forgery.ts'
import { readForm } from './form-body.ts'
import { returnFromSignIn } from './fresh-sign-in.ts'
import { interaction } from './interaction.ts'
import { invitation, invitationJoined } from './invitation.ts'
import { isLogoutPath, logout } from './logout.ts'
import type { Answer, Handler, PageDependencies, PageRequest } from './page-request.ts'
import { openPasskeys } from './passkeys.ts'
import {
  changePasswordAddress,
  forgotPassword,
  passwordChanged,
  resetMailSent,
  resetPassword,
} from './password.ts'
import { openPendingSignIns } from './pending-sign-in.ts'
import { backchannelLogout, providerCallback, readBackchannelPath } from './provider-sign-in.ts'
import { testProvider } from './provider-test.ts'
import { openSealedCookies } from './sealed-cookie.ts'
import { openSignIn, type Passwords } from './sign-in.ts'
import { readSubmission } from './submission.ts'

interface InteractionSettings {
  mail: Pick<Mailer, 'send' | 'supports' | 'isAvailable'>
  securityNotices: SecurityNotices
  /** Wrong passwords a minute for an account; ten times as many for an address (sign-in.ts). */
  signInThrottle: number | 'off'
  /** Fewest characters of a new password. */
  passwordLengthMin: number
  /** Tests use it to count verifications. */
  passwords?: Passwords
}

const pages: readonly [address: RegExp, handler: Handler][] = [
  [/^\/interaction\/([\w-]{1,64})$/, interaction],
  // Mails contain the longer one.
  [/^\/password\/forgot(?:ten)?$/, forgotPassword],
  [/^\/password\/sent$/, resetMailSent],
  [/^\/password\/reset\/([\w-]{1,100})$/, resetPassword],
  [/^\/password\/changed$/, passwordChanged],
  [/^\/invitation\/([\w-]{1,100})$/, invitation],
  [/^\/invitation\/([\w-]{1,100})\/joined$/, invitationJoined],
  [/^\/provider\/([a-z0-9-]{1,63})\/callback$/, providerCallback],
  [/^\/provider\/([a-z0-9-]{1,63})\/test$/, testProvider],
  [/^\/domain\/([\w-]{1,100})$/, confirmDomain],
  [/^\/email\/confirm\/([\w-]{1,100})$/, openEmailLink],
  [/^\/email\/confirm$/, confirmEmail],
  [/^\/email\/confirmed$/, emailConfirmed],
  [/^\/\.well-known\/change-password$/, changePasswordAddress],
  [/^\/factors$/, factors],
  [/^\/factors\/signed-in$/, returnFromSignIn],
  [/^\/factors\/app$/, setUpApp],
  [/^\/factors\/app\/remove$/, removeApp],
  [/^\/factors\/recovery-codes$/, recoveryCodes],
  [/^\/factors\/passkeys\/add$/, addPasskey],
  [/^\/factors\/passkeys\/([\w-]{1,1400})$/, changePasskey],
]
const ownedPaths =
  /^\/((interaction|password|invitation|email|domain|provider|factors|assets)(\/|$)|\.well-known\/change-password$)/

/** Pages that do something when they are requested, which HEAD must not. */
const handlersWithEffect: ReadonlySet<Handler> = new Set([providerCallback, interaction])

/** The rest of a form that is too long is not read. */
const headersByStatus: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  405: { allow: 'GET, HEAD, POST' },
  413: { connection: 'close' },
  429: { 'retry-after': '60' },
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: older than the limit
export const openInteractions = (
  dependencies: InteractionsDependencies,
  {
    mail,
    securityNotices,
    signInThrottle,
    passwordLengthMin,
    passwords = { verify: verifyPassword, dummyHash },
  }: InteractionSettings,
): Interactions => {
  const { storage, authUrl, log, clientAddress } = dependencies
  const cookies = openCookies(authUrl)
  const formTokens = openFormTokens(cookies, authUrl)
  const signIn = openSignIn(storage, signInThrottle, passwords)
  const deps: PageDependencies = {
    ...dependencies,
    mail,
    securityNotices,
    cookies,
    devices: openDevices(cookies),
    flash: openFlashStore(cookies),
    signIn,
    pendingSignIns: openPendingSignIns(storage.db, cookies, dependencies.keyring),
    factorCodes: openFactorCodes(storage, dependencies.keyring, signInThrottle),
    passkeys: openPasskeys(dependencies),
    sealedCookies: openSealedCookies(cookies, dependencies.keyring),
    providers: openProviders(dependencies, cookies),
    passkeyScriptUrl: authUrl + passkeyScriptPath,
    signInThrottle,
    passwordLengthMin,
  }
  // Created now, so that the first unknown person takes no longer than others.
  passwords.dummyHash().catch((error: unknown) => log.error({ err: error }, 'passwords cannot be hashed'))

  const answer = async (
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: older than the limit
  ): Promise<Answer> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', authUrl)
    const reader = makeReader(request, searchParams)
    const fail = (kind: ErrorKind, way?: NextLink): Answer => ({
      page: failurePage(kind, requestId, reader, way),
    })
    if (isLogoutPath(pathname))
      return logout(deps, { request, response, requestId, pathname, query: searchParams, reader })
    if (isActivatePath(pathname))
      return activate(deps, { request, response, requestId, pathname, query: searchParams, reader })
    const providerSlug = readBackchannelPath(pathname)
    if (providerSlug !== undefined)
      return backchannelLogout(deps, { request, response, requestId }, providerSlug, () => readForm(request))
    if (pathname === passkeyScriptPath) return sendScript(request, response)
    const [handler, part = ''] = findHandler(pathname)
    if (!handler) return fail('missing')
    if (!['GET', 'HEAD', 'POST'].includes(request.method ?? '')) return fail('method')
    if (request.method === 'HEAD' && handlersWithEffect.has(handler)) {
      answerHead(response)
      return 'answered'
    }
    const fields = request.method === 'POST' ? await readForm(request) : undefined
    if (fields && formTokens.isForged(request, pathname, fields))
      return fail('forged', { kind: 'again', href: pathname })
    const pageRequest: PageRequest = {
      request,
      response,
      requestId,
      address: clientAddress(request),
      pathname,
      query: searchParams,
      fields,
      token: formTokens.tokenFor(request, response, pathname),
      reader,
      locale: chooseLocale(reader),
    }
    return handler(deps, pageRequest, part)
  }

  const toFailure = (
    error: unknown,
    { request, response, requestId }: Pick<PageRequest, 'request' | 'response' | 'requestId'>,
  ): Answer => {
    const kind = toErrorKind(error)
    // The client disconnected, or its form timed out.
    if (!request.complete && (response.headersSent || request.destroyed)) return 'answered'
    if (kind === 'fault') log.error({ err: error, requestId }, 'a page failed')
    return { page: failurePage(kind, requestId, makeReader(request, new URLSearchParams())) }
  }
  const send = async (result: Answer, response: ServerResponse, requestId: string): Promise<void> => {
    if (result === 'answered') return
    if (response.headersSent) {
      response.destroy()
      return
    }
    const { afterwards } = result
    if ('page' in result) sendPage(response, result.page, headersByStatus[result.page.status])
    else response.writeHead(303, { location: result.seeOther, 'cache-control': 'no-store' }).end()
    if (afterwards)
      await afterwards().catch((error: unknown) =>
        log.error({ err: error, requestId }, 'what follows a page failed'),
      )
  }

  return {
    owns: pathname => ownedPaths.test(pathname) || isLogoutPath(pathname) || isActivatePath(pathname),
    async handle(incoming, response, { requestId }) {
      const [pathname = '/'] = (incoming.url ?? '/').split('?', 1)
      const isOfLibrary = isLogoutPath(pathname) || isActivatePath(pathname)
      if (isOfLibrary && incoming.method === 'GET') formTokens.ensureKey(incoming, response)
      const submission = await readSubmission({ ...deps, formTokens }, incoming, { isOfLibrary }).catch(
        (error: unknown) => toFailure(error, { request: incoming, response, requestId }),
      )
      if (submission === 'answered' || !('request' in submission))
        return send(submission, response, requestId)
      const { request, form } = submission
      const respond = async (target: ServerResponse): Promise<void> => {
        const result = await answer(request, target, requestId).catch((error: unknown) =>
          toFailure(error, { request, response: target, requestId }),
        )
        await send(result, target, requestId)
      }
      if (form) await deps.repeatedForms.answer(request, response, form, respond)
      else await respond(response)
    },
  }
}

const openProviders = (
  { storage, keyring, providerKeys: keys, relyingParty, signInRenewal }: InteractionsDependencies,
  cookies: Cookies,
): PageDependencies['providers'] => ({
  relyingParty,
  started: openStartedProviderSignIns(storage.db, cookies, keyring),
  logout: openProviderLogout({ storage, relyingParty, keys }),
  renewal: signInRenewal,
})

/** Its path changes with its content, so browsers keep it. */
const sendScript = ({ method }: IncomingMessage, response: ServerResponse): 'answered' => {
  const { body, contentType } = passkeyScript
  response
    .writeHead(200, {
      'content-type': contentType,
      'content-length': Buffer.byteLength(body),
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'same-origin',
    })
    .end(method === 'HEAD' ? undefined : body)
  return 'answered'
}

const findHandler = (pathname: string): [Handler | undefined, string?] => {
  for (const [address, handler] of pages) {
    const match = address.exec(pathname)
    if (match) return [handler, match[1] ?? '']
  }
  return [undefined]
}

const makeReader = (request: IncomingMessage, query: URLSearchParams): Reader =>
  createReader(request, query.get('ui_locales') ?? undefined)

/** Returns the person's next step. */
const toErrorKind = (error: unknown): ErrorKind => {
  if (error instanceof errors.SessionNotFound) return 'expired'
  if (!(error instanceof Problem)) return 'fault'
  if (error.code === 'body-too-large') return 'tooLong'
  if (error.code === 'unsupported-media-type' || error.code === 'bad-request') return 'forged'
  if (error.code === 'no-such-resource') return 'missing'
  return error.status === 503 ? 'unavailable' : 'fault'
}
