/**
 * What a form that was not taken leaves for the page that it is sent back to (303): the fault, and what was typed, without passwords.
 * So going back and loading again never send a form anew. Kept in a cookie for a minute, and shown once.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Cookies } from './cookies.ts'

export type Note = Readonly<Record<string, string>>

export interface Notes {
  /** For the page at `pathname`. */
  leave(response: ServerResponse, pathname: string, note: Note): void
  /** That of this page; once, unless it is to be `kept` for when the page is loaded again. Empty: there is none. */
  read(
    visit: { request: IncomingMessage; response: ServerResponse; pathname: string },
    options?: { kept: boolean },
  ): Note
}

const cookieName = 'note'
const lastsSeconds = 60
/** A cookie has 4 KiB; an address or a name is no longer. */
const charactersMax = 254

export const openNotes = (cookies: Cookies): Notes => ({
  leave(response, pathname, note) {
    const short = Object.entries(note).map(([name, value]) => [name, value.slice(0, charactersMax)])
    const text = JSON.stringify([pathname, Object.fromEntries(short)])
    cookies.set(response, cookieName, Buffer.from(text).toString('base64url'), lastsSeconds)
  },
  read({ request, response, pathname }, { kept } = { kept: false }) {
    const [of, note] = parse(cookies.read(request, cookieName) ?? '')
    if (of !== pathname) return {}
    if (!kept) cookies.set(response, cookieName, '', 0)
    return note
  },
})

/** A cookie may hold anything. */
const parse = (value: string): [pathname: unknown, note: Note] => {
  try {
    const [pathname, note]: unknown[] = JSON.parse(Buffer.from(value, 'base64url').toString())
    const entries = typeof note === 'object' && note !== null ? Object.entries(note) : []
    return [pathname, Object.fromEntries(entries.filter(([, text]) => typeof text === 'string'))]
  } catch {
    return [undefined, {}]
  }
}
