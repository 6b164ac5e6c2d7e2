/** Replies of the library's that people see: errors that cannot go back to an application, and logout. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider'
import type { ErrorFacts, FormPost, Reader } from './boundary.ts'
import { type ErrorReply, inOurWords } from './error-words.ts'
import { windowSeconds } from './failed-attempts.ts'
import { wayAfter } from './interactions/came-from.ts'
import type { Cookies } from './interactions/cookies.ts'
import { formPostIn } from './library.ts'
import { errorPage, failurePage } from './pages/error-page.ts'
import { formPostPage } from './pages/form-post-page.ts'
import { loggedOutPage, logoutPage } from './pages/logout-pages.ts'
import { type Page, sendPage } from './pages/page.ts'
import { noConsolePage, startPage } from './pages/start-page.ts'
import { sendJson } from './send-json.ts'

export interface Pages {
  error(ctx: KoaContextWithOIDC, out: ErrorOut): void
  /** A sign-in that came back from its pages, and is over or another browser's. */
  expired(ctx: KoaContextWithOIDC, cookies: Cookies): Promise<void>
  logout(ctx: KoaContextWithOIDC): void
  loggedOut(ctx: KoaContextWithOIDC): void
}

/** Routes of the library, by its names, that a browser goes to. */
const routes = new Set([
  'authorization',
  'resume',
  'end_session',
  'end_session_confirm',
  'end_session_success',
])
export const isForPeople = (ctx: KoaContextWithOIDC): boolean => routes.has(ctx.oidc?.route)

const readerOf = (ctx: KoaContextWithOIDC): Reader => {
  const locales: unknown = ctx.oidc.params?.ui_locales
  return {
    acceptLanguage: ctx.get('accept-language') || undefined,
    uiLocales: typeof locales === 'string' ? locales : undefined,
  }
}

const send = (ctx: KoaContextWithOIDC, { status, headers, body }: Page): void => {
  ctx.status = status
  ctx.set({ ...headers })
  ctx.body = body
}

export const pages: Pages = {
  error(ctx, { error, error_description = '' }) {
    const description = inOurWords(error_description, error)
    const requestId = ctx.response.get('x-request-id')
    if (ctx.status === 429) ctx.set('retry-after', String(windowSeconds))
    if (!isForPeople(ctx) || !ctx.accepts('html')) ctx.body = { error, error_description: description }
    else send(ctx, errorPage({ status: ctx.status, error, description, requestId }, readerOf(ctx)))
  },
  async expired(ctx, cookies) {
    const uid = ctx.path.split('/').at(-1) ?? ''
    const way = await wayAfter(cookies, ctx.req, ctx.oidc.provider, uid)
    send(ctx, failurePage('expired', ctx.response.get('x-request-id'), readerOf(ctx), way))
  },
  logout(ctx) {
    const { session, client } = ctx.oidc
    const secret: unknown = session?.state?.secret
    const facts = {
      action: ctx.oidc.urlFor('end_session_confirm'),
      xsrf: typeof secret === 'string' ? secret : '',
      application: client?.clientName,
    }
    send(ctx, logoutPage(facts, readerOf(ctx)))
  },
  loggedOut(ctx) {
    send(ctx, loggedOutPage({ application: ctx.oidc.client?.clientName }, readerOf(ctx)))
  },
}

/** An error page for a request that does not reach the library. */
export const sendErrorPage = (
  request: IncomingMessage,
  response: ServerResponse,
  facts: ErrorFacts,
): void => {
  sendPage(response, errorPage(facts, readerAt(request)))
}

/** Whether a browser asks for a person: programs name no HTML. */
export const isOfBrowser = ({ method, headers }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') && /\btext\/html\b/.test(headers.accept ?? '')

const readerAt = ({ headers }: IncomingMessage): Reader => ({
  acceptLanguage: headers['accept-language'],
  uiLocales: undefined,
})

/** For a browser at an address where there is nothing for programs: the start page, the console's place, or that there is nothing. */
export const sendSign = (
  request: IncomingMessage,
  response: ServerResponse,
  { pathname, baseUrl, requestId }: { pathname: string; baseUrl: string; requestId: string },
): void => {
  const reader = readerAt(request)
  if (pathname === '/') sendPage(response, startPage(baseUrl, reader))
  else if (/^\/console(\/|$)/.test(pathname)) sendPage(response, noConsolePage(reader))
  else sendPage(response, failurePage('missing', requestId, reader))
}

/** Something went wrong, or cannot be had now. */
export const sendFailure = (
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: ErrorReply,
  requestId: string,
): void => {
  if (!isOfBrowser(request)) sendJson(response, status, body, headers)
  else {
    const facts = { status, error: body.error, description: body.error_description, requestId }
    sendPage(response, errorPage(facts, readerAt(request)), headers)
  }
}

/** Whether the browser is on its way to an application, with what it asked for or an error. */
export const leadsToApplication = ({ oidc }: KoaContextWithOIDC): boolean =>
  oidc.route === 'authorization' || oidc.route === 'resume'

/** The library's page of `response_mode=form_post` becomes ours. */
export const showFormPost = (ctx: KoaContextWithOIDC): void => {
  const posted = leadsToApplication(ctx) ? formPostIn(ctx.body) : undefined
  if (!posted) return
  const facts = { status: ctx.status, application: ctx.oidc.client?.clientName, action: posted.action }
  send(ctx, formPostPage({ ...facts, fields: describedIn(posted.fields) }, readerOf(ctx)))
}

/** The fields, an error described in our words. */
const describedIn = (fields: FormPost['fields']): FormPost['fields'] => {
  const { error, error_description: theirs = '', ...others } = Object.fromEntries(fields)
  if (error === undefined) return fields
  const ours = inOurWords(theirs, error)
  return Object.entries({ error, ...(ours !== '' && { error_description: ours }), ...others })
}
