/** For those who are signed in as somebody who gets no further: with the way to another account, and the way back. */
import type { RequestingApplication } from '#oauth/provider/interaction-types'
import { form } from './form.ts'
import { html, type Markup } from './html.ts'
import type { Locale } from './language.ts'
import { type Page, renderPage } from './page.ts'

export interface AccountFacts {
  application: RequestingApplication
  token: string
  /** Of who is signed in. */
  email: string
  otherAccountUrl: string
}

/** "You are no member": names the workspace and whom to ask. */
export const memberPage = (locale: Locale, facts: AccountFacts): Page => {
  const { member } = locale.texts
  const { application, email } = facts
  const workspace = application.workspace?.title ?? application.title
  return withWays(locale, facts, {
    title: member.title,
    main: html`<p>${member.text(email, workspace)}</p>
<p>${member.ask(workspace)}</p>`,
  })
}

/** The application asks for a certain account, which it alone knows: whose it is, is told to nobody else. */
export const wrongAccountPage = (locale: Locale, facts: AccountFacts): Page => {
  const { wrongAccount, signedInAs } = locale.texts
  const { application, email } = facts
  return withWays(locale, facts, {
    title: wrongAccount.title,
    main: html`<p>${signedInAs(email)} ${wrongAccount.text(application.title)}</p>`,
  })
}

const withWays = (
  locale: Locale,
  { application, token, otherAccountUrl }: AccountFacts,
  { title, main }: { title: string; main: Markup },
): Page => {
  const { switchAccount, back } = locale.texts
  return renderPage(locale, {
    title,
    status: 403,
    leadsToApplication: true,
    main: html`${main}
<p class="way"><a class="button" href="${otherAccountUrl}">${switchAccount}</a></p>
${form(token, [], [{ text: back(application.title), action: 'cancel', second: true }])}`,
  })
}
