/** Pages for signing out. */
import type { LoggedOutFacts, LogoutFacts, Reader } from '#oauth/library/interaction-types'
import { html } from './html.ts'
import { chooseLocale } from './language.ts'
import { type Page, renderPage } from './page.ts'

/** One button, so that a cross-site GET cannot end a session. */
export const logoutPage = ({ action, xsrf, application }: LogoutFacts, reader: Reader): Page => {
  const locale = chooseLocale(reader)
  const { logout } = locale.texts
  return renderPage(locale, {
    title: logout.title,
    leadsToApplication: true,
    main: html`<p>${application === undefined ? logout.text : logout.textForApplication({ application })}</p>
<form method="post" action="${action}?ui_locales=${locale.language}">
<input type="hidden" name="xsrf" value="${xsrf}">
<input type="hidden" name="logout" value="yes">
<button>${logout.submit}</button>
</form>`,
  })
}

export const loggedOutPage = ({ application }: LoggedOutFacts, reader: Reader): Page => {
  const locale = chooseLocale(reader)
  const { loggedOut } = locale.texts
  const text = application === undefined ? loggedOut.text : loggedOut.textForApplication({ application })
  return renderPage(locale, { title: loggedOut.title, main: html`<p>${text}</p>` })
}
