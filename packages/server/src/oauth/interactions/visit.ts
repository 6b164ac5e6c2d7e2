/** One request for a page: who looks at it and what they sent, and the answers that there are. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { InteractionsDependencies, Reader } from '#oauth/boundary'
import type { Speech } from '#oauth/pages/language'
import type { Page } from '#oauth/pages/page'
import type { Cookies } from './cookies.ts'
import type { Devices } from './device.ts'
import type { Note, Notes } from './notes.ts'
import type { SignIn } from './sign-in.ts'

/** Sends a letter; false when it did not go out. Never rejects. */
export interface Post {
  available: boolean
  send(letter: { to: string; subject: string; text: string }): Promise<boolean>
}

/** What every page may need. */
export interface Deps extends InteractionsDependencies {
  mail: Post
  cookies: Cookies
  devices: Devices
  notes: Notes
  signIn: SignIn
  /** Wrong passwords a minute for an account. */
  signInThrottle: number | 'off'
}

export interface Visit {
  request: IncomingMessage
  response: ServerResponse
  requestId: string
  /** The person's IP address. */
  address: string
  pathname: string
  query: URLSearchParams
  /** Of a form that was sent from here; undefined: a page is asked for. */
  fields: ReadonlyMap<string, string> | undefined
  /** For the form of the page. */
  token: string
  reader: Reader
  /** In the reader's language. */
  speech: Speech
}

/** `answered`: by the library. `afterwards`: what nobody waits for, so that its time tells nothing. */
export type Answer =
  | (({ page: Page } | { seeOther: string }) & { afterwards?: () => Promise<unknown> })
  | 'answered'

/** `part`: the last segment of the path that varies: an id or a token. */
export type Handler = (deps: Deps, visit: Visit, part: string) => Promise<Answer>

/** Back to the page of the form, which then says `note`. */
export const sendBack = ({ notes }: Deps, { response, pathname, query }: Visit, note: Note = {}): Answer => {
  if (Object.keys(note).length > 0) notes.leave(response, pathname, note)
  return { seeOther: query.size > 0 ? `${pathname}?${query}` : pathname }
}

/** A field of the form, without the space around it. */
export const typed = (fields: ReadonlyMap<string, string>, name: 'email' | 'name'): string =>
  (fields.get(name) ?? '').trim()
