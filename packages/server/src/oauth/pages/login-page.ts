/** Signing in, and the page of those who are signed in but no member. */
import type { AskingApplication } from '#oauth/boundary'
import { alert, field, form } from './form.ts'
import { html } from './html.ts'
import type { Speech } from './language.ts'
import { type Page, renderPage } from './page.ts'

/** What was wrong with the form that was sent. */
export type LoginFault = 'email-missing' | 'password-missing' | 'refused' | 'throttled'

export interface LoginFacts {
  application: AskingApplication
  token: string
  /** As typed, or as the application suggests. */
  email: string | undefined
  /** Signed in already, and asked once more. */
  again: boolean
  fault: LoginFault | undefined
  forgottenUrl: string
}

export const loginPage = (speech: Speech, facts: LoginFacts): Page => {
  const { application, token, email, again, fault, forgottenUrl } = facts
  const { login, ...texts } = speech.texts
  const emailFault = fault === 'email-missing' ? texts.emailMissing : undefined
  const emailFocus = fault === 'email-missing' || email === undefined
  return renderPage(speech, {
    title: login.title,
    status: statusOf(fault),
    formActions: application.formActions,
    main: html`<p class="quiet">${login.to(application.title, application.workspace?.title)}</p>
${again && html`<p>${login.again}</p>`}
${alert(formFault(speech, fault))}
${form(
  token,
  [
    field({
      name: 'email',
      label: texts.email,
      type: 'email',
      autocomplete: 'username',
      value: email,
      fault: emailFault,
      focus: emailFocus,
      faultOfForm: formFault(speech, fault) !== undefined,
    }),
    currentPassword(speech, { fault, focus: !emailFocus, forgottenUrl }),
  ],
  [
    { text: login.submit, action: 'sign-in' },
    { text: login.cancel, action: 'cancel', second: true },
  ],
)}`,
  })
}

export const statusOf = (fault: LoginFault | undefined): number => {
  if (fault === undefined) return 200
  return fault === 'throttled' ? 429 : 422
}

/** The sentence above the form; faults of one field stand beside it. */
export const formFault = (
  { texts }: Pick<Speech, 'texts'>,
  fault: LoginFault | undefined,
): string | undefined => {
  if (fault === 'refused') return texts.refused
  return fault === 'throttled' ? texts.throttled : undefined
}

export const currentPassword = (
  { texts }: Speech,
  { fault, focus, forgottenUrl }: { fault: LoginFault | undefined; focus: boolean; forgottenUrl: string },
) =>
  field({
    name: 'password',
    label: texts.password,
    type: 'password',
    autocomplete: 'current-password',
    fault: fault === 'password-missing' ? texts.passwordMissing : undefined,
    focus,
    faultOfForm: formFault({ texts }, fault) !== undefined,
    link: { href: forgottenUrl, text: texts.forgot },
  })

export interface MemberFacts {
  application: AskingApplication
  token: string
  /** Of who is signed in. */
  email: string
  otherAccountUrl: string
}

/** "You are no member": names the workspace and whom to ask. */
export const memberPage = (
  speech: Speech,
  { application, token, email, otherAccountUrl }: MemberFacts,
): Page => {
  const { member, otherAccount } = speech.texts
  const workspace = application.workspace?.title ?? application.title
  return renderPage(speech, {
    title: member.title,
    status: 403,
    formActions: application.formActions,
    main: html`<p>${member.text(email, workspace)}</p>
<p>${member.ask(workspace)}</p>
<p><a class="button" href="${otherAccountUrl}">${otherAccount}</a></p>
${form(token, [], [{ text: member.back(application.title), action: 'cancel', second: true }])}`,
  })
}
