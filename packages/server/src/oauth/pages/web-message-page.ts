/** Sends a response to the page that opened this one in a frame or popup (OAuth 2.0 Web Message Response Mode). */
import type { Reader, WebMessage } from '#oauth/library/interaction-types'
import { html } from './html.ts'
import { chooseLocale } from './language.ts'
import { type Page, renderPage } from './page.ts'

export interface WebMessageFacts extends WebMessage {
  status: number
  /** Title of the application, if known. */
  application: string | undefined
}

/** Libraries close the popup when they have the message, and take one that closes before for a person who gave up. */
const closeMs = 2000

/** Only pages of `origin` may frame it, and the browser delivers the message to that origin only. */
export const webMessagePage = (
  { status, application, origin, fields }: WebMessageFacts,
  reader: Reader,
): Page => {
  const locale = chooseLocale({ ...reader, address: undefined })
  const { webMessage, formPost } = locale.texts
  const message = { type: 'authorization_response', response: Object.fromEntries(fields) }
  return renderPage(locale, {
    title: application === undefined ? formPost.titleWithoutName : formPost.title({ application }),
    status,
    main: html`<p>${webMessage.text}</p>`,
    frameOrigin: origin,
    script: `(window.opener || window.parent).postMessage(${toScript(message)}, ${toScript(origin)});if (window.opener) setTimeout(() => window.close(), ${closeMs})`,
  })
}

/** JSON that can't end the script. */
const toScript = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
