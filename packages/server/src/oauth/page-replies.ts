/** Replies of the library's that people see: errors that cannot go back to an application, and logout. */
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider'
import type { ErrorFacts, Reader } from './boundary.ts'
import { inOurWords } from './error-words.ts'
import { errorPage } from './pages/error-page.ts'
import { loggedOutPage, logoutPage } from './pages/logout-pages.ts'
import { type Page, sendPage } from './pages/page.ts'

export interface Pages {
  error(ctx: KoaContextWithOIDC, out: ErrorOut): void
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

/** What a page's form may lead to, as a CSP source: an origin, or a private-use scheme. */
export const sourceOf = (address: string): string => {
  const url = new URL(address)
  return url.origin === 'null' ? url.protocol : url.origin
}

export const pages: Pages = {
  error(ctx, { error, error_description = '' }) {
    const description = inOurWords(error_description)
    const requestId = ctx.response.get('x-request-id')
    if (!isForPeople(ctx) || !ctx.accepts('html')) ctx.body = { error, error_description: description }
    else send(ctx, errorPage({ status: ctx.status, error, description, requestId }, readerOf(ctx)))
  },
  logout(ctx) {
    const { session, params, client } = ctx.oidc
    const secret: unknown = session?.state?.secret
    const back: unknown = params?.post_logout_redirect_uri
    const facts = {
      action: ctx.oidc.urlFor('end_session_confirm'),
      xsrf: typeof secret === 'string' ? secret : '',
      application: client?.clientName,
      formActions: typeof back === 'string' ? [sourceOf(back)] : [],
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
  const reader = { acceptLanguage: request.headers['accept-language'], uiLocales: undefined }
  sendPage(response, errorPage(facts, reader))
}

/** The library's page of `response_mode=form_post` sends itself on by a script: that one is allowed, by its hash. */
export const protectFormPost = (ctx: KoaContextWithOIDC): void => {
  if (ctx.oidc.route !== 'authorization' && ctx.oidc.route !== 'resume') return
  const [, script] = typeof ctx.body === 'string' ? (/<script>([^<]*)<\/script>/.exec(ctx.body) ?? []) : []
  if (script === undefined) return
  const hash = createHash('sha256').update(script).digest('base64')
  ctx.set({
    'content-security-policy': `default-src 'none'; script-src 'sha256-${hash}'; base-uri 'none'; frame-ancestors 'none'`,
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  })
}
