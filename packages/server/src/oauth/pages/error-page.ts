/** What happened, what to do, where to go on, and the number under which the log has the rest. */
import type { ErrorFacts, Reader } from '#oauth/provider/interaction-types'
import { windowSeconds } from '#oauth/requests/failed-attempts'
import { html, type Markup } from './html.ts'
import { chooseLocale, type Locale } from './language.ts'
import { type NextLink, renderNextLink } from './next-link.ts'
import { type Page, renderPage } from './page.ts'
import type { Texts } from './texts/en.ts'

export type ErrorKind = keyof Texts['error']['kinds']

const statuses: Record<ErrorKind, number> = {
  expired: 400,
  forged: 403,
  missing: 404,
  method: 405,
  tooLong: 413,
  tooMany: 429,
  request: 400,
  unavailable: 503,
  fault: 500,
}

const defaultLinks: Partial<Record<ErrorKind, NextLink>> = {
  expired: { to: 'console' },
  missing: { to: 'start' },
  method: { to: 'start' },
}

/** An error of ours that needs no more words than those of its kind. `way`: another than the usual. */
export const failurePage = (
  kind: ErrorKind,
  requestId: string,
  reader: Reader,
  way: NextLink | undefined = defaultLinks[kind],
): Page => renderError({ kind, status: statuses[kind], way, requestId }, reader)

/** An error that cannot go back to the application. */
export const errorPage = (facts: ErrorFacts, reader: Reader): Page => {
  const { status, requestId } = facts
  if (status >= 500) return failurePage(status === 503 ? 'unavailable' : 'fault', requestId, reader)
  if (logoutErrors.test(facts.description)) return failurePage('expired', requestId, reader, { to: 'logout' })
  if (status === 429) {
    const page = failurePage('tooMany', requestId, reader)
    return { ...page, headers: { ...page.headers, 'retry-after': String(windowSeconds) } }
  }
  return renderError({ kind: 'request', status, error: facts, way: undefined, requestId }, reader)
}

/** The library's words for a question of logout that was answered already, or is another browser's. */
const logoutErrors = /^(xsrf token invalid|could not find logout details)$/

type Reason = Exclude<keyof Texts['error']['reasons'], 'other'>

/** Of the codes and descriptions that there are, which ones have words in each language; `$1` is what they name. */
const reasons: readonly [code: RegExp, description: RegExp, reason: Reason][] = [
  [/^invalid_client$/, /^there is no application()/, 'client'],
  [/^invalid_redirect_uri$/, /()/, 'redirect'],
  [/^invalid_request$/, /^missing required parameters? (.+)$/, 'missing'],
  [/^invalid_request$/, /^(.+) parameters? must not be provided twice$/, 'twice'],
  [/^invalid_request$/, /^(post_logout_redirect_uri) not registered$/, 'logoutAddress'],
  [/^invalid_request$/, /(id_token_hint)/, 'hint'],
  [/^invalid_request$/, /^the form is (too long)$/, 'tooLong'],
]

/** In the reader's language; where we have no words, that there are none, and the description, which is English. */
const explanation = ({ texts }: Locale, { error, description }: ErrorFacts): Markup => {
  const words = texts.error.reasons
  for (const [code, pattern, reason] of reasons) {
    const [, named] = code.test(error) ? (pattern.exec(description) ?? []) : []
    if (named !== undefined) return html`<dd>${words[reason](named)}</dd>`
  }
  return html`${words.other !== '' && html`<dd>${words.other}</dd>\n`}<dd lang="en">${description}</dd>`
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
