/** The library's replies for people: errors that cannot be sent to an application, and logout. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ErrorOut, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { minuteSeconds } from '#memory/minute-counter'
import { findNextLink } from '#oauth/interactions/return-to'
import type { Cookies } from '#oauth/library/cookies'
import { describeError, type OAuthErrorReply } from '#oauth/library/error-descriptions'
import type { ErrorFacts, FormPost, Reader } from '#oauth/library/interaction-types'
import { readFormPost, readWebMessage } from '#oauth/library/oidc-provider-internals'
import { sendJson } from '#oauth/library/send-json'
import { endedPage, errorPage, failurePage } from '#oauth/pages/error-page'
import { formPostPage } from '#oauth/pages/form-post-page'
import { createReader } from '#oauth/pages/language'
import { loggedOutPage, logoutPage } from '#oauth/pages/logout-pages'
import { isFromBrowser, type Page, sendPage } from '#oauth/pages/page'
import { startPage } from '#oauth/pages/start-page'
import { webMessagePage } from '#oauth/pages/web-message-page'

export interface Pages {
  error(ctx: KoaContextWithOIDC, errorOut: ErrorOut): void
  /** A sign-in that has ended or belongs to another browser. */
  expired(ctx: KoaContextWithOIDC, cookies: Cookies): Promise<void>
  logout(ctx: KoaContextWithOIDC): void
  loggedOut(ctx: KoaContextWithOIDC): void
}

/** Routes of the library for browsers. */
const browserRoutes = new Set([
  'authorization',
  'resume',
  'end_session',
  'end_session_confirm',
  'end_session_success',
  'code_verification',
  'device_resume',
])
export const isForPeople = (ctx: KoaContextWithOIDC): boolean => browserRoutes.has(ctx.oidc?.route)

export const makeReader = (ctx: KoaContextWithOIDC): Reader => {
  const locales: unknown = ctx.oidc.params?.ui_locales ?? ctx.query.ui_locales
  return createReader(ctx.req, typeof locales === 'string' ? locales : undefined)
}

export const setPage = (ctx: KoaContextWithOIDC, { status, headers, body }: Page): void => {
  ctx.status = status
  ctx.set({ ...headers })
  ctx.body = body
}

export const pages: Pages = {
  error(ctx, { error, error_description = '' }) {
    const description = describeError(error_description, error)
    const requestId = ctx.response.get('x-request-id')
    if (ctx.status === 429) ctx.set('retry-after', String(minuteSeconds))
    if (!isForPeople(ctx) || !ctx.accepts('html')) ctx.body = { error, error_description: description }
    else {
      const isLogout = ctx.oidc.route === 'end_session'
      setPage(
        ctx,
        errorPage({ status: ctx.status, error, description, requestId, isLogout }, makeReader(ctx)),
      )
    }
  },
  async expired(ctx, cookies) {
    const uid = ctx.path.split('/').at(-1) ?? ''
    const way = await findNextLink(cookies, ctx.req, ctx.oidc.provider, uid)
    const isSignedIn = ctx.oidc.session?.accountId !== undefined
    setPage(ctx, endedPage(isSignedIn, ctx.response.get('x-request-id'), makeReader(ctx), way))
  },
  logout(ctx) {
    const { session, client } = ctx.oidc
    const secret: unknown = session?.state?.secret
    const facts = {
      action: ctx.oidc.urlFor('end_session_confirm'),
      xsrf: typeof secret === 'string' ? secret : '',
      application: client?.clientName,
    }
    setPage(ctx, logoutPage(facts, makeReader(ctx)))
  },
  loggedOut(ctx) {
    setPage(ctx, loggedOutPage({ application: ctx.oidc.client?.clientName }, makeReader(ctx)))
  },
}

/** Sends an error page for a request that does not reach the library. */
export const sendErrorPage = (
  request: IncomingMessage,
  response: ServerResponse,
  facts: ErrorFacts,
): void => {
  sendPage(response, errorPage(facts, createReader(request, undefined)))
}

/** Sends the start page, or a 404 page, to a browser at a path without an endpoint. */
export const sendLandingPage = (
  request: IncomingMessage,
  response: ServerResponse,
  { pathname, baseUrl, requestId }: { pathname: string; baseUrl: string; requestId: string },
): void => {
  const reader = createReader(request, undefined)
  if (pathname === '/') sendPage(response, startPage(baseUrl, reader))
  else sendPage(response, failurePage('missing', requestId, reader))
}

/** Sends a failure as a page or as JSON. */
export const sendFailure = (
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: OAuthErrorReply,
  requestId: string,
): void => {
  if (!isFromBrowser(request)) sendJson(response, status, body, headers)
  else {
    const facts = { status, error: body.error, description: body.error_description, requestId }
    sendPage(response, errorPage(facts, createReader(request, undefined)), headers)
  }
}

/** Whether the browser is being sent to an application, with a response or an error. */
export const leadsToApplication = ({ oidc }: KoaContextWithOIDC): boolean =>
  oidc.route === 'authorization' || oidc.route === 'resume'

/** Replaces the library's page of `response_mode=form_post`. */
export const showFormPost = (ctx: KoaContextWithOIDC): void => {
  const formPost = leadsToApplication(ctx) ? readFormPost(ctx.body) : undefined
  if (!formPost) return
  const facts = { status: ctx.status, application: ctx.oidc.client?.clientName, action: formPost.action }
  setPage(ctx, formPostPage({ ...facts, fields: describeFields(formPost.fields) }, makeReader(ctx)))
}

/**
 * Replaces the library's page of `response_mode=web_message`, which any page may frame. A redirect URI without
 * an origin has no page to answer.
 */
export const showWebMessage = (ctx: KoaContextWithOIDC): void => {
  const message = leadsToApplication(ctx) ? readWebMessage(ctx.body) : undefined
  if (!message) return
  if (message.origin === 'null')
    throw new errors.InvalidRequest(
      'response_mode=web_message needs a redirect_uri with https or http: leave response_mode out',
    )
  const facts = { status: ctx.status, application: ctx.oidc.client?.clientName, origin: message.origin }
  setPage(ctx, webMessagePage({ ...facts, fields: describeFields(message.fields) }, makeReader(ctx)))
  ctx.remove('x-frame-options')
}

/** Returns the fields with our error description. */
const describeFields = (fields: FormPost['fields']): FormPost['fields'] => {
  const { error, error_description: libraryDescription = '', ...otherFields } = Object.fromEntries(fields)
  if (error === undefined) return fields
  const description = describeError(libraryDescription, error)
  return Object.entries({
    error,
    ...(description !== '' && { error_description: description }),
    ...otherFields,
  })
}
