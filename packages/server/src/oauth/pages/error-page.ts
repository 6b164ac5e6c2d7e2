/** Error pages: what happened, what to do, a next link, and the request ID for the log. */

import type { PageTexts } from '#languages/page-texts'
import { minuteSeconds } from '#memory/minute-counter'
import type { ErrorFacts, Reader } from '#oauth/library/interaction-types'
import { html, type Markup } from './html.ts'
import { chooseLocale, type Locale } from './language.ts'
import { type NextLink, renderNextLink } from './next-link.ts'
import { type Page, renderPage } from './page.ts'

export type ErrorKind = keyof PageTexts['error']['kinds']

const statuses: Record<ErrorKind, number> = {
  expired: 400,
  signedIn: 400,
  forged: 403,
  missing: 404,
  method: 405,
  tooLong: 413,
  tooMany: 429,
  request: 400,
  logoutRequest: 400,
  unavailable: 503,
  fault: 500,
}

const defaultLinks: Partial<Record<ErrorKind, NextLink>> = {
  expired: { kind: 'console' },
  signedIn: { kind: 'console' },
  missing: { kind: 'start' },
  method: { kind: 'start' },
}

/** A page for one of our own kinds of errors. `way`: another next link than the default. */
export const failurePage = (
  kind: ErrorKind,
  requestId: string,
  reader: Reader,
  way: NextLink | undefined = defaultLinks[kind],
): Page => renderError({ kind, status: statuses[kind], way, requestId }, reader)

/** A page for a sign-in that has ended or belongs to another browser, such as in a tab that the browser restored. */
export const endedPage = (
  isSignedIn: boolean,
  requestId: string,
  reader: Reader,
  way: NextLink = { kind: 'console' },
): Page => failurePage(isSignedIn ? 'signedIn' : 'expired', requestId, reader, way)

/** A page for an error that cannot be sent to the application. */
export const errorPage = (facts: ErrorFacts, reader: Reader): Page => {
  const { status, requestId } = facts
  if (status >= 500) return failurePage(status === 503 ? 'unavailable' : 'fault', requestId, reader)
  if (logoutErrors.test(facts.description))
    return failurePage('expired', requestId, reader, { kind: 'logout' })
  if (status === 429) {
    const page = failurePage('tooMany', requestId, reader)
    return { ...page, headers: { ...page.headers, 'retry-after': String(minuteSeconds) } }
  }
  const kind = facts.isLogout ? 'logoutRequest' : 'request'
  return renderError({ kind, status, error: facts, way: undefined, requestId }, reader)
}

/**
 * The library's descriptions of a logout confirmation that was used already or belongs to another browser.
 */
const logoutErrors = /^(xsrf token invalid|could not find logout details)$/

type Reason = Exclude<keyof PageTexts['error']['reasons'], 'other'>

/** Library errors with a translated text; `$1` is the named parameter. */
const reasons: readonly [code: RegExp, description: RegExp, reason: Reason][] = [
  [/^invalid_client$/, /^no application has()/, 'client'],
  [/^invalid_redirect_uri$/, /^(redirect_uri)\b/, 'redirect'],
  [/^invalid_request$/, /^missing required parameters? (.+)$/, 'missing'],
  [/^invalid_request$/, /^(.+) parameters? must not be provided twice$/, 'twice'],
  [/^invalid_request$/, /^(post_logout_redirect_uri) not registered$/, 'logoutAddress'],
  [/^invalid_request$/, /(id_token_hint)/, 'hint'],
  [/^invalid_request$/, /^the form is (too long)$/, 'tooLong'],
]

/** Returns a translated text, or the English description. */
const explanation = ({ texts, language }: Locale, { error, description }: ErrorFacts): Markup => {
  const words = texts.error.reasons
  for (const [code, pattern, reason] of reasons) {
    const [, parameterName] = code.test(error) ? (pattern.exec(description) ?? []) : []
    const text = words[reason]
    if (parameterName !== undefined)
      return html`<dd>${typeof text === 'string' ? text : text({ name: parameterName })}</dd>`
  }
  return html`${language !== 'en' && html`<dd>${words.other}</dd>\n`}<dd lang="en">${description}</dd>`
}

const renderError = (
  facts: {
    kind: ErrorKind
    status: number
    error?: ErrorFacts
    way: NextLink | undefined
    requestId: string
  },
  reader: Reader,
): Page => {
  const locale = chooseLocale(reader)
  const { kinds, requestId } = locale.texts.error
  const { title, text } = kinds[facts.kind]
  const { error, way } = facts
  return renderPage(locale, {
    title,
    status: facts.status,
    main: html`<p>${text}</p>
${way && renderNextLink(locale, way)}
<dl class="details">
${error && html`<dt><code>${error.error}</code></dt>\n${explanation(locale, error)}`}
<dt>${requestId}</dt>
<dd><code>${facts.requestId}</code></dd>
</dl>`,
  })
}
