/**
 * Carries a rejected form's fault and input, without passwords, to the page that the browser is redirected to
 * (303), so that reloading never resends a form. Kept in a cookie for a minute and shown once.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Cookies } from '#oauth/library/cookies'

export type Flash = Readonly<Record<string, string>>

export interface FlashStore {
  /** For the page at `pathname`. */
  set(response: ServerResponse, pathname: string, flash: Flash): void
  /** Returns the message for this page, once unless `keep` is set. Empty if there is none. */
  read(
    pageRequest: { request: IncomingMessage; response: ServerResponse; pathname: string },
    options?: { keep: boolean },
  ): Flash
}

const cookieName = 'note'
const maxAgeSeconds = 60
/** A cookie has 4 KiB; addresses and names are no longer. */
const charactersMax = 254

export const openFlashStore = (cookies: Cookies): FlashStore => ({
  set(response, pathname, flash) {
    const short = Object.entries(flash).map(([name, value]) => [name, value.slice(0, charactersMax)])
    const text = JSON.stringify([pathname, Object.fromEntries(short)])
    cookies.set(response, cookieName, Buffer.from(text).toString('base64url'), maxAgeSeconds)
  },
  read({ request, response, pathname }, { keep } = { keep: false }) {
    const [flashPathname, flash] = parse(cookies.read(request, cookieName) ?? '')
    if (flashPathname !== pathname) return {}
    if (!keep) cookies.set(response, cookieName, '', 0)
    return flash
  },
})

/** A cookie may contain anything. */
const parse = (value: string): [pathname: unknown, note: Flash] => {
  try {
    const [pathname, flash]: unknown[] = JSON.parse(Buffer.from(value, 'base64url').toString())
    const entries = typeof flash === 'object' && flash !== null ? Object.entries(flash) : []
    return [pathname, Object.fromEntries(entries.filter(([, text]) => typeof text === 'string'))]
  } catch {
    return [undefined, {}]
  }
}
