/** The pages that the server shows by itself, as plain as can be. */
import type { ErrorFacts, LoggedOutFacts, LogoutFacts, Reader } from './boundary.ts'

const asText = (text: string): string => text.replace(/[&<>"']/g, sign => `&#${sign.charCodeAt(0)};`)

const page = (title: string, content: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><main><h1>${title}</h1>${content}</main></html>`

export const errorPage = ({ error, description, requestId }: ErrorFacts, _reader: Reader): string =>
  page(
    'That did not work',
    `<p>${asText(description)}</p><p>${asText(error)}, request ${asText(requestId)}</p>`,
  )

export const logoutPage = ({ action, xsrf, application }: LogoutFacts, _reader: Reader): string =>
  page(
    'Sign out?',
    `<p>${asText(application ?? '')}</p><form method="post" action="${asText(action)}"><input type="hidden" name="xsrf" value="${asText(xsrf)}"><button name="logout" value="yes">Sign out</button></form>`,
  )

export const loggedOutPage = ({ application }: LoggedOutFacts, _reader: Reader): string =>
  page('You are signed out', `<p>${asText(application ?? '')}</p>`)
