/** A forgotten password: asking for a link, and choosing a new one by it. */
import { field, form } from './form.ts'
import { html } from './html.ts'
import type { Speech } from './language.ts'
import { newPasswordField, type PasswordFault } from './new-password.ts'
import { type Page, renderPage } from './page.ts'
import { type WayOn, wayOn } from './way-on.ts'

export interface ForgottenFacts {
  token: string
  email: string | undefined
  fault: 'email-missing' | undefined
  /** Where the person came from. */
  signInUrl: string | undefined
  /** Without mail only an operator can give a link. */
  canMail: boolean
}

export const forgottenPage = (speech: Speech, facts: ForgottenFacts): Page => {
  const { forgotten, ...texts } = speech.texts
  const { fault, canMail } = facts
  return renderPage(speech, {
    title: forgotten.title,
    status: fault === undefined ? 200 : 422,
    main: html`<p>${canMail ? forgotten.text : forgotten.noMail}</p>
${
  canMail &&
  form(
    facts.token,
    [
      field({
        name: 'email',
        label: texts.email,
        type: 'email',
        autocomplete: 'username',
        value: facts.email,
        fault: fault && texts.emailMissing,
        focus: true,
      }),
    ],
    [{ text: forgotten.submit, action: 'send' }],
  )
}
${backLink(speech, facts.signInUrl)}`,
  })
}

/** The same whether there is such an account or not. */
export const sentPage = (
  speech: Speech,
  { email, signInUrl }: { email: string; signInUrl: string | undefined },
): Page => {
  const { forgotten } = speech.texts
  return renderPage(speech, {
    title: forgotten.sentTitle,
    main: html`<p>${forgotten.sent(email)}</p>
<p class="quiet">${forgotten.sentNothing}</p>
${backLink(speech, signInUrl)}`,
  })
}

const backLink = ({ texts }: Speech, signInUrl: string | undefined) =>
  signInUrl === undefined ? undefined : html`<p class="lone"><a href="${signInUrl}">${texts.toSignIn}</a></p>`

export const resetPage = (
  speech: Speech,
  {
    token,
    email,
    isFirst,
    fault,
  }: { token: string; email: string; isFirst: boolean; fault: PasswordFault | undefined },
): Page => {
  const { reset, ...texts } = speech.texts
  return renderPage(speech, {
    title: isFirst ? reset.firstTitle : reset.title,
    status: fault === undefined ? 200 : 422,
    main: html`<p>${isFirst ? reset.firstText : reset.text}</p>
${form(
  token,
  [
    field({
      name: 'email',
      label: texts.email,
      type: 'email',
      autocomplete: 'username',
      value: email,
      readonly: true,
    }),
    newPasswordField(speech, { fault, focus: true }),
  ],
  [{ text: reset.submit, action: 'save' }],
)}`,
  })
}

/** `signedInAs`: the address of who chose a first password. */
export const resetDonePage = (
  speech: Speech,
  { signedInAs, way }: { signedInAs: string | undefined; way: WayOn },
): Page => {
  const { reset } = speech.texts
  return renderPage(speech, {
    title: reset.doneTitle,
    main: html`<p>${signedInAs === undefined ? reset.done : reset.doneSignedIn(signedInAs)}</p>
${wayOn(speech, way)}`,
  })
}

export const resetGonePage = (speech: Speech, { forgottenUrl }: { forgottenUrl: string }): Page => {
  const { reset } = speech.texts
  return renderPage(speech, {
    title: reset.goneTitle,
    status: 410,
    main: html`<p>${reset.gone}</p>
<p class="way"><a class="button" href="${forgottenUrl}">${reset.another}</a></p>`,
  })
}
