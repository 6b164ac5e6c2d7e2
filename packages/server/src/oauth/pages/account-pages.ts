/** For those who are signed in as somebody who gets no further: with the way to another account, and the way back. */
import type { AskingApplication } from '#oauth/boundary'
import { form } from './form.ts'
import { html, type Markup } from './html.ts'
import type { Speech } from './language.ts'
import { type Page, renderPage } from './page.ts'

export interface AccountFacts {
  application: AskingApplication
  token: string
  /** Of who is signed in. */
  email: string
  otherAccountUrl: string
}

/** "You are no member": names the workspace and whom to ask. */
export const memberPage = (speech: Speech, facts: AccountFacts): Page => {
  const { member } = speech.texts
  const { application, email } = facts
  const workspace = application.workspace?.title ?? application.title
  return withWays(speech, facts, {
    title: member.title,
    main: html`<p>${member.text(email, workspace)}</p>
<p>${member.ask(workspace)}</p>`,
  })
}

/** The application asks for a certain account, which it alone knows: whose it is, is told to nobody else. */
export const wrongAccountPage = (speech: Speech, facts: AccountFacts): Page => {
  const { wrongAccount, signedInAs } = speech.texts
  const { application, email } = facts
  return withWays(speech, facts, {
    title: wrongAccount.title,
    main: html`<p>${signedInAs(email)} ${wrongAccount.text(application.title)}</p>`,
  })
}

const withWays = (
  speech: Speech,
  { application, token, otherAccountUrl }: AccountFacts,
  { title, main }: { title: string; main: Markup },
): Page => {
  const { switchAccount, back } = speech.texts
  return renderPage(speech, {
    title,
    status: 403,
    leadsToApplication: true,
    main: html`${main}
<p class="way"><a class="button" href="${otherAccountUrl}">${switchAccount}</a></p>
${form(token, [], [{ text: back(application.title), action: 'cancel', second: true }])}`,
  })
}
