/** Replies of the library's that people see: errors that cannot go back to an application, and logout. */
import { createHash } from 'node:crypto'
import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider'
import type { Reader } from './boundary.ts'
import { inOurWords } from './error-words.ts'
import { errorPage, loggedOutPage, logoutPage } from './plain-pages.ts'

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

/** No script, no framing, nothing from elsewhere (RFC 9700, section 4.16; OWASP ASVS 5.0, V3.4). */
const headers = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

const readerOf = (ctx: KoaContextWithOIDC): Reader => {
  const locales: unknown = ctx.oidc.params?.ui_locales
  return {
    acceptLanguage: ctx.get('accept-language') || undefined,
    uiLocales: typeof locales === 'string' ? locales : undefined,
  }
}

const send = (ctx: KoaContextWithOIDC, html: string): void => {
  ctx.set(headers)
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = html
}

export const pages: Pages = {
  error(ctx, { error, error_description: words = '' }) {
    const error_description = inOurWords(words)
    const requestId = ctx.response.get('x-request-id')
    if (!isForPeople(ctx) || !ctx.accepts('html')) ctx.body = { error, error_description }
    else {
      const { status } = ctx
      send(ctx, errorPage({ status, error, description: error_description, requestId }, readerOf(ctx)))
    }
  },
  logout(ctx) {
    const secret: unknown = ctx.oidc.session?.state?.secret
    const facts = {
      action: ctx.oidc.urlFor('end_session_confirm'),
      xsrf: typeof secret === 'string' ? secret : '',
      application: ctx.oidc.client?.clientName,
    }
    send(ctx, logoutPage(facts, readerOf(ctx)))
  },
  loggedOut(ctx) {
    send(ctx, loggedOutPage({ application: ctx.oidc.client?.clientName }, readerOf(ctx)))
  },
}

/** The library's page of `response_mode=form_post` sends itself on by a script: that one is allowed, by its hash. */
export const protectFormPost = (ctx: KoaContextWithOIDC): void => {
  if (ctx.oidc.route !== 'authorization' && ctx.oidc.route !== 'resume') return
  const [, script] = typeof ctx.body === 'string' ? (/<script>([^<]*)<\/script>/.exec(ctx.body) ?? []) : []
  if (script === undefined) return
  const hash = createHash('sha256').update(script).digest('base64')
  ctx.set(headers)
  ctx.set(
    'content-security-policy',
    `default-src 'none'; script-src 'sha256-${hash}'; base-uri 'none'; frame-ancestors 'none'`,
  )
}
