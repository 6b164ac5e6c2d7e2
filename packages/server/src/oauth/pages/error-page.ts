/** What happened, what to do, and the number under which the log has the rest. */
import type { ErrorFacts, Reader } from '#oauth/boundary'
import { html } from './html.ts'
import { speechFor } from './language.ts'
import { type Page, renderPage } from './page.ts'
import type { Texts } from './texts/en.ts'

export type ErrorKind = keyof Texts['error']['kinds']

const statuses: Record<ErrorKind, number> = {
  expired: 400,
  forged: 403,
  missing: 404,
  method: 405,
  tooLong: 413,
  request: 400,
  unavailable: 503,
  fault: 500,
}

/** An error of ours that needs no more words than those of its kind. */
export const failurePage = (kind: ErrorKind, requestId: string, reader: Reader): Page =>
  render({ kind, status: statuses[kind], details: undefined, requestId }, reader)

/** An error that cannot go back to the application; its description is for the application's makers, and in English. */
export const errorPage = ({ status, error, description, requestId }: ErrorFacts, reader: Reader): Page => {
  if (status >= 500) return failurePage(status === 503 ? 'unavailable' : 'fault', requestId, reader)
  return render({ kind: 'request', status, details: { error, description }, requestId }, reader)
}

const render = (
  facts: {
    kind: ErrorKind
    status: number
    details: { error: string; description: string } | undefined
    requestId: string
  },
  reader: Reader,
): Page => {
  const speech = speechFor(reader)
  const { kinds, requestId } = speech.texts.error
  const { title, text } = kinds[facts.kind]
  const { details } = facts
  return renderPage(speech, {
    title,
    status: facts.status,
    main: html`<p>${text}</p>
<dl class="details">
${details && html`<dt lang="en">${details.error}</dt>\n<dd lang="en">${details.description}</dd>`}
<dt>${requestId}</dt>
<dd>${facts.requestId}</dd>
</dl>`,
  })
}
