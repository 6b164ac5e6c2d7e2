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

export const openInteractions = (
  dependencies: InteractionsDependencies,
  settings: InteractionSettings,
): Interactions => {
  const { authUrl, log } = dependencies
  const cookies = openCookies(authUrl)
  const formTokens = openFormTokens(cookies, authUrl)
  const passwords = settings.passwords ?? { verify: verifyPassword, dummyHash }
  const deps = openPageDependencies(dependencies, { ...settings, passwords }, cookies)
  // Created now, so that the first unknown person takes no longer than others.
  passwords.dummyHash().catch((error: unknown) => log.error({ err: error }, 'passwords cannot be hashed'))

  return {
    owns: pathname => ownedPaths.test(pathname) || isPathOfLibrary(pathname),
    async handle(incoming, response, { requestId }) {
      const [pathname = '/'] = (incoming.url ?? '/').split('?', 1)
      const isOfLibrary = isPathOfLibrary(pathname)
      if (isOfLibrary && incoming.method === 'GET') formTokens.ensureKey(incoming, response)
      const submission = await readSubmission({ ...deps, formTokens }, incoming, { isOfLibrary }).catch(
        (error: unknown) => toFailure(log, error, { request: incoming, response, requestId }),
      )
      if (submission === 'answered' || !('request' in submission))
        return sendAnswer(log, submission, response, requestId)
      const { request, form } = submission
      const respond = async (target: ServerResponse): Promise<void> => {
        const visit = { request, response: target, requestId }
        const result = await answer(deps, formTokens, visit).catch((error: unknown) =>
          toFailure(log, error, visit),
        )
        await sendAnswer(log, result, target, requestId)
      }
      if (form) await deps.repeatedForms.answer(request, response, form, respond)
      else await respond(response)
    },
  }
}

/** Logging out and the codes of devices: the library serves these paths too. */
const isPathOfLibrary = (pathname: string): boolean => isLogoutPath(pathname) || isActivatePath(pathname)

const openPageDependencies = (
  dependencies: InteractionsDependencies,
  { passwords, ...settings }: InteractionSettings & { passwords: Passwords },
  cookies: Cookies,
): PageDependencies => {
  const { storage, keyring, authUrl } = dependencies
  return {
    ...dependencies,
    ...settings,
    cookies,
    devices: openDevices(cookies),
    flash: openFlashStore(cookies),
    signIn: openSignIn(storage, settings.signInThrottle, passwords),
    pendingSignIns: openPendingSignIns(storage.db, cookies, keyring),
    factorCodes: openFactorCodes(storage, keyring, settings.signInThrottle),
    passkeys: openPasskeys(dependencies),
    sealedCookies: openSealedCookies(cookies, keyring),
    providers: openProviders(dependencies, cookies),
    passkeyScriptUrl: authUrl + passkeyScriptPath,
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

type FormTokens = ReturnType<typeof openFormTokens>
type Visit = Pick<PageRequest, 'request' | 'response' | 'requestId'>
type AddressedVisit = Visit & Pick<PageRequest, 'pathname' | 'query' | 'reader'>

const answer = async (deps: PageDependencies, formTokens: FormTokens, visit: Visit): Promise<Answer> => {
  const { request, response } = visit
  const { pathname, searchParams: query } = new URL(request.url ?? '/', deps.authUrl)
  const addressed = { ...visit, pathname, query, reader: makeReader(request, query) }
  if (isLogoutPath(pathname)) return logout(deps, addressed)
  if (isActivatePath(pathname)) return activate(deps, addressed)
  const providerSlug = readBackchannelPath(pathname)
  if (providerSlug !== undefined) return backchannelLogout(deps, visit, providerSlug, () => readForm(request))
  if (pathname === passkeyScriptPath) return sendScript(request, response)
  return answerPage(deps, formTokens, addressed)
}

/** Answers a request for one of {@link pages}. */
const answerPage = async (
  deps: PageDependencies,
  formTokens: FormTokens,
  visit: AddressedVisit,
): Promise<Answer> => {
  const { request, response, requestId, pathname, reader } = visit
  const fail = (kind: ErrorKind, way?: NextLink): Answer => ({
    page: failurePage(kind, requestId, reader, way),
  })
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
    ...visit,
    address: deps.clientAddress(request),
    fields,
    token: formTokens.tokenFor(request, response, pathname),
    locale: chooseLocale(reader),
  }
  return handler(deps, pageRequest, part)
}

type Log = InteractionsDependencies['log']

const toFailure = (log: Log, error: unknown, { request, response, requestId }: Visit): Answer => {
  const kind = toErrorKind(error)
  // The client disconnected, or its form timed out.
  if (!request.complete && (response.headersSent || request.destroyed)) return 'answered'
  if (kind === 'fault') log.error({ err: error, requestId }, 'a page failed')
  return { page: failurePage(kind, requestId, makeReader(request, new URLSearchParams())) }
}

const sendAnswer = async (
  log: Log,
  result: Answer,
  response: ServerResponse,
  requestId: string,
): Promise<void> => {
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
