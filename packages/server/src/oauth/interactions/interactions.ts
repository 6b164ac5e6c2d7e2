/**
 * The pages of people, as one part of the authorization server: which address is which page, and what holds for all of them. Forms are
 * ours alone (forgery.ts), answers to them that lead elsewhere are 303 (RFC 9700, section 4.12), and no answer leads off this origin but
 * the library's to a registered address.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors } from 'oidc-provider'
import { Problem } from '#errors'
import { dummyHash, verifyPassword } from '#http/password'
import type { Interactions, InteractionsDependencies, Reader } from '#oauth/boundary'
import { type ErrorKind, failurePage } from '#oauth/pages/error-page'
import { speechFor } from '#oauth/pages/language'
import { sendPage } from '#oauth/pages/page'
import type { WayOn } from '#oauth/pages/way-on'
import { openCookies } from './cookies.ts'
import { openDevices } from './device.ts'
import { openForms } from './forgery.ts'
import { interaction } from './interaction.ts'
import { invitation, invitationJoined } from './invitation.ts'
import { isOfLogout, logout } from './logout.ts'
import { openNotes } from './notes.ts'
import { changed, forgotten, reset, sent } from './password.ts'
import { readForm } from './read-form.ts'
import { openSignIn, type Passwords } from './sign-in.ts'
import type { Answer, Deps, Handler, Post, Visit } from './visit.ts'

interface Settings {
  mail: Post
  /** Wrong passwords a minute for an account; ten times as many for an address (sign-in.ts). */
  signInThrottle: number | 'off'
  /** For tests: to count what is verified. */
  passwords?: Passwords
}

const pages: readonly [address: RegExp, handler: Handler][] = [
  [/^\/interaction\/([\w-]{1,64})$/, interaction],
  // Letters say the longer one.
  [/^\/password\/forgot(?:ten)?$/, forgotten],
  [/^\/password\/sent$/, sent],
  [/^\/password\/reset\/([\w-]{1,100})$/, reset],
  [/^\/password\/changed$/, changed],
  [/^\/invitation\/([\w-]{1,100})$/, invitation],
  [/^\/invitation\/([\w-]{1,100})\/joined$/, invitationJoined],
]
const owned = /^\/(interaction|password|invitation)(\/|$)/

/** Of what is still on its way of too long a form nothing is read. */
const moreHeaders: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  405: { allow: 'GET, HEAD, POST' },
  413: { connection: 'close' },
  429: { 'retry-after': '60' },
}

export const openInteractions = (
  dependencies: InteractionsDependencies,
  { mail, signInThrottle, passwords = { verify: verifyPassword, dummyHash } }: Settings,
): Interactions => {
  const { storage, authUrl, log, clientAddress } = dependencies
  const cookies = openCookies(authUrl)
  const forms = openForms(cookies, authUrl)
  const signIn = openSignIn(storage, signInThrottle, passwords)
  const deps: Deps = {
    ...dependencies,
    mail,
    cookies,
    devices: openDevices(cookies),
    notes: openNotes(cookies),
    signIn,
    signInThrottle,
  }
  // Made now, so that the first who is not there takes no longer than the others.
  passwords.dummyHash().catch((error: unknown) => log.error({ err: error }, 'passwords cannot be hashed'))

  const answer = async (
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
  ): Promise<Answer> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', authUrl)
    const reader = readerOf(request, searchParams)
    const fail = (kind: ErrorKind, way?: WayOn): Answer => ({
      page: failurePage(kind, requestId, reader, way),
    })
    if (isOfLogout(pathname))
      return logout(deps, { request, response, requestId, pathname, query: searchParams, reader })
    const [handler, part = ''] = pageAt(pathname)
    if (!handler) return fail('missing')
    if (!['GET', 'HEAD', 'POST'].includes(request.method ?? '')) return fail('method')
    const fields = request.method === 'POST' ? await readForm(request) : undefined
    if (fields && forms.isForged(request, pathname, fields))
      return fail('forged', { to: 'again', href: pathname })
    const visit: Visit = {
      request,
      response,
      requestId,
      address: clientAddress(request),
      pathname,
      query: searchParams,
      fields,
      token: forms.tokenFor(request, response, pathname),
      reader,
      speech: speechFor(reader),
    }
    return handler(deps, visit, part)
  }

  return {
    owns: pathname => owned.test(pathname) || isOfLogout(pathname),
    async handle(request, response, { requestId }) {
      const answered = await answer(request, response, requestId).catch((error: unknown): Answer => {
        const kind = kindOf(error)
        if (kind === 'fault') log.error({ err: error, requestId }, 'a page failed')
        return { page: failurePage(kind, requestId, readerOf(request, new URLSearchParams())) }
      })
      if (answered === 'answered') return
      if (response.headersSent) {
        response.destroy()
        return
      }
      const { afterwards } = answered
      if ('page' in answered) sendPage(response, answered.page, moreHeaders[answered.page.status])
      else response.writeHead(303, { location: answered.seeOther, 'cache-control': 'no-store' }).end()
      if (afterwards)
        await afterwards().catch((error: unknown) =>
          log.error({ err: error, requestId }, 'what follows a page failed'),
        )
    },
  }
}

const pageAt = (pathname: string): [Handler | undefined, string?] => {
  for (const [address, handler] of pages) {
    const match = address.exec(pathname)
    if (match) return [handler, match[1] ?? '']
  }
  return [undefined]
}

const readerOf = (request: IncomingMessage, query: URLSearchParams): Reader => ({
  acceptLanguage: request.headers['accept-language'],
  uiLocales: query.get('ui_locales') ?? undefined,
})

/** What the person can do about it. */
const kindOf = (error: unknown): ErrorKind => {
  if (error instanceof errors.SessionNotFound) return 'expired'
  if (!(error instanceof Problem)) return 'fault'
  if (error.code === 'body-too-large') return 'tooLong'
  if (error.code === 'unsupported-media-type') return 'forged'
  if (error.code === 'no-such-resource') return 'missing'
  return error.status === 503 ? 'unavailable' : 'fault'
}
