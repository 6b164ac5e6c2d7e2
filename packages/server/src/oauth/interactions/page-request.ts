/** One request for a page: who looks at it and what they sent, and the answers that there are. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Locale } from '#oauth/pages/language'
import type { Page } from '#oauth/pages/page'
import type { InteractionsDependencies, Reader } from '#oauth/provider/interaction-types'
import type { Cookies } from './cookies.ts'
import type { Devices } from './device.ts'
import type { Flash, FlashStore } from './flash.ts'
import type { SignIn } from './sign-in.ts'

/** Sends a letter; false when it did not go out. Never rejects. */
export interface Mailer {
  isAvailable: boolean
  send(letter: { to: string; subject: string; text: string }): Promise<boolean>
}

/** What every page may need. */
export interface PageDependencies extends InteractionsDependencies {
  mail: Mailer
  cookies: Cookies
  devices: Devices
  flash: FlashStore
  signIn: SignIn
  /** Wrong passwords a minute for an account. */
  signInThrottle: number | 'off'
}

export interface PageRequest {
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
  locale: Locale
}

/** `answered`: by the library. `afterwards`: what nobody waits for, so that its time tells nothing. */
export type Answer =
  | (({ page: Page } | { seeOther: string }) & { afterwards?: () => Promise<unknown> })
  | 'answered'

/** `part`: the last segment of the path that varies: an id or a token. */
export type Handler = (deps: PageDependencies, pageRequest: PageRequest, part: string) => Promise<Answer>

/** Back to the page of the form, which then says `note`. */
export const redirectBack = (
  { flash: notes }: PageDependencies,
  { response, pathname, query }: PageRequest,
  message: Flash = {},
): Answer => {
  if (Object.keys(message).length > 0) notes.set(response, pathname, message)
  return { seeOther: query.size > 0 ? `${pathname}?${query}` : pathname }
}

/** A field of the form, without the space around it. */
export const readField = (fields: ReadonlyMap<string, string>, name: 'email' | 'name'): string =>
  (fields.get(name) ?? '').trim()
